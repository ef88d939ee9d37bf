//! Rules for volumes and snapshots.

use serde_json::Value;

use super::Verdict;

pub(super) fn claim(object: &Value) -> Verdict {
    match object["status"]["phase"].as_str() {
        Some("Bound") => Verdict::healthy(),
        Some("Lost") => Verdict::degraded("Its volume is lost"),
        _ => Verdict::progressing("No volume yet"),
    }
}

/// A volume that no claim uses, or no longer uses, is healthy too.
pub(super) fn volume(object: &Value) -> Verdict {
    let status = &object["status"];
    let message = |otherwise: &str| status["message"].as_str().filter(|text| !text.is_empty()).unwrap_or(otherwise).to_owned();
    match status["phase"].as_str() {
        Some("Available" | "Bound" | "Released") => Verdict::healthy(),
        Some("Failed") => Verdict::degraded(message("Its storage can't be reclaimed")),
        _ => Verdict::progressing(message("Not available yet")),
    }
}

/// A VolumeSnapshot, its content, or a group of them.
pub(super) fn snapshot(object: &Value) -> Verdict {
    let status = &object["status"];
    if status["readyToUse"] == true {
        return Verdict::healthy();
    }
    if status["error"].is_object() {
        let message = status["error"]["message"].as_str().filter(|text| !text.is_empty());
        return Verdict::degraded(message.unwrap_or("The snapshot can't be taken").trim_end_matches('.'));
    }
    Verdict::progressing("Not ready to use yet")
}
