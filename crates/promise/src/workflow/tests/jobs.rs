//! Steps that run Jobs, requests of other promises, and runs that are cancelled.

use serde_json::{Value, json};

use super::world::World;
use super::{apply, ticket};
use crate::api::{StepPhase, StepReason, WorkflowPhase};
use crate::names;
use crate::workflow::ObservedJob;

fn migrate() -> Value {
    json!({"id": "migrate", "retry": {"limit": 1, "backoff": "5s"}, "job": {
        "destination": "sandbox", "logLines": 10,
        "template": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "run", "image": "migrate:1", "args": ["--port", "${string(parameters.port)}"]}]}}}},
        "outputs": {"tables": "${result.tables}"}}})
}

fn ended(kind: &str) -> ObservedJob {
    ObservedJob::Present(json!({"kind": "Job", "status": {"conditions": [
        {"type": kind, "status": "True", "message": "Job has reached the specified backoff limit"}]}}))
}

#[test]
fn the_job_of_a_step_is_made_of_its_template_with_a_name_and_a_key() {
    let mut world = World::new(json!([migrate(), apply("database", &["database"], &["migrate"])]));
    assert!(world.wanted_jobs().is_empty(), "nothing has begun");
    world.advance();
    let jobs = world.wanted_jobs();
    let (object, destination) = world.rendered(&jobs[0]);
    assert_eq!((jobs[0].id.as_str(), destination.as_deref()), ("job-migrate", Some("sandbox")));
    assert!(jobs[0].name.starts_with("orders-migrate-"), "{}", jobs[0].name);
    assert_eq!(
        (&object["apiVersion"], &object["kind"], &object["metadata"]["name"]),
        (&json!("batch/v1"), &json!("Job"), &json!(jobs[0].name))
    );
    assert_eq!(object["metadata"]["labels"]["team"], "data", "policies add to it, too");
    assert_eq!(object["spec"]["template"]["spec"]["containers"][0]["args"], json!(["--port", "5432"]));
    let key = &object["metadata"]["annotations"][names::IDEMPOTENCY_KEY_ANNOTATION];
    assert_eq!(key, &object["spec"]["template"]["metadata"]["annotations"][names::IDEMPOTENCY_KEY_ANNOTATION]);
    assert_eq!(key.as_str().unwrap().len(), 32);
}

#[test]
fn a_job_that_is_complete_leaves_its_result_and_its_log() {
    let mut world = World::new(json!([migrate(), apply("database", &["database"], &["migrate"])]));
    world.advance();
    assert_eq!(world.step("migrate").message.as_deref(), Some("Creating the Job"));
    world.jobs.insert("migrate".into(), ObservedJob::Present(json!({"status": {"active": 1}})));
    world.advance();
    assert_eq!(world.step("migrate").reason, Some(StepReason::JobRunning));
    assert_eq!(world.step("migrate").message.as_deref(), Some("1 pod of the Job running"));
    world.jobs.insert("migrate".into(), ended("Complete"));
    world.advance();
    assert_eq!(world.job_results()[0].log_lines, 10);
    world.job_said(json!({"tables": 12}), &["created 12 tables"]);
    assert_eq!(world.phases(), ["migrate Succeeded", "database Running"]);
    assert_eq!((&world.step("migrate").outputs["tables"], &world.step("migrate").log), (&json!(12), &vec!["created 12 tables".to_owned()]));
    assert!(!world.wanted_jobs()[0].is_running, "it stays for its log, and isn't created again");
}

