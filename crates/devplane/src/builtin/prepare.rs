//! What the server alone decides about an object: its first status, its addresses, its selectors.
//! Source: kubernetes `pkg/registry/*/*/strategy.go`.

mod service;

use serde_json::{Value, json};

use crate::{random::Random, registry::Resource, status::Cause};

/// What completing an object needs from outside.
pub struct Context<'a> {
    /// Addresses and ports are picked by chance.
    pub random: &'a dyn Random,
    /// Nothing is stored, and so nothing is taken for good.
    pub dry_run: bool,
}

/// What was asked for and cannot be had, whatever else is wrong.
pub(super) fn refused(resource: &Resource, object: &Value, old: Option<&Value>, context: &Context<'_>) -> Vec<Cause> {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Service") if !context.dry_run => service::refused_ports(object, old),
        _ => Vec::new(),
    }
}

/// Completes an object; `old` is the stored one on an update.
pub fn prepare(resource: &Resource, object: &mut Value, old: Option<&Value>, context: &Context<'_>) {
    let kind = (resource.group.as_str(), resource.kind.as_str());
    if old.is_none()
        && let Some(status) = first_status(kind)
        && let Some(fields) = object.as_object_mut()
        // A node comes with the status that it found itself in.
        && (kind != ("", "Node") || !fields.get("status").is_some_and(Value::is_object))
    {
        fields.insert("status".into(), status);
    }
    match kind {
        ("", "Service") => service::complete(object, old, context),
        ("coordination.k8s.io", "Lease") => lease(object, old),
        ("", "Node") if old.is_none() => node(object),
        ("", "PersistentVolumeClaim") if old.is_none() => protect(object, "kubernetes.io/pvc-protection"),
        ("", "PersistentVolume") if old.is_none() => {
            protect(object, "kubernetes.io/pv-protection");
            // It comes into its first phase when it is created.
            if let Some(time) = object["metadata"].get("creationTimestamp").cloned() {
                object["status"]["lastPhaseTransitionTime"] = time;
            }
        }
        ("", "Pod") if old.is_none() => pod(object),
        ("apps", "DaemonSet") => daemon_set(object, old),
        ("batch", "Job") => job(object, old),
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => rules(object),
        _ => {}
    }
}

