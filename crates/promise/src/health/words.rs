//! Single-word statuses: the phase or health of an object.

use serde_json::Value;

use super::Verdict;

const GOOD: [&str; 21] = [
    "ready",
    "running",
    "active",
    "bound",
    "healthy",
    "available",
    "succeeded",
    "completed",
    "complete",
    "online",
    "green",
    "yellow",
    "ok",
    "provisioned",
    "deployed",
    "established",
    "synced",
    "listening",
    "connected",
    "valid",
    "finished",
];
const BAD: [&str; 13] = [
    "failed",
    "error",
    "errored",
    "lost",
    "degraded",
    "unhealthy",
    "unavailable",
    "invalid",
    "expired",
    "red",
    "crashloopbackoff",
    "partiallyfailed",
    "failedvalidation",
];
/// Words that mean neither, but in progress.
const UNDER_WAY: [&str; 9] = ["pending", "unknown", "new", "missing", "suspended", "paused", "notready", "inprogress", "started"];
/// Kinds that run once. While they run, they aren't done.
const TASKS: [&str; 4] = ["Workflow", "AnalysisRun", "Backup", "Restore"];

/// Evaluates the words of an object: its health, its phase, or its state.
pub(super) fn of(object: &Value) -> Option<Verdict> {
    of_health(object).or_else(|| of_phase(object)).or_else(|| of_state(object))
}

/// Evaluates `status.health`: a word, or an object with a word in it, as in an Application of Argo CD.
pub(super) fn of_health(object: &Value) -> Option<Verdict> {
    let health = &object["status"]["health"];
    let word = health.as_str().or_else(|| health["status"].as_str())?;
    let message = health["message"].as_str().map(str::trim).filter(|message| !message.is_empty());
    let told = message.map_or_else(|| format!("Reports the health {word}"), |message| message.trim_end_matches('.').to_owned());
    by(word, told)
}

/// Evaluates `status.phase`.
fn of_phase(object: &Value) -> Option<Verdict> {
    let phase = object["status"]["phase"].as_str()?;
    if phase.eq_ignore_ascii_case("running") && object["kind"].as_str().is_some_and(|kind| TASKS.contains(&kind)) {
        return Some(Verdict::progressing(explained(object, "phase", phase)));
    }
    by(phase, explained(object, "phase", phase))
}

/// Evaluates `status.state`, as orders of cert-manager have it.
fn of_state(object: &Value) -> Option<Verdict> {
    let state = object["status"]["state"].as_str()?;
    by(state, explained(object, "state", state))
}

/// Returns the message of a status, or its word.
fn explained(object: &Value, name: &str, word: &str) -> String {
    let text = |key: &str| object["status"][key].as_str().map(str::trim).filter(|text| !text.is_empty());
    match text("message").or_else(|| text("reason")) {
        Some(text) => text.trim_end_matches('.').to_owned(),
        None => format!("Reports the {name} {word}"),
    }
}

/// Returns nothing for an unknown word, which decides nothing.
fn by(word: &str, told: String) -> Option<Verdict> {
    let lower = word.trim().to_ascii_lowercase();
    if GOOD.contains(&lower.as_str()) {
        Some(Verdict::healthy())
    } else if BAD.contains(&lower.as_str()) {
        Some(Verdict::degraded(told))
    } else if lower.is_empty() || UNDER_WAY.contains(&lower.as_str()) || lower.split_whitespace().any(|part| part.ends_with("ing")) {
        Some(Verdict::progressing(told))
    } else {
        None
    }
}
