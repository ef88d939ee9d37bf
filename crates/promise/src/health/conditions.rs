//! Objects that report conditions, as most operators do, and objects of unknown kinds.

use serde_json::Value;

use super::{Verdict, words};

/// Conditions that are true for a healthy object, most informative first.
const GOOD: [&str; 6] = ["Ready", "Available", "Healthy", "Established", "Succeeded", "Programmed"];
/// Conditions that are true for an object that can't become healthy.
const BAD: [&str; 3] = ["Failed", "Stalled", "Degraded"];

/// The rule for kinds without their own.
pub(super) fn generic(object: &Value, now: i64) -> Verdict {
    let conditions = list(object);
    if let Some(bad) =
        BAD.iter().find_map(|name| find(conditions, name).filter(|bad| holds(bad) == Some(true) && !is_outdated(object, bad)))
    {
        return Verdict::degraded(message(bad));
    }
    if let Some(synced) = find(conditions, "Synced").filter(|condition| holds(condition) == Some(false)) {
        return Verdict::degraded(message(synced));
    }
    if let Some(going) = find(conditions, "Reconciling").filter(|condition| holds(condition) == Some(true)) {
        return Verdict::progressing(message(going));
    }
    if let Some(good) = deciding(conditions) {
        return match holds(good) {
            Some(true) => Verdict::healthy(),
            // Most operators report Ready=False during creation: that isn't a failure.
            Some(false) | None => Verdict::progressing(message(good)),
        };
    }
    if let Some(said) = words::of_health(object).or_else(|| words::of_phase(object)) {
        return said;
    }
    let is_silent = object["status"].as_object().is_none_or(serde_json::Map::is_empty);
    match object.get("spec") {
        None if object["status"].is_null() => Verdict::healthy(),
        // The deciding condition might appear later than others. For example, Crossplane reports Synced before Ready.
        _ if is_silent || !conditions.is_empty() => Verdict::current(object, now),
        _ => Verdict::healthy(),
    }
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
