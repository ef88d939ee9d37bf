//! Tests runs of workflows against a small world: what steps find, time, and crashes.

mod jobs;
mod model;
mod people;
mod publish;
mod required;
mod world;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::world::World;
use super::{Run, waits_for_undo};
use crate::api::{HttpMethod, PromiseRequestStatus, StepPhase, StepReason, WorkflowName, WorkflowPhase};

fn ticket() -> Value {
    json!({"id": "ticket", "title": "Open a ticket", "http": {
        "endpoint": "tickets", "method": "POST", "path": "/tickets", "body": {"title": "Open ${parameters.port} for ${request.name}"},
        "outputs": {"id": "${answer.body.id}"},
        "poll": {"path": "/tickets/${steps.ticket.id}", "until": "${answer.body.status == 'resolved'}",
            "failWhen": "${answer.body.status == 'rejected'}", "message": "Rejected: ${answer.body.answer}", "every": "10s",
            "outputs": {"address": "${answer.body.answer}"}},
        "undo": {"method": "DELETE", "path": "/tickets/${steps.ticket.id}"}}})
}

fn apply(id: &str, resources: &[&str], after: &[&str]) -> Value {
    json!({"id": id, "apply": {"resources": resources}, "dependsOn": after})
}

#[test]
fn steps_run_in_the_order_of_their_dependencies_and_the_rest_in_parallel() {
    let mut world = World::new(json!([
        {"id": "ready", "wait": {"resources": ["database"]}, "dependsOn": ["database"]},
        apply("database", &["database"], &[]),
        apply("config", &["config"], &[]),
    ]));
    world.advance();
    assert_eq!(world.phases(), ["ready Pending", "database Running", "config Running"]);
    assert!(world.closed().is_empty(), "both can be applied");
    world.applied("config");
    world.applied("database");
    world.advance();
    assert_eq!(world.phases(), ["ready Running", "database Succeeded", "config Succeeded"]);
    assert_eq!(world.step("ready").message.as_deref(), Some("Waiting for database"));
    world.healthy("database");
    world.healthy("config");
    world.advance();
    assert_eq!(world.run.status.phase, WorkflowPhase::Succeeded);
    assert!(world.run.status.finished_at.is_some());
}

#[test]
fn objects_are_closed_until_their_step_begins() {
    let mut world = World::new(json!([ticket(), apply("database", &["database"], &["ticket"]), apply("config", &["config"], &[])]));
    assert_eq!(world.closed(), ["config", "database"]);
    world.advance();
    assert_eq!(world.closed(), ["database"]);
    world.answer(201, json!({"id": 7, "status": "resolved", "answer": "10.0.0.7"}));
    assert_eq!(world.phases()[1], "database Running");
    assert!(world.closed().is_empty());
    assert_eq!(world.step("ticket").outputs["address"], "10.0.0.7");
}

#[test]
fn a_call_is_polled_until_its_answer_is_final() {
    let mut world = World::new(json!([ticket()]));
    let call = world.advance();
    assert_eq!((call[0].method, call[0].path.as_str()), (HttpMethod::Post, "/tickets"));
    assert_eq!(call[0].body, Some(json!({"title": "Open 5432 for orders"})));
    let poll = world.answer(201, json!({"id": 7, "status": "open"}));
    assert!(poll.is_empty(), "the first poll is due in 10 seconds");
    assert_eq!(world.again(), Some(10));
    world.passes(10);
    let poll = world.advance();
    assert_eq!((poll[0].method, poll[0].path.as_str()), (HttpMethod::Get, "/tickets/7"));
    world.answer(503, Value::Null);
    assert_eq!(world.step("ticket").phase, StepPhase::Running, "an endpoint that is down for a moment is asked again");
    world.passes(10);
    world.advance();
    world.answer(200, json!({"id": 7, "status": "resolved", "answer": "10.0.0.7"}));
    assert_eq!(world.run.status.phase, WorkflowPhase::Succeeded);
    assert_eq!(world.step("ticket").attempts, 1);
}

