//! Steps that people decide about: approvals, rejections, overrides and skips.

use cluster::kinds::{Approval, PromiseAction, PromiseRequest, object};
use kube::api::{Api, DeleteParams, PostParams};
use kube::{Client, ResourceExt as _};
use promise::api::{
    ActionPhase, DecisionReason, DecisionState, Phase, StepPhase, StepReason, StepStatus, WaitingKind, WaitingReason, WorkflowName,
    WorkflowPhase,
};
use serde_json::{Value, json};

use super::{level, objects, promise, retry, run, step, waits};
use crate::approvals::{decide, edit};
use crate::running::Running;
use crate::world::{Plane, apply, condition, on_every_plane_in_full, wait};

on_every_plane_in_full![
    what_is_behind_a_gate_waits_until_someone_else_approves,
    a_rejection_fails_the_run_and_a_retry_asks_anew,
    a_rejection_rolls_back_if_the_step_says_so,
    an_approval_of_an_earlier_run_does_not_count,
    an_override_approves_a_gate_alone,
    a_step_that_failed_is_skipped_with_permission_and_reason,
    a_deletion_waits_for_its_gate,
    an_action_waits_for_its_gate,
];

fn gate(rest: Value) -> Value {
    let mut step = json!({"id": "gate", "title": "Change board", "approve": {
        "approvers": {"groups": ["operations"]}, "message": "Check the plan"}});
    step.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    step
}

fn check() -> Value {
    json!({"id": "check", "validate": {"expression": "${parameters.level > 5}", "message": "The level is too low."}})
}

/// Publishes a promise on which only Erin can decide.
async fn with_promise(plane: &Plane, workflows: Value) -> Running {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", promise("1.0.0", workflows)).await;
    let_decide(plane, "erin", &["approve"]).await;
    controller
}

fn platform(plane: &Plane) -> Client {
    plane.client("admin", "root:platform")
}

/// Grants a user these verbs on the promise, and the permission to create Approvals.
pub async fn let_decide(plane: &Plane, who: &str, verbs: &[&str]) {
    let name = format!("decides-{who}");
    let own = |resource: &str, verbs: Value| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let mut decides = own("promises", json!(verbs));
    decides["resourceNames"] = json!(["settings"]);
    let access = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
        "rules": [access, own("approvals", json!(["get", "create", "delete"])), decides]});
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": who}],
    });
    apply(&platform(plane), &role).await.unwrap();
    apply(&platform(plane), &binding).await.unwrap();
}

fn status<'s>(steps: &'s [StepStatus], id: &str) -> &'s StepStatus {
    steps.iter().find(|step| step.id == id).expect("there is such a step")
}

pub fn of_request<'s>(request: &'s PromiseRequest, id: &str) -> &'s StepStatus {
    status(&request.status.as_ref().unwrap().steps, id)
}

/// A decision about a step of a request, as its status shows it now.
pub fn about(name: &str, request: &PromiseRequest, step: &StepStatus, decision: &str) -> Approval {
    let spec = json!({
        "request": {"namespace": request.namespace(), "name": request.name_any(), "uid": request.uid()},
        "rule": {"promise": "settings", "name": step.id}, "contentHash": step.content_hash.clone().expect("it can be decided about"),
        "decision": decision, "comment": "because I looked",
    });
    object(name, None, serde_json::from_value(spec).unwrap())
}

/// Waits until a gate of a request waits for people.
async fn asked(plane: &Plane, name: &str) -> PromiseRequest {
    plane.until(name, "waiting at its gate", is_asked).await
}

fn is_asked(request: &PromiseRequest) -> bool {
    step(request, "gate") == Some(StepPhase::Running) && waits(request) == Some(WaitingReason::ApprovalNeeded)
}

/// Waits until a run has failed.
async fn failed(plane: &Plane, name: &str) -> PromiseRequest {
    plane.until(name, "failed", |request| run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::Failed)).await
}

/// Waits until the status of a decision says what became of it.
pub async fn judged(plane: &Plane, name: &str, state: DecisionState, reason: Option<DecisionReason>) {
    let approvals: Api<Approval> = Api::all(platform(plane));
    let is_judged = |approval: &Approval| approval.status.as_ref().is_some_and(|status| (status.state, status.reason) == (state, reason));
    wait(approvals, name, &format!("{state:?} {reason:?}"), is_judged).await;
}

