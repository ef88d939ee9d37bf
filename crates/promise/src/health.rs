//! Whether an object works, by its kind, when the promise says nothing else.
//!
//! The generic rule is that of kstatus: a status counts once it is about the present generation, `Ready` and its like decide where they are
//! reported, and an object without any of them is current. The rules of single kinds say more where their status does.

mod conditions;
mod freshness;
mod words;
mod workloads;

use serde_json::Value;

use crate::api::Health;
use crate::names;

/// How an object is, and why, in words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it works.
    pub health: Health,
    /// Why it does not (yet); `None` when it does.
    pub message: Option<String>,
    /// Seconds after which the verdict is another one although the object stays as it is: the status that is waited for may never come.
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

    /// Nothing says that it works, and nothing that it does not: it does, once whoever reports about it had the time to.
    fn current(object: &Value, now: i64) -> Self {
        freshness::young(object, now).map_or_else(Self::healthy, |left| Self { again: Some(left), ..Self::unreported() })
    }

    fn unreported() -> Self {
        Self::progressing("Its controller has not reported that it is ready")
    }
}

/// The built-in rule for the kind of an object, at `now` in seconds since 1970.
pub fn of(object: &Value, now: i64) -> Verdict {
    if !object["metadata"]["deletionTimestamp"].is_null() {
        return Verdict::progressing("It is being removed");
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
        // Nothing runs behind these: being there is all they do.
        ("", "ConfigMap" | "Secret" | "ServiceAccount" | "ResourceQuota" | "LimitRange" | "Event")
        | ("rbac.authorization.k8s.io", _)
        | ("networking.k8s.io", "NetworkPolicy")
        | ("policy", "PodDisruptionBudget")
        | ("batch", "CronJob") => Verdict::healthy(),
        // Every one is reported about, however long the controller needs.
        (names::GROUP, "PromiseRequest") if object["status"].is_null() => Verdict::unreported(),
        _ => conditions::generic(object, now),
    }
}

/// Why what the status says does not count: it is about the state before the last change. Nothing where it counts, or where there is none.
/// An expression of a promise must not believe such a status either.
pub fn outdated(object: &Value, now: i64) -> Option<Verdict> {
    let unseen = || Verdict::progressing("Its controller has not looked at the last change yet");
    if freshness::is_behind(object) {
        return Some(unseen());
    }
    freshness::unconfirmed(object, now).map(|left| Verdict { again: Some(left), ..unseen() })
}

#[cfg(test)]
mod tests;
