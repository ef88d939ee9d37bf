//! What a Job does about pods that fail, and when it has done enough.
//! Source: kubernetes `pkg/apis/batch/validation` (`validatePodFailurePolicy`, `validateSuccessPolicy`, `validatePodReplacementPolicy`).

use serde_json::Value;

use super::{
    faults::{duplicate, invalid_structure, none_or_one_of, unsupported},
    names, numbers,
    reading::{count, items, text},
};
use crate::status::Cause;

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
/// The most rules of a policy, and the most conditions of a rule.
const RULES: usize = 20;
/// The most exit codes of a rule.
const EXIT_CODES: usize = 255;

/// The policies of a Job whose spec is at `path`.
pub(super) fn check(job: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !job["podFailurePolicy"].is_null() {
        failure(job, &format!("{path}.podFailurePolicy.rules"), causes);
    }
    if !job["successPolicy"].is_null() {
        success(job, &format!("{path}.successPolicy"), causes);
    }
    // With a policy for failures pods are replaced once they have failed.
    let known: &[&str] = if job["podFailurePolicy"].is_null() { &["Failed", "TerminatingOrFailed"] } else { &["Failed"] };
    none_or_one_of(&format!("{path}.podReplacementPolicy"), &job["podReplacementPolicy"], known, causes);
}

/// A fault of a value that is not shown.
fn bare(field: &str, detail: &str) -> Cause {
    Cause { reason: "FieldValueInvalid".into(), message: format!("Invalid value: {detail}"), field: field.into() }
}

fn failure(job: &Value, path: &str, causes: &mut Vec<Cause>) {
    let rules = &job["podFailurePolicy"]["rules"];
    if count(rules) > RULES {
        causes.push(Cause::too_many(path, count(rules), RULES));
    }
    for (index, rule) in items(rules) {
        let at = format!("{path}[{index}]");
        let action = &rule["action"];
        let field = format!("{at}.action");
        match text(action) {
            "" => causes.push(Cause::required(&field, "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]")),
            "FailIndex" if job["backoffLimitPerIndex"].is_null() => {
                causes.push(Cause::invalid(&field, action, "requires the backoffLimitPerIndex to be set"));
            }
            known if ACTIONS.contains(&known) => {}
            _ => causes.push(unsupported(&field, action, &ACTIONS)),
        }
        let (codes, conditions) = (&rule["onExitCodes"], &rule["onPodConditions"]);
        if !codes.is_null() {
            exit_codes(job, codes, &format!("{at}.onExitCodes"), causes);
        }
        pod_conditions(conditions, &format!("{at}.onPodConditions"), causes);
        match (codes.is_null(), count(conditions) == 0) {
            (false, false) => causes.push(bare(&at, "specifying both OnExitCodes and OnPodConditions is not supported")),
            (true, true) => causes.push(bare(&at, "specifying one of OnExitCodes and OnPodConditions is required")),
            _ => {}
        }
    }
}

fn pod_conditions(conditions: &Value, path: &str, causes: &mut Vec<Cause>) {
    if count(conditions) > RULES {
        causes.push(Cause::too_many(path, count(conditions), RULES));
    }
    for (index, pattern) in items(conditions) {
        names::qualified(&format!("{path}[{index}].type"), text(&pattern["type"]), causes);
        let field = format!("{path}[{index}].status");
        match text(&pattern["status"]) {
            "" => causes.push(Cause::required(&field, "valid values: [\"False\" \"True\" \"Unknown\"]")),
            "False" | "True" | "Unknown" => {}
            _ => causes.push(unsupported(&field, &pattern["status"], &["False", "True", "Unknown"])),
        }
    }
}

fn exit_codes(job: &Value, codes: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (operator, field) = (&codes["operator"], format!("{path}.operator"));
    match text(operator) {
        "" => causes.push(Cause::required(&field, "valid values: [\"In\" \"NotIn\"]")),
        "In" | "NotIn" => {}
        _ => causes.push(unsupported(&field, operator, &["In", "NotIn"])),
    }
    let (name, pods) = (&codes["containerName"], &job["template"]["spec"]);
    let mut containers = ["containers", "initContainers"].into_iter().flat_map(|list| items(&pods[list]));
    if !name.is_null() && !containers.any(|(_, container)| container["name"] == *name) {
        let detail = "must be one of the container or initContainer names in the pod template";
        causes.push(Cause::invalid(&format!("{path}.containerName"), name, detail));
    }
    let (values, field) = (&codes["values"], format!("{path}.values"));
    match count(values) {
        0 => causes.push(Cause::invalid(&field, values, "at least one value is required")),
        many if many > EXIT_CODES => causes.push(Cause::too_many(&field, many, EXIT_CODES)),
        _ => {}
    }
    let mut seen: Vec<&Value> = Vec::new();
    let mut ordered = true;
    for (index, value) in items(values) {
        let at = format!("{field}[{index}]");
        if operator == "In" && *value == 0 {
            causes.push(Cause::invalid(&at, value, "must not be 0 for the In operator"));
        }
        if seen.contains(&value) {
            causes.push(duplicate(&at, value));
        }
        ordered &= seen.last().is_none_or(|last| last.as_i64() <= value.as_i64());
        seen.push(value);
    }
    if !ordered {
        causes.push(Cause::invalid(&field, values, "must be ordered"));
    }
}

fn success(job: &Value, path: &str, causes: &mut Vec<Cause>) {
    let policy = &job["successPolicy"];
    if job["completionMode"] != "Indexed" {
        causes.push(invalid_structure(path, ("batch/v1", "SuccessPolicy"), policy, "requires indexed completion mode"));
        return;
    }
    let (rules, field) = (&policy["rules"], format!("{path}.rules"));
    if count(rules) == 0 {
        causes.push(Cause::required(&field, "at least one rules must be specified when the successPolicy is specified"));
    }
    if count(rules) > RULES {
        causes.push(Cause::too_many(&field, count(rules), RULES));
    }
    for (index, rule) in items(rules) {
        let at = format!("{field}[{index}]");
        let (needed, indexes) = (&rule["succeededCount"], &rule["succeededIndexes"]);
        if needed.is_null() && indexes.is_null() {
            causes.push(Cause::required(&at, "at least one of succeededCount or succeededIndexes must be specified"));
        }
        numbers::not_negative(&format!("{at}.succeededCount"), needed, causes);
        if let (Some(wanted), Some(completions)) = (needed.as_i64(), job["completions"].as_i64())
            && wanted > completions
        {
            let detail = format!("must be less than or equal to {completions} (the number of specified completions)");
            causes.push(Cause::invalid(&format!("{at}.succeededCount"), needed, &detail));
        }
    }
}