async fn what_is_behind_a_gate_waits_until_someone_else_approves(plane: Plane) {
    let controller = with_promise(&plane, json!({"provision": {"steps": [gate(json!({})), objects("gate")]}})).await;
    // Dana may decide, and asks herself.
    let_decide(&plane, "dana", &["approve"]).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    let waiting = asked(&plane, "web").await;
    let ball = waiting.status.as_ref().unwrap().waiting_on.clone().unwrap();
    assert_eq!(
        (ball.kind, ball.who.as_slice(), ball.object.as_deref()),
        (WaitingKind::Person, &["operations".to_owned()][..], Some("gate"))
    );
    assert_eq!(ball.message, "Waiting for “Change board”: One of operations must approve. Check the plan");
    assert_eq!(waiting.status.as_ref().unwrap().phase, Phase::Provisioning);

    let gate = of_request(&waiting, "gate");
    decide(&plane, "dana", &about("own", &waiting, gate, "approve")).await;
    judged(&plane, "own", DecisionState::Void, Some(DecisionReason::OwnRequest)).await;
    let mut other = about("other-hash", &waiting, gate, "approve");
    other.spec.content_hash = "0000".into();
    decide(&plane, "erin", &other).await;
    judged(&plane, "other-hash", DecisionState::Void, Some(DecisionReason::OtherContent)).await;
    assert_eq!(level(&plane).await, None, "nothing is made before");

    decide(&plane, "erin", &about("yes", &waiting, gate, "approve")).await;
    let ready = plane.ready("web").await;
    judged(&plane, "yes", DecisionState::Counts, None).await;
    assert_eq!(of_request(&ready, "gate").message.as_deref(), Some("erin approved it: because I looked."));
    assert_eq!(level(&plane).await.as_deref(), Some("4"));
    controller.stop().await;
}

