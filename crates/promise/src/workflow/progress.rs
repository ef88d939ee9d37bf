//! How far a running step is, by its type.

use std::collections::{BTreeMap, BTreeSet};

use schema::expr::Template;
use serde_json::Value;

use super::advance::Input;
use super::call::{About, Values};
use super::compile::{Action, CompiledHttp, CompiledPoll, CompiledStep};
use super::job::job;
use super::key::{Effect, idempotency_key};
use super::{Answer, Done, HttpTask, Run, Task, TaskFailure, decisions, remove, words};
use crate::api::{HttpMethod, StepReason};

/// How far a running step is.
pub(super) enum Progress {
    Succeeded {
        outputs: BTreeMap<String, Value>,
    },
    /// `is_final` is whether the same call can't have another result.
    Failed {
        failure: TaskFailure,
        is_final: bool,
    },
    /// The first call was answered, and polls follow, in seconds.
    Answered {
        outputs: BTreeMap<String, Value>,
        poll: i64,
    },
    /// A poll wasn't answered as expected yet. The next one follows, in seconds.
    NotYet {
        every: i64,
        message: Option<String>,
    },
    /// Something that is observed isn't as wanted yet.
    Waits {
        reason: StepReason,
        message: Option<String>,
    },
    /// Something has to be recorded before it continues.
    Noted {
        outputs: BTreeMap<String, Value>,
    },
    /// The controller has to do something.
    Asks(Task),
}

impl From<TaskFailure> for Progress {
    fn from(failure: TaskFailure) -> Self {
        Self::Failed { failure, is_final: false }
    }
}

pub(super) fn succeeded() -> Progress {
    Progress::Succeeded { outputs: BTreeMap::new() }
}

/// Returns how far a step is. `done` is what came of its task.
pub(super) fn progress(
    input: &Input<'_>,
    values: &Values<'_>,
    step: &CompiledStep,
    (run, index): (&Run, usize),
    done: Option<Done>,
) -> Progress {
    match &step.action {
        Action::Validate { expression, message } => match values.holds(expression, &run.steps) {
            Ok(Some(true)) => succeeded(),
            Ok(Some(false) | None) => Progress::from(TaskFailure { reason: StepReason::NotValid, message: message.clone() }),
            Err(failure) => failure.into(),
        },
        Action::Capacity(resources) => match done {
            Some(Done::Failed(failure)) => failure.into(),
            Some(Done::Accepted) => succeeded(),
            Some(Done::Answer(_) | Done::JobResult { .. }) | None => {
                Progress::Asks(Task::DryRun { step: step.id.clone(), resources: resources.clone() })
            }
        },
        Action::Apply(resources) => all(resources, &[input.unapplied], StepReason::Applying),
        Action::Wait { resources, until } => wait(input, values, run, resources, until.as_ref()),
        Action::Request(resources) => all(resources, &[input.unapplied, input.unhealthy], StepReason::Waiting),
        Action::Job(wanted) => job(input, values, wanted, (run, index), done),
        Action::Delete(resources) => all(resources, &[input.remaining], StepReason::Deleting),
        Action::Remove(resources) => remove::progress(input.resources, resources, &run.steps[index], done),
        Action::Patch { resource, merge } => match done {
            Some(Done::Failed(failure)) => failure.into(),
            Some(Done::Accepted | Done::Answer(_)) => succeeded(),
            Some(Done::JobResult { .. }) | None => match values.value(merge, &run.steps) {
                Ok(merge) => Progress::Asks(Task::Patch { step: step.id.clone(), resource: resource.clone(), merge }),
                Err(failure) => failure.into(),
            },
        },
        Action::Approve { message, .. } => decisions::progress(decisions::of_step(input, run, index), message.as_deref()),
        Action::Http(http) => {
            let status = &run.steps[index];
            match (&http.poll, status.answered) {
                (Some(poll), true) => polled(values, http, poll, (run, index), done),
                _ => called(input, values, http, (run, index), done),
            }
        }
    }
}

/// Checks that none of the resources is in one of the sets.
fn all(resources: &[String], sets: &[&BTreeSet<String>], reason: StepReason) -> Progress {
    let left: Vec<&str> = resources.iter().map(String::as_str).filter(|id| sets.iter().any(|set| set.contains(*id))).collect();
    if left.is_empty() { succeeded() } else { Progress::Waits { reason, message: Some(words::left(reason, &left)) } }
}

