//! An object without a set of fields.

use serde_json::{Map, Value};

use crate::apply::{
    Type,
    field_set::{FieldSet, PathElement},
    typed::element,
    types::{List, Shape},
};

/// The object without the fields of `gone`. A container that stays while its last content goes is left empty.
pub(super) fn remove(ty: Type<'_>, value: &Value, gone: &FieldSet) -> Value {
    match (ty.shape(value), value) {
        (Shape::Map { atomic: false }, Value::Object(fields)) => {
            let mut left = Map::new();
            for (name, value) in fields {
                let element = PathElement::field(name);
                if gone.has(&element) {
                    continue;
                }
                let value = match gone.below(&element) {
                    Some(below) => remove(ty.field(name).unwrap_or(Type::Deduced), value, below),
                    None => value.clone(),
                };
                left.insert(name.clone(), value);
            }
            Value::Object(left)
        }
        (Shape::List(list @ (List::Set | List::Map(_))), Value::Array(items)) => {
            let mut left = Vec::new();
            for item in items {
                let Ok(element) = element(list, ty, item) else {
                    left.push(item.clone());
                    continue;
                };
                if gone.has(&element) {
                    continue;
                }
                left.push(match gone.below(&element) {
                    Some(below) => remove(ty.items(), item, below),
                    None => item.clone(),
                });
            }
            Value::Array(left)
        }
        _ => value.clone(),
    }
}
