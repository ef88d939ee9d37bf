//! Conditions of a status.

use serde_json::{Value, json};

/// One condition as it is to be.
pub(super) struct Condition<'a> {
    pub kind: &'a str,
    pub holds: bool,
    pub reason: &'a str,
    pub message: String,
}

impl<'a> Condition<'a> {
    pub fn new(kind: &'a str, holds: bool, reason: &'a str, message: impl Into<String>) -> Self {
        Self { kind, holds, reason, message: message.into() }
    }
}

/// Extra fields that a family of kinds has in its conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    /// `lastUpdateTime`, of Deployments.
    UpdateTime,
    /// `lastProbeTime`, of Jobs.
    ProbeTime,
    /// `observedGeneration`.
    Generation(i64),
}

/// The conditions of `object` after these. Times change with what they are about only.
pub(super) fn conditions(object: &Value, now: &str, extra: Extra, wanted: Vec<Condition<'_>>) -> Value {
    let old = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let written = wanted.into_iter().map(|condition| {
        let before = old.iter().find(|before| before["type"] == condition.kind);
        let status = if condition.holds { "True" } else { "False" };
        let kept = |name: &str, same: bool| match before {
            Some(before) if same && before[name].is_string() => before[name].clone(),
            _ => now.into(),
        };
        let same_status = before.is_some_and(|before| before["status"] == status);
        let same_text =
            before.is_some_and(|before| before["reason"] == condition.reason && before["message"] == condition.message.as_str());
        let mut written = json!({
            "type": condition.kind,
            "status": status,
            "reason": condition.reason,
            "message": condition.message,
            "lastTransitionTime": kept("lastTransitionTime", same_status),
        });
        match extra {
            Extra::UpdateTime => written["lastUpdateTime"] = kept("lastUpdateTime", same_status && same_text),
            Extra::ProbeTime => written["lastProbeTime"] = kept("lastProbeTime", same_status && same_text),
            Extra::Generation(generation) => written["observedGeneration"] = generation.into(),
        }
        written
    });
    written.collect()
}

/// `Simulated: 2 of 3 replicas are ready.`
pub(super) fn simulated(text: impl std::fmt::Display) -> String {
    format!("Simulated: {text}")
}
