//! The names of a definition.

use serde_json::Value;

use super::{list, text};
use crate::status::Cause;

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// What keeps a text from being a DNS-1035 label.
pub(crate) fn label_fault(name: &str) -> Option<String> {
    let mut faults = Vec::new();
    if name.len() > 63 {
        faults.push("must be no more than 63 characters");
    }
    let inner = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !inner || !name.starts_with(|first: char| first.is_ascii_lowercase()) || name.ends_with('-') {
        faults.push(LABEL);
    }
    (!faults.is_empty()).then(|| faults.join(","))
}

/// The form of the names that are there, at this field.
pub(super) fn check(names: &Value, at: &str, causes: &mut Vec<Cause>) {
    let mut judge = |field: String, value: &Value, prefix: &str| {
        let said = text(value);
        let judged = if prefix.is_empty() { said.to_owned() } else { said.to_lowercase() };
        if let Some(fault) = label_fault(&judged) {
            causes.push(Cause::invalid(&format!("{at}.{field}"), value, &format!("{prefix}{fault}")));
        }
    };
    let mixed = "may have mixed case, but should otherwise match: ";
    for (field, prefix) in [("plural", ""), ("singular", ""), ("kind", mixed), ("listKind", mixed)] {
        if !text(&names[field]).is_empty() {
            judge(field.to_owned(), &names[field], prefix);
        }
    }
    for field in ["shortNames", "categories"] {
        for (index, name) in list(&names[field]).iter().enumerate() {
            judge(format!("{field}[{index}]"), name, "");
        }
    }
    // Lists would be taken for objects.
    if !text(&names["kind"]).is_empty() && names["kind"] == names["listKind"] {
        causes.push(Cause::invalid(&format!("{at}.listKind"), &names["listKind"], "kind and listKind may not be the same"));
    }
}
