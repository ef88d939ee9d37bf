//! Runs that are approved while their window is closed begin no step until it opens, and then each step once.

use cluster::kinds::{Policy, PromiseAction};
use jiff::{SignedDuration, Timestamp};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use promise::api::{ActionPhase, StepPhase, WaitingKind, WaitingReason};
use promise::names;
use serde_json::{Value, json};

use super::approvals::{answer, asked, steps};
use super::policies::waits;
use super::{act, actions, go, until, with_request};
use crate::approvals::{edit, let_decide};
use crate::running::Running;
use crate::windows::before_the_opening;
use crate::world::{Plane, on_every_plane_in_full, wait};

on_every_plane_in_full![
    approvers_are_asked_while_a_window_is_closed_and_no_one_waits_for_them,
    a_run_that_is_approved_outside_its_window_waits_until_it_opens,
    a_run_that_is_approved_inside_its_window_runs_at_once,
    an_approved_run_takes_its_turn_when_its_window_opens,
    an_approved_run_begins_when_its_window_is_removed,
    approvers_are_asked_again_if_the_request_changed_before_the_run_began,
    a_rejected_run_that_is_retried_asks_again_while_another_runs,
];

async fn approvers_are_asked_again_if_the_request_changed_before_the_run_began(plane: Plane) {
    let (controller, waiting) = approved_too_late(&plane).await;
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    let hash = |run: &PromiseAction| steps(run).iter().find(|step| step.id == "policy-1").and_then(|step| step.content_hash.clone());
    let release = |run: &PromiseAction| run.status.as_ref().and_then(|status| status.release.clone());
    let is_new = |run: &PromiseAction| release(run).is_some() && release(run) != release(&waiting) && hash(run).is_some();
    let again = wait(actions(&plane), "b", "asking about the new release", is_new).await;
    let current = plane.ready("web").await.status.unwrap().current.unwrap().release;
    assert_eq!(release(&again), Some(current));
    let again = asked(&plane, "b", "policy-1").await;
    answer(&plane, "erin", "yes-again", &again, ("policy-1", "approve")).await;
    waits(&plane, "b").await;
    controller.advance(SignedDuration::from_hours(23));
    act(&plane, "clock", "rotate", json!({})).await;
    succeeds(&plane, "after its window opened").await;
    controller.stop().await;
}

async fn a_rejected_run_that_is_retried_asks_again_while_another_runs(plane: Plane) {
    let (controller, asking) = asking(&plane).await;
    answer(&plane, "erin", "no", &asking, ("policy-1", "reject")).await;
    until(&plane, "b", ActionPhase::Failed).await;
    act(&plane, "other", "wait", json!({})).await;
    until(&plane, "other", ActionPhase::Running).await;
    let patch = json!({"metadata": {"annotations": {names::RETRY_ANNOTATION: "1"}}});
    actions(&plane).patch("b", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    let again = asked(&plane, "b", "policy-1").await;
    answer(&plane, "erin", "yes", &again, ("policy-1", "approve")).await;
    let is_queued = |run: &PromiseAction| {
        run.status
            .as_ref()
            .and_then(|status| status.waiting_on.as_ref())
            .is_some_and(|waiting| waiting.reason == WaitingReason::OtherAction)
    };
    wait(actions(&plane), "b", "waiting for its turn", is_queued).await;
    go(&plane).await;
    until(&plane, "other", ActionPhase::Succeeded).await;
    until(&plane, "b", ActionPhase::Succeeded).await;
    controller.stop().await;
}

/// A policy that requires an approval of backups, and has a window for them.
fn careful(from: &str, to: &str) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "careful"},
        "spec": {
            "title": "Careful", "appliesTo": {"promises": ["settings"], "actions": ["back*"]},
            "rules": [{"name": "look", "approve": {}}, {"name": "hours", "window": {"from": from, "to": to}}],
        },
    })
}

/// A run that started a minute after its window opened at 03:00 UTC, and waits for an approval. The window is open for an hour.
async fn asking(plane: &Plane) -> (Running, PromiseAction) {
    let controller = with_request(plane).await;
    before_the_opening(&controller, SignedDuration::from_mins(-1));
    plane.govern(&careful("03:00", "04:00")).await;
    let_decide(plane, "erin", &["careful"]).await;
    act(plane, "b", "backup", json!({})).await;
    let asking = asked(plane, "b", "policy-1").await;
    (controller, asking)
}

