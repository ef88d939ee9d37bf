//! Rules for autoscalers and disruption budgets.

use std::borrow::Cow;

use serde_json::Value;

use super::conditions::{find, holds, list, message};
use super::{Verdict, freshness};

/// Seconds that an autoscaler usually needs for its first metrics.
const FIRST_METRICS: i64 = 60;
/// Annotation with the conditions in `autoscaling/v1`, which has no field for them.
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";

/// A HorizontalPodAutoscaler that can't read its metrics, or can't scale its target, doesn't do its work: it is degraded, as in Argo CD
/// (`pkg/health/health_hpa.go` of its gitops-engine), except while it is new. kstatus doesn't read these conditions. An autoscaler whose
/// target has no replicas is disabled on purpose.
pub(super) fn autoscaler(object: &Value, now: i64) -> Verdict {
    let conditions = match list(object) {
        [] => Cow::Owned(annotated(object)),
        conditions => Cow::Borrowed(conditions),
    };
    let fails = |name: &str| find(&conditions, name).filter(|condition| holds(condition) == Some(false));
    let inactive = || fails("ScalingActive").filter(|condition| condition["reason"] != "ScalingDisabled");
    if let Some(failed) = fails("AbleToScale").or_else(inactive) {
        return match freshness::left(&object["metadata"]["creationTimestamp"], now, FIRST_METRICS) {
            Some(left) => Verdict { again: Some(left), ..Verdict::progressing(message(failed)) },
            None => Verdict::degraded(message(failed)),
        };
    }
    if conditions.is_empty() { Verdict::current(object, now) } else { Verdict::healthy() }
}

fn annotated(object: &Value) -> Vec<Value> {
    let text = object["metadata"]["annotations"][CONDITIONS].as_str();
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// A PodDisruptionBudget that allows no disruption now does its work. One that can't find its pods doesn't.
pub(super) fn disruption_budget(object: &Value) -> Verdict {
    match find(list(object), "DisruptionAllowed").filter(|condition| condition["reason"] == "SyncFailed") {
        Some(failed) => Verdict::degraded(message(failed)),
        None => Verdict::healthy(),
    }
}
