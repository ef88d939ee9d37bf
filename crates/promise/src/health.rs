//! Health of an object by the built-in rule of its kind, for promises that define none.
//!
//! The generic rule follows kstatus: a status counts once it describes the present generation, `Ready` and similar conditions decide if
//! they are reported, and an object without any of them is current. Rules for individual kinds use more of their status.

mod conditions;
mod freshness;
mod words;
mod workloads;

use serde_json::Value;

use crate::api::Health;
use crate::names;

/// Health of an object and the reason, in words for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Health of the object.
    pub health: Health,
    /// Reason why it isn't healthy (yet). `None` if it is.
    pub message: Option<String>,
    /// Seconds after which the result changes although the object doesn't, because the expected status might never appear.
    pub again: Option<i64>,
}

impl Verdict {
    fn healthy() -> Self {
        Self { health: Health::Healthy, message: None, again: None }
    }

    fn progressing(message: impl Into<String>) -> Self {
        Self { health: Health::Progressing, message: Some(message.into()), again: None }
    }

    fn degraded(message: impl Into<String>) -> Self {
        Self { health: Health::Degraded, message: Some(message.into()), again: None }
    }

    /// Nothing indicates that the object is healthy or unhealthy: it is healthy once its controller has had time to report.
    fn current(object: &Value, now: i64) -> Self {
        freshness::young(object, now).map_or_else(Self::healthy, |left| Self { again: Some(left), ..Self::unreported() })
    }

    fn unreported() -> Self {
        Self::progressing("Its controller hasn't reported that it is ready")
    }
}

/// Applies the built-in rule for the kind of the object, at `now` in seconds since 1970.
pub fn of(object: &Value, now: i64) -> Verdict {
    if !object["metadata"]["deletionTimestamp"].is_null() {
        return Verdict::progressing("Being deleted");
    }
    if let Some(outdated) = outdated(object, now) {
        return outdated;
    }
    let group = object["apiVersion"].as_str().and_then(|text| text.split_once('/')).map_or("", |(group, _)| group);
    match (group, object["kind"].as_str().unwrap_or_default()) {
        ("apps", "Deployment") => workloads::deployment(object),
        ("apps", "StatefulSet") => workloads::stateful_set(object),
        ("apps", "DaemonSet") => workloads::daemon_set(object),
        ("batch", "Job") => workloads::job(object),
        ("", "Pod") => workloads::pod(object),
        ("", "PersistentVolumeClaim") => workloads::claim(object),
        ("", "Service") => workloads::service(object),
        ("", "Namespace") => workloads::namespace(object),
        // Nothing runs behind these: existing is enough.
        ("", "ConfigMap" | "Secret" | "ServiceAccount" | "ResourceQuota" | "LimitRange" | "Event")
        | ("rbac.authorization.k8s.io", _)
        | ("networking.k8s.io", "NetworkPolicy")
        | ("policy", "PodDisruptionBudget")
        | ("batch", "CronJob") => Verdict::healthy(),
        // The controller always reports on these, however long it takes.
        (names::GROUP, "PromiseRequest") if object["status"].is_null() => Verdict::unreported(),
        _ => conditions::generic(object, now),
    }
}

/// Returns why the status doesn't count: it describes the state before the last change. Returns nothing if it counts or doesn't exist.
/// Expressions of a promise must not use such a status either.
pub fn outdated(object: &Value, now: i64) -> Option<Verdict> {
    let unseen = || Verdict::progressing("Its controller hasn't processed the last change yet");
    if freshness::is_behind(object) {
        return Some(unseen());
    }
    freshness::unconfirmed(object, now).map(|left| Verdict { again: Some(left), ..unseen() })
}

#[cfg(test)]
mod tests;
