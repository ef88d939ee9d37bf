//! How Kubernetes names things: what is wrong with a name, a label or a path segment, in the words of an API server.
//! Source: apimachinery `pkg/api/validate/content` and `pkg/util/validation/validation.go`.

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
/// What is said of a name that is no RFC 1123 label.
pub const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// What is wrong with a text as one segment of the address of an object.
pub fn path_segment_faults(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name == "." || name == ".." {
        faults.push(format!("may not be '{name}'"));
    }
    faults.extend(path_segment_prefix_faults(name));
    faults
}

/// What is wrong with a text as the beginning of such a segment.
pub fn path_segment_prefix_faults(prefix: &str) -> Vec<String> {
    ['/', '%'].iter().filter(|character| prefix.contains(**character)).map(|character| format!("may not contain '{character}'")).collect()
}

/// In what the length of a name is told: two generations of the API server's code differ in the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Of names.
    Characters,
    /// Of prefixes of labels.
    Bytes,
}

/// What keeps a name from being an RFC 1123 subdomain.
pub fn subdomain_faults(name: &str, unit: Unit) -> Vec<String> {
    let mut faults = Vec::new();
    if name.len() > 253 {
        let unit = if unit == Unit::Bytes { "bytes" } else { "characters" };
        faults.push(format!("must be no more than 253 {unit}"));
    }
    if !name.split('.').all(is_label) {
        faults.push(SUBDOMAIN.to_owned());
    }
    faults
}

/// Whether a text has the form of an RFC 1123 label, however long it is.
pub fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

fn is_qualified_part(text: &str) -> bool {
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
}

/// What is wrong with a label key.
pub fn qualified_faults(key: &str) -> Vec<String> {
    let parts: Vec<&str> = key.split('/').collect();
    let mut faults = Vec::new();
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                faults.push("prefix part must be non-empty".to_owned());
            } else {
                faults.extend(subdomain_faults(prefix, Unit::Bytes).iter().map(|fault| format!("prefix part {fault}")));
            }
            *name
        }
        _ => {
            let text = QUALIFIED.strip_prefix("must").unwrap_or(QUALIFIED);
            return vec![format!("a valid label key must{text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")];
        }
    };
    if name.is_empty() {
        faults.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        faults.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_qualified_part(name) {
        faults.push(format!("name part {QUALIFIED}"));
    }
    faults
}

/// What is wrong with the value of a label.
pub fn label_value_faults(value: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if value.len() > 63 {
        faults.push("must be no more than 63 bytes".to_owned());
    }
    if !value.is_empty() && !is_qualified_part(value) {
        faults.push(LABEL_VALUE.to_owned());
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::{Unit, is_label, label_value_faults, path_segment_faults, qualified_faults, subdomain_faults};

    #[test]
    fn names_are_accepted_and_refused_as_by_an_api_server() {
        assert!(path_segment_faults("a:b").is_empty());
        assert_eq!(path_segment_faults(".."), ["may not be '..'"]);
        assert_eq!(path_segment_faults("a/b%"), ["may not contain '/'", "may not contain '%'"]);
        assert!(is_label("a-1") && !is_label("-a") && !is_label("A") && !is_label(""));
        assert!(subdomain_faults("a.b-c", Unit::Bytes).is_empty());
        assert_eq!(subdomain_faults(&"a".repeat(254), Unit::Bytes), ["must be no more than 253 bytes"]);
        assert!(qualified_faults("example.com/My_Name.1").is_empty());
        assert_eq!(qualified_faults("/name"), ["prefix part must be non-empty"]);
        assert_eq!(qualified_faults("a/b/c").len(), 1);
        assert!(label_value_faults("").is_empty() && label_value_faults("1.0_a").is_empty());
        assert_eq!(label_value_faults("a b").len(), 1);
    }
}
