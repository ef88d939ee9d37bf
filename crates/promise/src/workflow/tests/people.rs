//! Steps that people decide about: approvals, rejections and skips.

use serde_json::{Value, json};

use super::world::{World, promise};
use crate::api::{
    ActionPhase, CurrentStatus, Decision, DecisionReason, PromiseActionStatus, PromiseRequestStatus, StepPhase, StepReason, WaitingKind,
    WaitingReason, WorkflowName, WorkflowPhase,
};
use crate::approval::Right;
use crate::publish::validate;
use crate::workflow::{asks_about_first, asks_about_run, asks_about_step, asks_about_steps, step_in_question, waits};

fn gate() -> Value {
    json!({"id": "gate", "title": "Change board", "approve": {
        "approvers": {"groups": ["operations"]}, "message": "Check the plan"}})
}

fn apply(after: &[&str]) -> Value {
    json!({"id": "objects", "apply": {"resources": ["database", "config"]}, "dependsOn": after})
}

fn gated(gate: Value) -> World {
    World::new(json!([gate, apply(&["gate"])]))
}

fn given(world: &World, step: &str) -> Vec<(Decision, Option<DecisionReason>)> {
    let line = world.step(step).approval.as_ref().unwrap();
    line.given.iter().map(|given| (given.decision, given.reason)).collect()
}

#[test]
fn a_step_waits_until_someone_else_approves() {
    let mut world = gated(gate());
    world.advance();
    assert_eq!(world.phases(), ["gate Running", "objects Pending"]);
    assert_eq!(world.closed(), ["config", "database"]);
    let waiting = waits(world.step("gate")).unwrap();
    assert_eq!(
        (waiting.kind, waiting.reason, waiting.who),
        (WaitingKind::Person, WaitingReason::ApprovalNeeded, vec!["operations".into()])
    );
    assert_eq!(waiting.message, "Waiting for “Change board”: One of operations must approve. Check the plan");
    world.decide("dana", Decision::Approve, "gate", "");
    assert_eq!(given(&world, "gate"), [(Decision::Approve, Some(DecisionReason::OwnRequest))]);
    assert_eq!(world.step("gate").phase, StepPhase::Running);
    world.decide("erin", Decision::Approve, "gate", "");
    assert_eq!(world.phases(), ["gate Succeeded", "objects Running"]);
    assert_eq!(world.step("gate").message.as_deref(), Some("erin approved it."));
    assert_eq!(world.step("gate").content_hash, None, "nothing is left to decide");
}

#[test]
fn as_many_approve_as_the_step_requires_and_changes_hold_it() {
    let mut two = gate();
    two["approve"]["required"] = json!(2);
    let mut world = gated(two);
    world.advance();
    world.decide("erin", Decision::Approve, "gate", "");
    world.decide("olga", Decision::RequestChanges, "gate", "In the evening, please");
    assert_eq!(world.step("gate").message.as_deref(), Some("olga requested changes: In the evening, please. Check the plan"));
    world.decide("olga", Decision::Approve, "gate", "");
    assert_eq!(world.step("gate").phase, StepPhase::Succeeded);
}

#[test]
fn decisions_of_another_run_or_without_the_right_do_not_count() {
    let mut world = gated(gate());
    world.advance();
    let hash = world.step("gate").content_hash.clone().unwrap();
    world.decide_about("another", "erin", (Decision::Approve, "gate", ""), Right::Has);
    world.decide_about(&hash, "olga", (Decision::Approve, "gate", ""), Right::Lacks);
    assert_eq!(
        given(&world, "gate"),
        [(Decision::Approve, Some(DecisionReason::OtherContent)), (Decision::Approve, Some(DecisionReason::NotPermitted))]
    );
    assert_eq!(world.step("gate").phase, StepPhase::Running);
    world.run.status.run = 7;
    world.advance();
    assert_ne!(world.step("gate").content_hash.as_ref(), Some(&hash), "the next run asks again");
}

