//! Objects walked along their schema: do they fit, which fields do they set, what differs between two of them.
//! Source: structured-merge-diff `typed`.

mod compare;
mod fields;
pub(crate) mod go;
mod validate;

use serde_json::Value;

pub use compare::{Changes, compare};
pub use fields::field_set;
pub use validate::{Duplicates, validate};

use super::{Type, field_set::PathElement, types::List};

/// By what an item of a set or keyed list is told apart.
///
/// # Errors
/// A text if the item has no such thing.
pub(super) fn element(list: List<'_>, ty: Type<'_>, item: &Value) -> Result<PathElement, String> {
    match list {
        List::Atomic => Err("invalid indexing of non-associative list".into()),
        List::Set => match item {
            Value::Object(_) => Err("associative list without keys has an element that's a map type".into()),
            Value::Array(_) => Err("not supported: associative list with lists as elements".into()),
            // Null stands for itself, so that a list with one can still be walked.
            other => Ok(PathElement::Value(other.clone())),
        },
        List::Map(keys) => match item {
            Value::Null => Err("associative list with keys may not have a null element".into()),
            Value::Object(fields) => {
                let found = keys.iter().filter_map(|key| {
                    let value = fields.get(key).or_else(|| ty.default_of_key(key))?;
                    Some((key.clone(), value.clone()))
                });
                let found: Vec<_> = found.collect();
                if found.is_empty() {
                    let names: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
                    return Err(format!(
                        "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
                        names.join(" ")
                    ));
                }
                Ok(PathElement::key(found))
            }
            _ => Err("associative list with keys may not have non-map elements".into()),
        },
    }
}

/// Whether two values are the same to apply: `1` is `1.0`.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    a == b || super::field_set::compare_values(a, b).is_eq()
}

/// The items of a list; null is an empty one.
pub(super) fn items(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// Whether a value has nothing to descend into: absent, null, or an empty list or object.
pub(super) fn is_hollow(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(fields)) => fields.is_empty(),
        _ => true,
    }
}
