//! Where a pod is put, and when.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateTolerations`, `validateTopologySpreadConstraints`, `validateReadinessGates`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{
    faults::{blank_or_one_of, duplicate, none_or_one_of, unsupported},
    names,
    node::EFFECTS,
    reading::{is_blank, items, number, text},
};
use crate::{objects::metadata::label_value_faults, selectors, status::Cause};

pub(super) fn check(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, gate) in items(&spec["readinessGates"]) {
        names::qualified(&format!("{path}.readinessGates[{index}].conditionType"), text(&gate["conditionType"]), causes);
    }
    let mut seen = BTreeSet::new();
    for (index, gate) in items(&spec["schedulingGates"]) {
        let field = format!("{path}.schedulingGates[{index}]");
        names::qualified(&field, text(&gate["name"]), causes);
        if !seen.insert(text(&gate["name"])) {
            causes.push(duplicate(&field, &gate["name"]));
        }
    }
    spread(&spec["topologySpreadConstraints"], &format!("{path}.topologySpreadConstraints"), causes);
    tolerations(&spec["tolerations"], &format!("{path}.tolerations"), causes);
}

/// The taints that a pod tolerates, at `path`.
pub(super) fn tolerations(tolerations: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, toleration) in items(tolerations) {
        let field = |part: &str| format!("{path}[{index}].{part}");
        let (operator, value, effect) = (text(&toleration["operator"]), text(&toleration["value"]), text(&toleration["effect"]));
        if !is_blank(&toleration["key"]) {
            names::qualified(&field("key"), text(&toleration["key"]), causes);
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            causes.push(Cause::invalid(&field("operator"), &operator.into(), detail));
        }
        if !toleration["tolerationSeconds"].is_null() && effect != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            causes.push(Cause::invalid(&field("effect"), &effect.into(), detail));
        }
        match operator {
            "" | "Equal" => {
                let faults = label_value_faults(value);
                if !faults.is_empty() {
                    causes.push(Cause::invalid(&field("operator"), &value.into(), &faults.join(";")));
                }
            }
            "Exists" if value.is_empty() => {}
            "Exists" => causes.push(Cause::invalid(&field("operator"), &value.into(), "value must be empty when `operator` is 'Exists'")),
            _ => causes.push(unsupported(&field("operator"), &operator.into(), &["Equal", "Exists"])),
        }
        blank_or_one_of(&field("effect"), &toleration["effect"], &EFFECTS, causes);
    }
}

fn spread(constraints: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, constraint) in items(constraints) {
        let field = |part: &str| format!("{path}[{index}].{part}");
        let skew = number(&constraint["maxSkew"]);
        if skew <= 0 {
            causes.push(Cause::invalid(&field("maxSkew"), &skew.into(), "must be greater than zero"));
        }
        if is_blank(&constraint["topologyKey"]) {
            causes.push(Cause::required(&field("topologyKey"), "can not be empty"));
        }
        let action = text(&constraint["whenUnsatisfiable"]);
        if !["DoNotSchedule", "ScheduleAnyway"].contains(&action) {
            causes.push(unsupported(&field("whenUnsatisfiable"), &action.into(), &["DoNotSchedule", "ScheduleAnyway"]));
        }
        let same = |other: &Value| ["topologyKey", "whenUnsatisfiable"].iter().all(|part| text(&other[*part]) == text(&constraint[*part]));
        if items(constraints).any(|(place, other)| place > index && same(other)) {
            let shown = format!("{{{}, {action}}}", text(&constraint["topologyKey"]));
            causes.push(duplicate(&field("{topologyKey, whenUnsatisfiable}"), &shown.into()));
        }
        domains(constraint, action, &field("minDomains"), causes);
        for part in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            none_or_one_of(&field(part), &constraint[part], &["Honor", "Ignore"], causes);
        }
        keys(constraint, &field("matchLabelKeys"), causes);
        causes.extend(selectors::faults(&constraint["labelSelector"], &field("labelSelector")));
    }
}

fn domains(constraint: &Value, action: &str, field: &str, causes: &mut Vec<Cause>) {
    let domains = &constraint["minDomains"];
    let Some(number) = domains.as_i64() else { return };
    if number <= 0 {
        causes.push(Cause::invalid(field, domains, "must be greater than zero"));
    }
    if action != "DoNotSchedule" {
        let detail = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
        causes.push(Cause::invalid(field, domains, &detail));
    }
}

/// Labels of the pod that count beside those of the selector.
fn keys(constraint: &Value, field: &str, causes: &mut Vec<Cause>) {
    let selector = &constraint["labelSelector"];
    if !is_blank(&constraint["matchLabelKeys"]) && selector.is_null() {
        causes.push(Cause::forbidden(field, "must not be specified when labelSelector is not set"));
    }
    for (index, key) in items(&constraint["matchLabelKeys"]) {
        let at = format!("{field}[{index}]");
        names::qualified(&at, text(key), causes);
        let named = !selector["matchLabels"][text(key)].is_null();
        if named || items(&selector["matchExpressions"]).any(|(_, rule)| rule["key"] == *key) {
            causes.push(Cause::invalid(&at, key, "exists in both matchLabelKeys and labelSelector"));
        }
    }
}
