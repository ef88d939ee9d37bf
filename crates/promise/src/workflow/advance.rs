//! Advances a run by one observation.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::call::Values;
use super::compile::{Action, CompiledStep, CompiledWorkflow};
use super::progress::{Progress, progress};
use super::{Done, ObservedJob, Run, StepDecision, Task, TaskFailure, decisions, words};
use crate::api::{OnFailure, StepKind, StepPhase, StepReason, StepStatus, WorkflowPhase};
use crate::context::Context;

/// Longest pause between two attempts, in seconds.
const LONGEST: i64 = 3_600;

/// What a run depends on.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
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
    /// Ids of resources whose objects aren't all applied as wanted.
    pub unapplied: &'a BTreeSet<String>,
    /// Ids of resources whose objects aren't all healthy.
    pub unhealthy: &'a BTreeSet<String>,
    /// Ids of resources of which objects remain.
    pub remaining: &'a BTreeSet<String>,
    /// Observed Jobs, by id of their step.
    pub jobs: &'a BTreeMap<String, ObservedJob>,
    /// When steps were last called, by id. Polls aren't in the status: each would be a write.
    pub called: &'a BTreeMap<String, Timestamp>,
    /// Ids of steps whose Endpoint changed since they were last called.
    pub woken: &'a BTreeSet<String>,
    /// What people decided about steps.
    pub decisions: &'a [StepDecision],
    /// Whether a failure can lead back to a former release.
    pub can_roll_back: bool,
    /// In a rollback: whether the objects are as the former release wants them.
    pub is_back: bool,
    /// Whether the request is paused.
    pub paused: bool,
    /// Whether the windows of policies are open for the steps of an action. It matters only to a run of which policies required approvals,
    /// until its first step after them begins.
    pub windows_open: bool,
    /// Value of the annotation that retries a run that failed: the attempt that failed.
    pub retry: Option<&'a str>,
    /// Value of the annotation that cancels a run: the attempt that runs.
    pub cancel: Option<&'a str>,
    /// Present time.
    pub now: Timestamp,
}

/// What follows from an observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Advanced {
    /// The run by now.
    pub run: Run,
    /// What to do next, once the run is recorded.
    pub tasks: Vec<Task>,
    /// When time alone changes something.
    pub again: Option<SignedDuration>,
}

/// Returns what follows from what was observed, and from what came of the tasks of the former call.
pub fn advance(input: &Input<'_>, run: Run, mut results: BTreeMap<String, Done>) -> Advanced {
    let mut state = State { input, run, tasks: Vec::new(), again: None };
    if state.run.status.is_cancelled(input.cancel) {
        state.cancel();
    }
    if input.paused {
        return Advanced { run: state.run, tasks: Vec::new(), again: None };
    }
    state.hear();
    state.retry();
    state.wake();
    match state.run.status.phase {
        WorkflowPhase::Running => {
            state.steps(&mut results);
            state.conclude();
        }
        WorkflowPhase::RollingBack => state.undo(&mut results),
        WorkflowPhase::Succeeded | WorkflowPhase::Failed | WorkflowPhase::RolledBack => {}
    }
    state.ask();
    Advanced { run: state.run, tasks: state.tasks, again: state.again }
}

pub(super) struct State<'a, 'i> {
    pub(super) input: &'a Input<'i>,
    pub(super) run: Run,
    pub(super) tasks: Vec<Task>,
    again: Option<SignedDuration>,
}

/// Returns the pause after so many pauses, in seconds. It doubles each time.
pub(super) fn doubled(backoff: i64, pauses: u32) -> i64 {
    backoff.saturating_mul(1 << pauses.min(20)).min(LONGEST)
}

