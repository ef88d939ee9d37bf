//! Deployments and ReplicaSets.
//! Source: kubernetes `pkg/apis/apps/validation` (`ValidateDeploymentSpec`, `ValidateReplicaSetSpec`).

use serde_json::Value;

use super::{
    faults::unsupported_structure,
    numbers,
    reading::{is_blank, number, text},
    template,
};
use crate::status::Cause;

/// All rules of a Deployment.
pub(super) fn deployment(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    numbers::none_negative(spec, "spec", &["replicas"], causes);
    selected(spec, causes);
    strategy(&spec["strategy"], causes);
    numbers::none_negative(spec, "spec", &["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"], causes);
    if let Some(deadline) = spec["progressDeadlineSeconds"].as_i64()
        && deadline <= number(&spec["minReadySeconds"])
    {
        let field = "spec.progressDeadlineSeconds";
        causes.push(Cause::invalid(field, &spec["progressDeadlineSeconds"], "must be greater than minReadySeconds"));
    }
    if let Some(old) = old {
        template::keeps_selector(spec, old, causes);
    }
}

/// All rules of a ReplicaSet.
pub(super) fn replica_set(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    // The real server judges a change once as an object and once as a change.
    for _ in 0..=usize::from(old.is_some()) {
        numbers::none_negative(spec, "spec", &["replicas", "minReadySeconds"], causes);
        selected(spec, causes);
    }
    if let Some(old) = old {
        template::keeps_selector(spec, old, causes);
    }
}

/// The selector and, where it can be evaluated, the template.
fn selected(spec: &Value, causes: &mut Vec<Cause>) {
    template::selector(spec, "empty selector is invalid for deployment", causes);
    let selector = &spec["selector"];
    if template::is_broken(selector) {
        causes.push(template::invalid_selector(selector, "invalid label selector"));
        return;
    }
    if !template::is_empty(selector) {
        template::finds(spec, causes);
    }
    template::template(&spec["template"], template::PATH, causes);
    // Those of a Deployment are those of its ReplicaSets.
    template::always_runs(spec, "ReplicaSet", causes);
}

fn strategy(strategy: &Value, causes: &mut Vec<Cause>) {
    let rolling = &strategy["rollingUpdate"];
    match text(&strategy["type"]) {
        "Recreate" if !rolling.is_null() => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            causes.push(Cause::forbidden("spec.strategy.rollingUpdate", detail));
        }
        "RollingUpdate" if rolling.is_null() => {
            causes.push(Cause::required("spec.strategy.rollingUpdate", "this should be defaulted and never be nil"));
        }
        "RollingUpdate" => rolling_update(rolling, causes),
        "Recreate" => {}
        _ => {
            let structure = ("apps/v1", "DeploymentStrategy");
            causes.push(unsupported_structure("spec.strategy", structure, strategy, &["Recreate", "RollingUpdate"]));
        }
    }
}

fn rolling_update(rolling: &Value, causes: &mut Vec<Cause>) {
    let path = "spec.strategy.rollingUpdate";
    let (unavailable, surge) = (&rolling["maxUnavailable"], &rolling["maxSurge"]);
    let field = format!("{path}.maxUnavailable");
    numbers::positive_or_percent(&field, unavailable, causes);
    numbers::positive_or_percent(&format!("{path}.maxSurge"), surge, causes);
    if numbers::is_zero(unavailable) && numbers::is_zero(surge) {
        let shown = if is_blank(unavailable) { Value::from(0) } else { unavailable.clone() };
        causes.push(Cause::invalid(&field, &shown, "may not be 0 when `maxSurge` is 0"));
    }
    numbers::at_most_whole(&field, unavailable, causes);
}
