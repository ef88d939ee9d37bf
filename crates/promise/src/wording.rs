//! Formats values, names and paths for sentences (`design/visual`, Wording).

use serde_json::Value;

use crate::api::{FieldHint, PromiseSpec};
use crate::path::{Path, Segment};

/// Names of the months.
pub(crate) const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/// Returns the label of a parameter: the promise's own title, or else its name in words, with the item's number.
pub fn label(spec: &PromiseSpec, path: &Path) -> String {
    if let Some(title) = hint_title(spec, path) {
        return title;
    }
    match path.0.split_last() {
        None => "Parameters".to_owned(),
        Some((Segment::Index(index), lead)) => format!("{} {}", label(spec, &Path(lead.to_vec())), index + 1),
        Some((Segment::Each, lead)) => format!("each of {}", lower_first(&label(spec, &Path(lead.to_vec())))),
        Some((Segment::Key(key), _)) => humanise(key),
    }
}

/// Returns the label as a noun inside a sentence, in quotation marks if it isn't one, such as “Keep backups for”. If the title is a
/// question, the name of the parameter is used instead.
pub fn noun(spec: &PromiseSpec, path: &Path) -> String {
    let label = label(spec, path);
    match path.0.last() {
        Some(Segment::Each) => format!("each of {}", noun(spec, &Path(path.0[..path.0.len() - 1].to_vec()))),
        Some(Segment::Key(key)) if label.ends_with('?') => lower_first(&humanise(key)),
        _ if reads_as_noun(&label) => lower_first(&label),
        _ => quoted(&label),
    }
}

/// Returns a label as it is, in quotation marks: it reads well in any sentence.
pub(crate) fn quoted(label: &str) -> String {
    format!("“{label}”")
}

/// First or last words of labels that aren't nouns, such as “For provider” and “Keep backups for”.
const PREPOSITIONS: [&str; 14] = ["as", "at", "by", "for", "from", "if", "in", "of", "on", "per", "to", "when", "with", "without"];
/// First words of labels that are instructions, such as “Keep backups”.
const VERBS: [&str; 8] = ["allow", "disable", "enable", "exclude", "include", "keep", "require", "use"];

fn reads_as_noun(label: &str) -> bool {
    let is_any = |word: Option<&str>, of: &[&str]| word.is_some_and(|word| of.contains(&word.to_lowercase().as_str()));
    let (first, last) = (label.split(' ').next(), label.rsplit(' ').next());
    !is_any(first, &PREPOSITIONS) && !is_any(last, &PREPOSITIONS) && !is_any(first, &VERBS)
}

fn hint_title(spec: &PromiseSpec, path: &Path) -> Option<String> {
    hint(spec, path)?.title.clone()
}

/// Returns the form's hint for a parameter. Nearly every path is written in canonical form: those are looked up, and only others are parsed
/// individually.
pub(crate) fn hint<'s>(spec: &'s PromiseSpec, path: &Path) -> Option<&'s FieldHint> {
    let fields = &spec.form.fields;
    let is_plain = |text: &str| text.starts_with('.') && !text.contains('"');
    let found = fields.get(&path.to_string()).or_else(|| {
        let mut others = fields.iter().filter(|(text, _)| !is_plain(text));
        others.find(|(text, _)| Path::parse(text).as_ref() == Ok(path)).map(|(_, hint)| hint)
    });
    // Promises describe the fields of rows once for all rows.
    let in_row =
        |path: &Path| matches!(path.0.last(), Some(Segment::Key(_))) && path.0.iter().any(|step| matches!(step, Segment::Index(_)));
    if found.is_some() || !in_row(path) { found } else { hint(spec, &path.of_each_row()) }
}