#[test]
fn a_rejection_fails_the_step_and_a_retry_asks_anew() {
    let mut world = gated(gate());
    world.advance();
    let first = world.step("gate").content_hash.clone();
    world.decide("erin", Decision::Reject, "gate", "Not before the holidays");
    assert_eq!((world.run.status.phase, world.step("gate").reason), (WorkflowPhase::Failed, Some(StepReason::Rejected)));
    assert_eq!(world.step("gate").message.as_deref(), Some("erin rejected it: Not before the holidays."));
    assert_eq!(given(&world, "gate"), [(Decision::Reject, None)], "the status says who rejected it");
    world.retry = Some("1".into());
    world.advance();
    assert_eq!((world.step("gate").phase, world.run.status.attempt), (StepPhase::Running, 2));
    assert_ne!(world.step("gate").content_hash, first);
    assert_eq!(given(&world, "gate"), [(Decision::Reject, Some(DecisionReason::FormerContent))]);
    world.decide("erin", Decision::Approve, "gate", "");
    assert_eq!(world.step("gate").phase, StepPhase::Succeeded);
}

#[test]
fn a_rejection_rolls_back_if_the_step_says_so() {
    let mut undone = gate();
    undone["onFailure"] = json!("rollback");
    let mut world = gated(undone);
    world.can_roll_back = true;
    world.advance();
    world.decide("erin", Decision::Reject, "gate", "No");
    assert_eq!(world.run.status.phase, WorkflowPhase::RollingBack);
}

#[test]
fn nobody_in_time_fails_the_step_and_what_was_decided_stays() {
    let mut slow = gate();
    (slow["timeout"], slow["approve"]["required"]) = (json!("1h"), json!(2));
    let mut world = gated(slow);
    world.advance();
    world.decide("erin", Decision::Approve, "gate", "");
    let hash = world.step("gate").content_hash.clone();
    world.passes(3_600);
    world.advance();
    assert_eq!((world.run.status.phase, world.step("gate").reason), (WorkflowPhase::Failed, Some(StepReason::TimedOut)));
    world.retry = Some("1".into());
    world.advance();
    assert_eq!(world.step("gate").content_hash, hash);
    world.decide("olga", Decision::Approve, "gate", "");
    assert_eq!(world.step("gate").phase, StepPhase::Succeeded);
}

#[test]
fn a_cancelled_run_asks_nobody() {
    let mut world = gated(gate());
    world.advance();
    world.cancel = Some("1".into());
    world.advance();
    world.decide("erin", Decision::Approve, "gate", "");
    assert_eq!((world.step("gate").phase, world.step("gate").reason), (StepPhase::Failed, Some(StepReason::Cancelled)));
}

#[test]
fn a_step_that_failed_is_skipped_with_a_reason_and_the_run_continues() {
    let check = json!({"id": "check", "validate": {"expression": "${parameters.port > 6000}", "message": "The port is low."}});
    let mut world = World::new(json!([check, apply(&["check"])]));
    world.advance();
    assert_eq!(world.run.status.phase, WorkflowPhase::Failed);
    world.decide("olga", Decision::Skip, "check", "");
    assert_eq!(given(&world, "check"), [(Decision::Skip, Some(DecisionReason::OverrideWithoutComment))]);
    let hash = world.step("check").content_hash.clone().unwrap();
    world.decide_about(&hash, "erin", (Decision::Skip, "check", "I want it"), Right::Lacks);
    assert_eq!((world.run.status.phase, world.run.status.attempt), (WorkflowPhase::Failed, 1));
    world.decide("olga", Decision::Skip, "check", "Agreed with networks");
    assert_eq!(world.phases(), ["check Skipped", "objects Running"]);
    assert_eq!((world.run.status.phase, world.run.status.attempt), (WorkflowPhase::Running, 2));
    assert_eq!(world.step("check").reason, Some(StepReason::Skipped));
    assert_eq!(world.step("check").message.as_deref(), Some("olga skipped it: Agreed with networks."));
    for id in ["database", "config"] {
        world.applied(id);
    }
    world.advance();
    assert_eq!(world.run.status.phase, WorkflowPhase::Succeeded);
}

