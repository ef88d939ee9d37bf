//! Connection strings: a text with other outputs of the promise in it, which is put together only for the person who looks at it.

use crate::api::{OutputFormat, OutputSpec};

/// A parsed `template` of an output, such as `postgresql://{username}:{password}@{host}:{port}/{database}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionTemplate(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text that stays as it is.
    Text(String),
    /// The value of an output. Where a URL gives some characters a meaning, they are percent-encoded.
    Output { name: String, encoded: bool },
}

impl ConnectionTemplate {
    /// Parses a template.
    ///
    /// # Errors
    /// If a brace has no counterpart, or nothing is between two of them, as a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let (before, after) = match rest.split_once('{') {
                Some((before, after)) => (before, Some(after)),
                None => (rest, None),
            };
            if before.contains('}') {
                return Err("Write { before the name of the output: a } has no counterpart.".to_owned());
            }
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            let Some(after) = after else { break };
            let name = after.split_once('}').map(|(name, _)| name).filter(|name| !name.contains('{'));
            let Some(name) = name else { return Err("Write } after the name of the output: a { has no counterpart.".to_owned()) };
            if name.trim().is_empty() {
                return Err("Write the name of an output between the braces.".to_owned());
            }
            let place = at + before.len();
            parts.push(Part::Output { name: name.trim().to_owned(), encoded: is_encoded(text, place) });
            at = place + name.len() + 2;
        }
        Ok(Self(parts))
    }

    /// Returns the names of the outputs in it, in order; a name that occurs twice is returned twice.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Output { name, .. } => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Returns the connection string for the values of outputs; `None` if one is missing.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        let part = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Output { name, encoded: true } => Some(percent_encoded(&value(name)?)),
            Part::Output { name, encoded: false } => value(name),
        };
        self.0.iter().map(part).collect()
    }

    /// Returns the text with something else in place of each output, such as the name of a variable. `text` writes what is between them.
    pub fn written(&self, text: impl Fn(&str) -> String, output: impl Fn(&str) -> String) -> String {
        let part = |part: &Part| match part {
            Part::Text(between) => text(between),
            Part::Output { name, .. } => output(name),
        };
        self.0.iter().map(part).collect()
    }
}

/// Returns the template of an output, if it has a valid one.
pub fn template_of(output: &OutputSpec) -> Option<ConnectionTemplate> {
    ConnectionTemplate::parse(output.template.as_deref()?).ok()
}

/// Checks whether an output is a connection string: one that is put together here, or a value that the promise declares as one.
pub fn is_connection_string(output: &OutputSpec) -> bool {
    output.template.is_some() || output.format == Some(OutputFormat::ConnectionString)
}

/// Checks whether an output is secret: its value is, or one of those in its template.
pub fn is_secret(outputs: &[OutputSpec], output: &OutputSpec) -> bool {
    let is_secret = |name: &str| outputs.iter().any(|other| other.name == name && other.secret_ref.is_some());
    output.secret_ref.is_some() || template_of(output).is_some_and(|template| template.names().any(is_secret))
}

/// Checks whether a value at a place of a template has to be percent-encoded: in the user information, the path and the query of a URL,
/// but not where it is the scheme or the host, nor in text that isn't a URL.
fn is_encoded(template: &str, place: usize) -> bool {
    let Some(start) = template.find("://").map(|at| at + 3).filter(|start| place >= *start) else { return false };
    let authority = template.get(start..).unwrap_or_default();
    let end = authority.find(['/', '?', '#']).unwrap_or(authority.len());
    let user_ends = authority.get(..end).and_then(|authority| authority.rfind('@'));
    place >= start + end || user_ends.is_some_and(|at| place < start + at)
}

/// Encodes everything but unreserved characters (RFC 3986, section 2.3).
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::SecretOutput;

    const URL: &str = "postgresql://{username}:{password}@{host}:{port}/{database}?sslmode=require";

    fn value(name: &str) -> Option<String> {
        let values = [("username", "app"), ("password", "p@ss/w:rd €"), ("host", "[::1]"), ("port", "5432"), ("database", "a/b")];
        values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn values_are_encoded_where_a_url_gives_characters_a_meaning() {
        let url = ConnectionTemplate::parse(URL).unwrap();
        assert_eq!(url.names().collect::<Vec<_>>(), ["username", "password", "host", "port", "database"]);
        assert_eq!(
            url.fill(value).as_deref(),
            Some("postgresql://app:p%40ss%2Fw%3Ard%20%E2%82%AC@[::1]:5432/a%2Fb?sslmode=require"),
            "the host stays as it is"
        );
        let other = ConnectionTemplate::parse("Server={host};Password={password}").unwrap();
        assert_eq!(other.fill(value).as_deref(), Some("Server=[::1];Password=p@ss/w:rd €"), "it is no URL");
        assert_eq!(ConnectionTemplate::parse("{host}/{missing}").unwrap().fill(value), None);
        assert_eq!(ConnectionTemplate::parse("amqp://{host}").unwrap().fill(value).as_deref(), Some("amqp://[::1]"));
    }

    #[test]
    fn a_template_can_be_written_with_variables() {
        let url = ConnectionTemplate::parse("redis://:{password}@{host}").unwrap();
        let written = url.written(str::to_uppercase, |name| format!("$({name})"));
        assert_eq!(written, "REDIS://:$(password)@$(host)");
    }

    #[test]
    fn braces_have_counterparts_and_names() {
        for (wrong, part) in [("a{b", "Write }"), ("a}b", "Write {"), ("{a{b}}", "Write }"), ("a{}", "name of an output"), ("{ }", "name")]
        {
            let problem = ConnectionTemplate::parse(wrong).unwrap_err();
            assert!(problem.contains(part), "{wrong}: {problem}");
        }
        assert_eq!(ConnectionTemplate::parse("").unwrap().fill(value).as_deref(), Some(""));
    }

    #[test]
    fn a_connection_string_is_as_secret_as_its_parts() {
        let plain = |name: &str| OutputSpec { name: name.into(), value: Some("x".into()), ..OutputSpec::default() };
        let secret = OutputSpec { name: "password".into(), secret_ref: Some(SecretOutput::default()), ..OutputSpec::default() };
        let of = |template: &str| OutputSpec { name: "url".into(), template: Some(template.into()), ..OutputSpec::default() };
        let outputs = [plain("host"), secret.clone(), of("x://{password}@{host}"), of("x://{host}")];
        assert_eq!(outputs.each_ref().map(|output| is_secret(&outputs, output)), [false, true, true, false]);
        assert_eq!(outputs.each_ref().map(is_connection_string), [false, false, true, true]);
        let declared = OutputSpec { format: Some(OutputFormat::ConnectionString), ..secret };
        assert!(is_connection_string(&declared) && template_of(&declared).is_none());
    }
}