#[test]
fn a_call_is_repeated_with_the_same_key_until_its_answer_is_final() {
    let mut world = World::new(json!([ticket()]));
    let key = world.advance()[0].idempotency_key.clone();
    assert_eq!(key.len(), 32);
    // A crash: the run was recorded, and nothing is known of the call.
    assert_eq!(world.advance()[0].idempotency_key, key);
    world.answer(503, Value::Null);
    assert_eq!(world.phases(), ["ticket Pending"]);
    assert_eq!(world.again(), Some(10));
    world.passes(10);
    assert_eq!(world.advance()[0].idempotency_key, key, "a server that is overloaded might have opened it");
    world.unreachable();
    world.passes(20);
    assert_eq!(world.advance()[0].idempotency_key, key);
    world.answer(201, json!({"id": 7, "status": "rejected", "answer": "no"}));
    assert_eq!(world.step("ticket").message.as_deref(), Some("Rejected: no"));
    world.passes(3_600);
    assert_ne!(world.advance()[0].idempotency_key, key, "a ticket that was rejected needs another one");
}

#[test]
fn an_endpoint_that_changes_continues_what_could_not_call_it_and_nothing_else() {
    let mut step = ticket();
    step["retry"] = json!({"limit": 1, "backoff": "1h"});
    let mut world = World::new(json!([step]));
    world.woken.insert("other".to_owned());
    world.advance();
    world.unreachable();
    assert!(world.advance().is_empty(), "the next attempt is due in an hour");
    world.woken.insert("ticket".to_owned());
    assert_eq!(world.advance().len(), 1, "its Endpoint changed");
    world.woken.clear();
    world.unreachable();
    assert_eq!((world.run.status.phase, world.run.status.attempt), (WorkflowPhase::Failed, 1));
    assert!(world.advance().is_empty());
    world.woken.insert("ticket".to_owned());
    assert_eq!(world.advance().len(), 1, "and it changed again");
    assert_eq!((world.run.status.phase, world.run.status.attempt), (WorkflowPhase::Running, 2));
    world.woken.clear();
    let polls = world.answer(201, json!({"id": 7, "status": "open"}));
    assert!(polls.is_empty(), "the first poll is due in 10 seconds");
    world.woken.insert("ticket".to_owned());
    assert_eq!(world.advance()[0].path, "/tickets/7");
    world.answer(200, json!({"id": 7, "status": "rejected", "answer": "no"}));
    world.woken.clear();
    world.passes(3_600);
    world.advance();
    world.answer(201, json!({"id": 8, "status": "rejected", "answer": "no"}));
    assert_eq!((world.run.status.phase, world.step("ticket").reason), (WorkflowPhase::Failed, Some(StepReason::UnexpectedAnswer)));
    world.woken.insert("ticket".to_owned());
    assert!(world.advance().is_empty(), "an Endpoint that answered isn't why it failed");
}

#[test]
fn a_step_fails_after_its_last_attempt_and_someone_can_retry_it() {
    let mut step = ticket();
    step["retry"] = json!({"limit": 1, "backoff": "5s"});
    let mut world = World::new(json!([step, apply("database", &["database"], &["ticket"])]));
    world.advance();
    world.answer(500, Value::Null);
    world.passes(5);
    world.advance();
    world.answer(500, Value::Null);
    assert_eq!((world.run.status.phase, world.step("ticket").phase), (WorkflowPhase::Failed, StepPhase::Failed));
    assert_eq!(world.step("ticket").reason, Some(StepReason::UnexpectedAnswer));
    assert_eq!(world.closed(), ["config", "database"], "nothing is applied");
    world.passes(86_400);
    assert!(world.advance().is_empty(), "a run that failed stays as it is");
    world.retry = Some("0".to_owned());
    assert!(world.advance().is_empty(), "the annotation names another failure");
    world.retry = Some("1".to_owned());
    assert_eq!(world.advance().len(), 1);
    assert_eq!(world.run.status.attempt, 2);
    world.answer(201, json!({"id": 8, "status": "resolved", "answer": "a"}));
    assert_eq!(world.phases(), ["ticket Succeeded", "database Running"]);
}

