//! Jobs of steps: which ones a run wants, what they are made of, and how far they are.
//!
//! Each attempt is a Job of its own, with a name that follows from the attempt. It is part of the inventory before it is created, and is
//! created once: one that is gone isn't run again by the same attempt.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::advance::Input;
use super::call::Values;
use super::compile::{Action, CompiledJob, CompiledWorkflow};
use super::key::{Effect, idempotency_key};
use super::progress::{Progress, succeeded};
use super::{Done, JobResultTask, Run, Task, TaskFailure, words};
use crate::api::{Inject, StepPhase, StepReason, StepStatus, WorkflowStatus};
use crate::context::Context;
use crate::names;
use crate::plan::job_id;
use crate::policy::Ruling;
use crate::render::inject;

/// Longest name of a Job: its pods have the name as a label, with a suffix.
const NAME_LIMIT: usize = 52;
/// Length of the part of a name that tells attempts apart.
const SUFFIX: usize = 10;

/// The Job of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedJob {
    /// Id of the step.
    pub step: String,
    /// Id in the inventory.
    pub id: String,
    /// Name of the Job.
    pub name: String,
    /// Whether its attempt is running.
    pub is_running: bool,
}

impl WantedJob {
    /// Returns the Job of the present or last attempt.
    pub(super) fn of(uid: &str, request: &str, run: &WorkflowStatus, step: &StepStatus) -> Self {
        // The time tells apart runs with one number: a release without a workflow starts the count again.
        let (workflow, started_at) = (run.name.word(), run.started_at.as_deref().unwrap_or_default());
        let text = format!("{uid}\n{workflow}\n{started_at}\n{}\n{}\n{}", run.attempt, step.id, step.attempts);
        let suffix = &hex::encode(Sha256::digest(text))[..SUFFIX];
        let stem = format!("{request}-{}", step.id.to_lowercase());
        let stem: String = stem.chars().take(NAME_LIMIT - SUFFIX - 1).collect();
        let name = format!("{}-{suffix}", stem.trim_end_matches(['-', '.']));
        Self { step: step.id.clone(), id: job_id(&step.id), name, is_running: step.phase == StepPhase::Running }
    }
}

/// What was observed of the Job of an attempt that is running.
#[derive(Clone, Debug, PartialEq)]
pub enum ObservedJob {
    /// It wasn't created yet.
    Missing,
    /// It was created, and is gone.
    Deleted,
    /// It exists.
    Present(Value),
}

/// What Jobs are made of.
#[derive(Clone, Copy, Debug)]
pub struct JobInputs<'a> {
    /// The workflow.
    pub workflow: &'a CompiledWorkflow,
    /// uid of the request.
    pub uid: &'a str,
    /// Resolved parameters of the release.
    pub parameters: &'a Value,
    /// Request, promise, workspace and prices.
    pub context: &'a Context,
    /// Observed objects by id of their resource, a list of them for `forEach`.
    pub resources: &'a Value,
    /// Merges of policies, in order of application.
    pub injects: &'a [Ruling<Inject>],
}

impl JobInputs<'_> {
    /// Returns a Job and the name of its Destination. `None` if it can't be rendered: then its step fails.
    pub fn render(&self, run: &Run, job: &WantedJob) -> Option<(Value, Option<String>)> {
        let step = self.workflow.steps.iter().find(|step| step.id == job.step)?;
        let status = run.steps.iter().find(|status| status.id == job.step)?;
        let Action::Job(compiled) = &step.action else { return None };
        let Self { workflow, parameters, context, resources, .. } = *self;
        let mut object = object(&Values { workflow, parameters, context, resources }, compiled, &run.steps).ok()?;
        let key = idempotency_key(self.uid, &run.status, status, Effect::Do);
        object["apiVersion"] = json!("batch/v1");
        object["kind"] = json!("Job");
        inject(&mut object, self.injects);
        open(&mut object);
        object["metadata"]["name"] = json!(job.name);
        object["metadata"]["annotations"][names::IDEMPOTENCY_KEY_ANNOTATION] = json!(key);
        object["spec"]["template"]["metadata"]["annotations"][names::IDEMPOTENCY_KEY_ANNOTATION] = json!(key);
        Some((object, compiled.destination.clone()))
    }
}

