//! The run of a workflow: which one, and what it allows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::compile::{Action, CompiledWorkflow};
use super::job::WantedJob;
use crate::api::{
    PromiseActionStatus, PromiseRequestStatus, StepPhase, StepReason, StepStatus, WorkflowName, WorkflowPhase, WorkflowStatus,
};

/// More attempts than a request can have.
const ATTEMPTS: u32 = 1_000_000;

/// The run of a workflow, as the status has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The run.
    pub status: WorkflowStatus,
    /// Its steps, in the order of the promise.
    pub steps: Vec<StepStatus>,
}

impl Run {
    /// Starts a run. `last` is the one before it, and `now` an RFC 3339 time.
    pub fn start(workflow: &CompiledWorkflow, name: WorkflowName, release: &str, last: Option<&WorkflowStatus>, now: &str) -> Self {
        let steps = workflow.steps.iter().map(|step| StepStatus {
            id: step.id.clone(),
            title: step.title.clone(),
            kind: step.kind,
            ..StepStatus::default()
        });
        let run = last.map_or(0, |last| last.attempt) + 1;
        let (release, started_at) = (release.to_owned(), Some(now.to_owned()));
        let status = WorkflowStatus { name, release, run, attempt: run, started_at, ..WorkflowStatus::default() };
        Self { status, steps: steps.collect() }
    }

