//! Pods.

use serde_json::{Value, json};

use super::fixture::{condition, degraded, healthy, object, progressing};
use super::{NOW, ago};
use crate::api::Health;
use crate::health::of;

fn pod(spec: Value, status: Value) -> Value {
    object("v1", "Pod", spec, status)
}

fn ready(status: &str) -> Value {
    condition("Ready", status, "ContainersNotReady", if status == "True" { "" } else { "containers with unready status: [web]" })
}

fn waiting(reason: &str, message: &str) -> Value {
    json!({"name": "web", "ready": false, "restartCount": 4, "state": {"waiting": {"reason": reason, "message": message}}})
}

#[test]
fn a_pod_runs_has_succeeded_or_waits() {
    healthy("running", &pod(json!({}), json!({"phase": "Running", "conditions": [ready("True")]})));
    healthy("done", &pod(json!({"restartPolicy": "Never"}), json!({"phase": "Succeeded"})));
    let starting =
        json!({"phase": "Running", "conditions": [ready("False")], "containerStatuses": [{"name": "web", "state": {"running": {}}}]});
    progressing("starting", &pod(json!({}), starting), "containers with unready status: [web]");
    let creating = json!({"phase": "Pending", "containerStatuses": [waiting("ContainerCreating", "")]});
    progressing("creating", &pod(json!({}), creating), "Its containers aren't ready");
    progressing("not observed", &pod(json!({}), Value::Null), "Its containers aren't ready");
}

#[test]
fn a_container_that_cannot_run_degrades_its_pod() {
    let with =
        |container: Value| pod(json!({}), json!({"phase": "Running", "conditions": [ready("False")], "containerStatuses": [container]}));
    let mut crash = waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container=web pod=a_b(c)");
    degraded("without a record of the crash", &with(crash.clone()), "The container web reports CrashLoopBackOff");
    crash["lastState"] = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}});
    degraded("crashing", &with(crash), "The container web reports CrashLoopBackOff: it exited with code 137 (OOMKilled)");
    let pull = waiting("ImagePullBackOff", "Back-off pulling image \"registry.example.org/web:2\"");
    degraded("no image", &with(pull), "The container web reports ImagePullBackOff: Back-off pulling image \"registry.example.org/web:2\"");
    let config = waiting("CreateContainerConfigError", "secret \"a\" not found");
    degraded("no configuration", &with(config), "The container web reports CreateContainerConfigError: secret \"a\" not found");
    let init = pod(json!({}), json!({"phase": "Pending", "initContainerStatuses": [waiting("ErrImagePull", "")]}));
    degraded("before its containers start", &init, "The container web reports ErrImagePull");
}

#[test]
fn a_pod_that_is_not_restarted_fails_with_its_container() {
    let ended = |code: i64| json!({"name": "web", "state": {"terminated": {"exitCode": code, "reason": "Error"}}});
    let running = |policy: &str| {
        let status = json!({"phase": "Running", "conditions": [ready("False")], "containerStatuses": [ended(2)]});
        pod(json!({"restartPolicy": policy}), status)
    };
    degraded("it stays as it is", &running("Never"), "The container web exited with code 2");
    progressing("it is restarted", &running("Always"), "containers with unready status: [web]");
    degraded(
        "failed",
        &pod(json!({}), json!({"phase": "Failed", "containerStatuses": [ended(1)]})),
        "The container web exited with code 1",
    );
    let evicted = json!({"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."});
    degraded("evicted", &pod(json!({}), evicted), "The node was low on resource: memory");
}

#[test]
fn a_pod_without_a_node_fails_after_a_while() {
    let reason = "0/3 nodes are available: 3 Insufficient cpu.";
    let mut unscheduled =
        pod(json!({}), json!({"phase": "Pending", "conditions": [condition("PodScheduled", "False", "Unschedulable", reason)]}));
    unscheduled["metadata"]["creationTimestamp"] = json!(ago(5));
    let young = of(&unscheduled, NOW);
    assert_eq!((young.health, young.again), (Health::Progressing, Some(10)));
    unscheduled["metadata"]["creationTimestamp"] = json!(ago(60));
    degraded("no node", &unscheduled, "0/3 nodes are available: 3 Insufficient cpu");
    let gate = condition("PodScheduled", "False", "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates");
    let gated = pod(json!({}), json!({"phase": "Pending", "conditions": [gate]}));
    progressing("held back on purpose", &gated, "Scheduling is blocked due to non-empty scheduling gates");
}
