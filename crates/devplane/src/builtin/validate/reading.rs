//! Reading objects as Go does: what is not there is the zero value of its type.

use serde_json::Value;

/// A text; empty if there is none.
pub(in crate::builtin) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

/// A list; empty if there is none.
pub(in crate::builtin) fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A whole number; 0 if there is none.
pub(super) fn number(object: &Value, name: &str) -> i64 {
    object[name].as_i64().unwrap_or_default()
}

/// The names in a map of anything, sorted.
pub(super) fn keys(map: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = map.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys
}
