//! Uniqueness of the items of sets and keyed lists.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::error::{FieldError, FieldErrorReason};
use super::path::Path;
use super::{ListType, Schema};

/// Items of a keyed list by their keys.
pub(super) struct ByKey<'v> {
    keys: &'v [String],
    items: HashMap<String, &'v Value>,
}

impl<'v> ByKey<'v> {
    /// Returns the item with the same keys as another one.
    pub(super) fn of(&self, item: &Value) -> Option<&'v Value> {
        self.items.get(&canonical(&key_of(self.keys, item.as_object()?))).copied()
    }
}

/// Returns the former items of a list by their keys; only keyed lists can be compared item by item.
pub(super) fn by_key<'v>(schema: &'v Schema, old: Option<&'v Value>) -> Option<ByKey<'v>> {
    let ListType::Map(keys) = &schema.list_type else { return None };
    let items = old?.as_array()?;
    let items = items.iter().filter_map(|item| Some((canonical(&key_of(keys, item.as_object()?)), item))).collect();
    Some(ByKey { keys, items })
}

fn key_of(keys: &[String], item: &Map<String, Value>) -> Value {
    let present = |key: &String| Some((key.clone(), item.get(key).filter(|value| !value.is_null())?.clone()));
    Value::Object(keys.iter().filter_map(present).collect())
}

/// Checks one list; `path` is the path of the list.
pub(super) fn validate(schema: &Schema, items: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match &schema.list_type {
        ListType::Atomic => {}
        ListType::Set => {
            let mut seen = Seen::default();
            for (index, item) in items.iter().enumerate() {
                if seen.is_second(item) {
                    errors.push(duplicate(path, index, item.clone()));
                }
            }
        }
        // The API server compares keys only where every item can have some.
        ListType::Map(_) if items.iter().any(|item| !item.is_object() && !item.is_null()) => {}
        ListType::Map(keys) => {
            let mut seen = Seen::default();
            for (index, item) in items.iter().enumerate() {
                let Some(object) = item.as_object() else { continue };
                let key = key_of(keys, object);
                if seen.is_second(&key) {
                    errors.push(duplicate(path, index, key));
                }
            }
        }
    }
}

/// How often values occurred. The API server names a value once, however often it occurs.
#[derive(Default)]
struct Seen(HashMap<String, usize>);

impl Seen {
    fn is_second(&mut self, value: &Value) -> bool {
        let times = self.0.entry(canonical(value)).or_default();
        *times += 1;
        *times == 2
    }
}

fn duplicate(path: &Path<'_>, index: usize, value: Value) -> FieldError {
    FieldError::new(FieldErrorReason::Duplicate, path.index(index).to_string(), Some(value), "")
}

/// Returns a text that is equal for equal values; whole floats count as integers.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => super::number::as_i64(number).map_or_else(|| number.to_string(), |integer| integer.to_string()),
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let mut entries: Vec<String> =
                fields.iter().map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value))).collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        other => other.to_string(),
    }
}
