mod fixture;
mod gitops;
mod network;
mod operators;
mod platform;
mod pods;
mod workloads;

use super::{of, outdated};
use crate::api::Health;
use serde_json::{Value, json};

/// 2026-11-23T12:00:00Z.
const NOW: i64 = 1_795_435_200;

fn health(object: Value) -> Health {
    of(&object, NOW).health
}

/// Returns the time this number of seconds before [`NOW`].
fn ago(seconds: i64) -> String {
    jiff::Timestamp::from_second(NOW - seconds).unwrap().to_string()
}

#[test]
fn a_deployment_is_healthy_when_all_new_replicas_are_available() {
    let with = |status: Value| json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": status});
    assert_eq!(
        health(with(json!({"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}))),
        Health::Healthy
    );
    assert_eq!(
        health(with(json!({"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}))),
        Health::Progressing
    );
    assert_eq!(
        health(with(json!({"observedGeneration": 2, "replicas": 3, "updatedReplicas": 2, "availableReplicas": 2}))),
        Health::Progressing
    );
    assert_eq!(health(with(json!({}))), Health::Progressing);
    let stuck = json!({"observedGeneration": 2, "conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "too slow."}]});
    let verdict = of(&with(stuck), NOW);
    assert_eq!((verdict.health, verdict.message.as_deref()), (Health::Degraded, Some("too slow")));
}

#[test]
fn workloads_count_their_replicas() {
    let set = |ready: i64| json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"replicas": 3}, "status": {"replicas": 3, "readyReplicas": ready}});
    assert_eq!(health(set(3)), Health::Healthy);
    assert_eq!(of(&set(1), NOW).message.as_deref(), Some("1 of 3 replicas are ready"));
    let job = |status: Value| json!({"apiVersion": "batch/v1", "kind": "Job", "spec": {}, "status": status});
    assert_eq!(health(job(json!({"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}))), Health::Healthy);
    assert_eq!(health(job(json!({"conditions": [{"type": "Failed", "status": "True", "message": "no"}]}))), Health::Degraded);
    assert_eq!(health(job(json!({"active": 1}))), Health::Progressing);
}

#[test]
fn passive_kinds_are_healthy_once_they_are_there() {
    for (version, kind) in [("v1", "ConfigMap"), ("v1", "Secret"), ("v1", "Service"), ("v1", "Namespace")] {
        assert_eq!(health(json!({"apiVersion": version, "kind": kind, "spec": {}})), Health::Healthy, "{kind}");
    }
    let balancer = json!({"apiVersion": "v1", "kind": "Service", "spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {}}});
    assert_eq!(health(balancer), Health::Progressing);
    assert_eq!(health(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {"phase": "Pending"}})), Health::Progressing);
    assert_eq!(health(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {"phase": "Bound"}})), Health::Healthy);
}

#[test]
fn conditions_decide_for_other_kinds() {
    let with = |conditions: Value| json!({"apiVersion": "objectstorage.example.org/v1alpha1", "kind": "Bucket", "metadata": {"generation": 3}, "spec": {}, "status": {"conditions": conditions}});
    assert_eq!(health(with(json!([{"type": "Synced", "status": "True"}, {"type": "Ready", "status": "True"}]))), Health::Healthy);
    assert_eq!(
        health(with(json!([{"type": "Synced", "status": "False", "message": "quota"}, {"type": "Ready", "status": "False"}]))),
        Health::Degraded
    );
    assert_eq!(health(with(json!([{"type": "Ready", "status": "True", "observedGeneration": 2}]))), Health::Progressing);
    assert_eq!(health(with(json!([{"type": "Ready", "status": "Unknown"}]))), Health::Progressing);
    // A request created by a promise: its running objects are healthy, and its last edit isn't rolled out.
    let held = json!({"type": "Ready", "status": "False", "reason": "AwaitingApproval", "message": "An approver: somebody decides"});
    let verdict = of(&with(json!([held, {"type": "Healthy", "status": "True"}])), NOW);
    assert_eq!((verdict.health, verdict.message.as_deref()), (Health::Progressing, Some("An approver: somebody decides")));
    assert_eq!(health(json!({"apiVersion": "x.org/v1", "kind": "X", "data": {}})), Health::Healthy);
}

#[test]
fn what_is_being_removed_is_not_healthy() {
    let going = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}});
    assert_eq!(health(going), Health::Progressing);
}

/// Like kstatus: no status is reported, or none that decides about health.
#[test]
fn kinds_without_a_status_or_with_unknown_conditions_are_healthy_once_they_are_observed() {
    let scaler = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": {}, "status": {"currentReplicas": 2, "conditions": [
        {"type": "AbleToScale", "status": "True"}, {"type": "ScalingActive", "status": "True"}, {"type": "ScalingLimited", "status": "False"},
    ]}});
    let gateway = |programmed: &str| {
        json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"generation": 1}, "spec": {}, "status": {"conditions": [
            {"type": "Accepted", "status": "True", "observedGeneration": 1}, {"type": "Programmed", "status": programmed, "observedGeneration": 1},
        ]}})
    };
    let policy = json!({"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy", "spec": {}, "status": {"conditions": [{"type": "Valid", "status": "True"}]}});
    let sealed = json!({"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "spec": {}, "status": {"conditions": [{"type": "Synced", "status": "True"}]}});
    let phase = json!({"apiVersion": "x.org/v1", "kind": "X", "spec": {}, "status": {"phase": "Cluster in healthy state"}});
    for object in [scaler, gateway("True"), policy, sealed, phase] {
        assert_eq!(health(object.clone()), Health::Healthy, "{object}");
    }
    assert_eq!(health(gateway("Unknown")), Health::Progressing, "no controller has taken it yet");
    for (version, kind) in [
        ("monitoring.coreos.com/v1", "ServiceMonitor"),
        ("monitoring.coreos.com/v1", "PrometheusRule"),
        ("networking.istio.io/v1", "VirtualService"),
        ("x.org/v1", "X"),
    ] {
        for status in [Value::Null, json!({})] {
            let made = |seconds: i64| json!({"apiVersion": version, "kind": kind, "metadata": {"creationTimestamp": ago(seconds)}, "spec": {}, "status": status});
            assert_eq!(health(made(60)), Health::Healthy, "{kind}");
            let young = of(&made(3), NOW);
            assert_eq!((young.health, young.again), (Health::Progressing, Some(7)), "{kind}: its controller may still begin");
            assert_eq!(of(&made(3), NOW + 7).health, Health::Healthy, "{kind}: it is looked at again in time");
            assert_eq!(health(made(-86_400)), Health::Healthy, "{kind}: a clock that goes wrong holds nothing up");
        }
    }
    assert_eq!(health(json!({"apiVersion": "x.org/v1", "kind": "X", "data": {}})), Health::Healthy);
    let asked = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"creationTimestamp": ago(600)}, "spec": {}});
    assert_eq!(health(asked), Health::Progressing, "its controller always reports, however late");
}

