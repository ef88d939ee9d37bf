//! Fields of objects that are being changed; see `validate::reading` for objects that are only read.
//! Source: Go `encoding/json`: what is not there is the zero value of its type.

use serde_json::{Map, Value};

/// The fields of an object.
pub(super) type Fields = Map<String, Value>;

/// A text; empty if there is none.
pub(super) fn text<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A list; empty if there is none.
pub(super) fn list<'a>(fields: &'a Fields, name: &str) -> &'a [Value] {
    fields.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The objects of a list.
pub(super) fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Fields> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}
