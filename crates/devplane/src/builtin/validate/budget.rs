//! Budgets of disruptions.
//! Source: kubernetes `pkg/apis/policy/validation`.

use serde_json::Value;

use super::{
    faults::{invalid_structure, none_or_one_of},
    numbers,
};
use crate::{selectors, status::Cause};

const BOTH: &str = "minAvailable and maxUnavailable cannot be both set";

/// All rules of a budget; those of its status stand in `statuses`.
pub(super) fn check(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if !spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null() {
        causes.push(invalid_structure("spec", ("policy/v1", "PodDisruptionBudgetSpec"), spec, BOTH));
    }
    for name in ["minAvailable", "maxUnavailable"] {
        numbers::positive_or_percent(&format!("spec.{name}"), &spec[name], causes);
        numbers::at_most_whole(&format!("spec.{name}"), &spec[name], causes);
    }
    causes.extend(selectors::faults(&spec["selector"], "spec.selector"));
    let policy = &spec["unhealthyPodEvictionPolicy"];
    none_or_one_of("spec.unhealthyPodEvictionPolicy", policy, &["AlwaysAllow", "IfHealthyBudget"], causes);
}