/// Lets an hour pass, approves the run, and waits until it waits for its window.
async fn approved_too_late(plane: &Plane) -> (Running, PromiseAction) {
    let (controller, asking) = asking(plane).await;
    controller.advance(SignedDuration::from_hours(1));
    answer(plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
    let waiting = waits(plane, "b").await;
    let phases: Vec<_> = steps(&waiting).iter().map(|step| (step.id.as_str(), step.phase)).collect();
    assert_eq!(phases, [("policy-1", StepPhase::Succeeded), ("make", StepPhase::Pending), ("check", StepPhase::Pending)]);
    assert_eq!(plane.config_maps().get_opt("b").await.unwrap(), None, "nothing is made yet");
    (controller, waiting)
}

/// Waits until the run succeeded. Each of its steps ran once.
async fn succeeds(plane: &Plane, why: &str) {
    let done = until(plane, "b", ActionPhase::Succeeded).await;
    let attempts: Vec<_> = steps(&done).iter().map(|step| (step.id.as_str(), step.attempts)).collect();
    assert_eq!(attempts, [("policy-1", 1), ("make", 1), ("check", 1)], "{why}");
    assert_eq!(done.status.unwrap().waiting_on, None, "{why}");
}

async fn approvers_are_asked_while_a_window_is_closed_and_no_one_waits_for_them(plane: Plane) {
    let controller = with_request(&plane).await;
    before_the_opening(&controller, SignedDuration::from_hours(2));
    plane.govern(&careful("03:00", "04:00")).await;
    let_decide(&plane, "erin", &["careful"]).await;
    act(&plane, "b", "backup", json!({})).await;
    let asking = asked(&plane, "b", "policy-1").await;
    let waiting = asking.status.as_ref().unwrap().waiting_on.clone().unwrap();
    assert_eq!((waiting.kind, waiting.reason), (WaitingKind::Person, WaitingReason::RunApprovalNeeded));
    act(&plane, "other", "rotate", json!({})).await;
    until(&plane, "other", ActionPhase::Succeeded).await;
    answer(&plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
    waits(&plane, "b").await;
    assert_eq!(plane.config_maps().get_opt("b").await.unwrap(), None, "the window is closed");
    controller.advance(SignedDuration::from_hours(2));
    act(&plane, "clock", "rotate", json!({})).await;
    succeeds(&plane, "the window is open").await;
    controller.stop().await;
}

async fn a_run_that_is_approved_outside_its_window_waits_until_it_opens(plane: Plane) {
    let (controller, waiting) = approved_too_late(&plane).await;
    let status = waiting.status.unwrap();
    assert_eq!(status.phase, ActionPhase::Running, "it has started");
    let waiting = status.waiting_on.unwrap();
    assert_eq!((waiting.kind, waiting.object.as_deref()), (WaitingKind::Controller, Some("careful")));
    assert!(waiting.message.starts_with("Waits for the window of Careful: opens on "), "{}", waiting.message);
    assert!(waiting.message.ends_with(" at 03:00 (UTC)"), "{}", waiting.message);
    // A quarter of a minute is left. The controller learns from the other run that its clock has jumped; then nothing but time is needed.
    controller.advance(SignedDuration::from_hours(23) - SignedDuration::from_secs(75));
    act(&plane, "other", "rotate", json!({})).await;
    until(&plane, "other", ActionPhase::Succeeded).await;
    succeeds(&plane, "the window is open").await;
    controller.stop().await;
}

async fn a_run_that_is_approved_inside_its_window_runs_at_once(plane: Plane) {
    let (controller, asking) = asking(&plane).await;
    answer(&plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
    succeeds(&plane, "the window is still open").await;
    controller.stop().await;
}

async fn an_approved_run_takes_its_turn_when_its_window_opens(plane: Plane) {
    let (controller, _) = approved_too_late(&plane).await;
    act(&plane, "first", "wait", json!({})).await;
    until(&plane, "first", ActionPhase::Running).await;
    controller.advance(SignedDuration::from_hours(23));
    edit(&plane, "web", json!({"reason": "look again: the clock has jumped"})).await;
    let reason = |run: &PromiseAction| Some(run.status.as_ref()?.waiting_on.as_ref()?.reason);
    let waiting = wait(actions(&plane), "b", "waiting for its turn", |run| reason(run) == Some(WaitingReason::OtherAction)).await;
    assert_eq!(waiting.status.unwrap().waiting_on.unwrap().object.as_deref(), Some("first"));
    assert_eq!(plane.config_maps().get_opt("b").await.unwrap(), None, "the other run is first");
    go(&plane).await;
    until(&plane, "first", ActionPhase::Succeeded).await;
    succeeds(&plane, "it is its turn").await;
    controller.stop().await;
}

async fn an_approved_run_begins_when_its_window_is_removed(plane: Plane) {
    let (controller, _) = approved_too_late(&plane).await;
    let policies: Api<Policy> = Api::all(plane.client("admin", "root:platform"));
    policies.delete("careful", &DeleteParams::default()).await.unwrap();
    succeeds(&plane, "the approval is still valid").await;
    controller.stop().await;
}

/// Returns the time of day after this time.
fn time_of_day(after: SignedDuration) -> String {
    #[expect(clippy::disallowed_methods, reason = "the clock of this test binary")]
    let now = Timestamp::now();
    (now + after).strftime("%H:%M").to_string()
}

/// The window is open, and the controller dies before each of its writes in turn.
#[tokio::test(flavor = "multi_thread")]
async fn an_approved_run_begins_once_whichever_write_the_controller_dies_before() {
    for writes in 0..8 {
        let plane = Plane::open().await;
        let controller = with_request(&plane).await;
        let (from, to) = (time_of_day(SignedDuration::from_mins(-30)), time_of_day(SignedDuration::from_mins(90)));
        plane.govern(&careful(&from, &to)).await;
        let_decide(&plane, "erin", &["careful"]).await;
        act(&plane, "b", "backup", json!({})).await;
        let asking = asked(&plane, "b", "policy-1").await;
        controller.advance(SignedDuration::from_hours(3));
        answer(&plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
        waits(&plane, "b").await;
        controller.crash();

        // The clocks of the next ones aren't ahead.
        let (mortal, hanging) = plane.mortal_controller(writes).await;
        tokio::select! {
            () = hanging.notified() => {}
            _ = until(&plane, "b", ActionPhase::Succeeded) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        succeeds(&plane, &format!("after {writes} writes")).await;
        controller.stop().await;
    }
}
