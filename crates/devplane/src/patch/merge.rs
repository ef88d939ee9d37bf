//! JSON merge patch (RFC 7386).
//! Source: `gopkg.in/evanphx/json-patch.v4`.

use serde_json::{Map, Value};

use super::{PatchError, go_type};

/// Merges `patch` into `target`: objects merge field by field, null removes a field, everything else replaces.
///
/// # Errors
/// If the patch is not an object: what is patched always is one.
pub fn merge(target: &Value, patch: &Value) -> Result<Value, PatchError> {
    match patch {
        Value::Object(_) => Ok(merged(Some(target), patch)),
        other => {
            let why = format!("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", go_type(other));
            Err(PatchError::Malformed(format!("error decoding patch: {why}")))
        }
    }
}

fn merged(target: Option<&Value>, patch: &Value) -> Value {
    let Value::Object(fields) = patch else { return patch.clone() };
    let mut result = match target {
        Some(Value::Object(object)) => object.clone(),
        _ => Map::new(),
    };
    for (name, change) in fields {
        if change.is_null() {
            result.remove(name);
        } else {
            let value = merged(result.get(name), change);
            result.insert(name.clone(), value);
        }
    }
    Value::Object(result)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::apply::arbitrary::{json_object, json_value};

    #[test]
    fn the_cases_of_the_rfc() {
        // Appendix A of RFC 7386, objects only.
        let cases = [
            (json!({"a":"b"}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"b"}), json!({"b":"c"}), json!({"a":"b","b":"c"})),
            (json!({"a":"b"}), json!({"a":null}), json!({})),
            (json!({"a":"b","b":"c"}), json!({"a":null}), json!({"b":"c"})),
            (json!({"a":["b"]}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"c"}), json!({"a":["b"]}), json!({"a":["b"]})),
            (json!({"a":{"b":"c"}}), json!({"a":{"b":"d","c":null}}), json!({"a":{"b":"d"}})),
            (json!({"a":[{"b":"c"}]}), json!({"a":[1]}), json!({"a":[1]})),
            (json!({"e":null}), json!({"a":1}), json!({"e":null,"a":1})),
            (json!([1, 2]), json!({"a":"b","c":null}), json!({"a":"b"})),
            (json!({}), json!({"a":{"bb":{"ccc":null}}}), json!({"a":{"bb":{}}})),
        ];
        for (target, patch, expected) in cases {
            assert_eq!(merge(&target, &patch), Ok(expected), "{target} with {patch}");
        }
    }

    #[test]
    fn a_patch_that_is_a_list_is_malformed() {
        let error = merge(&json!({}), &json!([1])).unwrap_err();
        assert_eq!(error.to_string(), "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}");
    }

    proptest! {
        #[test]
        fn merging_twice_is_merging_once(target in json_value(), patch in json_object()) {
            let once = merge(&target, &patch).unwrap();
            prop_assert_eq!(merge(&once, &patch).unwrap(), once);
        }

        #[test]
        fn an_empty_patch_changes_nothing(target in json_object()) {
            prop_assert_eq!(merge(&target, &json!({})).unwrap(), target);
        }

        #[test]
        fn the_fields_of_a_patch_win(target in json_object(), patch in json_object()) {
            let result = merge(&target, &patch).unwrap();
            for (name, value) in patch.as_object().unwrap() {
                match value {
                    Value::Null => prop_assert!(result.get(name).is_none()),
                    Value::Object(_) => prop_assert!(result[name].is_object()),
                    other => prop_assert_eq!(&result[name], other),
                }
            }
        }
    }
}
