//! Classes of priorities and of storage.
//! Source: kubernetes `pkg/apis/scheduling/validation`, `pkg/apis/storage/validation`.

use serde_json::Value;

use super::{
    faults::{blank_or_one_of, immutable, unsupported},
    names::qualified,
    reading::{entries, is_blank, number, text},
};
use crate::status::Cause;

/// What people may give at most.
const HIGHEST: i64 = 1_000_000_000;
/// Classes that the system has, with their values.
const SYSTEM: [(&str, i64); 2] = [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];
const MOST_PARAMETERS: usize = 512;
const MOST_BYTES: usize = 256 * 1024;

/// All rules of a class of priorities.
pub(super) fn priority(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    if let Some(old) = old {
        if number(&old["value"]) != number(&object["value"]) {
            causes.push(Cause::forbidden("value", "may not be changed in an update."));
        }
        if old["preemptionPolicy"] != object["preemptionPolicy"] {
            causes.push(immutable("preemptionPolicy", &object["preemptionPolicy"]));
        }
        return;
    }
    let (name, value) = (text(&object["metadata"]["name"]), number(&object["value"]));
    if name.starts_with("system-") {
        if let Some(why) = foreign(name, value, object["globalDefault"] == true) {
            let why = format!("priority class names with 'system-' prefix are reserved for system use only. error: {why}");
            causes.push(Cause::forbidden("metadata.name", &why));
        }
    } else if value > HIGHEST {
        causes.push(Cause::forbidden("value", &format!("maximum allowed value of a user defined priority is {HIGHEST}")));
    }
    match object["preemptionPolicy"].as_str() {
        None | Some("PreemptLowerPriority" | "Never") => {}
        Some("") => causes.push(Cause::required("preemptionPolicy", "")),
        Some(_) => causes.push(unsupported("preemptionPolicy", &object["preemptionPolicy"], &["PreemptLowerPriority", "Never"])),
    }
}

/// Why a class is none of those that the system has.
fn foreign(name: &str, value: i64, is_default: bool) -> Option<String> {
    let Some((_, own)) = SYSTEM.iter().find(|(known, _)| *known == name) else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if value != *own {
        return Some(format!("value of {name} PriorityClass must be {own}"));
    }
    is_default.then(|| format!("globalDefault of {name} PriorityClass must be false"))
}

/// All rules of a class of storage.
pub(super) fn storage(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let provisioner = text(&object["provisioner"]);
    if provisioner.is_empty() {
        causes.push(Cause::required("provisioner", ""));
    } else {
        qualified("provisioner", &provisioner.to_lowercase(), causes);
    }
    parameters(&object["parameters"], causes);
    let (reclaim, binding) = (&object["reclaimPolicy"], &object["volumeBindingMode"]);
    blank_or_one_of("reclaimPolicy", reclaim, &["Delete", "Retain"], causes);
    if binding.is_null() {
        causes.push(Cause::required("volumeBindingMode", ""));
    } else if !matches!(binding.as_str(), Some("Immediate" | "WaitForFirstConsumer")) {
        causes.push(unsupported("volumeBindingMode", binding, &["Immediate", "WaitForFirstConsumer"]));
    }
    let Some(old) = old else { return };
    for name in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
        if old[name] != object[name] && !(is_blank(&old[name]) && is_blank(&object[name])) {
            causes.push(immutable(name, &object[name]));
        }
    }
}

fn parameters(map: &Value, causes: &mut Vec<Cause>) {
    const FIELD: &str = "parameters";
    if entries(map).count() > MOST_PARAMETERS {
        // Upstream says bytes, though it means parameters.
        return causes.push(Cause::too_long(FIELD, MOST_PARAMETERS));
    }
    if entries(map).map(|(key, value)| key.len() + text(value).len()).sum::<usize>() > MOST_BYTES {
        causes.push(Cause::too_long(FIELD, MOST_BYTES));
    }
    if map.get("").is_some() {
        causes.push(Cause::invalid(FIELD, &"".into(), "field can not be empty."));
    }
}