/// With which status objects come into the world.
fn first_status(kind: (&str, &str)) -> Option<Value> {
    Some(match kind {
        ("", "Service") | ("networking.k8s.io", "Ingress") => json!({"loadBalancer": {}}),
        ("", "PersistentVolumeClaim" | "PersistentVolume" | "Pod") => json!({"phase": "Pending"}),
        ("apps", "ReplicaSet") => json!({"replicas": 0}),
        ("apps", "StatefulSet") => json!({"replicas": 0, "availableReplicas": 0}),
        ("apps", "DaemonSet") => {
            json!({"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0})
        }
        ("autoscaling", "HorizontalPodAutoscaler") => json!({"desiredReplicas": 0, "currentMetrics": null}),
        ("policy", "PodDisruptionBudget") => {
            json!({"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0})
        }
        ("", "ResourceQuota") | ("apps", "Deployment") | ("batch", "Job" | "CronJob") => json!({}),
        _ => return None,
    })
}

/// Rules that are none are null, however they were written.
fn rules(role: &mut Value) {
    if role["rules"].as_array().is_none_or(Vec::is_empty) {
        role["rules"] = Value::Null;
    }
}

/// Who takes part in the choice of a leader is said by a feature that is off.
fn lease(lease: &mut Value, old: Option<&Value>) {
    let Some(spec) = lease.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for name in ["strategy", "preferredHolder"] {
        if old.is_none_or(|old| old["spec"][name].is_null()) {
            spec.remove(name);
        }
    }
}

/// A node that nobody knows yet takes no pods (kubernetes `plugin/pkg/admission/nodetaint`).
fn node(node: &mut Value) {
    let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    let taints = &mut node["spec"]["taints"];
    if !taints.is_array() {
        *taints = json!([]);
    }
    if let Some(taints) = taints.as_array_mut()
        && !taints.iter().any(|other| other["key"] == taint["key"] && other["effect"] == taint["effect"])
    {
        taints.push(taint);
    }
}

/// Adds the finalizer under which a claim or a volume waits until nobody uses it.
fn protect(object: &mut Value, finalizer: &str) {
    let protection = json!(finalizer);
    match object["metadata"].get_mut("finalizers").and_then(Value::as_array_mut) {
        Some(finalizers) if finalizers.contains(&protection) => {}
        Some(finalizers) => finalizers.push(protection),
        None => object["metadata"]["finalizers"] = json!([protection]),
    }
}

fn pod(pod: &mut Value) {
    pod["status"]["qosClass"] = quality(&pod["spec"]).into();
    let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) else { return };
    spec.entry("priority").or_insert_with(|| 0.into());
    spec.entry("preemptionPolicy").or_insert_with(|| "PreemptLowerPriority".into());
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        if let Some(list) = tolerations.as_array_mut()
            && !list.iter().any(|toleration| tolerates(toleration, key))
        {
            list.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

/// Whether a toleration is about this key of taints, or about all of them.
fn tolerates(toleration: &Value, key: &str) -> bool {
    let said = |name: &str| toleration[name].as_str().unwrap_or_default().to_owned();
    (said("key") == key || said("key").is_empty()) && ["", "NoExecute"].contains(&said("effect").as_str())
}

/// The annotation that counts how often the template of a DaemonSet has changed.
pub const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// How often the template of a DaemonSet has changed is told in an annotation.
fn daemon_set(object: &mut Value, old: Option<&Value>) {
    let before =
        |old: &Value| old["metadata"]["annotations"][TEMPLATE_GENERATION].as_str().and_then(|text| text.parse::<i64>().ok()).unwrap_or(1);
    let number = old.map_or(1, |old| before(old) + i64::from(old["spec"]["template"] != object["spec"]["template"]));
    if !object["metadata"]["annotations"].is_object() {
        object["metadata"]["annotations"] = json!({});
    }
    object["metadata"]["annotations"][TEMPLATE_GENERATION] = number.to_string().into();
}

/// Guaranteed: limits for all, equal to the requests. Best effort: neither.
fn quality(spec: &Value) -> &'static str {
    let lists = ["containers", "initContainers"].into_iter().filter_map(|list| spec[list].as_array());
    let containers: Vec<&Value> = lists.flatten().collect();
    let named = |container: &Value, part: &str| ["cpu", "memory"].iter().any(|name| !container["resources"][part][*name].is_null());
    if !containers.iter().any(|container| named(container, "limits") || named(container, "requests")) {
        return "BestEffort";
    }
    let guaranteed = containers.iter().all(|container| {
        let resources = &container["resources"];
        ["cpu", "memory"]
            .iter()
            .all(|name| resources["limits"][name].is_string() && resources["limits"][name] == resources["requests"][name])
    });
    if guaranteed { "Guaranteed" } else { "Burstable" }
}

/// A Job finds its pods by its own uid.
fn job(job: &mut Value, old: Option<&Value>) {
    if let Some(old) = old {
        // Clients send the Job as they wrote it; what was generated stays.
        for path in [&["spec", "selector"][..], &["spec", "template", "metadata", "labels"]] {
            let stored = path.iter().try_fold(old, |value, name| value.get(name));
            let given = path.iter().try_fold(&*job, |value, name| value.get(name));
            if let (Some(stored), None) = (stored, given) {
                let stored = stored.clone();
                *path.iter().fold(&mut *job, |value, name| &mut value[name]) = stored;
            }
        }
        return;
    }
    if job["spec"]["manualSelector"] == true {
        return;
    }
    let (uid, name) = (job["metadata"]["uid"].clone(), job["metadata"]["name"].clone());
    // What is there already is judged later.
    let missing = |place: &mut Value, label: &str, value: &Value| {
        if place[label].is_null() {
            place[label] = value.clone();
        }
    };
    missing(&mut job["spec"]["selector"]["matchLabels"], "batch.kubernetes.io/controller-uid", &uid);
    for (label, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        missing(&mut job["spec"]["template"]["metadata"]["labels"], label, value);
    }
    // A Job without labels has those of its pods.
    if job["metadata"]["labels"].as_object().is_none_or(serde_json::Map::is_empty) {
        job["metadata"]["labels"] = job["spec"]["template"]["metadata"]["labels"].clone();
    }
}
