//! Several stages: who is asked when, and what a change of content or of rights does to those who agreed already.

use cluster::kinds::{Approval, PromiseRequest};
use kube::api::DeleteParams;
use promise::api::{ApprovalState, DecisionReason, DecisionState, DecisionStatus};
use serde_json::{Value, json};

use super::{about, approvals, asked, candidate, decide, denied, edit, let_decide, level};
use crate::running::Running;
use crate::world::{Plane, condition, on_every_plane_in_full, settings, wait};

on_every_plane_in_full![
    one_person_does_not_pass_two_stages,
    only_members_of_the_named_groups_decide,
    a_change_voids_what_the_first_stage_agreed_to,
    a_right_that_is_gone_at_acceptance_asks_the_first_stage_again,
    everybody_who_is_named_has_to_agree,
];

/// A plane on which settings need two stages: the rule `first`, of operations, then the rule `second`, of the owners. Erin and Olga are of
/// operations, the sandbox is an owner, and each has the permission for both.
pub(super) async fn in_two_stages(plane: &Plane) -> Running {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane
        .govern(&rules(json!([
            {"name": "first", "approve": {"approvers": {"groups": ["operations"]}}},
            {"name": "second", "approve": {"stage": 2, "approvers": {"groups": ["owners"]}, "expiresAfter": "1h"}},
        ])))
        .await;
    let_decide(plane, "erin", &["careful"]).await;
    let_decide(plane, "olga", &["careful"]).await;
    let_decide(plane, "sandbox", &["careful"]).await;
    controller
}

fn rules(rules: Value) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "careful"},
        "spec": {"title": "Careful", "appliesTo": {"promises": ["settings"]}, "rules": rules},
    })
}

/// A decision about one of the rules.
pub(super) fn of_rule(rule: &str, name: &str, request: &PromiseRequest, decision: &str) -> Approval {
    let mut approval = about(name, request, decision);
    approval.spec.rule.name = rule.to_owned();
    approval
}

/// The status of a decision, once it has this state and reason.
pub(super) async fn told(plane: &Plane, name: &str, state: DecisionState, reason: impl Into<Option<DecisionReason>>) -> DecisionStatus {
    let reason = reason.into();
    let holds = |approval: &Approval| approval.status.as_ref().is_some_and(|told| (told.state, told.reason) == (state, reason));
    wait(approvals(plane, "admin"), name, &format!("{state:?} {reason:?}"), holds).await.status.unwrap()
}

fn states(request: &PromiseRequest) -> Vec<ApprovalState> {
    request.status.iter().flat_map(|status| &status.approvals).map(|approval| approval.state).collect()
}

async fn until_states(plane: &Plane, wanted: &[ApprovalState]) -> PromiseRequest {
    plane.until("web", &format!("{wanted:?}"), |request| states(request) == wanted).await
}