impl State<'_, '_> {
    pub(super) fn values(&self) -> Values<'_> {
        let Input { workflow, parameters, context, resources, .. } = *self.input;
        Values { workflow, parameters, context, resources }
    }

    /// Ends the run. What was done stays, and a retry continues where it ended.
    fn cancel(&mut self) {
        let now = self.now();
        let has_begun = |step: &StepStatus| step.phase == StepPhase::Running || (step.phase == StepPhase::Pending && step.attempts > 0);
        let steps = &mut self.run.steps;
        let next = steps.iter().position(|step| step.phase == StepPhase::Pending);
        let is_idle = !steps.iter().any(has_begun);
        for (index, step) in steps.iter_mut().enumerate() {
            if has_begun(step) || (is_idle && Some(index) == next) {
                (step.phase, step.finished_at, step.next_at) = (StepPhase::Failed, Some(now.clone()), None);
                (step.reason, step.message) = (Some(StepReason::Cancelled), Some(words::cancelled()));
            }
        }
        (self.run.status.phase, self.run.status.finished_at) = (WorkflowPhase::Failed, Some(now));
    }

    /// Starts failed steps again, if someone asked for it since the run failed.
    fn retry(&mut self) {
        let run = &mut self.run;
        let is_asked = run.status.is_retried(self.input.retry);
        if run.status.phase != WorkflowPhase::Failed || !is_asked {
            return;
        }
        for step in run.steps.iter_mut().filter(|step| step.phase == StepPhase::Failed) {
            (step.phase, step.attempts, step.finished_at, step.next_at) = (StepPhase::Pending, 0, None, None);
        }
        (run.status.phase, run.status.finished_at) = (WorkflowPhase::Running, None);
        run.status.attempt += 1;
    }

    /// Tries steps again whose Endpoint changed: those that couldn't call it, and those that wait for their next attempt, also to
    /// be undone.
    fn wake(&mut self) {
        let (run, woken) = (&mut self.run, self.input.woken);
        if run.is_woken(woken) {
            for step in run.steps.iter_mut().filter(|step| step.phase == StepPhase::Failed) {
                (step.phase, step.attempts, step.finished_at) = (StepPhase::Pending, 0, None);
            }
            (run.status.phase, run.status.finished_at) = (WorkflowPhase::Running, None);
            run.status.attempt += 1;
        }
        let is_rolling_back = run.status.phase == WorkflowPhase::RollingBack;
        let waits = |step: &StepStatus| if is_rolling_back { step.waits_for_undo() } else { step.phase == StepPhase::Pending };
        for step in run.steps.iter_mut().filter(|step| waits(step) && woken.contains(&step.id)) {
            step.next_at = None;
        }
    }

    /// Starts steps whose dependencies are done and checks running ones, until nothing changes: a step that finishes can unblock others.
    fn steps(&mut self, results: &mut BTreeMap<String, Done>) {
        let workflow = self.input.workflow;
        // A result belongs to an attempt that was already running.
        results.retain(|id, _| self.run.steps.iter().any(|step| step.id == *id && step.phase == StepPhase::Running));
        for _ in 0..=workflow.steps.len() {
            let before = self.run.steps.clone();
            (self.tasks, self.again) = (Vec::new(), None);
            for step in &workflow.steps {
                let Some(index) = self.run.steps.iter().position(|status| status.id == step.id) else { continue };
                if self.run.steps[index].phase == StepPhase::Pending {
                    self.start(step, index);
                }
                if self.run.steps[index].phase == StepPhase::Running {
                    self.look(step, index, results.remove(&step.id));
                }
            }
            if self.run.steps == before {
                return;
            }
        }
    }

    fn start(&mut self, step: &CompiledStep, index: usize) {
        let is_open = |id: &String| {
            let on_failure = self.input.workflow.steps.iter().find(|other| other.id == *id).map(|other| other.on_failure);
            self.run.steps.iter().any(|other| {
                other.id == *id
                    && match other.phase {
                        StepPhase::Succeeded | StepPhase::Skipped => true,
                        StepPhase::Failed => on_failure == Some(OnFailure::Continue),
                        StepPhase::Pending | StepPhase::Running => false,
                    }
            })
        };
        if self.has_failed() || !step.depends_on.iter().all(is_open) || self.is_held(index) {
            return;
        }
        if let Some(left) = self.left(self.run.steps[index].next_at.as_deref()) {
            return self.look_again(left);
        }
        if self.run.steps[index].attempts == 0
            && let Some(when) = &step.when
        {
            match self.values().holds(when, &self.run.steps) {
                Ok(Some(true)) => {}
                // Nothing that it asks about exists.
                Ok(Some(false) | None) => {
                    let now = self.now();
                    let status = &mut self.run.steps[index];
                    (status.phase, status.finished_at) = (StepPhase::Skipped, Some(now));
                    return;
                }
                Err(failure) => return self.fail(step, index, failure, true),
            }
        }
        let now = self.now();
        let status = &mut self.run.steps[index];
        status.phase = StepPhase::Running;
        status.attempts += 1;
        (status.started_at, status.next_at, status.reason, status.message) = (Some(now), None, None, None);
        status.log.clear();
    }

    /// Looks at a step that runs.
    fn look(&mut self, step: &CompiledStep, index: usize, done: Option<Done>) {
        if done.is_none()
            && let Some(left) = self.until_poll(step, index)
        {
            self.look_again(left);
            return self.time_out(step, index);
        }
        if let Some(Done::JobResult { log, .. }) = &done {
            self.run.steps[index].log.clone_from(log);
        }
        if step.kind == StepKind::Approve {
            self.run.steps[index].approval = decisions::of_step(self.input, &self.run, index).cloned().map(Box::new);
        }
        match progress(self.input, &self.values(), step, (&self.run, index), done) {
            Progress::Succeeded { outputs } => {
                let now = self.now();
                let status = &mut self.run.steps[index];
                (status.phase, status.finished_at, status.next_at) = (StepPhase::Succeeded, Some(now), None);
                (status.reason, status.message) = (None, decisions::approved(status));
                status.outputs.extend(outputs);
            }
            Progress::Failed { failure, is_final } => self.fail(step, index, failure, is_final),
            Progress::Answered { outputs, poll } => {
                let status = &mut self.run.steps[index];
                status.answered = true;
                status.outputs.extend(outputs);
                self.poll(index, poll, None);
            }
            Progress::Noted { outputs } => self.run.steps[index].outputs.extend(outputs),
            Progress::NotYet { every, message } => self.poll(index, every, message),
            Progress::Waits { reason, message } => {
                let status = &mut self.run.steps[index];
                (status.reason, status.message) = (Some(reason), message);
            }
            Progress::Asks(task) => {
                self.run.steps[index].called |= matches!(task, Task::Http(_));
                self.tasks.push(task);
            }
        }
        self.time_out(step, index);
    }

    /// Ends an attempt that takes too long.
    fn time_out(&mut self, step: &CompiledStep, index: usize) {
        let status = &self.run.steps[index];
        let (Some(timeout), StepPhase::Running) = (step.timeout, status.phase) else { return };
        let started = status.started_at.as_deref().and_then(|at| at.parse::<Timestamp>().ok()).unwrap_or(self.input.now);
        let left = SignedDuration::from_secs(timeout) - self.input.now.duration_since(started);
        if left.is_positive() {
            for task in &mut self.tasks {
                if let Task::Http(call) = task
                    && call.step == step.id
                {
                    call.within = Some(left);
                }
            }
            return self.look_again(left);
        }
        self.tasks.retain(|task| task.step() != step.id);
        let message = words::timed_out(timeout, status);
        // After an approval that a policy requires expired, a retry requests another one.
        let is_final = status.policy.is_some();
        self.fail(step, index, TaskFailure { reason: StepReason::TimedOut, message }, is_final);
    }

    /// Calls a step again after a pause, in seconds.
    fn poll(&mut self, index: usize, every: i64, message: Option<String>) {
        self.look_again(SignedDuration::from_secs(every));
        let status = &mut self.run.steps[index];
        (status.reason, status.message) = (Some(StepReason::Polling), message);
    }

    /// Returns how long it takes until a step is polled again.
    fn until_poll(&self, step: &CompiledStep, index: usize) -> Option<SignedDuration> {
        let Action::Http(http) = &step.action else { return None };
        let poll = http.poll.as_ref().filter(|_| self.run.steps[index].answered && !self.input.woken.contains(&step.id))?;
        let next = self.input.called.get(&step.id)?.saturating_add(SignedDuration::from_secs(poll.every)).ok()?;
        let left = next.duration_since(self.input.now);
        left.is_positive().then_some(left)
    }

    /// Ends an attempt. `is_final` is whether the same call can't have another result.
    fn fail(&mut self, step: &CompiledStep, index: usize, failure: TaskFailure, is_final: bool) {
        let now = self.now();
        let attempts = self.run.steps[index].attempts;
        let is_last = attempts > step.retries || matches!(failure.reason, StepReason::InvalidPromise | StepReason::NotAllowed);
        let pause = doubled(step.backoff, attempts.saturating_sub(1));
        let next = self.after(pause);
        let status = &mut self.run.steps[index];
        if is_final && matches!(step.kind, StepKind::Http | StepKind::Approve) {
            status.round += 1;
            (status.answered, status.called) = (false, false);
            status.outputs.clear();
        }
        (status.reason, status.message) = (Some(failure.reason), Some(failure.message));
        if is_last {
            (status.phase, status.finished_at, status.next_at) = (StepPhase::Failed, Some(now), None);
        } else {
            (status.phase, status.next_at) = (StepPhase::Pending, Some(next));
            self.look_again(SignedDuration::from_secs(pause));
        }
    }

    /// Checks whether a step failed that ends the run.
    pub(super) fn has_failed(&self) -> bool {
        self.ending().next().is_some()
    }

    fn ending(&self) -> impl Iterator<Item = OnFailure> {
        let failed = |step: &&CompiledStep| {
            step.on_failure != OnFailure::Continue
                && self.run.steps.iter().any(|status| status.id == step.id && status.phase == StepPhase::Failed)
        };
        self.input.workflow.steps.iter().filter(failed).map(|step| step.on_failure)
    }

    /// Ends the run, once no step runs any more.
    fn conclude(&mut self) {
        if self.has_failed() {
            self.stop_asking();
        }
        let steps = &self.run.steps;
        if steps.iter().any(|step| step.phase == StepPhase::Running) {
            return;
        }
        let phase = if self.has_failed() {
            let rolls_back = self.input.can_roll_back && self.ending().any(|on_failure| on_failure == OnFailure::Rollback);
            if rolls_back { WorkflowPhase::RollingBack } else { WorkflowPhase::Failed }
        } else if steps.iter().all(|step| step.phase != StepPhase::Pending) {
            WorkflowPhase::Succeeded
        } else {
            return;
        };
        self.run.status.phase = phase;
        if phase != WorkflowPhase::RollingBack {
            self.run.status.finished_at = Some(self.now());
            (self.tasks, self.again) = (Vec::new(), None);
        }
    }

    pub(super) fn look_again(&mut self, left: SignedDuration) {
        self.again = Some(self.again.map_or(left, |again| again.min(left)));
    }

    /// Returns how long it takes until a time, if it is in the future.
    pub(super) fn left(&self, at: Option<&str>) -> Option<SignedDuration> {
        let left = at?.parse::<Timestamp>().ok()?.duration_since(self.input.now);
        left.is_positive().then_some(left)
    }

    pub(super) fn now(&self) -> String {
        self.input.now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    pub(super) fn after(&self, seconds: i64) -> String {
        let at = self.input.now.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(self.input.now);
        at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
