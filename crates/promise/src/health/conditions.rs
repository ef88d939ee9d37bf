//! Objects that report conditions, as most operators do, and objects of unknown kinds.

use serde_json::Value;

use super::{Verdict, words};
use crate::api::Health;
use crate::names;

/// Conditions that are true for a healthy object, most informative first. The last two are those of Kratix.
const GOOD: [&str; 8] =
    ["Ready", "Available", "Healthy", "Established", "Succeeded", "Programmed", "Reconciled", "ConfigureWorkflowCompleted"];
/// Conditions that are true for an object that can't become healthy.
const BAD: [&str; 3] = ["Failed", "Stalled", "Degraded"];
/// Conditions that are false for an object that can't become healthy. Crossplane reports them.
const NOT_FAILED: [&str; 2] = ["Synced", "LastAsyncOperation"];
/// Reasons why someone had a controller leave an object as it is.
const PAUSED: [&str; 2] = ["ReconcilePaused", "ReconciliationPaused"];
/// Reasons for a false condition of Kratix that aren't progress.
const WORKFLOW_FAILED: [&str; 2] = ["ConfigureWorkflowFailed", "WorksFailing"];

/// The rule for kinds without their own.
pub(super) fn generic(object: &Value, now: i64) -> Verdict {
    let conditions = list(object);
    if let Some(bad) =
        BAD.iter().find_map(|name| find(conditions, name).filter(|bad| holds(bad) == Some(true) && !is_outdated(object, bad)))
    {
        return Verdict::degraded(message(bad));
    }
    if let Some(failed) = failed(object) {
        return failed;
    }
    if let Some(going) = find(conditions, "Reconciling").filter(|condition| holds(condition) == Some(true)) {
        let why = find(conditions, "Ready").filter(|ready| holds(ready) == Some(false) && ready["reason"] != going["reason"]);
        return Verdict::progressing(message(why.unwrap_or(going)));
    }
    let worded = words::of(object);
    if let Some(good) = deciding(conditions) {
        let is_failure = says_failed(object, worded.as_ref()) || has_reason(good, &WORKFLOW_FAILED);
        return match holds(good) {
            Some(true) => Verdict::healthy(),
            Some(false) if is_failure => Verdict::degraded(message(good)),
            // Most operators report Ready=False during creation: that isn't a failure.
            Some(false) | None => Verdict::progressing(message(good)),
        };
    }
    if let Some(worded) = worded {
        return worded;
    }
    let is_silent = object["status"].as_object().is_none_or(serde_json::Map::is_empty);
    match object.get("spec") {
        None if object["status"].is_null() => Verdict::healthy(),
        // The deciding condition might appear later than others. For example, Crossplane reports Synced before Ready.
        _ if is_silent || !conditions.is_empty() => Verdict::current(object, now),
        _ => Verdict::healthy(),
    }
}

/// Returns what an object can't recover from without help, by the conventions of several projects.
fn failed(object: &Value) -> Option<Verdict> {
    let conditions = list(object);
    let is_false = |condition: &&Value| holds(condition) == Some(false) && !is_outdated(object, condition);
    if let Some(failed) = NOT_FAILED.iter().find_map(|name| find(conditions, name).filter(is_false)) {
        let is_paused = has_reason(failed, &PAUSED);
        return Some(if is_paused { Verdict::progressing("Paused") } else { Verdict::degraded(message(failed)) });
    }
    // Cluster API and kcp: a false condition says whether it is a failure.
    let is_ready = deciding(conditions).and_then(holds) == Some(true);
    let severe = conditions.iter().filter(is_false).find(|condition| condition["severity"] == "Error");
    if let Some(severe) = severe.filter(|_| !is_ready) {
        return Some(Verdict::degraded(message(severe)));
    }
    // Older versions of Cluster API: these are final.
    if let Some(final_failure) = object["status"]["failureMessage"].as_str().filter(|text| !text.is_empty()) {
        return Some(Verdict::degraded(final_failure.trim_end_matches('.')));
    }
    // Strimzi.
    let unready = find(conditions, "NotReady").filter(|condition| holds(condition) == Some(true))?;
    let is_new = unready["reason"] == "Creating";
    Some(if is_new { Verdict::progressing(message(unready)) } else { Verdict::degraded(message(unready)) })
}

/// Checks whether the word of an object means a failure. The phase of a request is about more than what its objects do.
fn says_failed(object: &Value, worded: Option<&Verdict>) -> bool {
    let is_request = object["apiVersion"].as_str().is_some_and(|version| version.starts_with(names::GROUP));
    !is_request && worded.is_some_and(|worded| worded.health == Health::Degraded)
}

fn has_reason(condition: &Value, reasons: &[&str]) -> bool {
    condition["reason"].as_str().is_some_and(|reason| reasons.contains(&reason))
}

/// Returns the conditions of an object.
pub(super) fn list(object: &Value) -> &[Value] {
    object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns the condition that decides whether the object is healthy, if one is reported.
pub(super) fn deciding(conditions: &[Value]) -> Option<&Value> {
    GOOD.iter().find_map(|name| find(conditions, name))
}

/// Whether a condition describes an older generation of its object.
pub(super) fn is_outdated(object: &Value, condition: &Value) -> bool {
    match (object["metadata"]["generation"].as_i64(), condition["observedGeneration"].as_i64()) {
        (Some(generation), Some(observed)) => observed < generation,
        _ => false,
    }
}

pub(super) fn find<'c>(conditions: &'c [Value], name: &str) -> Option<&'c Value> {
    conditions.iter().find(|condition| condition["type"] == name)
}

pub(super) fn holds(condition: &Value) -> Option<bool> {
    match condition["status"].as_str() {
        Some("True") => Some(true),
        Some("False") => Some(false),
        _ => None,
    }
}

/// Returns the message of a condition, or its reason, or its type.
pub(super) fn message(condition: &Value) -> String {
    let text = |key: &str| condition[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    match (text("message"), text("reason"), text("type")) {
        (Some(message), _, _) => message.trim_end_matches('.').to_owned(),
        (None, Some(reason), _) => format!("Reports {reason}"),
        (None, None, name) => format!("Not {}", name.unwrap_or("ready").to_lowercase()),
    }
}