/// Returns the template of a Job with its expressions evaluated.
fn object(values: &Values<'_>, job: &CompiledJob, steps: &[StepStatus]) -> Result<Value, TaskFailure> {
    let object = values.value(&job.template, steps)?;
    if !object["spec"]["template"].is_object() {
        return Err(TaskFailure { reason: StepReason::InvalidPromise, message: words::no_job() });
    }
    Ok(object)
}

/// Adds the parts of a Job that we write to. Parts that aren't objects are replaced because the server would refuse them.
fn open(job: &mut Value) {
    for path in [&["metadata", "annotations"][..], &["spec", "template", "metadata", "annotations"]] {
        let mut part = &mut *job;
        for name in path {
            part = &mut part[*name];
            if !part.is_object() {
                *part = json!({});
            }
        }
    }
}

/// How a Job ended.
enum End {
    Complete,
    /// Contains what its status says.
    Failed(String),
}

/// Returns how far the Job of a step is. `done` is what was read of it once it ended.
pub(super) fn job(input: &Input<'_>, values: &Values<'_>, job: &CompiledJob, (run, index): (&Run, usize), done: Option<Done>) -> Progress {
    let status = &run.steps[index];
    let observed = match input.jobs.get(&status.id) {
        Some(ObservedJob::Present(observed)) => observed,
        Some(ObservedJob::Deleted) => return TaskFailure { reason: StepReason::JobDeleted, message: words::job_deleted() }.into(),
        Some(ObservedJob::Missing) | None => {
            return match object(values, job, &run.steps) {
                Ok(_) => Progress::Waits { reason: StepReason::Applying, message: Some(words::job_is_created()) },
                Err(failure) => failure.into(),
            };
        }
    };
    let Some(end) = end_of(observed) else {
        let active = observed["status"]["active"].as_i64().unwrap_or_default();
        return Progress::Waits { reason: StepReason::JobRunning, message: Some(words::job_runs(active)) };
    };
    match done {
        Some(Done::JobResult { result, .. }) => ended(values, job, run, &end, &result),
        Some(Done::Failed(failure)) => failure.into(),
        Some(Done::Answer(_) | Done::Accepted) | None => {
            let is_read = !job.outputs.is_empty() || job.log_lines > 0 || matches!(end, End::Failed(_));
            if !is_read {
                return succeeded();
            }
            let config_map = job.config_map.as_ref().map(|name| values.text(name, &run.steps)).transpose();
            match config_map {
                Ok(config_map) => {
                    let task = JobResultTask { step: status.id.clone(), config_map, log_lines: job.log_lines };
                    Progress::Asks(Task::JobResult(task))
                }
                Err(failure) => failure.into(),
            }
        }
    }
}

fn ended(values: &Values<'_>, job: &CompiledJob, run: &Run, end: &End, result: &Value) -> Progress {
    match end {
        End::Complete => {
            let outputs: Result<BTreeMap<String, Value>, TaskFailure> = values.about_result(result, &run.steps).outputs(&job.outputs);
            outputs.map_or_else(Progress::from, |outputs| Progress::Succeeded { outputs })
        }
        End::Failed(said) => {
            let why = result.as_str().map(str::trim).filter(|text| !text.is_empty()).unwrap_or(said);
            TaskFailure { reason: StepReason::JobFailed, message: words::job_failed(why) }.into()
        }
    }
}

/// Checks whether a Job ended.
pub fn is_ended(job: &Value) -> bool {
    end_of(job).is_some()
}

/// Returns how a Job ended, by its conditions `Complete` and `Failed`.
fn end_of(job: &Value) -> Option<End> {
    let conditions = job["status"]["conditions"].as_array()?;
    let is = |name: &str| conditions.iter().find(|condition| condition["type"] == name && condition["status"] == "True");
    if is("Complete").is_some() {
        return Some(End::Complete);
    }
    is("Failed").map(|failed| End::Failed(failed["message"].as_str().unwrap_or_default().to_owned()))
}