    /// Counts on from the attempts that the annotations of the request name. A release without a workflow starts the count again, and
    /// someone who retried or cancelled an earlier run doesn't mean this one.
    #[must_use]
    pub fn counted_past<'v>(mut self, annotations: impl IntoIterator<Item = Option<&'v str>>) -> Self {
        let named = annotations.into_iter().flatten().filter_map(|attempt| attempt.trim().parse::<u32>().ok());
        // What is far beyond any attempt names none, and must not use up the numbers.
        let last = named.filter(|attempt| *attempt < ATTEMPTS).max().unwrap_or_default();
        self.status.run = self.status.run.max(last + 1);
        self.status.attempt = self.status.run;
        self
    }

    /// Returns the run of an action that its status has.
    pub fn of_action(status: &PromiseActionStatus) -> Option<Self> {
        Some(Self { status: status.workflow.clone()?, steps: status.steps.clone() })
    }

    /// Returns the run that the status has.
    pub fn last(status: Option<&PromiseRequestStatus>) -> Option<Self> {
        let status = status?;
        Some(Self { status: status.workflow.clone()?, steps: status.steps.clone() })
    }

    /// Returns the run that the status has, if it is about this release.
    pub fn recorded(status: Option<&PromiseRequestStatus>, release: &str) -> Option<Self> {
        Self::last(status).filter(|run| run.status.release == release)
    }

    /// Checks whether everything that the release wants can be applied, as if there were no workflow.
    pub fn is_over(&self) -> bool {
        self.status.phase == WorkflowPhase::Succeeded
    }

    /// Checks whether the request returns to its former release, or has returned.
    pub fn is_taken_back(&self) -> bool {
        matches!(self.status.phase, WorkflowPhase::RollingBack | WorkflowPhase::RolledBack)
    }

    /// Checks whether a rollback has calls left to undo.
    pub fn has_undos(&self, workflow: &CompiledWorkflow) -> bool {
        let has_undo = |id: &str| {
            let step = workflow.steps.iter().find(|step| step.id == id);
            matches!(step.map(|step| &step.action), Some(Action::Http(http)) if http.undo.is_some())
        };
        self.steps.iter().any(|step| step.called && !step.undone && !step.undo_skipped && has_undo(&step.id))
    }

    /// Checks whether nothing can change. `retry` is the value of the annotation that retries a run.
    pub fn is_idle(&self, retry: Option<&str>) -> bool {
        match self.status.phase {
            WorkflowPhase::Running | WorkflowPhase::RollingBack => false,
            WorkflowPhase::Failed => !self.status.is_retried(retry),
            WorkflowPhase::Succeeded | WorkflowPhase::RolledBack => true,
        }
    }

    /// Checks whether everything that failed couldn't call its Endpoint, which changed since. `woken` are the ids of steps whose Endpoint
    /// changed.
    pub fn is_woken(&self, woken: &BTreeSet<String>) -> bool {
        let is_uncalled =
            |step: &StepStatus| woken.contains(&step.id) && matches!(step.reason, Some(StepReason::NotAllowed | StepReason::Unreachable));
        let mut failed = self.steps.iter().filter(|step| step.phase == StepPhase::Failed).peekable();
        self.status.phase == WorkflowPhase::Failed && failed.peek().is_some() && failed.all(is_uncalled)
    }

    /// Returns those of the resources whose step hasn't begun: their objects aren't applied or, in a deletion, deleted yet.
    pub fn closed<'r>(&self, workflow: &CompiledWorkflow, resources: impl IntoIterator<Item = &'r str>) -> BTreeSet<String> {
        if self.is_over() || self.is_taken_back() {
            return BTreeSet::new();
        }
        let begun = |id: &str| self.steps.iter().any(|step| step.id == id && (step.attempts > 0 && step.phase != StepPhase::Skipped));
        let open = workflow.steps.iter().filter(|step| begun(&step.id)).filter_map(|step| match &step.action {
            Action::Apply(resources) | Action::Delete(resources) | Action::Request(resources) => Some(resources),
            _ => None,
        });
        let open: BTreeSet<&str> = open.flatten().map(String::as_str).collect();
        resources.into_iter().filter(|id| !open.contains(id)).map(str::to_owned).collect()
    }

    /// Returns the Jobs of the steps that have begun; none in a rollback. `uid` and `request` are the uid and name of the request.
    pub fn jobs(&self, workflow: &CompiledWorkflow, uid: &str, request: &str) -> Vec<WantedJob> {
        if self.is_taken_back() {
            return Vec::new();
        }
        let started = |status: &&StepStatus| status.attempts > 0 && status.phase != StepPhase::Skipped;
        let of = |status: &StepStatus| {
            let step = workflow.steps.iter().find(|step| step.id == status.id)?;
            matches!(step.action, Action::Job(_)).then(|| WantedJob::of(uid, request, &self.status, status))
        };
        self.steps.iter().filter(started).filter_map(of).collect()
    }

    /// Returns the ids of the resources of an action that a step that has begun deletes.
    pub fn removed(&self, workflow: &CompiledWorkflow) -> BTreeSet<String> {
        let begun = |id: &str| self.steps.iter().any(|step| step.id == id && step.attempts > 0);
        let removing = workflow.steps.iter().filter(|step| begun(&step.id)).filter_map(|step| match &step.action {
            Action::Remove(resources) => Some(resources),
            _ => None,
        });
        removing.flatten().cloned().collect()
    }

    /// Returns the outputs of the steps so far, by step.
    pub fn outputs(&self) -> Value {
        let outputs = self.steps.iter().filter(|step| !step.outputs.is_empty());
        Value::Object(outputs.map(|step| (step.id.clone(), step.outputs.clone().into_iter().collect::<Map<_, _>>().into())).collect())
    }

    /// Returns the outputs of steps that outputs of the promise can read, by step: those of this run, and of earlier ones that the status
    /// has. What a rollback takes back doesn't count.
    pub fn known_outputs(run: Option<&Self>, status: Option<&PromiseRequestStatus>) -> Value {
        let mut known = status.map(|status| status.step_outputs.clone()).unwrap_or_default();
        if let Some(run) = run.filter(|run| !run.is_taken_back() && run.status.name != WorkflowName::Deprovision) {
            run.put_outputs(&mut known, |_| true);
        }
        Value::Object(known.into_iter().map(|(step, outputs)| (step, outputs.into_iter().collect::<Map<_, _>>().into())).collect())
    }

    /// Keeps the outputs of those steps that are read, for later runs.
    pub(crate) fn keep_outputs(&self, read: &BTreeSet<String>, kept: &mut BTreeMap<String, BTreeMap<String, Value>>) {
        self.put_outputs(kept, |step| read.contains(step));
        kept.retain(|step, _| read.contains(step));
    }

    fn put_outputs(&self, known: &mut BTreeMap<String, BTreeMap<String, Value>>, matches: impl Fn(&str) -> bool) {
        for step in self.steps.iter().filter(|step| !step.outputs.is_empty() && matches(&step.id)) {
            known.insert(step.id.clone(), step.outputs.clone());
        }
    }

    /// Returns the first step that failed for good.
    pub fn failed(&self) -> Option<&StepStatus> {
        self.steps.iter().find(|step| step.phase == StepPhase::Failed)
    }
}

/// Returns which workflow rolls out a release: `provision` until the request was provisioned once.
pub fn name_of(status: Option<&PromiseRequestStatus>, has_current: bool) -> WorkflowName {
    let unfinished = |run: &WorkflowStatus| run.name == WorkflowName::Provision && run.phase != WorkflowPhase::Succeeded;
    match status.and_then(|status| status.workflow.as_ref()) {
        Some(run) if unfinished(run) => WorkflowName::Provision,
        _ if has_current => WorkflowName::Upgrade,
        _ => WorkflowName::Provision,
    }
}
