//! Policies for actions refuse or delay runs, however those are created, and don't affect requests.

use cluster::kinds::{Policy, PromiseAction};
use jiff::SignedDuration;
use kube::Api;
use kube::api::DeleteParams;
use promise::api::{ActionPhase, WaitingKind, WaitingReason};
use serde_json::{Value, json};

use super::{act, actions, until, with_request};
use crate::approvals::{edit, level};
use crate::running::Running;
use crate::windows::before_the_opening;
use crate::world::{Plane, on_every_plane_in_full, wait};

on_every_plane_in_full![
    a_run_that_policies_refuse_never_starts,
    a_run_waits_for_its_window_and_keeps_no_one_waiting,
    a_run_starts_when_its_window_is_removed,
];

/// A policy for runs of `backup`.
fn careful(rule: Value) -> Value {
    let mut rule = rule;
    rule["name"] = json!("careful");
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "careful"},
        "spec": {"title": "Careful", "appliesTo": {"promises": ["settings"], "actions": ["back*"]}, "rules": [rule]},
    })
}

async fn a_run_that_policies_refuse_never_starts(plane: Plane) {
    let controller = with_request(&plane).await;
    let expression = "action.parameters.note != 'no' && action.requestedBy.username == 'dana' && parameters.level == 4";
    plane.govern(&careful(json!({"validate": {"expression": expression, "message": "Choose another note.", "parameter": ".note"}}))).await;
    act(&plane, "bad", "backup", json!({"note": "no"})).await;
    let status = until(&plane, "bad", ActionPhase::Refused).await.status.unwrap();
    let message = status.message.unwrap();
    assert!(message.contains("Choose another note. The policy Careful at "), "{message}");
    assert_eq!((status.conditions[0].reason.as_str(), status.started_at), ("PolicyViolation", None));
    assert_eq!(plane.config_maps().get_opt("bad").await.unwrap(), None);
    act(&plane, "good", "backup", json!({})).await;
    until(&plane, "good", ActionPhase::Succeeded).await;
    act(&plane, "other", "rotate", json!({})).await;
    until(&plane, "other", ActionPhase::Succeeded).await;
    // The policy doesn't apply to requests, and its rule reads the values of the running release.
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    plane.ready("web").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("5"));
    act(&plane, "late", "backup", json!({})).await;
    until(&plane, "late", ActionPhase::Refused).await;
    controller.stop().await;
}

/// A request under a policy whose window for backups opens after this time.
async fn before_the_window(plane: &Plane, left: SignedDuration) -> Running {
    let controller = with_request(plane).await;
    before_the_opening(&controller, left);
    plane.govern(&careful(json!({"window": {"from": "03:00", "to": "04:00"}}))).await;
    controller
}

/// Waits until a run waits for a window.
pub async fn waits(plane: &Plane, name: &str) -> PromiseAction {
    let reason = |run: &PromiseAction| Some(run.status.as_ref()?.waiting_on.as_ref()?.reason);
    wait(actions(plane), name, "waiting for its window", |run| reason(run) == Some(WaitingReason::ChangeWindow)).await
}

async fn a_run_waits_for_its_window_and_keeps_no_one_waiting(plane: Plane) {
    let controller = before_the_window(&plane, SignedDuration::from_secs(25)).await;
    act(&plane, "held", "backup", json!({})).await;
    let waiting = waits(&plane, "held").await.status.unwrap().waiting_on.unwrap();
    assert_eq!((waiting.kind, waiting.object.as_deref()), (WaitingKind::Controller, Some("careful")));
    assert!(waiting.message.starts_with("Waits for the window of Careful: opens on "), "{}", waiting.message);
    act(&plane, "other", "rotate", json!({})).await;
    let other = until(&plane, "other", ActionPhase::Succeeded).await;
    // Nothing but time starts it.
    let held = until(&plane, "held", ActionPhase::Succeeded).await;
    let started = |run: PromiseAction| run.status.unwrap().started_at.unwrap();
    let (other, held) = (started(other), started(held));
    assert!(other < held, "the other run waits for none: {other} and {held}");
    controller.stop().await;
}

async fn a_run_starts_when_its_window_is_removed(plane: Plane) {
    let controller = before_the_window(&plane, SignedDuration::from_hours(1)).await;
    act(&plane, "held", "backup", json!({})).await;
    waits(&plane, "held").await;
    // The window is for runs of the action alone.
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    plane.ready("web").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("5"));
    let policies: Api<Policy> = Api::all(plane.client("admin", "root:platform"));
    policies.delete("careful", &DeleteParams::default()).await.unwrap();
    until(&plane, "held", ActionPhase::Succeeded).await;
    controller.stop().await;
}