async fn a_rejection_fails_the_run_and_a_retry_asks_anew(plane: Plane) {
    let controller = with_promise(&plane, json!({"provision": {"steps": [gate(json!({})), objects("gate")]}})).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "erin", &about("no", &waiting, of_request(&waiting, "gate"), "reject")).await;
    let rejected = failed(&plane, "web").await;
    assert_eq!(of_request(&rejected, "gate").reason, Some(StepReason::Rejected));
    let why = "“Change board” failed: erin rejected it: because I looked.";
    assert!(condition(&rejected, "Applied").contains(why), "{}", condition(&rejected, "Applied"));
    judged(&plane, "no", DecisionState::Counts, None).await;

    retry(&plane).await;
    let again = asked(&plane, "web").await;
    assert_ne!(of_request(&again, "gate").content_hash, of_request(&waiting, "gate").content_hash);
    decide(&plane, "erin", &about("yes", &again, of_request(&again, "gate"), "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn a_rejection_rolls_back_if_the_step_says_so(plane: Plane) {
    let last = gate(json!({"dependsOn": ["objects"], "onFailure": "rollback"}));
    let all = json!({"id": "objects", "apply": {"resources": ["config", "access", "more"]}});
    let controller = with_promise(&plane, json!({"upgrade": {"steps": [all, last]}})).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    plane.ready("web").await;
    edit(&plane, "web", json!({"parameters": {"level": 7}})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "erin", &about("no", &waiting, of_request(&waiting, "gate"), "reject")).await;
    let back = plane.until("web", "rolled back", |request| run(request) == Some((WorkflowName::Upgrade, WorkflowPhase::RolledBack))).await;
    assert_eq!(waits(&back), Some(WaitingReason::RolledBack));
    assert_eq!(level(&plane).await.as_deref(), Some("4"));
    controller.stop().await;
}

async fn an_approval_of_an_earlier_run_does_not_count(plane: Plane) {
    let controller = with_promise(&plane, json!({"provision": {"steps": [gate(json!({})), objects("gate")]}})).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    let first = asked(&plane, "web").await;
    let earlier = about("earlier", &first, of_request(&first, "gate"), "approve");
    edit(&plane, "web", json!({"parameters": {"level": 6}})).await;
    let hash = of_request(&first, "gate").content_hash.clone();
    let is_another = |request: &PromiseRequest| is_asked(request) && of_request(request, "gate").content_hash != hash;
    let second = plane.until("web", "waiting in another run", is_another).await;
    decide(&plane, "erin", &earlier).await;
    judged(&plane, "earlier", DecisionState::Void, Some(DecisionReason::OtherContent)).await;
    assert_eq!(level(&plane).await, None);
    decide(&plane, "erin", &about("yes", &second, of_request(&second, "gate"), "approve")).await;
    plane.ready("web").await;
    assert_eq!(level(&plane).await.as_deref(), Some("6"));
    controller.stop().await;
}

async fn an_override_approves_a_gate_alone(plane: Plane) {
    let mut two = gate(json!({}));
    two["approve"]["required"] = json!(2);
    let controller = with_promise(&plane, json!({"provision": {"steps": [two, objects("gate")]}})).await;
    let_decide(&plane, "erin", &["approve", "override"]).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    let waiting = asked(&plane, "web").await;
    let mut emergency = about("emergency", &waiting, of_request(&waiting, "gate"), "approve");
    emergency.spec.emergency = true;
    decide(&plane, "erin", &emergency).await;
    plane.ready("web").await;
    judged(&plane, "emergency", DecisionState::Counts, None).await;
    controller.stop().await;
}

async fn a_step_that_failed_is_skipped_with_permission_and_reason(plane: Plane) {
    let controller = with_promise(&plane, json!({"provision": {"steps": [check(), objects("check")]}})).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    let stopped = failed(&plane, "web").await;
    let check = of_request(&stopped, "check");
    decide(&plane, "erin", &about("forbidden", &stopped, check, "skip")).await;
    judged(&plane, "forbidden", DecisionState::Void, Some(DecisionReason::NotPermitted)).await;
    assert_eq!(step(&plane.requests("dana").get("web").await.unwrap(), "check"), Some(StepPhase::Failed));

    let_decide(&plane, "sandbox", &["override"]).await;
    let mut silent = about("silent", &stopped, check, "skip");
    silent.spec.comment = Some("  ".into());
    let approvals: Api<Approval> = Api::all(platform(&plane));
    let refused = approvals.create(&PostParams::default(), &silent).await.unwrap_err();
    assert!(refused.to_string().contains("add a comment that says why"), "{refused}");
    decide(&plane, "sandbox", &about("skip", &stopped, check, "skip")).await;
    let ready = plane.ready("web").await;
    judged(&plane, "skip", DecisionState::Counts, None).await;
    let skipped = of_request(&ready, "check");
    assert_eq!((skipped.phase, skipped.reason), (StepPhase::Skipped, Some(StepReason::Skipped)));
    assert_eq!(skipped.message.as_deref(), Some("sandbox skipped it: because I looked."));
    assert_eq!(level(&plane).await.as_deref(), Some("4"));
    controller.stop().await;
}

async fn a_deletion_waits_for_its_gate(plane: Plane) {
    let controller = with_promise(&plane, json!({"deprovision": {"steps": [gate(json!({}))]}})).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    plane.ready("web").await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    let waiting = asked(&plane, "web").await;
    assert_eq!(level(&plane).await.as_deref(), Some("4"), "everything stays until then");
    decide(&plane, "erin", &about("yes", &waiting, of_request(&waiting, "gate"), "approve")).await;
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(level(&plane).await, None);
    controller.stop().await;
}

async fn an_action_waits_for_its_gate(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let mut spec = promise("1.0.0", json!({}));
    let mark = json!({"id": "mark", "dependsOn": ["gate"], "patch": {"resource": "config", "merge": {"data": {"marked": "yes"}}}});
    spec["actions"] = json!({"mark": {"steps": [gate(json!({})), mark]}});
    plane.publish("settings", spec).await;
    let_decide(&plane, "erin", &["approve"]).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    let request = plane.ready("web").await;
    let actions: Api<PromiseAction> = plane.in_shop("dana");
    let action = serde_json::from_value(json!({"request": "web", "action": "mark"})).unwrap();
    actions.create(&PostParams::default(), &object("mark-1", Some(plane.namespace()), action)).await.unwrap();
    let waiting = wait(actions.clone(), "mark-1", "waiting at its gate", |action: &PromiseAction| {
        let waiting = action.status.as_ref().and_then(|status| status.waiting_on.as_ref());
        waiting.is_some_and(|waiting| waiting.reason == WaitingReason::ApprovalNeeded)
    })
    .await;
    let steps = waiting.status.unwrap().steps;
    decide(&plane, "erin", &about("yes", &request, status(&steps, "gate"), "approve")).await;
    let is_done = |action: &PromiseAction| action.status.as_ref().is_some_and(|status| status.phase == ActionPhase::Succeeded);
    wait(actions, "mark-1", "done", is_done).await;
    judged(&plane, "yes", DecisionState::Counts, None).await;
    assert_eq!(plane.config_maps().get("web-config").await.unwrap().data.unwrap()["marked"], "yes");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn before_whichever_write_the_controller_dies_a_decision_about_a_step_counts_once() {
    let plane = Plane::open().await;
    let workflows = json!({"provision": {"steps": [gate(json!({})), objects("gate")]}});
    with_promise(&plane, workflows).await.crash();
    for writes in 0..10 {
        let name = format!("web-{writes}");
        let controller = plane.controller().await;
        plane.ask(&name, "settings", json!({"level": 4})).await;
        let waiting = asked(&plane, &name).await;
        controller.crash();
        let (mortal, hangs) = plane.mortal_controller(writes).await;
        let approval = format!("yes-{writes}");
        decide(&plane, "erin", &about(&approval, &waiting, of_request(&waiting, "gate"), "approve")).await;
        tokio::select! {
            () = hangs.notified() => {}
            _ = plane.ready(&name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        let ready = plane.ready(&name).await;
        judged(&plane, &approval, DecisionState::Counts, None).await;
        controller.crash();
        let gate = of_request(&ready, "gate");
        assert_eq!((gate.phase, gate.attempts), (StepPhase::Succeeded, 1), "after {writes} writes");
    }
}
