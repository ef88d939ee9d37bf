//! Label and field selectors (apimachinery `labels/selector.go`, `fields/selector.go`). Pure.

mod labels;
mod rules;

use memchr::memmem;
use serde_json::Value;

pub use labels::LabelSelector;
pub use rules::{faults, field_requirement_faults, label_faults, requirement_faults};

use crate::status::ApiError;

/// What a list or watch lets through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Label selector.
    pub labels: LabelSelector,
    /// Field selector: field, whether it must be equal, value.
    pub fields: Vec<(String, bool, String)>,
}

impl Selection {
    /// Reads both selectors of a query; `supported` says which fields the kind can be selected by, `unknown` what is said of
    /// others.
    pub fn parse(labels: &str, fields: &str, supported: impl Fn(&str) -> bool, unknown: impl Fn(&str) -> String) -> Result<Self, ApiError> {
        let labels = LabelSelector::parse(labels).map_err(ApiError::bad_request)?;
        let fields = parse_fields(fields).map_err(ApiError::bad_request)?;
        if let Some((field, _, _)) = fields.iter().find(|(field, _, _)| !supported(field)) {
            return Err(ApiError::bad_request(unknown(field)));
        }
        Ok(Self { labels, fields })
    }

    /// The name that every object must have by a field selector, if it can be read and asks for one.
    pub fn name_in(fields: &str) -> Option<String> {
        let selection = Self { fields: parse_fields(fields).ok()?, ..Self::default() };
        selection.exact("metadata.name").map(str::to_owned)
    }

    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether an object with this JSON text might pass, which is much cheaper to know than whether it does: most objects that a selector is
    /// about to refuse aren't parsed. Fields other than these might have defaults that aren't in the text.
    pub fn might_match(&self, json: &[u8]) -> bool {
        let is_in_text = |(field, equal, value): &(String, bool, String)| {
            let is_written = field.starts_with("metadata.") || field.starts_with("involvedObject.");
            let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
            !(*equal && is_written && is_plain) || memmem::find(json, value.as_bytes()).is_some()
        };
        self.labels.might_match(json) && self.fields.iter().all(is_in_text)
    }

    /// Whether an object passes.
    pub fn matches(&self, object: &Value) -> bool {
        self.labels.matches(&object["metadata"]["labels"])
            && self.fields.iter().all(|(field, equal, wanted)| (field_text(object, field) == *wanted) == *equal)
    }

    /// The value that a field must have, if the selector says so.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.fields.iter().find(|(own, equal, _)| own == field && *equal).map(|(_, _, value)| value.as_str())
    }
}

/// A field of an object as text, empty if it is absent.
fn field_text(object: &Value, field: &str) -> String {
    let found = field.split('.').try_fold(object, |value, part| value.get(part));
    match found {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// `a=b,c!=d,e==f`; a backslash takes the special meaning from comma, equals sign and backslash.
///
/// # Errors
/// The text of the API server about a term that is none.
pub fn parse_fields(text: &str) -> Result<Vec<(String, bool, String)>, String> {
    let mut terms = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        match c {
            ',' if !escaped => terms.push(String::new()),
            _ => terms.iter_mut().last().into_iter().for_each(|term| term.push(c)),
        }
        escaped = c == '\\' && !escaped;
    }
    let unescape = |text: &str| text.replace("\\,", ",").replace("\\=", "=").replace("\\\\", "\\");
    terms
        .iter()
        .filter(|term| !term.is_empty())
        .map(|term| {
            let split = term.split_once("!=").map(|(field, value)| (field, false, value));
            let split = split.or_else(|| term.split_once("==").map(|(field, value)| (field, true, value)));
            let split = split.or_else(|| term.split_once('=').map(|(field, value)| (field, true, value)));
            let (field, equal, value) = split.ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{term}'"))?;
            Ok((field.to_owned(), equal, unescape(value)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_compared_as_text() {
        let selection = Selection::parse("", "spec.a=1,metadata.name!=b", |_| true, str::to_owned).expect("a selection");
        assert!(selection.matches(&json!({"metadata": {"name": "a"}, "spec": {"a": 1}})));
        assert!(!selection.matches(&json!({"metadata": {"name": "b"}, "spec": {"a": 1}})));
    }

    #[test]
    fn a_name_is_what_is_selected_by() {
        let named = Selection::name_in;
        assert_eq!(named("a=b,metadata.name==mine").as_deref(), Some("mine"));
        assert_eq!(named("metadata.name=a\\,b").as_deref(), Some("a,b"));
        for other in ["metadata.name!=mine", "metadata.name!=z\\,metadata.name=mine", "metadata.name=mine,frob", ""] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn what_a_selector_lets_through_is_never_refused_by_its_text() {
        let objects = [
            json!({"metadata": {"name": "a", "labels": {"tier": "web", "example.org/uid": "1-2"}}, "involvedObject": {"uid": "u-1"}}),
            json!({"metadata": {"name": "b", "labels": {"tier": "db"}}, "spec": {"size": "a\"b"}}),
            json!({"metadata": {"name": "c"}}),
        ];
        let all = [
            ("tier=web", ""),
            ("tier in (web,db)", ""),
            ("tier!=web", ""),
            ("!tier", ""),
            ("example.org/uid", ""),
            ("example.org/uid=1-2", ""),
            ("", "metadata.name=a"),
            ("", "metadata.name!=a"),
            ("", "involvedObject.uid=u-1"),
            ("", "involvedObject.uid="),
            ("", "spec.size=a\"b"),
        ];
        for (labels, fields) in all {
            let selection = Selection::parse(labels, fields, |_| true, str::to_owned).expect("a selection");
            for object in &objects {
                assert!(selection.might_match(object.to_string().as_bytes()) || !selection.matches(object), "{labels}{fields}: {object}");
            }
        }
        let one = Selection::parse("example.org/uid=1-2", "", |_| true, str::to_owned).expect("a selection");
        assert!(!one.might_match(objects[1].to_string().as_bytes()), "it isn't parsed in vain");
    }

    #[test]
    fn labels_in_and_absent() {
        let selection = Selection::parse("tier in (web,db),!env", "", |_| true, str::to_owned).expect("a selection");
        assert!(selection.matches(&json!({"metadata": {"labels": {"tier": "db"}}})));
        assert!(!selection.matches(&json!({"metadata": {"labels": {"tier": "db", "env": "x"}}})));
        assert!(!selection.matches(&json!({"metadata": {}})));
    }
}
