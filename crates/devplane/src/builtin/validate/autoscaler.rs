//! Autoscalers of pods.
//! Source: kubernetes `pkg/apis/autoscaling/validation`, `pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go`.

mod metrics;

use serde_json::Value;

use super::{
    amounts,
    faults::{none_or_one_of, unsupported},
    names::path_segment,
    reading::{is_blank, items, number, text},
};
use crate::status::Cause;

const LONGEST_PERIOD: i64 = 1800;
const LONGEST_WINDOW: i64 = 3600;

pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let (min, max, most) = (&spec["minReplicas"], &spec["maxReplicas"], number(&spec["maxReplicas"]));
    // Who has none already may keep it so.
    let lowest = i64::from(old.is_none_or(|old| old["spec"]["minReplicas"] != 0));
    if min.as_i64().is_some_and(|min| min < lowest) {
        causes.push(Cause::invalid("spec.minReplicas", min, &format!("must be greater than or equal to {lowest}")));
    }
    if most == 0 {
        causes.push(Cause::required("spec.maxReplicas", "must be set and greater than 0"));
    } else if most < 0 {
        causes.push(Cause::invalid("spec.maxReplicas", max, "must be greater than or equal to 1"));
    }
    if min.as_i64().is_some_and(|min| most < min) {
        causes.push(Cause::invalid("spec.maxReplicas", &most.into(), "must be greater than or equal to `minReplicas`"));
    }
    let target = &spec["scaleTargetRef"];
    let is_same = old.is_some_and(|old| {
        let before = &old["spec"]["scaleTargetRef"];
        ["apiVersion", "kind"].iter().all(|name| text(&before[name]) == text(&target[name]))
    });
    reference(target, "spec.scaleTargetRef", !is_same, text(&target["kind"]) == "ReplicationController", causes);
    metrics::check(spec, old, causes);
    for direction in ["scaleUp", "scaleDown"] {
        let rules = &spec["behavior"][direction];
        if rules.is_object() {
            self::rules(rules, &format!("spec.behavior.{direction}"), causes);
        }
    }
}

/// A reference to an object of any kind; those of the core group are scaled by nobody.
fn reference(reference: &Value, at: &str, judges_version: bool, may_be_core: bool, causes: &mut Vec<Cause>) {
    for name in ["kind", "name"] {
        let field = format!("{at}.{name}");
        match text(&reference[name]) {
            "" => causes.push(Cause::required(&field, "")),
            value => path_segment(&field, value, causes),
        }
    }
    if let Some(why) = version_fault(text(&reference["apiVersion"]), may_be_core).filter(|_| judges_version) {
        causes.push(Cause::invalid(&format!("{at}.apiVersion"), &text(&reference["apiVersion"]).into(), &why));
    }
}

fn version_fault(version: &str, may_be_core: bool) -> Option<String> {
    match version.matches('/').count() {
        0 if !may_be_core => Some("apiVersion must specify API group".into()),
        1 if !may_be_core && version.starts_with('/') => Some("apiVersion must specify API group".into()),
        0 | 1 => None,
        _ => Some(format!("unexpected GroupVersion string: {version}")),
    }
}

/// How fast pods come or go.
fn rules(rules: &Value, at: &str, causes: &mut Vec<Cause>) {
    let window = &rules["stabilizationWindowSeconds"];
    let field = format!("{at}.stabilizationWindowSeconds");
    match window.as_i64() {
        Some(..0) => causes.push(Cause::invalid(&field, window, "must be greater than or equal to zero")),
        Some(seconds) if seconds > LONGEST_WINDOW => {
            causes.push(Cause::invalid(&field, window, &format!("must be less than or equal to {LONGEST_WINDOW}")));
        }
        _ => {}
    }
    none_or_one_of(&format!("{at}.selectPolicy"), &rules["selectPolicy"], &["Disabled", "Max", "Min"], causes);
    if is_blank(&rules["policies"]) {
        causes.push(Cause::required(&format!("{at}.policies"), "must specify at least one Policy"));
    }
    for (index, policy) in items(&rules["policies"]) {
        let field = |name: &str| format!("{at}.policies[{index}].{name}");
        if !matches!(text(&policy["type"]), "Pods" | "Percent") {
            causes.push(unsupported(&field("type"), &text(&policy["type"]).into(), &["Percent", "Pods"]));
        }
        for name in ["value", "periodSeconds"] {
            if number(&policy[name]) <= 0 {
                causes.push(Cause::invalid(&field(name), &number(&policy[name]).into(), "must be greater than zero"));
            }
        }
        if number(&policy["periodSeconds"]) > LONGEST_PERIOD {
            let why = format!("must be less than or equal to {LONGEST_PERIOD}");
            causes.push(Cause::invalid(&field("periodSeconds"), &policy["periodSeconds"], &why));
        }
    }
    amounts::not_negative(&format!("{at}.tolerance"), &rules["tolerance"], causes);
}
