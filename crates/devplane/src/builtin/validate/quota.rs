//! Quotas of namespaces.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateResourceQuota`, `ValidateResourceQuotaUpdate`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    amounts,
    faults::{immutable, invalid_structure},
    reading::{keys, list, text},
};
use crate::status::Cause;

const SCOPES: [&str; 7] =
    ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "VolumeAttributesClass", "CrossNamespacePodAffinity"];
/// Scopes that exclude each other.
const CONFLICTS: [[&str; 2]; 2] = [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];
const EXISTS_ALONE: &str = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, \
                            ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/// All rules of a quota.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    amounts_of(&spec["hard"], "spec.hard", causes);
    scopes(spec, causes);
    if spec["scopeSelector"].is_object() {
        selector(spec, causes);
    }
    let Some(old) = old else { return };
    let named = |spec: &Value| -> BTreeSet<String> { list(&spec["scopes"]).iter().map(Value::to_string).collect() };
    if named(&old["spec"]) != named(spec) {
        causes.push(immutable("spec.scopes", &spec["scopes"]));
    }
}

/// What a quota says of what is used.
pub(super) fn status(object: &Value, causes: &mut Vec<Cause>) {
    for part in ["hard", "used"] {
        amounts_of(&object["status"][part], &format!("status.{part}"), causes);
    }
}

fn amounts_of(map: &Value, field: &str, causes: &mut Vec<Cause>) {
    for resource in keys(map) {
        let at = format!("{field}[{resource}]");
        amounts::quota_name(&at, resource, causes);
        amounts::amount(resource, &at, &map[resource], causes);
    }
}

/// The limited resources that a scope does not have.
fn misplaced<'a>(spec: &'a Value, scope: &'a str) -> impl Iterator<Item = &'a str> {
    keys(&spec["hard"]).into_iter().filter(move |resource| amounts::is_limited_by_quota(resource) && !amounts::is_in_scope(scope, resource))
}

/// How many pairs of scopes exclude each other.
fn conflicts(named: &[&str]) -> usize {
    CONFLICTS.iter().filter(|pair| pair.iter().all(|scope| named.contains(scope))).count()
}

fn scopes(spec: &Value, causes: &mut Vec<Cause>) {
    let named: Vec<&str> = list(&spec["scopes"]).iter().filter_map(Value::as_str).collect();
    let mut refuse = |why: &str| causes.push(Cause::invalid("spec.scopes", &spec["scopes"], why));
    for scope in &named {
        if !SCOPES.contains(scope) {
            refuse("unsupported scope");
        }
        for _ in misplaced(spec, scope) {
            refuse("unsupported scope applied to resource");
        }
    }
    for _ in 0..conflicts(&named) {
        refuse("conflicting scopes");
    }
}

fn selector(spec: &Value, causes: &mut Vec<Cause>) {
    const FIELD: &str = "spec.scopeSelector.matchExpressions";
    let mut named = Vec::new();
    for rule in list(&spec["scopeSelector"]["matchExpressions"]) {
        let (scope, operator, values) = (text(&rule["scopeName"]), text(&rule["operator"]), list(&rule["values"]));
        if !SCOPES.contains(&scope) {
            causes.push(Cause::invalid(&format!("{FIELD}.scopeName"), &scope.into(), "unsupported scope"));
        }
        for _ in misplaced(spec, scope) {
            causes.push(invalid_structure(FIELD, ("v1", "ScopeSelector"), &spec["scopeSelector"], "unsupported scope applied to resource"));
        }
        if SCOPES.contains(&scope) && !matches!(scope, "PriorityClass" | "VolumeAttributesClass") && operator != "Exists" {
            causes.push(Cause::invalid(&format!("{FIELD}.operator"), &operator.into(), EXISTS_ALONE));
        }
        let at = format!("{FIELD}.values");
        match operator {
            "In" | "NotIn" if values.is_empty() => {
                causes.push(Cause::required(&at, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                causes.push(Cause::invalid(&at, &rule["values"], why));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => causes.push(Cause::invalid(&format!("{FIELD}.operator"), &other.into(), "not a valid selector operator")),
        }
        named.push(scope);
    }
    for _ in 0..conflicts(&named) {
        causes.push(Cause::invalid(FIELD, &spec["scopes"], "conflicting scopes"));
    }
}