/// Returns the name of a property in words: `retentionDays` becomes `Retention days`, `tls_mode` becomes `TLS mode`.
pub fn humanise(key: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let letters: Vec<char> = key.chars().collect();
    let mut word = String::new();
    for (at, letter) in letters.iter().copied().enumerate() {
        if matches!(letter, '_' | '-' | '.' | '/' | ' ') {
            words.push(std::mem::take(&mut word));
            continue;
        }
        let after_lower = at > 0 && (letters[at - 1].is_lowercase() || letters[at - 1].is_ascii_digit());
        let before_lower = at > 0 && letters[at - 1].is_uppercase() && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (after_lower || before_lower) {
            words.push(std::mem::take(&mut word));
        }
        word.push(letter);
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    // The plural of an initialism, such as `CIDRs`, was cut before its last capital letter.
    let mut at = 1;
    while at < words.len() {
        if words[at].ends_with('s') && !words[at].contains(char::is_numeric) {
            let whole = format!("{}{}", words[at - 1], words[at]);
            if is_plural_initialism(&whole) && words[at].chars().count() == 2 {
                words[at - 1] = whole;
                words.remove(at);
                continue;
            }
        }
        at += 1;
    }
    let words: Vec<String> = words.into_iter().map(|word| spelling(&word)).collect();
    upper_first(&words.join(" "))
}

/// Returns a word in lower case, unless it is an abbreviation.
fn spelling(word: &str) -> String {
    let upper = word.to_uppercase();
    if KNOWN.contains(&upper.as_str()) {
        return upper;
    }
    match upper.strip_suffix('S').filter(|_| is_plural_initialism(word)) {
        Some(singular) => format!("{singular}s"),
        None => word.to_lowercase(),
    }
}

/// Abbreviations that are written in capital letters.
const KNOWN: [&str; 64] = [
    "ACL", "AMI", "API", "ARN", "AWS", "CA", "CIDR", "CNI", "CORS", "CPU", "CRD", "CSI", "DB", "DNS", "EBS", "ECR", "EKS", "FQDN", "GCP",
    "GCS", "GKE", "GPU", "HPA", "HTTP", "HTTPS", "IAM", "ID", "IOPS", "IP", "JSON", "JWT", "LDAP", "MTU", "NFS", "OCI", "OIDC", "OS",
    "PVC", "QPS", "RBAC", "RPC", "SAML", "SCM", "SMTP", "SNI", "SQL", "SSH", "SSL", "SSO", "TCP", "TLS", "TTL", "UDP", "UI", "UID", "URI",
    "URL", "UUID", "VLAN", "VM", "VPC", "WAL", "XML", "YAML",
];

/// Whether a word is the plural of one of them: `CIDRs`, `urls`.
fn is_plural_initialism(word: &str) -> bool {
    let upper = word.to_uppercase();
    // `ids` and `OSs` are plurals, but `as` and `cas` aren't words of that kind.
    !KNOWN.contains(&upper.as_str()) && upper.strip_suffix('S').is_some_and(|singular| singular.len() > 1 && KNOWN.contains(&singular))
}

/// Capitalizes the first letter, unless the text starts with an identifier such as `root:acme`.
pub fn upper_first(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    if first_word.trim_end_matches(':').contains([':', '/', '_']) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Converts the first letter to lower case, unless the first word is an abbreviation.
pub fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(_), Some(second)) if second.is_uppercase() => text.to_owned(),
        (Some(first), _) => first.to_lowercase().chain(letters).collect(),
        (None, _) => String::new(),
    }
}

/// How a policy gives a value that the user didn't choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenAs {
    /// The user can choose another value.
    Default,
    /// The user can't choose another value.
    Fixed,
    /// A rule doesn't allow the promise's own default.
    Smallest,
}

/// Says in a sentence that a field has a value that a policy gives.
pub fn given_value(label: &str, value: &str, how: GivenAs, policy: &str) -> String {
    let why = match how {
        GivenAs::Default => format!("the default of {policy} here"),
        GivenAs::Fixed => format!("fixed by {policy}"),
        GivenAs::Smallest => format!("the smallest value that {policy} allows here"),
    };
    format!("{label} is set to {value}, {why}.")
}

/// Says in a line of output that a field has a value that a policy gives.
pub fn given_line(field: &str, value: &str, how: GivenAs, policy: &str) -> String {
    let verb = if how == GivenAs::Fixed { "fixed by" } else { "set by" };
    format!("{field}: {value}, {verb} {policy}")
}

/// Formats a value for users: `on` and `off`, numbers, texts as they are, lists joined, everything else as compact JSON.
pub fn value(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Object(fields) if fields.is_empty() => "an empty object".to_owned(),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            all_of(&items.iter().map(self::value).collect::<Vec<_>>())
        }
        Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// Formats a number without a needless fraction.
