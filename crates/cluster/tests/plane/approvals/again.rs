//! Questions that are asked again after they ended, and broken glass.

use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::Event;
use kube::api::{Api, ListParams, Patch, PatchParams};
use promise::api::{CandidateState, DecisionReason, DecisionState};
use promise::names;
use serde_json::json;

use super::content::{governing, type_in, vault};
use super::stages::{in_two_stages, of_rule, told};
use super::{about, asked, candidate, decide, edit, governed, let_do, level};
use crate::world::{PATIENCE, Plane, condition, on_every_plane_in_full};

on_every_plane_in_full![
    a_negative_decision_stands_while_policies_change,
    what_was_turned_down_is_asked_again_about_the_same_content,
    an_edit_of_what_is_not_content_leaves_the_question_open,
    other_labels_answer_a_request_for_changes,
    another_typed_secret_answers_a_request_for_changes,
    what_was_taken_back_cannot_be_approved_until_it_is_asked_again,
    who_breaks_the_glass_approves_alone_and_everybody_is_told,
];

async fn what_was_turned_down_is_asked_again_about_the_same_content(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    decide(&plane, "erin", &about("no", &first, "reject")).await;
    let rejected = plane.until("web", "turned down", |r| condition(r, "Approved").starts_with("False Rejected")).await;
    let question = rejected.status.as_ref().unwrap().question.clone().unwrap();
    assert!(condition(&rejected, "Approved").contains(&format!("{}={}", names::ASK_AGAIN_ANNOTATION, question.since)));
    let again = json!({"metadata": {"annotations": {names::ASK_AGAIN_ANNOTATION: question.since}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&again)).await.unwrap();
    let second = asked(&plane, "web").await;
    assert_eq!(candidate(&second).content_hash, candidate(&first).content_hash);
    assert!(second.status.as_ref().unwrap().question.as_ref().unwrap().since > question.since);
    told(&plane, "no", DecisionState::Superseded, DecisionReason::EarlierQuestion).await;
    // It asks once: the second no is not overruled by the annotation that is still there.
    decide(&plane, "erin", &about("no-again", &second, "reject")).await;
    let rejected = plane.until("web", "turned down again", |r| condition(r, "Approved").starts_with("False Rejected")).await;
    assert_eq!(candidate(&rejected).state, CandidateState::Rejected);
    told(&plane, "no-again", DecisionState::Counts, None).await;
    // So does any edit.
    edit(&plane, "web", json!({"reason": "please"})).await;
    let third = asked(&plane, "web").await;
    decide(&plane, "erin", &about("yes", &third, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

/// A rule that asks nobody anything, and changes the content of every request for settings.
fn unrelated(maximum: u32) -> serde_json::Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "unrelated"},
        "spec": {
            "title": "Unrelated", "appliesTo": {"promises": ["settings"]},
            "rules": [{"name": "most", "constrain": {"parameter": ".level", "maximum": maximum}}],
        },
    })
}

async fn a_negative_decision_stands_while_policies_change(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    let ends = [
        ("no", "reject", CandidateState::Rejected),
        ("other", "requestChanges", CandidateState::ChangesRequested),
        ("back", "", CandidateState::Withdrawn),
    ];
    let mut ended = Vec::new();
    for (name, decision, state) in ends {
        plane.ask(name, "settings", json!({"level": 2})).await;
        let first = asked(&plane, name).await;
        if decision.is_empty() {
            let since = &first.status.as_ref().unwrap().question.as_ref().unwrap().since;
            let note = json!({"metadata": {"annotations": {names::WITHDRAW_ANNOTATION: since}}});
            plane.requests("dana").patch(name, &PatchParams::default(), &Patch::Merge(note)).await.unwrap();
        } else {
            decide(&plane, "erin", &about(name, &first, decision)).await;
        }
        ended.push((name, state, plane.until(name, "over", |r| r.status.is_some() && candidate(r).state == state).await));
    }
    plane.govern(&unrelated(8)).await;
    for (name, state, before) in &ended {
        let now = plane.until(name, "marked", |r| candidate(r).policies_changed).await;
        assert_eq!((candidate(&now).state, candidate(&now).content_hash), (*state, candidate(before).content_hash), "{name}");
        let approved = condition(&now, "Approved");
        assert!(approved.contains("Policies changed since then"), "{name}: {approved}");
        let (was, is) = (before.status.as_ref().unwrap(), now.status.as_ref().unwrap());
        assert_eq!((&is.approvals, &is.question, &is.phase), (&was.approvals, &was.question, &was.phase), "{name}");
    }
    // A policy that refuses it, and is withdrawn, leaves the decision as it was.
    plane.govern(&unrelated(1)).await;
    plane.until("no", "refused", |r| condition(r, "PoliciesSatisfied").starts_with("False")).await;
    plane.govern(&unrelated(9)).await;
    let again = plane.until("no", "no longer refused", |r| condition(r, "PoliciesSatisfied").starts_with("True")).await;
    assert_eq!(candidate(&again).state, CandidateState::Rejected);

    // The requester resubmits one and edits another: both are asked about again, under the policies of today.
    let since = &ended[0].2.status.as_ref().unwrap().question.as_ref().unwrap().since;
    let again = json!({"metadata": {"annotations": {names::ASK_AGAIN_ANNOTATION: since}}});
    plane.requests("dana").patch("no", &PatchParams::default(), &Patch::Merge(again)).await.unwrap();
    edit(&plane, "other", json!({"parameters": {"level": 3}})).await;
    for (name, _, before) in &ended[..2] {
        let asked = asked(&plane, name).await;
        assert_ne!(candidate(&asked).content_hash, candidate(before).content_hash, "{name}");
        assert!(!candidate(&asked).policies_changed, "{name}");
        decide(&plane, "erin", &about(&format!("{name}-yes"), &asked, "approve")).await;
        plane.ready(name).await;
    }
    controller.stop().await;
}

