//! Statuses of built-in kinds: what their Go types always show, and which rules of them are judged when they are written.
//! Source: `k8s.io/api/{core,apps,batch}/v1/types.go`; kubernetes `pkg/apis/{apps,policy,autoscaling}/validation`.

use serde_json::{Map, Value, json};

use crate::{registry::Resource, status::Cause};

/// Times of conditions that are shown even where nobody said them.
fn times(group: &str, kind: &str) -> &'static [&'static str] {
    match (group, kind) {
        ("", "Pod" | "PersistentVolumeClaim") | ("batch", "Job") => &["lastProbeTime", "lastTransitionTime"],
        ("", "Node") => &["lastHeartbeatTime", "lastTransitionTime"],
        ("apps", "Deployment") => &["lastUpdateTime", "lastTransitionTime"],
        ("apps", _) | ("autoscaling", _) => &["lastTransitionTime"],
        _ => &[],
    }
}

/// Fills in what a status always shows.
pub(super) fn complete(resource: &Resource, object: &mut Value) {
    let times = times(&resource.group, &resource.kind);
    let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) else { return };
    for condition in items(status, "conditions") {
        for time in times {
            condition.entry(*time).or_insert(Value::Null);
        }
    }
    if resource.group.is_empty() && resource.kind == "Pod" {
        for list in ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] {
            items(status, list).for_each(container);
        }
        addresses(status);
    }
}

/// The objects of a list.
fn items<'s>(status: &'s mut Map<String, Value>, list: &str) -> impl Iterator<Item = &'s mut Map<String, Value>> {
    status.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn container(status: &mut Map<String, Value>) {
    let zero = [
        ("name", json!("")),
        ("state", json!({})),
        ("lastState", json!({})),
        ("ready", json!(false)),
        ("restartCount", json!(0)),
        ("image", json!("")),
        ("imageID", json!("")),
    ];
    for (name, value) in zero {
        status.entry(name).or_insert(value);
    }
    for state in ["state", "lastState"] {
        let Some(state) = status.get_mut(state) else { continue };
        for (kind, shown) in [("running", &["startedAt"][..]), ("terminated", &["startedAt", "finishedAt"][..])] {
            let Some(fields) = state.get_mut(kind).and_then(Value::as_object_mut) else { continue };
            for time in shown {
                fields.entry(*time).or_insert(Value::Null);
            }
            if kind == "terminated" {
                fields.entry("exitCode").or_insert(0.into());
            }
        }
    }
}

/// One address and the list of all say the same: the one wins, as older kubelets know no other.
fn addresses(status: &mut Map<String, Value>) {
    let one = status.get("podIP").and_then(Value::as_str).unwrap_or_default().to_owned();
    let first = status.get("podIPs").and_then(|all| all.pointer("/0/ip")).and_then(Value::as_str).unwrap_or_default().to_owned();
    if one.is_empty() && !first.is_empty() {
        status.insert("podIP".into(), first.into());
    } else if one != first {
        status.insert("podIPs".into(), json!([{"ip": one}]));
    }
}

/// What may not be less than nothing, and of what there may not be more than of something else.
type Bounds = (&'static [&'static str], &'static [(&'static str, &'static str, &'static str)]);

const OF_REPLICAS: &str = "cannot be greater than status.replicas";

fn bounds(group: &str, kind: &str) -> Option<Bounds> {
    let bounds: Bounds = match (group, kind) {
        ("apps", "Deployment") => (
            &[
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
                "terminatingReplicas",
                "collisionCount",
            ],
            &[
                ("updatedReplicas", "replicas", OF_REPLICAS),
                ("readyReplicas", "replicas", OF_REPLICAS),
                ("availableReplicas", "replicas", OF_REPLICAS),
                ("availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"),
            ],
        ),
        ("apps", "ReplicaSet") => (
            &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "terminatingReplicas", "observedGeneration"],
            &[
                ("fullyLabeledReplicas", "replicas", OF_REPLICAS),
                ("readyReplicas", "replicas", OF_REPLICAS),
                ("availableReplicas", "replicas", OF_REPLICAS),
                ("availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"),
            ],
        ),
        ("apps", "StatefulSet") => (
            &[
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
                "observedGeneration",
                "collisionCount",
            ],
            &[
                ("readyReplicas", "replicas", OF_REPLICAS),
                ("currentReplicas", "replicas", OF_REPLICAS),
                ("updatedReplicas", "replicas", OF_REPLICAS),
                ("availableReplicas", "replicas", OF_REPLICAS),
                ("availableReplicas", "readyReplicas", "cannot be greater than status.readyReplicas"),
            ],
        ),
        ("apps", "DaemonSet") => (
            &[
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "observedGeneration",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
                "collisionCount",
            ],
            &[],
        ),
        ("policy", "PodDisruptionBudget") => (&["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"], &[]),
        ("autoscaling", "HorizontalPodAutoscaler") => (&["currentReplicas", "desiredReplicas"], &[]),
        _ => return None,
    };
    Some(bounds)
}

/// Broken rules of a status that is written.
pub(super) fn validate(resource: &Resource, object: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let Some((counts, limits)) = bounds(&resource.group, &resource.kind) else { return causes };
    let status = &object["status"];
    let number = |field: &str| status[field].as_i64().unwrap_or(0);
    let mut refuse = |field: &str, why: &str| causes.push(Cause::invalid(&format!("status.{field}"), &number(field).into(), why));
    for field in counts.iter().filter(|field| number(field) < 0) {
        refuse(field, "must be greater than or equal to 0");
    }
    for (field, _, why) in limits.iter().filter(|(field, limit, _)| number(field) > number(limit)) {
        refuse(field, why);
    }
    let before = old.map_or(0, |old| old["status"]["collisionCount"].as_i64().unwrap_or(0));
    if counts.contains(&"collisionCount") && number("collisionCount") < before {
        refuse("collisionCount", "cannot be decremented");
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(kind: &str) -> &'static Resource {
        crate::builtin::kinds::of_sandbox().find(|resource| resource.kind == kind).unwrap()
    }

    #[test]
    fn of_nothing_is_there_less_than_none_or_more_than_of_all() {
        let faults = |status: Value| -> Vec<String> {
            let causes = validate(resource("Deployment"), &json!({"status": status}), None);
            causes.into_iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
        };
        assert_eq!(faults(json!({"replicas": 3, "readyReplicas": 3, "availableReplicas": 1})), Vec::<String>::new());
        assert_eq!(
            faults(json!({"replicas": -1, "readyReplicas": 3})),
            [
                "status.replicas: Invalid value: -1: must be greater than or equal to 0",
                "status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas",
                "status.readyReplicas: Invalid value: 3: cannot be greater than status.replicas",
                "status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas",
            ]
        );
    }

    #[test]
    fn a_pod_shows_what_nobody_said() {
        let mut pod = json!({"status": {"podIP": "10.0.0.1", "conditions": [{"type": "Ready"}], "containerStatuses": [{"name": "c"}]}});
        complete(resource("Pod"), &mut pod);
        let status = &pod["status"];
        assert_eq!(status["podIPs"], json!([{"ip": "10.0.0.1"}]));
        assert_eq!(status["conditions"], json!([{"type": "Ready", "lastProbeTime": null, "lastTransitionTime": null}]));
        let container = json!({"name": "c", "state": {}, "lastState": {}, "ready": false, "restartCount": 0, "image": "", "imageID": ""});
        assert_eq!(status["containerStatuses"], json!([container]));
    }
}