async fn one_person_does_not_pass_two_stages(plane: Plane) {
    use ApprovalState::{Approved, Waiting};
    let controller = in_two_stages(&plane).await;
    plane
        .govern(&rules(json!([
            {"name": "first", "approve": {"approvers": {"groups": ["operations"]}}},
            {"name": "second", "approve": {"stage": 2, "approvers": {"groups": ["operations", "owners"]}}},
        ])))
        .await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    decide(&plane, "erin", &of_rule("first", "one", &first, "approve")).await;
    until_states(&plane, &[Approved, Waiting]).await;
    decide(&plane, "erin", &of_rule("second", "two", &first, "approve")).await;
    told(&plane, "two", DecisionState::Void, DecisionReason::ApprovedElsewhere).await;
    assert_eq!(level(&plane, "web").await, None, "nothing is made");
    decide(&plane, "olga", &of_rule("second", "three", &first, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn only_members_of_the_named_groups_decide(plane: Plane) {
    use ApprovalState::{Approved, Waiting};
    let controller = in_two_stages(&plane).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    decide(&plane, "erin", &of_rule("first", "one", &first, "approve")).await;
    until_states(&plane, &[Approved, Waiting]).await;
    for (name, decision) in [("yes", "approve"), ("no", "reject"), ("other", "requestChanges")] {
        decide(&plane, "olga", &of_rule("second", name, &first, decision)).await;
        told(&plane, name, DecisionState::Void, DecisionReason::NotAnApprover).await;
    }
    assert_eq!(states(&until_states(&plane, &[Approved, Waiting]).await), [Approved, Waiting]);
    decide(&plane, "sandbox", &of_rule("second", "two", &first, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn a_change_voids_what_the_first_stage_agreed_to(plane: Plane) {
    use ApprovalState::{Approved, Queued, Waiting};
    let controller = in_two_stages(&plane).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    let lines = &first.status.as_ref().unwrap().approvals;
    assert_eq!(states(&first), [Waiting, Queued]);
    assert_eq!((lines[0].stage, lines[1].stage, lines[1].expires_at.as_ref()), (1, 2, None), "no clock runs before its turn");
    let waiting = first.status.as_ref().unwrap().waiting_on.as_ref().unwrap();
    assert!(waiting.who == ["operations"] && waiting.message.contains("stage 2 follows"), "{waiting:?}");
    // Whoever is early waits for their turn.
    decide(&plane, "sandbox", &of_rule("second", "early", &first, "approve")).await;
    told(&plane, "early", DecisionState::Pending, DecisionReason::StageNotOpen).await;
    approvals(&plane, "sandbox").delete("early", &DeleteParams::default()).await.unwrap();

    decide(&plane, "erin", &of_rule("first", "one", &first, "approve")).await;
    let half = until_states(&plane, &[Approved, Waiting]).await;
    assert!(half.status.as_ref().unwrap().approvals[1].expires_at.is_some(), "its clock runs now");
    assert_eq!(half.status.as_ref().unwrap().waiting_on.as_ref().unwrap().who, ["owners"]);
    told(&plane, "one", DecisionState::Counts, None).await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    let changed = plane
        .until("web", "asked about something else", |r| {
            r.status.as_ref().is_some_and(|_| candidate(r).content_hash != candidate(&first).content_hash && states(r) == [Waiting, Queued])
        })
        .await;
    told(&plane, "one", DecisionState::Superseded, DecisionReason::FormerContent).await;
    let former = &changed.status.as_ref().unwrap().approvals[0].given[0];
    assert_eq!((former.approval.as_str(), former.content_hash.as_str()), ("one", candidate(&first).content_hash.as_str()));
    // The same decision written once more is about the same former content.
    decide(&plane, "erin", &of_rule("first", "replayed", &first, "approve")).await;
    told(&plane, "replayed", DecisionState::Superseded, DecisionReason::FormerContent).await;
    assert_eq!(level(&plane, "web").await, None);
    decide(&plane, "erin", &of_rule("first", "two", &changed, "approve")).await;
    until_states(&plane, &[Approved, Waiting]).await;
    decide(&plane, "sandbox", &of_rule("second", "three", &changed, "approve")).await;
    plane.ready("web").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("4"));

    // Back to the content that the first stage agreed to once: it is asked about anew.
    edit(&plane, "web", json!({"parameters": {"level": 2}})).await;
    let back = until_states(&plane, &[Waiting, Queued]).await;
    assert_eq!(candidate(&back).content_hash, candidate(&first).content_hash);
    told(&plane, "one", DecisionState::Superseded, DecisionReason::EarlierQuestion).await;
    controller.stop().await;
}

async fn a_right_that_is_gone_at_acceptance_asks_the_first_stage_again(plane: Plane) {
    use ApprovalState::{Approved, Queued, Waiting};
    let controller = in_two_stages(&plane).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "erin", &of_rule("first", "one", &waiting, "approve")).await;
    until_states(&plane, &[Approved, Waiting]).await;
    let_decide(&plane, "erin", &[]).await;
    denied(&plane, "erin").await;
    decide(&plane, "sandbox", &of_rule("second", "two", &waiting, "approve")).await;
    until_states(&plane, &[Waiting, Queued]).await;
    told(&plane, "one", DecisionState::Void, DecisionReason::NotPermitted).await;
    told(&plane, "two", DecisionState::Pending, DecisionReason::StageNotOpen).await;
    assert_eq!(level(&plane, "web").await, None, "what was agreed to without the right is not made");
    decide(&plane, "olga", &of_rule("first", "three", &waiting, "approve")).await;
    plane.ready("web").await;
    told(&plane, "two", DecisionState::Counts, None).await;
    controller.stop().await;
}

async fn everybody_who_is_named_has_to_agree(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.govern(&rules(json!([{"name": "look", "approve": {"required": "all", "approvers": {"users": ["erin", "sandbox"]}}}]))).await;
    for who in ["erin", "sandbox", "admin"] {
        let_decide(&plane, who, &["careful"]).await;
    }
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "admin", &about("whoever", &waiting, "approve")).await;
    decide(&plane, "erin", &about("one", &waiting, "approve")).await;
    let half = plane.until("web", "agreed to by one", |r| condition(r, "Approved").contains("The approval of sandbox is missing")).await;
    assert_eq!(half.status.as_ref().unwrap().approvals[0].missing, ["sandbox"]);
    decide(&plane, "sandbox", &about("two", &waiting, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}
