//! DaemonSets.
//! Source: kubernetes `pkg/apis/apps/validation` (`ValidateDaemonSetSpec`, `ValidateRollingUpdateDaemonSet`).

use serde_json::Value;

use super::{faults::unsupported_structure, numbers, reading::text, template};
use crate::{selectors, status::Cause};

/// All rules of a DaemonSet.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let daemon_set = &object["spec"];
    // The real server judges a change once as an object and once as a change.
    for _ in 0..=usize::from(old.is_some()) {
        spec(daemon_set, causes);
    }
    if let Some(old) = old {
        template::keeps_selector(daemon_set, old, causes);
    }
}

fn spec(spec: &Value, causes: &mut Vec<Cause>) {
    let selector = &spec["selector"];
    causes.extend(selectors::faults(selector, "spec.selector"));
    if !template::is_broken(selector) {
        template::finds(spec, causes);
    }
    if template::is_empty(selector) {
        causes.push(template::invalid_selector(selector, "empty selector is invalid for daemonset"));
    }
    template::template(&spec["template"], template::PATH, causes);
    template::always_runs(spec, "DaemonSet", causes);
    numbers::none_negative(spec, "spec", &["minReadySeconds"], causes);
    strategy(&spec["updateStrategy"], causes);
    numbers::none_negative(spec, "spec", &["revisionHistoryLimit"], causes);
}

fn strategy(strategy: &Value, causes: &mut Vec<Cause>) {
    let rolling = &strategy["rollingUpdate"];
    match text(&strategy["type"]) {
        "OnDelete" => {}
        "RollingUpdate" if rolling.is_null() => causes.push(Cause::required("spec.updateStrategy.rollingUpdate", "")),
        "RollingUpdate" => rolling_update(rolling, causes),
        _ => {
            let structure = ("apps/v1", "DaemonSetUpdateStrategy");
            causes.push(unsupported_structure("spec.updateStrategy", structure, strategy, &["RollingUpdate", "OnDelete"]));
        }
    }
}

fn rolling_update(rolling: &Value, causes: &mut Vec<Cause>) {
    let path = "spec.updateStrategy.rollingUpdate";
    let (unavailable, surge) = (&rolling["maxUnavailable"], &rolling["maxSurge"]);
    let fields = (format!("{path}.maxUnavailable"), format!("{path}.maxSurge"));
    numbers::positive_or_percent(&fields.0, unavailable, causes);
    numbers::positive_or_percent(&fields.1, surge, causes);
    numbers::at_most_whole(&fields.0, unavailable, causes);
    numbers::at_most_whole(&fields.1, surge, causes);
    match (numbers::is_zero(unavailable), numbers::is_zero(surge)) {
        (false, false) => causes.push(Cause::invalid(&fields.1, surge, "may not be set when maxUnavailable is non-zero")),
        (true, true) => causes.push(Cause::required(&fields.0, "cannot be 0 when maxSurge is 0")),
        _ => {}
    }
}
