//! Budgets of disruptions.
//! Source: kubernetes `pkg/apis/policy/validation`, `pkg/apis/apps/validation` (`ValidatePositiveIntOrPercent`).

use serde_json::Value;

use super::{labels::selector, reading::list, unsupported};
use crate::status::Cause;

const BOTH: &str = "minAvailable and maxUnavailable cannot be both set";
const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for \
                       validation is '[0-9]+%')";

pub(super) fn check(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if !spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null() {
        let message = format!("Invalid value: {}: {BOTH}", printed(spec));
        causes.push(Cause { reason: "FieldValueInvalid".into(), message, field: "spec".into() });
    }
    for name in ["minAvailable", "maxUnavailable"] {
        share(&format!("spec.{name}"), &spec[name], causes);
    }
    selector(&spec["selector"], "spec.selector", causes);
    let (policy, policies) = (&spec["unhealthyPodEvictionPolicy"], ["AlwaysAllow", "IfHealthyBudget"]);
    if !policy.is_null() && !policies.iter().any(|known| policy == known) {
        causes.push(unsupported("spec.unhealthyPodEvictionPolicy", policy, &policies));
    }
}

/// How many pods, or which part of them.
fn share(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if let Some(text) = value.as_str() {
        let digits = text.strip_suffix('%').filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        match digits {
            None => causes.push(Cause::invalid(field, value, PERCENT)),
            Some(digits) if digits.parse::<u64>().is_ok_and(|percent| percent <= 100) => {}
            Some(_) => causes.push(Cause::invalid(field, value, "must not be greater than 100%")),
        }
    } else if value.as_i64().is_some_and(|number| number < 0) {
        causes.push(Cause::invalid(field, value, "must be greater than or equal to 0"));
    }
}

/// What the status of a budget counts.
pub(super) fn status(object: &Value, causes: &mut Vec<Cause>) {
    for name in ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] {
        let count = &object["status"][name];
        if count.as_i64().is_some_and(|count| count < 0) {
            causes.push(Cause::invalid(&format!("status.{name}"), count, "must be greater than or equal to 0"));
        }
    }
}

/// A spec as the internal Go structure is printed.
fn printed(spec: &Value) -> String {
    let (min, max, policy) = (&spec["minAvailable"], &spec["maxUnavailable"], &spec["unhealthyPodEvictionPolicy"]);
    let selector = printed_selector(&spec["selector"]);
    format!("{{\"MinAvailable\":{min},\"Selector\":{selector},\"MaxUnavailable\":{max},\"UnhealthyPodEvictionPolicy\":{policy}}}")
}

/// A selector with its fields in the order of the Go structure.
fn printed_selector(selector: &Value) -> String {
    if selector.is_null() {
        return "null".into();
    }
    let labels = Some(&selector["matchLabels"]).filter(|labels| !labels.is_null()).map(|labels| format!("\"matchLabels\":{labels}"));
    let rules: Vec<String> = list(selector, "matchExpressions")
        .iter()
        .map(|rule| {
            let values = if rule["values"].is_array() { format!(",\"values\":{}", rule["values"]) } else { String::new() };
            format!("{{\"key\":{},\"operator\":{}{values}}}", rule["key"], rule["operator"])
        })
        .collect();
    let rules = (!rules.is_empty()).then(|| format!("\"matchExpressions\":[{}]", rules.join(",")));
    let parts: Vec<String> = labels.into_iter().chain(rules).collect();
    format!("{{{}}}", parts.join(","))
}
