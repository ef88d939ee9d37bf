use super::of;
use crate::api::Health;
use serde_json::{Value, json};

fn health(object: Value) -> Health {
    of(&object).health
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
    let verdict = of(&with(stuck));
    assert_eq!((verdict.health, verdict.message.as_deref()), (Health::Degraded, Some("too slow")));
}

#[test]
fn workloads_count_their_replicas() {
    let set = |ready: i64| json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"replicas": 3}, "status": {"replicas": 3, "readyReplicas": ready}});
    assert_eq!(health(set(3)), Health::Healthy);
    assert_eq!(of(&set(1)).message.as_deref(), Some("1 of 3 replicas are ready"));
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
    assert_eq!(health(with(json!([{"type": "Synced", "status": "True"}]))), Health::Progressing, "passed on is not ready");
    assert_eq!(health(with(json!([{"type": "Synced", "status": "True"}, {"type": "Ready", "status": "True"}]))), Health::Healthy);
    assert_eq!(
        health(with(json!([{"type": "Synced", "status": "False", "message": "quota"}, {"type": "Ready", "status": "False"}]))),
        Health::Degraded
    );
    assert_eq!(health(with(json!([{"type": "Ready", "status": "True", "observedGeneration": 2}]))), Health::Progressing);
    assert_eq!(health(with(json!([{"type": "Ready", "status": "Unknown"}]))), Health::Progressing);
    assert_eq!(health(json!({"apiVersion": "x.org/v1", "kind": "X", "spec": {}})), Health::Progressing);
    // A request that a promise makes: what runs of it works, and its last edit is not in place.
    let held = json!({"type": "Ready", "status": "False", "reason": "AwaitingApproval", "message": "An approver: somebody decides"});
    let verdict = of(&with(json!([held, {"type": "Healthy", "status": "True"}])));
    assert_eq!((verdict.health, verdict.message.as_deref()), (Health::Progressing, Some("An approver: somebody decides")));
    assert_eq!(health(json!({"apiVersion": "x.org/v1", "kind": "X", "data": {}})), Health::Healthy);
}

#[test]
fn what_is_being_removed_is_not_healthy() {
    let going = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}});
    assert_eq!(health(going), Health::Progressing);
}