#[test]
fn a_run_stays_failed_until_nothing_that_failed_is_left() {
    let slow = |id: &str| json!({"id": id, "wait": {"until": "${false}"}, "timeout": "1m"});
    let mut world = World::new(json!([slow("one"), slow("two"), apply(&["one", "two"])]));
    world.advance();
    world.passes(60);
    world.advance();
    world.decide("olga", Decision::Skip, "one", "It doesn't matter");
    assert_eq!((world.run.status.phase, world.run.status.attempt), (WorkflowPhase::Failed, 1));
    world.decide("olga", Decision::Skip, "two", "Neither does this");
    assert_eq!((world.run.status.phase, world.run.status.attempt), (WorkflowPhase::Running, 2));
}

#[test]
fn a_step_that_waits_is_skipped_but_none_that_changes_objects() {
    let mut world = World::new(json!([
        {"id": "ready", "wait": {"until": "${false}"}},
        {"id": "objects", "apply": {"resources": ["database", "config"]}},
    ]));
    world.advance();
    assert_eq!(world.step("objects").content_hash, None);
    world.decide("olga", Decision::Skip, "ready", "It never will be");
    world.decide("olga", Decision::Skip, "objects", "Nor this");
    assert_eq!(world.phases(), ["ready Skipped", "objects Running"]);
}

/// A run that can't be undone, because its ticket can't be deleted.
fn stuck_rollback() -> World {
    let mut world = World::new(json!([
        {"id": "ticket", "http": {"endpoint": "tickets", "method": "POST", "path": "/tickets", "outputs": {"id": "${answer.body.id}"},
            "undo": {"method": "DELETE", "path": "/tickets/${steps.ticket.id}"}}},
        {"id": "check", "validate": {"expression": "${false}", "message": "No."}, "onFailure": "rollback", "dependsOn": ["ticket"]},
        apply(&["check"]),
    ]));
    (world.can_roll_back, world.is_back) = (true, true);
    world.advance();
    world.answer(201, json!({"id": 1}));
    world.advance();
    assert_eq!(world.step("ticket").content_hash, None, "it can still be undone");
    world.answer(500, Value::Null);
    assert_eq!(world.run.status.phase, WorkflowPhase::RollingBack);
    world
}

#[test]
fn an_undo_that_fails_is_skipped_with_a_reason() {
    let mut world = stuck_rollback();
    assert_eq!(world.step("check").content_hash, None, "it failed, and the rollback doesn't wait for it");
    world.decide("olga", Decision::Skip, "ticket", "Closed by hand");
    let step = world.step("ticket");
    assert_eq!((step.undone, step.undo_skipped), (false, true));
    assert_eq!(step.undo_message.as_deref(), Some("Not undone: olga skipped it: Closed by hand."));
    assert_eq!((step.phase, step.content_hash.as_deref()), (StepPhase::Succeeded, None));
    assert_eq!(world.run.status.phase, WorkflowPhase::RolledBack);
}

#[test]
fn an_undo_is_tried_again_when_its_endpoint_changes() {
    let mut world = stuck_rollback();
    assert!(world.advance().is_empty(), "it waits for its next attempt");
    world.woken.insert("ticket".into());
    assert_eq!(world.advance()[0].path, "/tickets/1");
    world.answer(204, Value::Null);
    assert_eq!(world.run.status.phase, WorkflowPhase::RolledBack);
}

#[test]
fn the_requester_cannot_skip_a_step_that_others_have_to_approve() {
    let mut world = gated(gate());
    world.advance();
    world.decide("dana", Decision::Skip, "gate", "I am in a hurry");
    assert_eq!(world.step("gate").phase, StepPhase::Running);
    world.decide("olga", Decision::Skip, "gate", "It was approved on the phone");
    assert_eq!(world.step("gate").phase, StepPhase::Skipped);
}

