//! Which fields that an action wants to set belong to someone else.

use std::fmt;

use serde_json::Value;

use crate::names;

/// A field that an action must not set, because someone else does. Its text is a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldConflict {
    /// Path of the field.
    pub path: String,
    /// Field manager that sets it.
    pub manager: String,
}

impl fmt::Display for FieldConflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, manager } = self;
        match manager.as_str() {
            names::MANAGER_FULFIL => write!(out, "{path} is set by the promise; change the request instead."),
            other => write!(out, "{path} is set by {other}, so the action doesn't change it."),
        }
    }
}

impl std::error::Error for FieldConflict {}

/// Returns the first field that an action must not set. `object` is the whole object with its `managedFields`, and `merge` are
/// the fields to set. Fields that other actions set can be set again.
pub fn conflict(object: &Value, merge: &Value) -> Option<FieldConflict> {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array)?;
    let of_others = entries.iter().filter(|entry| !manager(entry).starts_with(names::MANAGER_ACTION));
    let found = of_others.filter_map(|entry| Some((manager(entry), owned(&entry["fieldsV1"], merge, "")?)));
    // What the promise sets is the better answer.
    let (manager, path) = found.min_by_key(|(manager, _)| *manager != names::MANAGER_FULFIL)?;
    Some(FieldConflict { path, manager: manager.to_owned() })
}

fn manager(entry: &Value) -> &str {
    entry["manager"].as_str().unwrap_or_default()
}

/// Returns the path of the first wanted field that an entry of `managedFields` has.
fn owned(fields: &Value, wanted: &Value, path: &str) -> Option<String> {
    let Some(parts) = wanted.as_object().filter(|parts| !parts.is_empty()) else {
        return fields.is_object().then(|| path.to_owned());
    };
    parts.iter().find_map(|(name, part)| {
        let inner = fields.get(format!("f:{name}"))?;
        // An entry without fields below owns the value as a whole.
        let is_whole = inner.as_object().is_some_and(|inner| inner.is_empty() || inner.keys().all(|key| key == "."));
        let path = format!("{path}.{name}");
        if is_whole && (!part.is_object() || inner.as_object().is_some_and(serde_json::Map::is_empty)) {
            Some(path)
        } else {
            owned(inner, part, &path)
        }
    })
}
