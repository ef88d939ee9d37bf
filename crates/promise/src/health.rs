//! Health of an object by the built-in rule of its kind, for promises that define none.
//!
//! The general rule follows kstatus: a status counts once it describes the present generation, `Ready` and similar conditions decide if
//! they are reported, and an object without any of them is current. Kinds whose conditions mean something else are listed in `rules`; those
//! that report more than conditions have a function. Where kstatus has no rule, the health checks of Argo CD are the model.

mod conditions;
mod freshness;
mod gitops;
mod network;
mod operators;
mod pods;
mod rules;
mod scaling;
mod storage;
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
    let group = object["apiVersion"].as_str().and_then(|text| text.split_once('/')).map_or("", |(group, _)| group);
    if let Some(outdated) = outdated(object, now) {
        return gitops::suspended(group, object).unwrap_or(outdated);
    }
    let own = of_kind(group, object, now).or_else(|| rules::judge(group, object)).or_else(|| network::attached(object));
    own.unwrap_or_else(|| conditions::generic(object, now))
}

/// Applies the rule of a kind for which conditions aren't enough. Returns nothing if the general rule decides.
fn of_kind(group: &str, object: &Value, now: i64) -> Option<Verdict> {
    Some(match (group, object["kind"].as_str().unwrap_or_default()) {
        ("apps", "Deployment") => workloads::deployment(object),
        ("apps", "StatefulSet") => workloads::stateful_set(object),
        ("apps", "DaemonSet") => workloads::daemon_set(object),
        ("apps", "ReplicaSet") | ("", "ReplicationController") => workloads::replica_set(object),
        ("batch", "Job") => workloads::job(object),
        ("", "Pod") => pods::pod(object, now),
        ("", "PersistentVolumeClaim") => storage::claim(object),
        ("", "PersistentVolume") => storage::volume(object),
        ("snapshot.storage.k8s.io" | "groupsnapshot.storage.k8s.io", kind) if !kind.ends_with("Class") => storage::snapshot(object),
        ("", "Service") => network::service(object),
        ("", "Namespace") => workloads::namespace(object),
        ("autoscaling", "HorizontalPodAutoscaler") => scaling::autoscaler(object, now),
        ("policy", "PodDisruptionBudget") => scaling::disruption_budget(object),
        // Nothing runs behind these: existing is enough.
        ("", "ConfigMap" | "Secret" | "ServiceAccount" | "ResourceQuota" | "LimitRange" | "Event" | "Endpoints")
        | ("rbac.authorization.k8s.io" | "scheduling.k8s.io" | "node.k8s.io" | "discovery.k8s.io", _)
        | ("networking.k8s.io", "NetworkPolicy" | "Ingress" | "IngressClass")
        | ("storage.k8s.io", "StorageClass" | "CSIDriver")
        | ("batch", "CronJob") => Verdict::healthy(),
        ("gateway.networking.k8s.io" | "gateway.networking.x-k8s.io", "Gateway" | "ListenerSet" | "XListenerSet") => {
            network::gateway(object)
        }
        // Their controllers always report, even about those that no one has accepted.
        ("gateway.networking.k8s.io", kind) if kind.ends_with("Route") => network::attached(object).unwrap_or_else(Verdict::unreported),
        ("argoproj.io", "Application") => gitops::application(object),
        ("argoproj.io", "Rollout") => return gitops::rollout(object),
        ("cert-manager.io", "Certificate") => return operators::certificate(object),
        ("postgresql.cnpg.io", "Cluster") => return operators::postgres(object),
        (group, _) if gitops::is_flux(group) => return gitops::suspended(group, object).or_else(|| gitops::flux(object)),
        // The controller always reports on these, however long it takes.
        (names::GROUP, "PromiseRequest") if object["status"].is_null() => Verdict::unreported(),
        _ => return None,
    })
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
