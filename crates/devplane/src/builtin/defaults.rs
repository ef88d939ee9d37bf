//! Defaults that depend on other fields; constant ones stand in the schemas.
//! Source: kubernetes `pkg/apis/{core,apps,batch}/v1/defaults.go`.

mod others;
mod pod;

use serde_json::{Value, json};

use super::{fields::objects, zero};
use crate::{namespaces, registry::Resource};

/// Before the schema's own defaults: what must see which fields were given.
pub(super) fn before_schema(resource: &Resource, object: &mut Value) {
    let kind = (resource.group.as_str(), resource.kind.as_str());
    if matches!(kind, ("", "Pod") | ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch", "Job" | "CronJob")) {
        for path in zero::structures(kind.0, kind.1) {
            zero::ensure(object, path);
        }
    }
    match kind {
        ("", "Pod") => pod::before_schema(object.get_mut("spec")),
        ("apps", _) => pod::before_schema(object.pointer_mut("/spec/template/spec")),
        ("batch", "Job") => {
            pod::before_schema(object.pointer_mut("/spec/template/spec"));
            job(object.get_mut("spec"));
        }
        ("batch", "CronJob") => pod::before_schema(object.pointer_mut("/spec/jobTemplate/spec/template/spec")),
        _ => {}
    }
}

/// How many pods a Job wants, and when failed ones are replaced.
fn job(spec: Option<&mut Value>) {
    let Some(spec) = spec.and_then(Value::as_object_mut) else { return };
    let said = |name: &str| spec.get(name).is_some_and(|value| !value.is_null());
    let (per_index, fails) = (said("backoffLimitPerIndex"), said("podFailurePolicy"));
    // A Job that says nothing of its pods wants one; one that names a parallelism alone is a work queue.
    if !said("completions") && !said("parallelism") {
        spec.insert("completions".into(), 1.into());
    }
    if per_index {
        spec.entry("backoffLimit").or_insert_with(|| i32::MAX.into());
    }
    if fails {
        spec.entry("podReplacementPolicy").or_insert_with(|| "Failed".into());
    }
}

/// After the schema's own defaults.
pub(super) fn after_schema(resource: &Resource, object: &mut Value) {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "ConfigMap" | "Secret") => {
            if let Some(fields) = object.as_object_mut() {
                fields.retain(|name, value| {
                    !matches!(name.as_str(), "data" | "binaryData") || value.as_object().is_none_or(|map| !map.is_empty())
                });
            }
        }
        ("", "Namespace") => {
            namespaces::label(object);
            for condition in objects(object.pointer_mut("/status/conditions")) {
                condition.entry("lastTransitionTime").or_insert(Value::Null);
            }
        }
        ("", "Pod") => pod::after_schema(object.get_mut("spec"), true),
        ("", "PersistentVolume") => {
            if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                spec.entry("persistentVolumeReclaimPolicy").or_insert_with(|| "Retain".into());
                spec.entry("volumeMode").or_insert_with(|| "Filesystem".into());
                if let Some(path) = spec.get_mut("hostPath").and_then(Value::as_object_mut) {
                    path.entry("type").or_insert_with(|| "".into());
                }
            }
        }
        ("", "Service") => others::service(object),
        ("", "LimitRange") => objects(object.pointer_mut("/spec/limits")).for_each(others::limit),
        ("", "Node") => others::node(object),
        ("networking.k8s.io", "NetworkPolicy") => others::network_policy(object),
        ("", "Event") => event(object, ["source", "firstTimestamp", "lastTimestamp", "reportingComponent"]),
        ("events.k8s.io", "Event") => {
            event(object, ["deprecatedSource", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "reportingController"]);
        }
        ("apps", "Deployment") => {
            rolling(object.get_mut("spec"), "strategy", json!({"maxUnavailable": "25%", "maxSurge": "25%"}));
            pod::after_schema(object.pointer_mut("/spec/template/spec"), false);
        }
        ("apps", "StatefulSet") => {
            rolling(object.get_mut("spec"), "updateStrategy", json!({"partition": 0}));
            pod::after_schema(object.pointer_mut("/spec/template/spec"), false);
            for claim in objects(object.pointer_mut("/spec/volumeClaimTemplates")) {
                for (name, value) in
                    [("apiVersion", json!("v1")), ("kind", json!("PersistentVolumeClaim")), ("status", json!({"phase": "Pending"}))]
                {
                    claim.entry(name).or_insert(value);
                }
            }
        }
        ("apps", "DaemonSet") => {
            rolling(object.get_mut("spec"), "updateStrategy", json!({"maxUnavailable": 1, "maxSurge": 0}));
            pod::after_schema(object.pointer_mut("/spec/template/spec"), false);
        }
        ("apps", "ReplicaSet") | ("batch", "Job") => pod::after_schema(object.pointer_mut("/spec/template/spec"), false),
        ("batch", "CronJob") => {
            for path in ["spec.jobTemplate.metadata", "spec.jobTemplate.spec.template.metadata"] {
                zero::ensure(object, path);
            }
            pod::after_schema(object.pointer_mut("/spec/jobTemplate/spec/template/spec"), false);
        }
        ("autoscaling", "HorizontalPodAutoscaler") => {
            let spec = object.get_mut("spec").and_then(Value::as_object_mut);
            if let Some(spec) = spec
                && spec.get("metrics").and_then(Value::as_array).is_none_or(Vec::is_empty)
            {
                let target = json!({"type": "Utilization", "averageUtilization": 80});
                spec.insert("metrics".into(), json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
            }
            if let Some(behavior) = object.pointer_mut("/spec/behavior").and_then(Value::as_object_mut) {
                others::behavior(behavior);
            }
        }
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => {
            for subject in objects(object.get_mut("subjects")) {
                if matches!(subject.get("kind").and_then(Value::as_str), Some("User" | "Group")) {
                    subject.entry("apiGroup").or_insert_with(|| "rbac.authorization.k8s.io".into());
                }
            }
            if let Some(role) = object.get_mut("roleRef").and_then(Value::as_object_mut) {
                role.entry("apiGroup").or_insert_with(|| "rbac.authorization.k8s.io".into());
            }
        }
        _ => {}
    }
}

/// An update that says nothing else is a rolling one, with these details.
fn rolling(spec: Option<&mut Value>, field: &str, details: Value) {
    let Some(spec) = spec.and_then(Value::as_object_mut) else { return };
    let strategy = spec.entry(field).or_insert_with(|| json!({}));
    let Some(strategy) = strategy.as_object_mut() else { return };
    let kind = strategy.entry("type").or_insert_with(|| "RollingUpdate".into());
    if *kind == "" {
        *kind = "RollingUpdate".into();
    }
    if kind != "RollingUpdate" {
        return;
    }
    let given = strategy.entry("rollingUpdate").or_insert_with(|| json!({}));
    if let (Some(given), Value::Object(details)) = (given.as_object_mut(), details) {
        for (name, value) in details {
            given.entry(name).or_insert(value);
        }
    }
}

/// Fields that events always show.
fn event(event: &mut Value, [source, first, last, controller]: [&str; 4]) {
    let Some(fields) = event.as_object_mut() else { return };
    fields.entry(source).or_insert_with(|| json!({}));
    for time in [first, last, "eventTime"] {
        fields.entry(time).or_insert(Value::Null);
    }
    if controller == "reportingComponent" {
        for name in [controller, "reportingInstance"] {
            fields.entry(name).or_insert_with(|| "".into());
        }
    }
}
