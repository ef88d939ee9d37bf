//! Changes wait for the windows of policies. First releases and deletions don't.

use cluster::kinds::{Approval, Policy, PromiseRequest};
use jiff::{SignedDuration, Timestamp};
use kube::Api;
use kube::api::DeleteParams;
use promise::api::{CandidateState, DecisionState, WaitingKind, WaitingReason};
use serde_json::{Value, json};

use crate::approvals::{about, asked, careful, decide, edit, let_decide, let_do, level};
use crate::running::Running;
use crate::world::{Plane, condition, on_every_plane, settings, wait};

on_every_plane![
    an_edit_waits_for_its_window_and_is_carried_out_when_it_opens,
    who_may_override_the_policy_changes_it_now,
    a_change_is_carried_out_when_its_window_is_removed_and_a_deletion_never_waits,
    approvers_are_asked_before_the_window_opens,
    windows_without_a_common_time_say_so,
];

/// A policy whose window opens at 03:00 UTC.
pub fn nights(name: &str, from: &str, to: &str) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": name},
        "spec": {"title": "Nights", "appliesTo": {"promises": ["settings"]}, "rules": [{"name": "hours", "window": {"from": from, "to": to}}]},
    })
}

/// Sets the clock of a controller to this time before the window opens at 03:00 UTC.
pub fn before_the_opening(controller: &Running, left: SignedDuration) {
    #[expect(clippy::disallowed_methods, reason = "the clock of this test binary")]
    let now = Timestamp::now().as_second();
    let until = (3 * 3600 - now).rem_euclid(24 * 3600);
    controller.advance(SignedDuration::from_secs(until) - left);
}

/// A running request under a policy whose window opens after this time.
async fn running(plane: &Plane, left: SignedDuration) -> Running {
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.offer().await;
    before_the_opening(&controller, SignedDuration::from_hours(2));
    plane.govern(&nights("nights", "03:00", "04:00")).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    // Nothing runs that a first release would change.
    plane.ready("web").await;
    controller.advance(SignedDuration::from_hours(2) - left);
    controller
}

async fn waits(plane: &Plane) -> PromiseRequest {
    let waits = |request: &PromiseRequest| request.status.as_ref().and_then(|status| Some(status.waiting_on.as_ref()?.reason));
    plane.until("web", "waiting for its window", |request| waits(request) == Some(WaitingReason::ChangeWindow)).await
}

async fn reaches(plane: &Plane, level: u64) -> PromiseRequest {
    let runs = |request: &PromiseRequest| {
        let current = request.status.as_ref().and_then(|status| status.current.as_ref());
        current.is_some_and(|current| current.generation == request.metadata.generation) && condition(request, "Ready").starts_with("True")
    };
    let request = plane.until("web", "changed", runs).await;
    assert_eq!(self::level(plane, "web").await, Some(level.to_string()));
    request
}

async fn an_edit_waits_for_its_window_and_is_carried_out_when_it_opens(plane: Plane) {
    let controller = running(&plane, SignedDuration::from_secs(8)).await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    let waiting = waits(&plane).await;
    let status = waiting.status.clone().unwrap();
    assert_eq!(status.candidate.map(|candidate| candidate.state), Some(CandidateState::AwaitingWindow));
    let waits = status.waiting_on.unwrap();
    assert_eq!((waits.kind, waits.object.as_deref()), (WaitingKind::Controller, Some("nights")));
    assert!(waits.message.starts_with("Waits for the window of Nights: opens on "), "{}", waits.message);
    assert!(waits.message.ends_with(" at 03:00 (UTC)"), "{}", waits.message);
    assert!(condition(&waiting, "Approved").starts_with("False AwaitingWindow"), "{}", condition(&waiting, "Approved"));
    assert_eq!(level(&plane, "web").await.as_deref(), Some("2"), "the running release stays");
    // No one does anything.
    reaches(&plane, 4).await;
    controller.stop().await;
}

async fn who_may_override_the_policy_changes_it_now(plane: Plane) {
    let controller = running(&plane, SignedDuration::from_hours(1)).await;
    let_do(&plane, "override", "sandbox", &["nights"]).await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    let waiting = waits(&plane).await;
    let mut broken = about("broken", &waiting, "approve");
    (broken.spec.rule.policy, broken.spec.rule.name) = (Some("nights".into()), "hours".into());
    broken.spec.emergency = true;
    broken.spec.comment = Some("The shop is down".into());
    decide(&plane, "sandbox", &broken).await;
    let changed = reaches(&plane, 4).await;
    let said = condition(&changed, "Approved");
    assert!(said.starts_with("True EmergencyApproved: EMERGENCY: sandbox overrode the window"), "{said}");
    assert!(said.contains("The shop is down"), "{said}");
    let approvals: Api<Approval> = Api::all(plane.client("admin", "root:platform"));
    let state = |approval: &Approval| approval.status.as_ref().map(|status| status.state);
    wait(approvals, "broken", "counted", |approval| state(approval) == Some(DecisionState::Counts)).await;
    controller.stop().await;
}

async fn a_change_is_carried_out_when_its_window_is_removed_and_a_deletion_never_waits(plane: Plane) {
    let controller = running(&plane, SignedDuration::from_hours(1)).await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    waits(&plane).await;
    let policies: Api<Policy> = Api::all(plane.client("admin", "root:platform"));
    policies.delete("nights", &DeleteParams::default()).await.unwrap();
    reaches(&plane, 4).await;

    plane.govern(&nights("nights", "03:00", "04:00")).await;
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    waits(&plane).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    controller.stop().await;
}

async fn approvers_are_asked_before_the_window_opens(plane: Plane) {
    let controller = running(&plane, SignedDuration::from_hours(1)).await;
    plane.govern(&careful(json!({"approvers": {"groups": ["operations"]}}))).await;
    let_decide(&plane, "erin", &["careful"]).await;
    edit(&plane, "web", json!({"parameters": {"level": 6}})).await;
    let asked = asked(&plane, "web").await;
    decide(&plane, "erin", &about("yes", &asked, "approve")).await;
    let waiting = waits(&plane).await;
    let hashes = [&asked, &waiting].map(|request| request.status.as_ref().unwrap().candidate.as_ref().unwrap().content_hash.clone());
    assert_eq!(hashes[0], hashes[1], "the time isn't part of what they approved");
    assert_eq!(level(&plane, "web").await.as_deref(), Some("2"));
    controller.advance(SignedDuration::from_hours(1));
    edit(&plane, "web", json!({"reason": "look again: the clock has jumped"})).await;
    reaches(&plane, 6).await;
    controller.stop().await;
}

async fn windows_without_a_common_time_say_so(plane: Plane) {
    let controller = running(&plane, SignedDuration::from_hours(1)).await;
    plane.govern(&nights("evenings", "20:00", "22:00")).await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    let waits = waits(&plane).await.status.unwrap().waiting_on.unwrap();
    assert_eq!(waits.kind, WaitingKind::Person);
    assert!(waits.message.contains("aren't open at the same time in the next five weeks"), "{}", waits.message);
    controller.stop().await;
}
