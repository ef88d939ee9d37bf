//! What is wrong with a label selector in an object (apimachinery `apis/meta/v1/validation`).

use serde_json::Value;

use crate::{objects::metadata, status::Cause};

/// All broken rules of `{matchLabels, matchExpressions}`, with paths below `at`.
pub fn faults(selector: &Value, at: &str) -> Vec<Cause> {
    let mut causes = label_faults(&selector["matchLabels"], &format!("{at}.matchLabels"));
    for (index, expression) in selector["matchExpressions"].as_array().into_iter().flatten().enumerate() {
        causes.extend(requirement_faults(expression, &format!("{at}.matchExpressions[{index}]"), false));
    }
    causes
}

/// All broken rules of the labels in a map at `field`.
pub fn label_faults(labels: &Value, field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (key, value) in labels.as_object().into_iter().flatten() {
        causes.extend(metadata::qualified_faults(key).iter().map(|fault| Cause::invalid(field, &key.as_str().into(), fault)));
        let said = value.as_str().unwrap_or_default();
        causes.extend(metadata::label_value_faults(said).iter().map(|fault| Cause::invalid(field, value, fault)));
    }
    causes
}

/// All broken rules of one requirement `{key, operator, values}` on labels. Operators that nobody knows are one, unless `any_operator`.
pub fn requirement_faults(expression: &Value, at: &str, any_operator: bool) -> Vec<Cause> {
    let mut causes: Vec<Cause> = value_fault(expression, at).into_iter().collect();
    let operator = expression["operator"].as_str().unwrap_or_default();
    if !any_operator && !OPERATORS.contains(&operator) {
        causes.push(Cause::invalid(&format!("{at}.operator"), &operator.into(), "not a valid selector operator"));
    }
    let key = expression["key"].as_str().unwrap_or_default();
    let field = format!("{at}.key");
    causes.extend(metadata::qualified_faults(key).iter().map(|fault| Cause::invalid(&field, &key.into(), fault)));
    for (index, value) in values(expression).iter().enumerate() {
        let faults = metadata::label_value_faults(value.as_str().unwrap_or_default());
        causes.extend(faults.iter().map(|fault| Cause::invalid(&format!("{at}.values[{index}]"), value, fault)));
    }
    causes
}

/// All broken rules of one requirement on fields; any operator will do.
pub fn field_requirement_faults(expression: &Value, at: &str) -> Vec<Cause> {
    let nameless = expression["key"].as_str().unwrap_or_default().is_empty();
    let key = nameless.then(|| Cause::required(&format!("{at}.key"), "must be specified"));
    key.into_iter().chain(value_fault(expression, at)).collect()
}

const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];

/// Values are there where the operator wants some, and there alone.
fn value_fault(expression: &Value, at: &str) -> Option<Cause> {
    let field = format!("{at}.values");
    match (expression["operator"].as_str().unwrap_or_default(), values(expression).is_empty()) {
        ("In" | "NotIn", true) => Some(Cause::required(&field, "must be specified when `operator` is 'In' or 'NotIn'")),
        ("Exists" | "DoesNotExist", false) => {
            Some(Cause::forbidden(&field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
        }
        _ => None,
    }
}

fn values(expression: &Value) -> &[Value] {
    expression["values"].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_named_by_its_place() {
        let selector = json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b", "-"]}]});
        let fields: Vec<String> = faults(&selector, "s").into_iter().map(|cause| cause.field).collect();
        assert_eq!(fields, ["s.matchExpressions[0].values[1]"]);
    }

    #[test]
    fn keys_values_and_operators_are_judged() {
        let selector = json!({
            "matchLabels": {"a b": "c", "d": "e f"},
            "matchExpressions": [
                {"key": "k", "operator": "In"},
                {"key": "k", "operator": "Exists", "values": ["v"]},
                {"key": "", "operator": "Near"},
                {"key": "fine", "operator": "NotIn", "values": ["v"]},
            ],
        });
        let fields: Vec<String> = faults(&selector, "s").into_iter().map(|cause| cause.field).collect();
        let at = |rest: &str| format!("s.{rest}");
        assert_eq!(fields[..2], [at("matchLabels"), at("matchLabels")]);
        assert_eq!(fields[2..5], [at("matchExpressions[0].values"), at("matchExpressions[1].values"), at("matchExpressions[2].operator")]);
        assert!(fields[5..].iter().all(|field| *field == at("matchExpressions[2].key")));
        assert_eq!(faults(&json!({}), "s"), []);
    }
}