#[test]
fn a_job_that_failed_is_run_again_as_another_job_with_the_same_key() {
    let mut world = World::new(json!([migrate()]));
    world.advance();
    let first = world.wanted_jobs()[0].clone();
    let key = |world: &World| {
        let (object, _) = world.rendered(&world.wanted_jobs()[0]);
        object["metadata"]["annotations"][names::IDEMPOTENCY_KEY_ANNOTATION].clone()
    };
    let first_key = key(&world);
    world.jobs.insert("migrate".into(), ended("Failed"));
    world.advance();
    world.job_said(json!("no space left"), &["ERROR no space left"]);
    assert_eq!(world.step("migrate").message.as_deref(), Some("The Job failed: no space left."));
    assert_eq!((world.step("migrate").phase, world.again()), (StepPhase::Pending, Some(5)));
    world.passes(5);
    world.jobs.clear();
    world.advance();
    let second = world.wanted_jobs()[0].clone();
    assert_ne!(first.name, second.name);
    assert_eq!(key(&world), first_key);
    assert!(world.step("migrate").log.is_empty());
    world.jobs.insert("migrate".into(), ended("Failed"));
    world.advance();
    world.job_said(Value::Null, &[]);
    assert_eq!(world.run.status.phase, WorkflowPhase::Failed);
    assert_eq!(world.step("migrate").message.as_deref(), Some("The Job failed: Job has reached the specified backoff limit."));
    // A retry by a person starts counting again, and still means another Job.
    world.retry = Some("1".into());
    world.jobs.clear();
    world.advance();
    let third = world.wanted_jobs()[0].clone();
    assert!(third.is_running && third.name != first.name && third.name != second.name);
}

#[test]
fn a_job_that_someone_deleted_fails_its_attempt() {
    let mut world = World::new(json!([migrate()]));
    world.advance();
    world.jobs.insert("migrate".into(), ObservedJob::Deleted);
    world.advance();
    assert_eq!(world.step("migrate").reason, Some(StepReason::JobDeleted));
    assert_eq!(world.step("migrate").phase, StepPhase::Pending);
}

#[test]
fn a_request_step_waits_until_what_it_asked_for_is_ready() {
    let mut world = World::new(json!([
        {"id": "ask", "request": {"resources": ["database"]}},
        apply("config", &["config"], &["ask"]),
    ]));
    world.advance();
    assert_eq!(world.closed(), ["config"], "the request can be written");
    world.applied("database");
    world.advance();
    assert_eq!(world.phases(), ["ask Running", "config Pending"]);
    world.healthy("database");
    world.advance();
    assert_eq!(world.phases(), ["ask Succeeded", "config Running"]);
}

#[test]
fn a_run_that_is_cancelled_ends_and_a_retry_continues_it() {
    let mut world = World::new(json!([ticket(), apply("database", &["database"], &["ticket"])]));
    world.advance();
    world.answer(201, json!({"id": 7, "status": "open"}));
    world.cancel = Some("2".into());
    world.passes(10);
    world.advance();
    assert_eq!(world.run.status.phase, WorkflowPhase::Running, "the annotation names another attempt");
    world.cancel = Some("1".into());
    assert!(world.advance().is_empty());
    assert_eq!((world.run.status.phase, world.step("ticket").reason), (WorkflowPhase::Failed, Some(StepReason::Cancelled)));
    assert_eq!(world.phases(), ["ticket Failed", "database Pending"]);
    world.retry = Some("1".into());
    let poll = world.advance();
    assert_eq!(poll[0].path, "/tickets/7", "the ticket is still open, and isn't opened again");
    assert_eq!(world.run.status.phase, WorkflowPhase::Running);
}

#[test]
fn jobs_of_two_runs_with_one_number_have_different_names() {
    let name = |world: &mut World, started_at: &str| {
        world.run.status.started_at = Some(started_at.to_owned());
        world.wanted_jobs()[0].name.clone()
    };
    let mut world = World::new(json!([migrate(), apply("all", &["database", "config"], &["migrate"])]));
    world.advance();
    assert_ne!(name(&mut world, "2026-05-01T08:00:00Z"), name(&mut world, "2026-05-02T08:00:00Z"));
}

#[test]
fn a_run_is_not_one_that_an_annotation_already_names() {
    let attempt = |annotations: [Option<&str>; 2]| {
        let world = World::new(json!([apply("all", &["database", "config"], &[])]));
        world.run.counted_past(annotations).status.attempt
    };
    assert_eq!(attempt([None, None]), 1);
    assert_eq!(attempt([Some("1"), Some(" 3 ")]), 4);
    assert_eq!(attempt([Some("soon"), Some("4294967295")]), 1, "no attempt has this name");
}

#[test]
fn a_run_that_is_paused_can_be_cancelled() {
    let mut world = World::new(json!([apply("database", &["database"], &[])]));
    world.paused = true;
    world.cancel = Some("1".into());
    world.advance();
    assert_eq!((world.run.status.phase, world.step("database").phase), (WorkflowPhase::Failed, StepPhase::Failed));
}