pub fn number(number: f64) -> String {
    number.to_string()
}

/// Returns `a`, `a and b` or `a, b and c`.
pub fn all_of<T: AsRef<str>>(items: &[T]) -> String {
    joined(items, "and")
}

/// Returns `a`, `a or b` or `a, b or c`.
pub fn one_of<T: AsRef<str>>(items: &[T]) -> String {
    joined(items, "or")
}

fn joined<T: AsRef<str>>(items: &[T], word: &str) -> String {
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => last.as_ref().to_owned(),
        Some((last, lead)) => {
            let lead: Vec<&str> = lead.iter().map(AsRef::as_ref).collect();
            format!("{} {word} {}", lead.join(", "), last.as_ref())
        }
    }
}

/// Returns `1 request`, `3 requests` or `3 policies`. Nouns with other irregular plurals need words of their own.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

/// Returns the singular of a label, such as `Host` for `Hosts`. English plurals usually end in s; other labels stay as they are.
pub(crate) fn singular(label: &str) -> String {
    match label.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => format!("{stem}y"),
        _ if label.ends_with("hildren") => label.strip_suffix("ren").unwrap_or(label).to_owned(),
        _ if ["ches", "shes", "xes", "sses", "iases"].iter().any(|end| label.ends_with(end)) && !label.ends_with("aches") => {
            label.strip_suffix("es").unwrap_or(label).to_owned()
        }
        _ => match label.strip_suffix('s') {
            Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
            _ => format!("{label} entry"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{all_of, counted, humanise, lower_first, noun, value};
    use crate::api::PromiseSpec;
    use crate::path::Path;
    use serde_json::json;

    #[test]
    fn labels_that_are_no_nouns_are_quoted() {
        let form = json!({"fields": {
            ".retention": {"title": "Keep backups for"},
            ".size": {"title": "Disk size"},
            ".backup": {"title": "Do you need backups?"},
        }});
        let spec = PromiseSpec { form: serde_json::from_value(form).unwrap(), ..PromiseSpec::default() };
        for (path, expected) in [
            (".retention", "“Keep backups for”"),
            (".size", "disk size"),
            (".backup", "backup"),
            (".forProvider", "“For provider”"),
            (".enableTls", "“Enable TLS”"),
            (".enabled", "enabled"),
            (".retention[*]", "each of “Keep backups for”"),
        ] {
            assert_eq!(noun(&spec, &Path::parse(path).unwrap()), expected);
        }
    }

    #[test]
    fn counts_are_singular_or_plural() {
        let words = |noun: &str| [0, 1, 2].map(|count| counted(count, noun)).join(", ");
        assert_eq!(words("more rule"), "0 more rules, 1 more rule, 2 more rules");
        assert_eq!(words("policy"), "0 policies, 1 policy, 2 policies");
        assert_eq!(words("day"), "0 days, 1 day, 2 days");
    }

    #[test]
    fn names_become_words() {
        for (key, words) in [
            ("retentionDays", "Retention days"),
            ("tls_mode", "TLS mode"),
            ("enabled", "Enabled"),
            ("dbURL", "DB URL"),
            ("HTTPPort", "HTTP port"),
            ("app.kubernetes.io/name", "App kubernetes io name"),
            ("size2Use", "Size2 use"),
            ("blockCIDRs", "Block CIDRs"),
            ("pvcTemplate", "PVC template"),
            ("walStorage", "WAL storage"),
            ("allowedIPs", "Allowed IPs"),
            ("userIds", "User IDs"),
            ("dnsNames", "DNS names"),
            ("URLs", "URLs"),
            ("subnetIDsByZone", "Subnet IDs by zone"),
        ] {
            assert_eq!(humanise(key), words);
        }
        assert_eq!(lower_first("TLS mode"), "TLS mode");
        assert_eq!(lower_first("Replicas"), "replicas");
    }

    #[test]
    fn values_read_as_people_say_them() {
        assert_eq!(value(&json!(true)), "on");
        assert_eq!(value(&json!(["a", "b", 3])), "a, b and 3");
        assert_eq!(all_of::<&str>(&[]), "");
    }
}
