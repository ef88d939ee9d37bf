//! Defaulting, and the dropping of nulls before it.

use serde_json::Value;

use super::Schema;

/// Drops nulls from objects where the field is neither nullable nor has a default that replaces it.
pub(super) fn drop_nulls(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(object) => object.retain(|name, value| {
            let Some(field) = schema.properties.get(name).or_else(|| schema.additional_properties()) else { return true };
            if is_unwanted_null(field, value) {
                return field.default.is_some();
            }
            drop_nulls(field, value);
            true
        }),
        Value::Array(items) => {
            if let Some(schema) = schema.items() {
                items.iter_mut().for_each(|item| drop_nulls(schema, item));
            }
        }
        _ => {}
    }
}

/// Fills in defaults below existing objects; a default below an absent object doesn't create it.
pub(super) fn default(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, property) in &schema.properties {
                let Some(wanted) = &property.default else { continue };
                if object.get(name).is_none_or(|present| is_unwanted_null(property, present)) {
                    object.insert(name.clone(), wanted.clone());
                }
            }
            for (name, value) in object.iter_mut() {
                if let Some(property) = schema.properties.get(name) {
                    default(property, value);
                } else if let Some(values) = schema.additional_properties() {
                    replace_null(values, value);
                    default(values, value);
                }
            }
        }
        Value::Array(list) => {
            let Some(items) = schema.items() else { return };
            for item in list {
                replace_null(items, item);
                default(items, item);
            }
        }
        _ => {}
    }
}

fn is_unwanted_null(schema: &Schema, value: &Value) -> bool {
    value.is_null() && !schema.nullable
}

fn replace_null(schema: &Schema, value: &mut Value) {
    if is_unwanted_null(schema, value)
        && let Some(wanted) = &schema.default
    {
        *value = wanted.clone();
    }
}
