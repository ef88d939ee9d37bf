//! Rollbacks that can't be finished at once: what was done outside is undone all the same, whatever someone does with the request.

use kube::api::DeleteParams;
use promise::api::{CandidateState, DecisionReason, DecisionState, WaitingReason, WorkflowName, WorkflowPhase};
use serde_json::{Value, json};

use super::approve::{about, judged, let_decide, of_request};
use super::tickets::Tickets;
use super::{level, objects, promise, run, ticket, waits, with_tickets};
use crate::approvals::{decide, edit};
use crate::running::Running;
use crate::world::{Plane, on_every_plane_in_full};

on_every_plane_in_full![
    an_edit_waits_until_the_rollback_is_done,
    an_edit_that_is_refused_leaves_the_former_release,
    a_deletion_first_undoes_what_a_rollback_has_left,
    an_undo_that_fails_is_skipped_with_permission_and_reason,
];

/// An upgrade whose ticket can't be deleted, although its last step failed.
async fn stuck(plane: &Plane, rest: Value) -> (Running, Tickets) {
    let (controller, tickets) = with_tickets(plane).await;
    tickets.new_tickets_are("resolved");
    tickets.are_locked(true);
    let check = json!({
        "id": "check", "dependsOn": ["objects"], "onFailure": "rollback",
        "validate": {"expression": "${parameters.level < 6}", "message": "The level is too high."},
    });
    let mut raise = ticket("Raise it to ${parameters.level}");
    raise["retry"]["backoff"] = json!("1s");
    let mut workflows = json!({"upgrade": {"steps": [raise, objects("ticket"), check]}});
    workflows.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    plane.publish("settings", promise("1.0.0", workflows)).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    plane.ready("web").await;
    edit(plane, "web", json!({"parameters": {"level": 7}})).await;
    let is_stuck = |request: &cluster::kinds::PromiseRequest| of_request(request, "ticket").undo_attempts > 0;
    let has_run = |request: &cluster::kinds::PromiseRequest| run(request).is_some();
    let waiting = plane.until("web", "waiting for its undo", |request| has_run(request) && is_stuck(request)).await;
    assert_eq!(run(&waiting), Some((WorkflowName::Upgrade, WorkflowPhase::RollingBack)));
    assert_eq!(waits(&waiting), Some(WaitingReason::RollingBack));
    (controller, tickets)
}

async fn an_edit_waits_until_the_rollback_is_done(plane: Plane) {
    let (controller, tickets) = stuck(&plane, json!({})).await;
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    let observed = |request: &cluster::kinds::PromiseRequest| {
        request.status.as_ref().is_some_and(|status| Some(status.observed_generation) == request.metadata.generation)
    };
    let waiting = plane.until("web", "observed", observed).await;
    assert_eq!(run(&waiting), Some((WorkflowName::Upgrade, WorkflowPhase::RollingBack)));
    assert_eq!(tickets.titles(), ["Raise it to 7"], "the next change hasn't begun");
    tickets.are_locked(false);
    plane.until("web", "edited", |request| run(request) == Some((WorkflowName::Upgrade, WorkflowPhase::Succeeded))).await;
    plane.ready("web").await;
    assert_eq!(level(&plane).await.as_deref(), Some("5"));
    assert_eq!(
        (tickets.titles(), tickets.left()),
        (vec!["Raise it to 7".to_owned(), "Raise it to 5".to_owned()], vec!["Raise it to 5".to_owned()])
    );
    controller.stop().await;
}

async fn an_edit_that_is_refused_leaves_the_former_release(plane: Plane) {
    let (controller, tickets) = stuck(&plane, json!({})).await;
    edit(&plane, "web", json!({"parameters": {"level": "high"}})).await;
    tickets.are_locked(false);
    let refused = plane.until("web", "refused", |request| waits(request) == Some(WaitingReason::InvalidRequest)).await;
    assert_eq!(level(&plane).await.as_deref(), Some("4"));
    let current = refused.status.as_ref().unwrap().current.as_ref().unwrap();
    assert_eq!(current.generation, Some(1));
    assert_eq!(tickets.left(), Vec::<String>::new());
    controller.stop().await;
}

async fn a_deletion_first_undoes_what_a_rollback_has_left(plane: Plane) {
    let close = ticket("Close it at ${parameters.level}");
    let (controller, tickets) = stuck(&plane, json!({"deprovision": {"steps": [close]}})).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    let is_deleting = |request: &cluster::kinds::PromiseRequest| {
        let waiting = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
        waiting.is_some_and(|waiting| waiting.message.starts_with("Deleting the request, but “Open a ticket” couldn't be undone yet: "))
    };
    plane.until("web", "waiting for its undo", is_deleting).await;
    assert_eq!(level(&plane).await.as_deref(), Some("4"), "its objects stay until then");
    tickets.are_locked(false);
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(level(&plane).await, None);
    assert_eq!(tickets.left(), ["Close it at 4"], "the release before the rollback is the one that is removed");
    controller.stop().await;
}

async fn an_undo_that_fails_is_skipped_with_permission_and_reason(plane: Plane) {
    let (controller, tickets) = stuck(&plane, json!({})).await;
    let_decide(&plane, "erin", &["approve"]).await;
    let_decide(&plane, "sandbox", &["override"]).await;
    let waiting = plane.requests("dana").get("web").await.unwrap();
    decide(&plane, "erin", &about("forbidden", &waiting, of_request(&waiting, "ticket"), "skip")).await;
    judged(&plane, "forbidden", DecisionState::Void, Some(DecisionReason::NotPermitted)).await;
    decide(&plane, "sandbox", &about("skip", &waiting, of_request(&waiting, "ticket"), "skip")).await;
    let back = plane.until("web", "rolled back", |request| run(request) == Some((WorkflowName::Upgrade, WorkflowPhase::RolledBack))).await;
    judged(&plane, "skip", DecisionState::Counts, None).await;
    let step = of_request(&back, "ticket");
    assert_eq!((step.undone, step.undo_skipped), (false, true));
    assert_eq!(step.undo_message.as_deref(), Some("Not undone: sandbox skipped it: because I looked."));
    assert_eq!(back.status.as_ref().unwrap().candidate.as_ref().unwrap().state, CandidateState::Failed);
    assert_eq!(tickets.left(), ["Raise it to 7"]);
    controller.stop().await;
}