#[test]
fn approvers_see_the_step_in_place_of_the_content() {
    let mut world = gated(gate());
    world.advance();
    let status = PromiseRequestStatus {
        workflow: Some(world.run.status.clone()),
        steps: world.run.steps.clone(),
        ..PromiseRequestStatus::default()
    };
    let asked = asks_about_step(&status).unwrap();
    assert_eq!((step_in_question(&asked).map(|step| step.id.as_str()), step_in_question(&status)), (Some("gate"), None));
    let candidate = asked.candidate.unwrap();
    assert_eq!((candidate.release.as_str(), candidate.is_open()), ("orders-1", true));
    assert_eq!(Some(candidate.content_hash), world.step("gate").content_hash);
    assert_eq!(asked.approvals[0].rule.name, "gate");
    world.decide("erin", Decision::Approve, "gate", "");
    let decided = PromiseRequestStatus { steps: world.run.steps.clone(), ..status };
    assert_eq!(asks_about_step(&decided), None);
}

#[test]
fn each_step_that_waits_is_asked_about_on_its_own() {
    let mut security = gate();
    (security["id"], security["title"]) = (json!("security"), json!("Security"));
    let mut world = World::new(json!([gate(), security, apply(&["gate", "security"])]));
    world.advance();
    let status = PromiseRequestStatus {
        workflow: Some(world.run.status.clone()),
        steps: world.run.steps.clone(),
        ..PromiseRequestStatus::default()
    };
    let copies = asks_about_steps(&status);
    let ids: Vec<_> = copies.iter().filter_map(step_in_question).map(|step| step.id.as_str()).collect();
    assert_eq!(ids, ["gate", "security"]);
    assert_eq!(copies.iter().map(asks_about_first).collect::<Vec<_>>(), [true, false]);
    assert_eq!(copies[1].approvals[0].rule.name, "security");
    world.decide("erin", Decision::Approve, "gate", "");
    let second = PromiseRequestStatus { steps: world.run.steps.clone(), ..status };
    assert!(asks_about_step(&second).is_some_and(|first| asks_about_first(&first)), "then it is the first one");
}

#[test]
fn a_step_of_an_action_is_asked_about_beside_its_request() {
    let mut world = gated(gate());
    world.advance();
    let current = CurrentStatus { release: "orders-1".into(), revision: "r1".into(), ..CurrentStatus::default() };
    let status = PromiseRequestStatus { current: Some(current), ..PromiseRequestStatus::default() };
    let run = PromiseActionStatus { phase: ActionPhase::Running, steps: world.run.steps.clone(), ..PromiseActionStatus::default() };
    let [copy]: [PromiseRequestStatus; 1] = asks_about_run(&status, &run).try_into().unwrap();
    assert_eq!(step_in_question(&copy).map(|step| step.id.as_str()), Some("gate"));
    assert!(!asks_about_first(&copy));
    let candidate = copy.candidate.unwrap();
    assert_eq!((candidate.release.as_str(), candidate.is_open()), ("orders-1", true));
    let over = PromiseActionStatus { phase: ActionPhase::Cancelled, ..run };
    assert!(asks_about_run(&status, &over).is_empty());
}

#[test]
fn a_promise_is_told_what_is_wrong_with_an_approval() {
    for (step, path) in [
        (json!({"approve": {"required": "all"}}), ".workflows.provision.steps[0].approve.required"),
        (json!({"approve": {}, "retry": {"limit": 1}}), ".workflows.provision.steps[0].retry"),
    ] {
        let mut gate = step;
        gate["id"] = json!("gate");
        let problems = validate(&promise(WorkflowName::Provision, &json!([gate, apply(&["gate"])])), None, true).err().unwrap();
        assert_eq!(problems.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), [path]);
    }
}