fn wait(input: &Input<'_>, values: &Values<'_>, run: &Run, resources: &[String], until: Option<&Template>) -> Progress {
    let healthy = all(resources, &[input.unapplied, input.unhealthy], StepReason::Waiting);
    if matches!(healthy, Progress::Waits { .. }) {
        return healthy;
    }
    match until.map(|until| values.holds(until, &run.steps)) {
        None | Some(Ok(Some(true))) => succeeded(),
        Some(Ok(Some(false) | None)) => Progress::Waits { reason: StepReason::Waiting, message: None },
        Some(Err(failure)) => failure.into(),
    }
}

fn called(input: &Input<'_>, values: &Values<'_>, http: &CompiledHttp, (run, index): (&Run, usize), done: Option<Done>) -> Progress {
    let step = &run.steps[index];
    match done {
        Some(Done::Answer(answer)) => first_answer(values, http, run, &answer).unwrap_or_else(Progress::from),
        Some(Done::Failed(failure)) => failure.into(),
        Some(Done::Accepted | Done::JobResult { .. }) | None => {
            let key = idempotency_key(input.uid, &run.status, step, Effect::Do);
            let call = values.call(&http.call, &http.endpoint, step, key, &run.steps);
            call.map_or_else(Progress::from, |call| Progress::Asks(Task::Http(call)))
        }
    }
}

fn first_answer(values: &Values<'_>, http: &CompiledHttp, run: &Run, answer: &Answer) -> Result<Progress, TaskFailure> {
    let about = values.about(answer, &run.steps);
    let is_expected = match &http.expect {
        Some(expect) => about.holds(expect)?,
        None => (200..300).contains(&answer.status),
    };
    if !is_expected {
        let failure = TaskFailure { reason: StepReason::UnexpectedAnswer, message: words::unexpected(answer.status) };
        return Ok(Progress::Failed { failure, is_final: !is_overloaded(answer.status) });
    }
    let outputs = about.outputs(&http.outputs)?;
    match &http.poll {
        None => Ok(Progress::Succeeded { outputs }),
        // The answer might already be the expected one.
        Some(poll) => match judged(&about, poll)? {
            Some(Progress::Succeeded { outputs: last }) => Ok(Progress::Succeeded { outputs: outputs.into_iter().chain(last).collect() }),
            Some(failed) => Ok(failed),
            None => Ok(Progress::Answered { outputs, poll: poll.every }),
        },
    }
}

fn polled(values: &Values<'_>, http: &CompiledHttp, poll: &CompiledPoll, (run, index): (&Run, usize), done: Option<Done>) -> Progress {
    let not_yet = |message: Option<String>| Progress::NotYet { every: poll.every, message };
    match done {
        Some(Done::Answer(answer)) if !(200..300).contains(&answer.status) => not_yet(Some(words::unexpected(answer.status))),
        Some(Done::Answer(answer)) => {
            let about = values.about(&answer, &run.steps);
            judged(&about, poll).map_or_else(Progress::from, |judged| judged.unwrap_or_else(|| not_yet(None)))
        }
        Some(Done::Failed(failure)) if failure.reason == StepReason::NotAllowed => failure.into(),
        Some(Done::Failed(failure)) => not_yet(Some(failure.message)),
        Some(Done::Accepted | Done::JobResult { .. }) | None => match values.text(&poll.path, &run.steps) {
            Ok(path) => Progress::Asks(Task::Http(HttpTask {
                step: run.steps[index].id.clone(),
                endpoint: http.endpoint.clone(),
                method: HttpMethod::Get,
                path,
                body: None,
                idempotency_key: String::new(),
                within: None,
            })),
            Err(failure) => failure.into(),
        },
    }
}

/// Judges an answer by the conditions of the polls. `None` if it isn't final.
fn judged(about: &About, poll: &CompiledPoll) -> Result<Option<Progress>, TaskFailure> {
    if let Some(fail_when) = &poll.fail_when
        && about.holds(fail_when)?
    {
        let message = poll.message.as_ref().and_then(|message| about.message(message)).unwrap_or_else(words::refused);
        let failure = TaskFailure { reason: StepReason::UnexpectedAnswer, message };
        return Ok(Some(Progress::Failed { failure, is_final: true }));
    }
    if !about.holds(&poll.until)? {
        return Ok(None);
    }
    Ok(Some(Progress::Succeeded { outputs: about.outputs(&poll.outputs)? }))
}

/// Whether an answer says nothing about the call: the server is overloaded, or something before it failed.
pub(super) fn is_overloaded(status: u16) -> bool {
    status >= 500 || status == 429 || status == 408
}
