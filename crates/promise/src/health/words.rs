//! Single-word statuses: the phase or health of an object.

use serde_json::Value;

use super::Verdict;

const GOOD: [&str; 19] = [
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
];
const BAD: [&str; 7] = ["failed", "error", "lost", "degraded", "unhealthy", "red", "crashloopbackoff"];
/// Words that mean neither, but in progress.
const UNDER_WAY: [&str; 7] = ["pending", "unknown", "new", "missing", "suspended", "paused", "notready"];

/// Evaluates `status.health`: a word, or an object with a word in it, as in an Application of Argo CD.
pub(super) fn of_health(object: &Value) -> Option<Verdict> {
    let health = &object["status"]["health"];
    let word = health.as_str().or_else(|| health["status"].as_str())?;
    let message = health["message"].as_str().map(str::trim).filter(|message| !message.is_empty());
    let told = message.map_or_else(|| format!("Reports the health {word}"), |message| message.trim_end_matches('.').to_owned());
    by(word, told)
}

/// Evaluates `status.phase`.
pub(super) fn of_phase(object: &Value) -> Option<Verdict> {
    let phase = object["status"]["phase"].as_str()?;
    by(phase, format!("Reports the phase {phase}"))
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
