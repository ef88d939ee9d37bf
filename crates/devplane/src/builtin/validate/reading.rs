//! Reading objects as Go does: what is not there is the zero value of its type.
//! Source: Go `encoding/json`.

use serde_json::Value;

/// Whether a value says nothing: absent, null or empty.
pub(in crate::builtin) use crate::protobuf::go_json::is_empty as is_blank;

/// A text; empty if there is none.
pub(in crate::builtin) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A whole number; 0 if there is none.
pub(in crate::builtin) fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// A list; empty if there is none.
pub(in crate::builtin) fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The items of a list, with their places.
pub(in crate::builtin) fn items(value: &Value) -> impl Iterator<Item = (usize, &Value)> {
    list(value).iter().enumerate()
}

/// How many items a list has.
pub(in crate::builtin) fn count(value: &Value) -> usize {
    list(value).len()
}

/// The entries of a map.
pub(in crate::builtin) fn entries(map: &Value) -> impl Iterator<Item = (&String, &Value)> {
    map.as_object().into_iter().flatten()
}

/// The names in a map of anything, sorted.
pub(in crate::builtin) fn keys(map: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = entries(map).map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys
}
