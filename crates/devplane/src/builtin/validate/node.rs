//! Nodes.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateNode`, `ValidateNodeUpdate`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    addresses::{self, Range},
    amounts,
    faults::one_of,
    names::qualified,
    reading::{items, keys, list, text},
};
use crate::{objects::metadata::label_value_faults, protobuf::go_internal, status::Cause};

/// What a taint does to pods that do not tolerate it.
pub(super) const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const KEPT_RANGES: &str = "node updates may not change podCIDR except from \"\" to valid";
const KEPT_ID: &str = "node updates may not change providerID except from \"\" to valid";

/// All rules of a node.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    taints(spec, causes);
    amounts_of(object, causes);
    ranges(spec, causes);
    if let Some(old) = old {
        // A change is judged as a new node is, and as a change.
        change(object, old, causes);
    }
}

/// What a change may not touch; of the status, too.
pub(super) fn change(object: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let (spec, before) = (&object["spec"], &old["spec"]);
    amounts_of(object, causes);
    let mut seen = BTreeSet::new();
    for (index, address) in items(&object["status"]["addresses"]) {
        if !seen.insert((text(&address["type"]), text(&address["address"]))) {
            let shown = go_internal::compact("v1", "NodeAddress", address);
            causes.push(Cause::duplicate_shown(&format!("status.addresses[{index}]"), &shown));
        }
    }
    let (had, has) = (list(&before["podCIDRs"]), list(&spec["podCIDRs"]));
    if !had.is_empty() && had != has {
        causes.push(Cause::forbidden("spec.podCIDRs", KEPT_RANGES));
    }
    if !text(&before["providerID"]).is_empty() && before["providerID"] != spec["providerID"] {
        causes.push(Cause::forbidden("spec.providerID", KEPT_ID));
    }
    taints(spec, causes);
    if text(&before["externalID"]) != text(&spec["externalID"]) {
        causes.push(Cause::forbidden("spec.externalID", "may not be updated"));
    }
}

fn amounts_of(object: &Value, causes: &mut Vec<Cause>) {
    for part in ["capacity", "allocatable"] {
        let map = &object["status"][part];
        for resource in keys(map) {
            amounts::amount(resource, &format!("status.{part}.{resource}"), &map[resource], causes);
        }
    }
}

/// What keeps pods away; upstream looks for it in the metadata.
fn taints(spec: &Value, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, taint) in items(&spec["taints"]) {
        let at = format!("metadata.taints[{index}]");
        let key = text(&taint["key"]);
        qualified(&format!("{at}.key"), key, causes);
        let faults = label_value_faults(text(&taint["value"]));
        if !faults.is_empty() {
            causes.push(Cause::invalid(&format!("{at}.value"), &taint["value"], &faults.join(";")));
        }
        one_of(&format!("{at}.effect"), &taint["effect"], &EFFECTS, causes);
        if !seen.insert((text(&taint["effect"]), key)) {
            let shown = go_internal::compact("v1", "Taint", taint);
            causes.push(Cause::duplicate_shown(&at, &format!("{shown}: taints must be unique by key and effect pair")));
        }
    }
}

fn ranges(spec: &Value, causes: &mut Vec<Cause>) {
    let given = list(&spec["podCIDRs"]);
    let mut found: Vec<Option<Range>> = Vec::new();
    for (index, range) in items(&spec["podCIDRs"]) {
        found.push(addresses::range(&format!("spec.podCIDRs[{index}]"), text(range), &[], causes));
    }
    let sixth = found.iter().flatten().filter(|range| range.is_v6()).count();
    if given.len() > 1 && (given.len() > 2 || sixth != 1) {
        causes.push(Cause::invalid("spec.podCIDRs", &spec["podCIDRs"], "may specify no more than one CIDR for each IP family"));
    }
}
