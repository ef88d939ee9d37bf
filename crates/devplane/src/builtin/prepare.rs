//! What the server alone decides about an object: its first status, its addresses, its selectors.
//! Source: kubernetes `pkg/registry/*/*/strategy.go`.

use serde_json::{Value, json};

use crate::{random::Random, registry::Resource};

/// What completing an object needs from outside.
pub struct Context<'a> {
    /// Addresses and ports are picked by chance.
    pub random: &'a dyn Random,
}

/// Completes an object; `old` is the stored one on an update.
pub fn prepare(resource: &Resource, object: &mut Value, old: Option<&Value>, context: &Context<'_>) {
    let kind = (resource.group.as_str(), resource.kind.as_str());
    if old.is_none()
        && let Some(status) = first_status(kind)
        && let Some(fields) = object.as_object_mut()
    {
        fields.insert("status".into(), status);
    }
    match kind {
        ("", "Service") => service(object, old, context.random),
        ("", "PersistentVolumeClaim") if old.is_none() => claim(object),
        ("", "Pod") if old.is_none() => pod(object),
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
        ("", "ResourceQuota" | "Node") | ("apps", "Deployment") | ("batch", "Job" | "CronJob") => json!({}),
        _ => return None,
    })
}

/// Rules that are none are null, however they were written.
fn rules(role: &mut Value) {
    if role["rules"].as_array().is_none_or(Vec::is_empty) {
        role["rules"] = Value::Null;
    }
}

/// Adds the finalizer under which a claim waits until nobody uses it.
fn claim(object: &mut Value) {
    let protection = json!("kubernetes.io/pvc-protection");
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
            && !list.iter().any(|toleration| toleration["key"] == key)
        {
            list.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

/// Guaranteed: limits for all, equal to the requests. Best effort: neither.
fn quality(spec: &Value) -> &'static str {
    let containers: Vec<&Value> = spec["containers"].as_array().into_iter().flatten().collect();
    let named = |container: &Value, part: &str| container["resources"][part].as_object().is_some_and(|map| !map.is_empty());
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
    job["spec"]["selector"] = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}});
    for (label, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        job["spec"]["template"]["metadata"]["labels"][label] = value.clone();
        job["metadata"]["labels"][label] = value.clone();
    }
}

fn service(service: &mut Value, old: Option<&Value>, random: &dyn Random) {
    let Some(spec) = service.get_mut("spec").and_then(Value::as_object_mut) else { return };
    let kind = spec.get("type").and_then(Value::as_str).unwrap_or("ClusterIP").to_owned();
    if kind == "ExternalName" {
        return;
    }
    if let Some(Value::Object(before)) = old.map(|old| &old["spec"])
        && before.get("type").is_some_and(|before| before != "ExternalName")
    {
        for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"] {
            if let Some(value) = before.get(name)
                && spec.get(name).is_none_or(|given| *given == "")
            {
                spec.insert(name.into(), value.clone());
            }
        }
        keep_node_ports(spec, before);
    }
    if spec.get("clusterIP").and_then(Value::as_str).unwrap_or_default().is_empty() {
        spec.insert("clusterIP".into(), address(random).into());
    }
    let headless = spec["clusterIP"] == "None";
    let address = spec["clusterIP"].clone();
    spec.entry("clusterIPs").or_insert_with(|| json!([address]));
    let both = headless && spec.get("selector").and_then(Value::as_object).is_none_or(|selector| selector.is_empty());
    spec.entry("ipFamilies").or_insert_with(|| if both { json!(["IPv4", "IPv6"]) } else { json!(["IPv4"]) });
    spec.entry("ipFamilyPolicy").or_insert_with(|| if both { "RequireDualStack".into() } else { "SingleStack".into() });
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
            port.entry("nodePort").or_insert_with(|| node_port(random).into());
        }
    }
}

fn keep_node_ports(spec: &mut serde_json::Map<String, Value>, before: &serde_json::Map<String, Value>) {
    let old_ports = before.get("ports").and_then(Value::as_array).cloned().unwrap_or_default();
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        let same = old_ports.iter().find(|old| old["port"] == port["port"] && old["protocol"] == port["protocol"]);
        if let (Some(number), Some(port)) = (same.and_then(|old| old.get("nodePort")), port.as_object_mut()) {
            port.entry("nodePort").or_insert_with(|| number.clone());
        }
    }
}

/// An address of 10.96.0.0/16. Chance alone keeps them apart: nothing is routed by them.
fn address(random: &dyn Random) -> String {
    let mut bytes = [0; 2];
    random.fill(&mut bytes);
    format!("10.96.{}.{}", bytes[0], bytes[1].clamp(2, 254))
}

fn node_port(random: &dyn Random) -> u32 {
    let mut bytes = [0; 2];
    random.fill(&mut bytes);
    30_000 + u32::from(u16::from_be_bytes(bytes)) % 2_768
}
