//! Whether an object works, by its kind, when the promise says nothing else.

mod conditions;
mod workloads;

use serde_json::Value;

use crate::api::Health;

/// How an object is, and why, in words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it works.
    pub health: Health,
    /// Why it does not (yet); `None` when it does.
    pub message: Option<String>,
}

impl Verdict {
    fn healthy() -> Self {
        Self { health: Health::Healthy, message: None }
    }

    fn progressing(message: impl Into<String>) -> Self {
        Self { health: Health::Progressing, message: Some(message.into()) }
    }

    fn degraded(message: impl Into<String>) -> Self {
        Self { health: Health::Degraded, message: Some(message.into()) }
    }
}

/// The built-in rule for the kind of an object.
///
/// A status that is about an older generation counts as on its way: what it says concerns the state before the change.
pub fn of(object: &Value) -> Verdict {
    if !object["metadata"]["deletionTimestamp"].is_null() {
        return Verdict::progressing("It is being removed");
    }
    if behind(object) {
        return Verdict::progressing("Its controller has not looked at the last change yet");
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
        _ => conditions::generic(object),
    }
}

fn behind(object: &Value) -> bool {
    match (object["metadata"]["generation"].as_i64(), object["status"]["observedGeneration"].as_i64()) {
        (Some(generation), Some(observed)) => observed < generation,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
