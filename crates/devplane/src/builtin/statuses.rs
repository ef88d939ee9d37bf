//! Statuses of built-in kinds: what their Go types always show, and which rules of them are judged when they are written.
//! Source: `k8s.io/api/{core,apps,batch}/v1/types.go`; kubernetes `pkg/apis/{apps,policy,autoscaling}/validation`.

use serde_json::{Value, json};

use super::{
    fields::{Fields, objects},
    validate::{numbers::NEGATIVE, reading::number},
};
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
    for condition in objects(status.get_mut("conditions")) {
        for time in times {
            condition.entry(*time).or_insert(Value::Null);
        }
    }
    if resource.group.is_empty() && resource.kind == "Pod" {
        for list in ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] {
            objects(status.get_mut(list)).for_each(container);
        }
        addresses(status);
    }
}

/// Fills in what the status of a container always shows.
fn container(status: &mut Fields) {
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
fn addresses(status: &mut Fields) {
    let one = status.get("podIP").and_then(Value::as_str).unwrap_or_default().to_owned();
    let first = status.get("podIPs").and_then(|all| all.pointer("/0/ip")).and_then(Value::as_str).unwrap_or_default().to_owned();
    if one.is_empty() && !first.is_empty() {
        status.insert("podIP".into(), first.into());
    } else if one != first {
        status.insert("podIPs".into(), json!([{"ip": one}]));
    }
}

/// What a status counts, and which counts have a limit.
#[derive(Default)]
struct Bounds {
    /// What is never less than nothing.
    counts: &'static [&'static str],
    /// Of what there are never more than replicas in all.
    within_replicas: &'static [&'static str],
    /// How the replicas that are ready are called where more are available than that; nothing where that is not looked at.
    ready: &'static str,
}

/// The bounds of the counts of a kind.
fn bounds(group: &str, kind: &str) -> Bounds {
    match (group, kind) {
        ("apps", "Deployment") => Bounds {
            counts: &[
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
                "terminatingReplicas",
                "collisionCount",
            ],
            within_replicas: &["updatedReplicas", "readyReplicas", "availableReplicas"],
            ready: "readyReplicas",
        },
        ("apps", "ReplicaSet") => Bounds {
            counts: &[
                "replicas",
                "fullyLabeledReplicas",
                "readyReplicas",
                "availableReplicas",
                "terminatingReplicas",
                "observedGeneration",
            ],
            within_replicas: &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
            ready: "readyReplicas",
        },
        ("apps", "StatefulSet") => Bounds {
            counts: &[
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
                "observedGeneration",
                "collisionCount",
            ],
            within_replicas: &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
            ready: "status.readyReplicas",
        },
        ("apps", "DaemonSet") => Bounds {
            counts: &[
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
            ..Bounds::default()
        },
        ("policy", "PodDisruptionBudget") => {
            Bounds { counts: &["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"], ..Bounds::default() }
        }
        ("autoscaling", "HorizontalPodAutoscaler") => Bounds { counts: &["currentReplicas", "desiredReplicas"], ..Bounds::default() },
        _ => Bounds::default(),
    }
}

/// Broken rules of a status that is written.
pub(super) fn validate(resource: &Resource, object: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let Bounds { counts, within_replicas, ready } = bounds(&resource.group, &resource.kind);
    let of = |field: &str| number(&object["status"][field]);
    let mut refuse = |field: &str, why: &str| causes.push(Cause::invalid(&format!("status.{field}"), &of(field).into(), why));
    for field in counts.iter().filter(|field| of(field) < 0) {
        refuse(field, NEGATIVE);
    }
    for field in within_replicas.iter().filter(|field| of(field) > of("replicas")) {
        refuse(field, "cannot be greater than status.replicas");
    }
    if !ready.is_empty() && of("availableReplicas") > of("readyReplicas") {
        refuse("availableReplicas", &format!("cannot be greater than {ready}"));
    }
    let before = old.map_or(0, |old| number(&old["status"]["collisionCount"]));
    if counts.contains(&"collisionCount") && of("collisionCount") < before {
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
            causes.into_iter().map(|cause| cause.to_string()).collect()
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
