//! Normalizes whole numbers with a fraction: JSON doesn't distinguish 1 from 1.0, and neither do we.

use serde_json::{Number, Value};

/// Turns `1.0` into `1` wherever the schema expects an integer or int-or-string, so that every notation gives the same release.
pub(crate) fn whole(node: &Value, value: &mut Value) {
    match value {
        Value::Number(number) if node["type"] == "integer" || node["x-kubernetes-int-or-string"] == true => {
            if let Some(whole) = integral(number) {
                *value = Value::from(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| whole(&node["items"], item)),
        Value::Object(fields) => {
            for (key, field) in fields {
                match node.get("properties").and_then(|properties| properties.get(key)) {
                    Some(property) => whole(property, field),
                    None => whole(&node["additionalProperties"], field),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn integral(number: &Number) -> Option<i64> {
    // Beyond 2^53 a fraction would already be lost: such numbers stay as they are.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT)?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
    Some(float as i64)
}