#[test]
fn what_cannot_get_better_is_not_tried_again() {
    let mut step = ticket();
    step["http"]["body"] = json!({"title": "${steps.nothing.id}"});
    let mut world = World::new(json!([step]));
    assert!(world.advance().is_empty());
    assert_eq!(world.step("ticket").reason, Some(StepReason::InvalidPromise));
    assert_eq!(world.run.status.phase, WorkflowPhase::Failed);
}

#[test]
fn a_failure_can_be_passed_over() {
    let mut world = World::new(json!([
        {"id": "check", "validate": {"expression": "${parameters.port > 6000}", "message": "The port is low."}, "onFailure": "continue"},
        apply("database", &["database", "config"], &["check"]),
    ]));
    world.advance();
    assert_eq!(world.phases(), ["check Failed", "database Running"]);
    assert_eq!(world.step("check").message.as_deref(), Some("The port is low."));
    world.applied("database");
    world.applied("config");
    world.advance();
    assert_eq!(world.run.status.phase, WorkflowPhase::Succeeded);
}

#[test]
fn after_a_failure_nothing_else_begins_and_what_runs_is_finished() {
    let mut world = World::new(json!([
        {"id": "check", "validate": {"expression": "${has(resources.config)}", "message": "There is no config."}, "dependsOn": ["config"]},
        apply("config", &["config"], &[]),
        ticket(),
        apply("database", &["database"], &["ticket"]),
    ]));
    world.advance();
    world.answer(201, json!({"id": 7, "status": "open"}));
    world.applied("config");
    world.advance();
    assert_eq!(world.phases(), ["check Failed", "config Succeeded", "ticket Running", "database Pending"]);
    assert_eq!(world.run.status.phase, WorkflowPhase::Running);
    world.passes(10);
    world.advance();
    world.answer(200, json!({"status": "resolved", "answer": "a"}));
    assert_eq!(world.phases(), ["check Failed", "config Succeeded", "ticket Succeeded", "database Pending"]);
    assert_eq!(world.run.status.phase, WorkflowPhase::Failed);
}

#[test]
fn a_step_that_takes_too_long_fails() {
    let mut world = World::new(json!([
        {"id": "ready", "wait": {"until": "${resources.database.status.ready}"}, "timeout": "10m"},
        apply("all", &["database", "config"], &[]),
    ]));
    world.advance();
    assert_eq!(world.again(), Some(600));
    world.passes(600);
    world.advance();
    assert_eq!(world.step("ready").message.as_deref(), Some("Timed out after 10 minutes."));
    assert_eq!(world.step("ready").phase, StepPhase::Failed);
}

#[test]
fn a_step_that_is_not_needed_is_skipped_and_others_go_on() {
    let mut step = ticket();
    step["when"] = json!("${parameters.port == 22}");
    let mut world = World::new(json!([step, apply("all", &["database", "config"], &["ticket"])]));
    world.advance();
    assert_eq!(world.phases(), ["ticket Skipped", "all Running"]);
}

#[test]
fn outputs_are_known_while_the_run_lasts_and_kept_for_later_runs_as_far_as_they_are_read() {
    let mut world = World::new(json!([ticket(), apply("all", &["database", "config"], &["ticket"])]));
    world.advance();
    world.answer(201, json!({"id": 7, "status": "resolved", "answer": "10.0.0.7"}));
    let address = |run: Option<&Run>, status: Option<&PromiseRequestStatus>| Run::known_outputs(run, status)["ticket"]["address"].clone();
    assert_eq!(address(Some(&world.run), None), "10.0.0.7");
    let mut status = PromiseRequestStatus::default();
    world.run.keep_outputs(&["ticket".to_owned()].into(), &mut status.step_outputs);
    assert_eq!(address(None, Some(&status)), "10.0.0.7", "a later release without the step");
    let mut other = world.run.clone();
    other.steps[0].outputs.insert("address".to_owned(), json!("10.0.0.8"));
    assert_eq!(address(Some(&other), Some(&status)), "10.0.0.8");
    other.status.phase = WorkflowPhase::RollingBack;
    assert_eq!(address(Some(&other), Some(&status)), "10.0.0.7", "what is taken back doesn't count");
    world.run.keep_outputs(&BTreeSet::new(), &mut status.step_outputs);
    assert!(status.step_outputs.is_empty(), "nothing reads it");
}

