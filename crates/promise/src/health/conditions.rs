//! Objects that report by conditions, as most operators do, and objects of unknown kinds.

use serde_json::Value;

use super::Verdict;

/// Conditions whose truth means that the object works, most telling first. `Synced` alone (Crossplane) says only that the wish was
/// passed on, so it never makes an object healthy by itself.
const GOOD: [&str; 5] = ["Ready", "Available", "Healthy", "Established", "Succeeded"];
/// Conditions whose truth means that it cannot work.
const BAD: [&str; 3] = ["Failed", "Stalled", "Degraded"];

/// The rule for kinds without one of their own.
pub(super) fn generic(object: &Value) -> Verdict {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    if let Some(bad) = BAD.iter().find_map(|name| find(conditions, name).filter(|condition| holds(condition) == Some(true))) {
        return Verdict::degraded(told(bad));
    }
    if let Some(synced) = find(conditions, "Synced").filter(|condition| holds(condition) == Some(false)) {
        return Verdict::degraded(told(synced));
    }
    if let Some(good) = GOOD.iter().find_map(|name| find(conditions, name)) {
        if outdated(object, good) {
            return Verdict::progressing("Its controller has not looked at the last change yet");
        }
        return match holds(good) {
            Some(true) => Verdict::healthy(),
            // While something is being made, most operators report Ready=False: that is no failure.
            Some(false) | None => Verdict::progressing(told(good)),
        };
    }
    if let Some(phase) = object["status"]["phase"].as_str() {
        return by_phase(phase);
    }
    match &object["status"] {
        // No status at all: either its controller has not come by, or there is none. A kind with a spec gets one.
        Value::Null if object.get("spec").is_some() => Verdict::progressing("Its controller has not reported yet"),
        Value::Null => Verdict::healthy(),
        _ if conditions.is_empty() && object["status"].as_object().is_some_and(|status| !status.is_empty()) => Verdict::healthy(),
        _ => Verdict::progressing("Its controller has not reported that it is ready"),
    }
}

fn by_phase(phase: &str) -> Verdict {
    match phase.to_ascii_lowercase().as_str() {
        "ready" | "running" | "active" | "bound" | "healthy" | "available" | "succeeded" | "completed" | "online" => Verdict::healthy(),
        "failed" | "error" | "lost" | "degraded" | "unhealthy" => Verdict::degraded(format!("It reports the phase {phase}")),
        _ => Verdict::progressing(format!("It reports the phase {phase}")),
    }
}

fn outdated(object: &Value, condition: &Value) -> bool {
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

/// The words of a condition, else its reason, else its name.
pub(super) fn told(condition: &Value) -> String {
    let text = |key: &str| condition[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    match (text("message"), text("reason"), text("type")) {
        (Some(message), _, _) => message.trim_end_matches('.').to_owned(),
        (None, Some(reason), _) => format!("It reports {reason}"),
        (None, None, name) => format!("It is not {}", name.unwrap_or("ready").to_lowercase()),
    }
}
