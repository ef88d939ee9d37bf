//! Objects as clusters report them, and what is expected of their health.

use serde_json::{Value, json};

use super::NOW;
use crate::api::Health;
use crate::health::of;

/// An object with a spec and a status.
pub fn object(version: &str, kind: &str, spec: Value, status: Value) -> Value {
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a", "generation": 1}, "spec": spec, "status": status})
}

/// A condition with a reason and a message.
pub fn condition(name: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": name, "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-11-20T08:00:00Z"})
}

/// A status with nothing but conditions.
pub fn conditions<const N: usize>(conditions: [Value; N]) -> Value {
    json!({"conditions": conditions.to_vec()})
}

pub fn healthy(case: &str, object: &Value) {
    let verdict = of(object, NOW);
    assert_eq!((verdict.health, verdict.message.as_deref()), (Health::Healthy, None), "{case}: {object}");
}

pub fn progressing(case: &str, object: &Value, message: &str) {
    let verdict = of(object, NOW);
    assert_eq!((verdict.health, verdict.message.as_deref()), (Health::Progressing, Some(message)), "{case}: {object}");
}

pub fn degraded(case: &str, object: &Value, message: &str) {
    let verdict = of(object, NOW);
    assert_eq!((verdict.health, verdict.message.as_deref()), (Health::Degraded, Some(message)), "{case}: {object}");
}
