//! How deep objects nest. Stored text is read back with a limit on its depth, so nothing may be written that lies beyond it.
//! Source: none upstream: a limit of our own.

use serde_json::Value;

use crate::status::ApiError;

/// Lists and objects within each other, at most. What is read back may be nested 128 deep; `managedFields` repeat the fields of an
/// object four levels further down.
pub const LIMIT: usize = 120;

/// Whether a value is nested no deeper than this.
pub fn fits(value: &Value, limit: usize) -> bool {
    let below = |value: &Value| limit > 0 && fits(value, limit - 1);
    match value {
        Value::Array(items) => limit > 0 && items.iter().all(below),
        Value::Object(fields) => limit > 0 && fields.values().all(below),
        _ => true,
    }
}

/// Refuses an object that is nested too deep.
pub fn check(object: &Value) -> Result<(), ApiError> {
    if fits(object, LIMIT) {
        return Ok(());
    }
    Err(ApiError::bad_request(format!("the object is nested deeper than {LIMIT} levels: flatten it")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn depth_counts_lists_and_objects() {
        let value = json!({"a": [{"b": 1}]});
        assert!(fits(&value, 3) && !fits(&value, 2) && fits(&json!(1), 0));
    }
}
