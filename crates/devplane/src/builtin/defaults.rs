//! Defaults that depend on other fields; constant ones stand in the schemas.
//! Source: kubernetes `pkg/apis/{core,apps,batch}/v1/defaults.go`.

use serde_json::{Map, Value, json};

use crate::{namespaces, registry::Resource};

/// Before the schema's own defaults: what must see which fields were given.
pub(super) fn before_schema(resource: &Resource, object: &mut Value) {
    if (resource.group.as_str(), resource.kind.as_str()) == ("batch", "Job")
        && let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut)
        && !spec.contains_key("completions")
        && !spec.contains_key("parallelism")
    {
        // A Job that says nothing of its pods wants one; one that names a parallelism alone is a work queue.
        spec.insert("completions".into(), 1.into());
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
        ("", "Pod") => {
            pod_spec(object.get_mut("spec"));
            requests(object.get_mut("spec"));
        }
        ("", "PersistentVolume") => {
            if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                spec.entry("persistentVolumeReclaimPolicy").or_insert_with(|| "Retain".into());
                spec.entry("volumeMode").or_insert_with(|| "Filesystem".into());
            }
        }
        ("", "Service") => service(object.get_mut("spec")),
        ("", "Event") => event(object, ["source", "firstTimestamp", "lastTimestamp", "reportingComponent"]),
        ("events.k8s.io", "Event") => {
            event(object, ["deprecatedSource", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "reportingController"]);
        }
        ("apps", "Deployment") => {
            rolling(object.get_mut("spec"), "strategy", json!({"maxUnavailable": "25%", "maxSurge": "25%"}));
            pod_spec(object.pointer_mut("/spec/template/spec"));
        }
        ("apps", "StatefulSet") => {
            rolling(object.get_mut("spec"), "updateStrategy", json!({"partition": 0}));
            pod_spec(object.pointer_mut("/spec/template/spec"));
            for claim in objects(object.pointer_mut("/spec/volumeClaimTemplates")) {
                for (name, value) in
                    [("apiVersion", json!("v1")), ("kind", json!("PersistentVolumeClaim")), ("status", json!({"phase": "Pending"}))]
                {
                    claim.entry(name).or_insert(value);
                }
            }
        }
        ("apps", "ReplicaSet" | "DaemonSet") | ("batch", "Job") => {
            pod_spec(object.pointer_mut("/spec/template/spec"));
        }
        ("batch", "CronJob") => pod_spec(object.pointer_mut("/spec/jobTemplate/spec/template/spec")),
        ("autoscaling", "HorizontalPodAutoscaler") => {
            let spec = object.get_mut("spec").and_then(Value::as_object_mut);
            if let Some(spec) = spec
                && spec.get("metrics").and_then(Value::as_array).is_none_or(Vec::is_empty)
            {
                let target = json!({"type": "Utilization", "averageUtilization": 80});
                spec.insert("metrics".into(), json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
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

/// The objects of a list.
fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn rolling(spec: Option<&mut Value>, field: &str, details: Value) {
    let Some(spec) = spec.and_then(Value::as_object_mut) else { return };
    let strategy = spec.entry(field).or_insert_with(|| json!({}));
    let Some(strategy) = strategy.as_object_mut() else { return };
    let kind = strategy.entry("type").or_insert_with(|| "RollingUpdate".into());
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

/// When images are pulled depends on their tags.
fn pod_spec(spec: Option<&mut Value>) {
    let Some(spec) = spec else { return };
    for list in ["containers", "initContainers"] {
        for container in objects(spec.get_mut(list)) {
            let image = container.get("image").and_then(Value::as_str).unwrap_or_default();
            let policy = pull_policy(image);
            container.entry("imagePullPolicy").or_insert_with(|| policy.into());
        }
    }
}

/// A pod requests what it limits, where it says nothing else; a template of pods does not.
fn requests(spec: Option<&mut Value>) {
    let Some(spec) = spec else { return };
    for list in ["containers", "initContainers"] {
        for container in objects(spec.get_mut(list)) {
            if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut)
                && let Some(Value::Object(limits)) = resources.get("limits").cloned()
            {
                let requests = resources.entry("requests").or_insert_with(|| json!({}));
                for (name, limit) in limits {
                    if let Some(requests) = requests.as_object_mut() {
                        requests.entry(name).or_insert(limit);
                    }
                }
            }
        }
    }
}

/// A moving tag is pulled each time.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or_default();
    let moving = !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    if moving { "Always" } else { "IfNotPresent" }
}

fn service(spec: Option<&mut Value>) {
    let Some(spec) = spec.and_then(Value::as_object_mut) else { return };
    for port in objects(spec.get_mut("ports")) {
        let number = port.get("port").cloned().unwrap_or_default();
        if port.get("targetPort").is_none_or(|target| *target == 0 || *target == "") {
            port.insert("targetPort".into(), number);
        }
    }
    let kind = spec.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if kind != "ExternalName" {
        spec.entry("internalTrafficPolicy").or_insert_with(|| "Cluster".into());
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        spec.entry("externalTrafficPolicy").or_insert_with(|| "Cluster".into());
    }
    if kind == "LoadBalancer" {
        spec.entry("allocateLoadBalancerNodePorts").or_insert(true.into());
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