#[test]
fn an_application_of_argo_cd_is_as_healthy_as_it_says() {
    let with = |health: Value| json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {}, "status": {"health": health, "conditions": [], "sync": {"status": "Synced"}}});
    for (word, expected) in [
        ("Healthy", Health::Healthy),
        ("Degraded", Health::Degraded),
        ("Progressing", Health::Progressing),
        ("Missing", Health::Progressing),
        ("Suspended", Health::Progressing),
        ("Unknown", Health::Progressing),
    ] {
        assert_eq!(health(with(json!({"status": word}))), expected, "{word}");
    }
    let told = of(&with(json!({"status": "Degraded", "message": "2 pods crash."})), NOW);
    assert_eq!(told.message.as_deref(), Some("2 pods crash"));
    assert_eq!(
        health(json!({"apiVersion": "x.org/v1", "kind": "Search", "spec": {}, "status": {"health": "red", "phase": "Ready"}})),
        Health::Degraded
    );
}

#[test]
fn a_failure_that_is_about_an_older_generation_is_not_told_of_the_present_one() {
    let with = |observed: i64| {
        json!({"apiVersion": "x.org/v1", "kind": "X", "metadata": {"generation": 2}, "spec": {}, "status": {"conditions": [
            {"type": "Stalled", "status": "True", "observedGeneration": observed}, {"type": "Ready", "status": "False", "observedGeneration": observed},
        ]}})
    };
    assert_eq!((health(with(1)), health(with(2))), (Health::Progressing, Health::Degraded));
}

/// An operator that names no generation: its status from before the change doesn't describe the change.
#[test]
fn a_status_that_was_written_before_our_change_counts_only_after_a_while() {
    let with = |changed: i64, told: i64| {
        json!({"apiVersion": "x.org/v1", "kind": "X", "spec": {}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}, "metadata": {
            "creationTimestamp": ago(9000),
            "managedFields": [
                {"manager": "opm-fulfil", "operation": "Apply", "time": ago(changed)},
                {"manager": "operator", "operation": "Update", "subresource": "status", "time": ago(told)},
                {"manager": "kubectl", "operation": "Update", "time": ago(1)},
            ],
        }})
    };
    let stale = of(&with(2, 600), NOW);
    assert_eq!((stale.health, stale.again), (Health::Progressing, Some(8)));
    assert!(outdated(&with(2, 600), NOW).is_some());
    assert_eq!((health(with(2, 1)), health(with(60, 600))), (Health::Healthy, Health::Healthy));
    let mut by_an_action = with(2, 600);
    by_an_action["metadata"]["managedFields"][0]["manager"] = json!("opm-portal-actions.restart.roll");
    assert_eq!(health(by_an_action), Health::Progressing, "an action changed it");
    let mut named = with(2, 600);
    named["status"]["observedGeneration"] = json!(1);
    assert_eq!(health(named), Health::Healthy, "the generation says it better");
}
