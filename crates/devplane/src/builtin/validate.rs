//! The rules of built-in kinds that people meet, in the API server's words.
//! Source: kubernetes `pkg/apis/*/validation/validation.go`.
//!
//! Each kind has a file with its rules. What they have in common: `reading` (what is not there is empty), `faults` (how a value that
//! does not fit is told), and the rules of `names`, `ports`, `numbers`, `amounts`, `addresses` and `changes`.

pub(super) mod addresses;
pub(super) mod amounts;
mod autoscaler;
mod budget;
mod changes;
mod claim;
mod classes;
mod cron;
mod daemon_set;
mod data;
mod endpoints;
mod event;
mod faults;
mod ingress;
mod job;
mod job_policy;
mod limits;
mod names;
mod namespace;
mod network_policy;
mod node;
pub(super) mod numbers;
mod pod;
mod ports;
mod quota;
pub(super) mod reading;
mod service;
mod stateful_set;
mod template;
mod volume;
mod workload;

use serde_json::Value;

use crate::{registry::Resource, status::Cause};

/// Broken rules of an object; `old` is the stored one on an update. Rules of metadata, roles, policies and definitions of custom
/// resources are checked elsewhere.
pub fn validate(resource: &Resource, subresource: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    if (resource.group.as_str(), resource.kind.as_str()) == ("", "Namespace") {
        namespace::check(object, subresource, &mut causes);
    }
    if subresource == "status" {
        status(resource, object, old, &mut causes);
        return causes;
    }
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "ConfigMap") => data::config_map(object, old, &mut causes),
        ("", "Secret") => data::secret(object, old, &mut causes),
        ("", "PersistentVolumeClaim") => claim::check(object, old, &mut causes),
        ("", "Service") => service::service(object, old, &mut causes),
        ("", "Pod") => pod::pod(object, old, &mut causes),
        ("", "PodTemplate") => template::template(&object["template"], "template", &mut causes),
        ("apps", "Deployment") => workload::deployment(object, old, &mut causes),
        ("apps", "ReplicaSet") => workload::replica_set(object, old, &mut causes),
        ("apps", "DaemonSet") => daemon_set::check(object, old, &mut causes),
        ("apps", "StatefulSet") => stateful_set::check(object, old, &mut causes),
        ("batch", "Job") => job::check(object, old, &mut causes),
        ("batch", "CronJob") => job::cron_job(object, old, &mut causes),
        ("coordination.k8s.io", "Lease") => data::lease(object, &mut causes),
        ("", "Event") => event::place(object, "involvedObject", &mut causes),
        ("events.k8s.io", "Event") => event::check(object, old, &mut causes),
        _ => others(resource, object, old, &mut causes),
    }
    causes
}

/// Rules of kinds that are neither workloads nor data.
fn others(resource: &Resource, object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Endpoints") => endpoints::check(object, old, causes),
        ("", "LimitRange") => limits::check(object, old, causes),
        ("", "Node") => node::check(object, old, causes),
        ("", "PersistentVolume") => volume::check(object, old, causes),
        ("", "ResourceQuota") => quota::check(object, old, causes),
        ("autoscaling", "HorizontalPodAutoscaler") => autoscaler::check(object, old, causes),
        ("networking.k8s.io", "Ingress") => ingress::check(object, old, causes),
        ("networking.k8s.io", "IngressClass") => ingress::class(object, old, causes),
        ("networking.k8s.io", "NetworkPolicy") => network_policy::check(object, old, causes),
        ("policy", "PodDisruptionBudget") => budget::check(object, causes),
        ("scheduling.k8s.io", "PriorityClass") => classes::priority(object, old, causes),
        ("storage.k8s.io", "StorageClass") => classes::storage(object, old, causes),
        _ => {}
    }
}

/// Rules of what is written through `/status`.
fn status(resource: &Resource, object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Node") => {
            if let Some(old) = old {
                node::change(object, old, causes);
            }
        }
        ("", "ResourceQuota") => quota::status(object, causes),
        ("", "Service") => service::status(object, old, causes),
        ("networking.k8s.io", "Ingress") => ingress::status(object, old, causes),
        _ => {}
    }
}