#[test]
fn a_rollback_waits_for_the_objects_and_undoes_calls_in_reverse() {
    let mut other = ticket();
    other["id"] = json!("second");
    other["http"]["undo"]["path"] = json!("/tickets/${steps.second.id}");
    other["http"]["poll"]["path"] = json!("/tickets/${steps.second.id}");
    other["dependsOn"] = json!(["ticket"]);
    let mut world = World::new(json!([
        ticket(),
        other,
        {"id": "check", "validate": {"expression": "${false}", "message": "No."}, "onFailure": "rollback", "dependsOn": ["second"]},
        apply("all", &["database", "config"], &["check"]),
    ]));
    world.can_roll_back = true;
    world.advance();
    world.answer(201, json!({"id": 1, "status": "resolved", "answer": "a"}));
    world.answer(201, json!({"id": 2, "status": "resolved", "answer": "b"}));
    assert_eq!(world.run.status.phase, WorkflowPhase::RollingBack);
    assert!(world.closed().is_empty(), "the former release decides");
    assert!(world.advance().is_empty(), "the objects come first");
    world.is_back = true;
    let undo = world.advance();
    assert_eq!((undo[0].method, undo[0].path.as_str()), (HttpMethod::Delete, "/tickets/2"));
    world.answer(500, Value::Null);
    assert_eq!(world.again(), Some(10));
    world.passes(10);
    assert_eq!(world.advance()[0].idempotency_key, undo[0].idempotency_key);
    world.answer(500, Value::Null);
    assert_eq!(world.again(), Some(20), "pauses double");
    let step = world.step("second");
    assert_eq!((step.message.as_deref(), step.undo_attempts), (None, 2), "the step itself was fine");
    let waits = waits_for_undo(step, false).unwrap();
    assert!(
        waits.message.ends_with("couldn't be undone yet: The endpoint responded with HTTP 500. There will be another attempt"),
        "{}",
        waits.message
    );
    world.passes(20);
    world.advance();
    let next = world.answer(204, Value::Null);
    assert_eq!(next[0].path, "/tickets/1");
    world.answer(404, Value::Null);
    assert_eq!(world.run.status.phase, WorkflowPhase::RolledBack);
    assert!(world.step("ticket").undone && world.step("second").undone);
}

#[test]
fn without_a_former_release_a_rollback_is_a_failure() {
    let mut world = World::new(json!([
        {"id": "check", "validate": {"expression": "${false}", "message": "No."}, "onFailure": "rollback"},
        apply("all", &["database", "config"], &["check"]),
    ]));
    world.advance();
    assert_eq!(world.run.status.phase, WorkflowPhase::Failed);
}

#[test]
fn a_paused_request_starts_nothing() {
    let mut world = World::new(json!([ticket()]));
    world.paused = true;
    assert!(world.advance().is_empty());
    assert_eq!(world.phases(), ["ticket Pending"]);
}

#[test]
fn a_deletion_deletes_what_its_steps_name_first() {
    let mut world = World::of(
        WorkflowName::Deprovision,
        json!([
            {"id": "config", "delete": {"resources": ["config"]}},
            {"id": "tell", "http": {"endpoint": "tickets", "method": "POST", "path": "/done"}, "dependsOn": ["config"]},
        ]),
    );
    world.remaining.extend(["config".to_owned(), "database".to_owned()]);
    world.advance();
    assert_eq!(world.closed(), ["database"]);
    world.remaining.remove("config");
    assert_eq!(world.advance().len(), 1);
    world.answer(200, Value::Null);
    assert_eq!(world.run.status.phase, WorkflowPhase::Succeeded);
    assert!(world.closed().is_empty());
}

#[test]
fn outputs_are_small() {
    let mut world = World::new(json!([ticket()]));
    world.advance();
    world.answer(201, json!({"id": "x".repeat(5_000), "status": "open"}));
    assert_eq!(world.step("ticket").reason, Some(StepReason::InvalidPromise));
    assert!(world.step("ticket").outputs.is_empty());
}
