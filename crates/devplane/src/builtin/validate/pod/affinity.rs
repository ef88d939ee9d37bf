//! Nodes and other pods near which a pod wants to be, or not.
//! Source: kubernetes `pkg/apis/core/validation` (`validateAffinity`, `ValidateNodeSelector`, `validatePodAffinityTerm`).

use serde_json::Value;

use super::super::{
    names,
    reading::{count, is_blank, items, number, text},
};
use crate::{objects::metadata::label_value_faults, registry::NameRule, selectors, status::Cause};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const OPERATOR: &str = "not a valid selector operator";

pub(super) fn check(affinity: &Value, path: &str, causes: &mut Vec<Cause>) {
    let node = &affinity["nodeAffinity"];
    if !node[REQUIRED].is_null() {
        node_selector(&node[REQUIRED], &format!("{path}.nodeAffinity.{REQUIRED}"), causes);
    }
    for (index, term) in items(&node[PREFERRED]) {
        let at = format!("{path}.nodeAffinity.{PREFERRED}[{index}]");
        weight(term, &at, causes);
        node_term(&term["preference"], &format!("{at}.preference"), false, causes);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        for (index, term) in items(&affinity[kind][REQUIRED]) {
            pod_term(term, &format!("{path}.{kind}.{REQUIRED}[{index}]"), causes);
        }
        for (index, term) in items(&affinity[kind][PREFERRED]) {
            let at = format!("{path}.{kind}.{PREFERRED}[{index}]");
            weight(term, &at, causes);
            pod_term(&term["podAffinityTerm"], &format!("{at}.podAffinityTerm"), causes);
        }
    }
}

fn weight(term: &Value, at: &str, causes: &mut Vec<Cause>) {
    let weight = number(&term["weight"]);
    if !(1..=100).contains(&weight) {
        causes.push(Cause::invalid(&format!("{at}.weight"), &weight.into(), "must be in the range 1-100"));
    }
}

/// Terms of which one has to hold.
fn node_selector(selector: &Value, path: &str, causes: &mut Vec<Cause>) {
    let field = format!("{path}.nodeSelectorTerms");
    if is_blank(&selector["nodeSelectorTerms"]) {
        causes.push(Cause::required(&field, "must have at least one node selector term"));
    }
    for (index, term) in items(&selector["nodeSelectorTerms"]) {
        node_term(term, &format!("{field}[{index}]"), true, causes);
    }
}

/// What is merely preferred may name values that no label can have.
fn node_term(term: &Value, path: &str, strict: bool, causes: &mut Vec<Cause>) {
    for (index, rule) in items(&term["matchExpressions"]) {
        on_labels(rule, &format!("{path}.matchExpressions[{index}]"), strict, causes);
    }
    for (index, rule) in items(&term["matchFields"]) {
        on_fields(rule, &format!("{path}.matchFields[{index}]"), causes);
    }
}

fn on_labels(rule: &Value, at: &str, strict: bool, causes: &mut Vec<Cause>) {
    let (values, field) = (&rule["values"], format!("{at}.values"));
    match (text(&rule["operator"]), count(values)) {
        ("In" | "NotIn", 0) => causes.push(Cause::required(&field, "must be specified when `operator` is 'In' or 'NotIn'")),
        ("Exists" | "DoesNotExist", 1..) => {
            causes.push(Cause::forbidden(&field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
        }
        ("Gt" | "Lt", 1) | ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => {}
        ("Gt" | "Lt", _) => causes.push(Cause::required(&field, "must be specified single value when `operator` is 'Lt' or 'Gt'")),
        (other, _) => causes.push(Cause::invalid(&format!("{at}.operator"), &other.into(), OPERATOR)),
    }
    names::qualified(&format!("{at}.key"), text(&rule["key"]), causes);
    for (index, value) in items(values).filter(|_| strict) {
        let faults = label_value_faults(text(value));
        causes.extend(faults.iter().map(|fault| Cause::invalid(&format!("{field}[{index}]"), value, fault)));
    }
}

fn on_fields(rule: &Value, at: &str, causes: &mut Vec<Cause>) {
    let (values, field) = (&rule["values"], format!("{at}.values"));
    match (text(&rule["operator"]), count(values)) {
        ("In" | "NotIn", 1) => {}
        ("In" | "NotIn", _) => {
            let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            causes.push(Cause::required(&field, detail));
        }
        (other, _) => causes.push(Cause::invalid(&format!("{at}.operator"), &other.into(), OPERATOR)),
    }
    if rule["key"] != "metadata.name" {
        causes.push(Cause::invalid(&format!("{at}.key"), &text(&rule["key"]).into(), "not a valid field selector key"));
        return;
    }
    for (index, value) in items(values) {
        names::subdomain(&format!("{field}[{index}]"), text(value), causes);
    }
}

fn pod_term(term: &Value, path: &str, causes: &mut Vec<Cause>) {
    causes.extend(selectors::faults(&term["labelSelector"], &format!("{path}.labelSelector")));
    causes.extend(selectors::faults(&term["namespaceSelector"], &format!("{path}.namespaceSelector")));
    for (_, namespace) in items(&term["namespaces"]) {
        names::of_object(&format!("{path}.namespace"), NameRule::Label, text(namespace), causes);
    }
    for list in ["matchLabelKeys", "mismatchLabelKeys"] {
        let field = format!("{path}.{list}");
        if !is_blank(&term[list]) && term["labelSelector"].is_null() {
            causes.push(Cause::forbidden(&field, "must not be specified when labelSelector is not set"));
        }
        for (index, key) in items(&term[list]) {
            names::qualified(&format!("{field}[{index}]"), text(key), causes);
        }
    }
    for (index, key) in items(&term["matchLabelKeys"]) {
        if items(&term["mismatchLabelKeys"]).any(|(_, other)| other == key) {
            let field = format!("{path}.matchLabelKeys[{index}]");
            causes.push(Cause::invalid(&field, key, "exists in both matchLabelKeys and mismatchLabelKeys"));
        }
    }
    let field = format!("{path}.topologyKey");
    if is_blank(&term["topologyKey"]) {
        causes.push(Cause::required(&field, "can not be empty"));
    }
    names::qualified(&field, text(&term["topologyKey"]), causes);
}
