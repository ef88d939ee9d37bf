//! Which fields an object sets.

use serde_json::Value;

use super::{Type, element};
use crate::apply::{
    field_set::{FieldSet, PathElement},
    types::{List, Shape},
};

/// The fields that an object sets: leaves, items of sets and keyed lists, keys of maps, and empty containers.
///
/// Items that cannot be told apart (the object does not fit its schema) are left out.
pub fn field_set(ty: Type<'_>, value: &Value) -> FieldSet {
    let mut set = FieldSet::default();
    walk(ty, value, &mut Vec::new(), &mut set);
    set
}

fn walk(ty: Type<'_>, value: &Value, path: &mut Vec<PathElement>, set: &mut FieldSet) {
    match (ty.shape(value), value) {
        (Shape::Map { atomic: false }, Value::Object(fields)) => {
            for (name, value) in fields {
                let Some(field) = ty.field(name) else { continue };
                path.push(PathElement::field(name));
                walk(field, value, path, set);
                let is_empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
                if is_empty || !ty.names(name) {
                    set.insert(path);
                }
                path.pop();
            }
        }
        (Shape::List(list @ (List::Set | List::Map(_))), Value::Array(items)) => {
            for item in items {
                let Ok(element) = element(list, ty, item) else { continue };
                path.push(element);
                walk(ty.items(), item, path, set);
                set.insert(path);
                path.pop();
            }
        }
        // A container that is null sets nothing but itself, which the level above notes.
        (Shape::Map { atomic: false } | Shape::List(List::Set | List::Map(_)), _) => {}
        (Shape::Scalar(_) | Shape::Map { atomic: true } | Shape::List(List::Atomic), _) => set.insert(path),
    }
}