async fn an_edit_of_what_is_not_content_leaves_the_question_open(plane: Plane) {
    let controller = in_two_stages(&plane).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    decide(&plane, "erin", &of_rule("first", "one", &first, "approve")).await;
    told(&plane, "one", DecisionState::Counts, None).await;
    let edited = edit(&plane, "web", json!({"reason": "the season begins"})).await;
    let seen =
        plane.until("web", "seen", |r| r.status.as_ref().is_some_and(|s| Some(s.observed_generation) == edited.metadata.generation)).await;
    assert_eq!(seen.status.as_ref().unwrap().question.as_ref().unwrap().since, first.status.unwrap().question.unwrap().since);
    decide(&plane, "sandbox", &of_rule("second", "two", &seen, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

/// Waits until changes were requested of what is asked now.
async fn changes_requested(plane: &Plane) -> PromiseRequest {
    let first = asked(plane, "web").await;
    decide(plane, "erin", &about("other", &first, "requestChanges")).await;
    plane.until("web", "to be changed", |r| candidate(r).state == CandidateState::ChangesRequested).await
}

/// The change is asked about, and what is agreed to then is made.
async fn is_asked_about(plane: &Plane, before: &PromiseRequest) {
    let again = asked(plane, "web").await;
    assert_ne!(candidate(&again).content_hash, candidate(before).content_hash);
    assert_eq!(candidate(&again).generation, candidate(before).generation, "nothing of the spec changed");
    decide(plane, "erin", &about("yes", &again, "approve")).await;
    plane.ready("web").await;
}

async fn other_labels_answer_a_request_for_changes(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let before = changes_requested(&plane).await;
    let label = json!({"metadata": {"labels": {"size": "small"}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&label)).await.unwrap();
    is_asked_about(&plane, &before).await;
    controller.stop().await;
}

async fn another_typed_secret_answers_a_request_for_changes(plane: Plane) {
    let controller = governing(&plane, "vault", vault()).await;
    type_in(&plane, "weak").await;
    plane.ask("web", "vault", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    let before = changes_requested(&plane).await;
    type_in(&plane, "strong").await;
    // The form that takes a secret says so beside the request.
    let typed = json!({"metadata": {"annotations": {names::INPUTS_ANNOTATION: "2"}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&typed)).await.unwrap();
    is_asked_about(&plane, &before).await;
    controller.stop().await;
}

async fn what_was_taken_back_cannot_be_approved_until_it_is_asked_again(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    let since = first.status.as_ref().unwrap().question.as_ref().unwrap().since.clone();
    let note = |name: &str| Patch::Merge(json!({"metadata": {"annotations": {name: since}}}));
    let params = PatchParams::default();
    plane.requests("dana").patch("web", &params, &note(names::WITHDRAW_ANNOTATION)).await.unwrap();
    let back = plane.until("web", "withdrawn", |r| condition(r, "Approved").starts_with("False Withdrawn")).await;
    assert!(candidate(&back).message.unwrap().starts_with("dana withdrew it"));
    decide(&plane, "erin", &about("late", &back, "approve")).await;
    let heard = |request: &PromiseRequest| json!(request.status).to_string().contains("\"approval\":\"late\"");
    let late = plane.until("web", "told of the late decision", heard).await;
    assert_eq!(candidate(&late).state, CandidateState::Withdrawn);
    assert_eq!(level(&plane, "web").await, None, "nothing is made");
    plane.requests("dana").patch("web", &params, &note(names::ASK_AGAIN_ANNOTATION)).await.unwrap();
    let second = asked(&plane, "web").await;
    assert_eq!(candidate(&second).content_hash, candidate(&first).content_hash);
    decide(&plane, "erin", &about("yes", &second, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn who_breaks_the_glass_approves_alone_and_everybody_is_told(plane: Plane) {
    let controller = in_two_stages(&plane).await;
    let_do(&plane, "override", "sandbox", &["careful"]).await;
    let asked_for = plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    let mut broken = of_rule("first", "broken", &waiting, "approve");
    broken.spec.emergency = true;
    broken.spec.comment = Some("The shop is down".into());
    decide(&plane, "sandbox", &broken).await;
    let ready = plane.ready("web").await;
    let said = condition(&ready, "Approved");
    assert!(said.starts_with("True EmergencyApproved: EMERGENCY: sandbox overrode all other approvers and approved it alone"), "{said}");
    assert!(said.contains("the rule first") && said.contains("the rule second") && said.contains("The shop is down"), "{said}");
    assert_eq!(told(&plane, "broken", DecisionState::Counts, None).await.message, "Counts as an override for the policy careful.");
    let warning = warned(&plane, &asked_for.metadata.uid.unwrap()).await;
    assert_eq!(warning.type_.as_deref(), Some("Warning"));
    assert!(warning.message.unwrap().contains("sandbox overrode all other approvers"));
    controller.stop().await;
}

/// The event that tells of broken glass.
async fn warned(plane: &Plane, uid: &str) -> Event {
    let api: Api<Event> = Api::namespaced(plane.client("admin", "root:acme:shop"), plane.namespace());
    let about = ListParams::default().fields(&format!("involvedObject.uid={uid}"));
    let waiting = async {
        loop {
            let found = api.list(&about).await.unwrap().items;
            if let Some(event) = found.into_iter().find(|event| event.reason.as_deref() == Some("ApprovalOverridden")) {
                return event;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it is told in time")
}
