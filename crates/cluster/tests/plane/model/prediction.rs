//! What a request becomes where nothing goes wrong.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use promise::api::{OnFailure, StepPhase, WorkflowName, WorkflowPhase, WorkflowStatus};
use promise::render::Compiled;
use promise::workflow::Run;

use super::desk::Filed;
use super::published::{resource_id, spec};
use super::scenario::{Scenario, StepPlan};

/// Name of the release. Only its identity counts.
const RELEASE: &str = "release";

/// What a request wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Content {
    pub level: u8,
    pub extra: bool,
}

/// The request and everything of it, where nothing goes wrong.
pub struct Prediction<'s> {
    pub scenario: &'s Scenario,
    pub(super) compiled: Compiled,
    pub(super) name: String,
    pub(super) uid: String,
    /// What the request wants now.
    pub(super) wanted: Content,
    pub(super) current: Option<Content>,
    pub(super) next: Option<Content>,
    /// Whether what was bad at first is good by now.
    pub repaired: bool,
    /// The level of each object, by its resource.
    pub objects: BTreeMap<usize, u8>,
    pub run: Option<Run>,
    /// Tickets: idempotency key, step, and whether it was deleted.
    pub(super) tickets: Vec<(String, String, bool)>,
    /// How many Jobs each step had.
    pub jobs: BTreeMap<String, usize>,
    pub(super) job_names: BTreeSet<String>,
    /// Whether the tickets are those that are predicted. What steps did that ran in parallel with one that failed isn't.
    pub tickets_are_known: bool,
    /// The attempt that someone retries.
    pub(super) retry: Option<String>,
    /// The attempt that someone retried last.
    retried: Option<String>,
    pub(super) now: Timestamp,
}

impl<'s> Prediction<'s> {
    /// Creates a request, and rolls out its first release.
    pub fn create(scenario: &'s Scenario, name: &str, uid: &str, wanted: Content) -> Self {
        let spec = serde_json::from_value(spec(scenario)).unwrap();
        let mut prediction = Self {
            scenario,
            compiled: Compiled::compile(&spec).unwrap(),
            name: name.to_owned(),
            uid: uid.to_owned(),
            wanted,
            current: None,
            next: None,
            repaired: false,
            objects: BTreeMap::new(),
            run: None,
            tickets: Vec::new(),
            jobs: BTreeMap::new(),
            job_names: BTreeSet::new(),
            tickets_are_known: true,
            retry: None,
            retried: None,
            now: "2026-05-01T08:00:00Z".parse().unwrap(),
        };
        prediction.roll_out(wanted);
        prediction
    }

    /// Edits it.
    pub fn edit(&mut self, wanted: Content) {
        if wanted == self.wanted {
            return;
        }
        self.wanted = wanted;
        if self.next.is_none() && self.current == Some(wanted) {
            // It has that: what was rolled back isn't wanted any more.
            self.run = None;
            return;
        }
        self.roll_out(wanted);
    }

    /// Retries what failed. Returns which attempt that is, if something failed.
    pub fn retry(&mut self, repairs: bool) -> Option<u32> {
        let status = self.run.as_ref().map(|run| run.status.clone())?;
        let is_back = match status.phase {
            WorkflowPhase::Failed => false,
            WorkflowPhase::RolledBack => true,
            _ => return None,
        };
        self.repaired |= repairs;
        self.retried = Some(status.attempt.to_string());
        if is_back {
            self.roll_out(self.wanted);
        } else {
            self.retry = self.retried.clone();
            self.simulate(status.name);
        }
        Some(status.attempt)
    }

    /// Deletes it. Returns whether it is gone then: otherwise a step of its workflow failed.
    pub fn delete(&mut self) -> bool {
        let workflow = self.compiled.workflows().get(WorkflowName::Deprovision);
        let Some(workflow) = workflow.filter(|_| self.next.or(self.current).is_some()) else {
            self.objects.clear();
            return true;
        };
        let last: Option<WorkflowStatus> = self.run.as_ref().map(|run| run.status.clone());
        let run = Run::start(workflow, WorkflowName::Deprovision, RELEASE, last.as_ref(), &self.now.to_string());
        self.run = Some(run.counted_past([self.retried.as_deref()]));
        self.simulate(WorkflowName::Deprovision);
        self.is_gone()
    }

    /// Whether a deletion has come to its end.
    pub fn is_gone(&self) -> bool {
        self.run.as_ref().is_none_or(|run| run.status.phase == WorkflowPhase::Succeeded)
    }

    /// Takes over how a run really ended whose steps race with one that fails.
    pub fn adopt(&mut self, run: Run, jobs: BTreeMap<String, usize>, before: BTreeMap<usize, u8>, former: Option<Content>) {
        (self.run, self.jobs, self.objects, self.tickets_are_known) = (Some(run), jobs, before, false);
        (self.current, self.next) = (former, Some(self.wanted));
        self.conclude();
    }

    /// What ran before the present rollout.
    pub fn former(&self) -> Option<Content> {
        self.current
    }

    /// The tickets of each step.
    pub fn filed(&self) -> Filed {
        let mut filed = Filed::new();
        for (_, step, is_deleted) in &self.tickets {
            filed.entry(step.clone()).or_default().push(*is_deleted);
        }
        filed
    }

    /// Whether a step that ends the run has others beside it: how far they come depends on time.
    pub fn races(&self) -> bool {
        let Some(run) = self.run.as_ref().filter(|run| run.status.phase != WorkflowPhase::Succeeded) else { return false };
        let steps = self.scenario.steps(run.status.name);
        let ended = |index: &usize| run.steps[*index].phase == StepPhase::Failed && steps[*index].can_end();
        (0..steps.len())
            .filter(ended)
            .any(|one| (0..steps.len()).any(|other| one != other && !comes_before(steps, one, other) && !comes_before(steps, other, one)))
    }

    /// The phases that the run can end in: by the steps that can end it.
    pub fn phases(&self) -> Vec<WorkflowPhase> {
        let Some(run) = &self.run else { return Vec::new() };
        let steps = self.scenario.steps(run.status.name).iter().filter(|step| step.can_end());
        let of = |step: &StepPlan| match step.on_failure {
            OnFailure::Rollback if run.status.name != WorkflowName::Deprovision => WorkflowPhase::RolledBack,
            _ => WorkflowPhase::Failed,
        };
        if self.races() { steps.map(of).collect() } else { vec![run.status.phase] }
    }

    fn roll_out(&mut self, content: Content) {
        self.next = Some(content);
        let is_unfinished = |run: &Run| run.status.name == WorkflowName::Provision && run.status.phase != WorkflowPhase::Succeeded;
        let is_first = self.current.is_none() || self.run.as_ref().is_some_and(is_unfinished);
        let name = if is_first { WorkflowName::Provision } else { WorkflowName::Upgrade };
        let last = self.run.take().map(|run| run.status);
        match self.compiled.workflows().get(name) {
            Some(workflow) => {
                let run = Run::start(workflow, name, RELEASE, last.as_ref(), &self.now.to_string());
                self.run = Some(run.counted_past([self.retried.as_deref()]));
                self.simulate(name);
            }
            None => self.finish(content),
        }
    }

    /// The release runs.
    fn finish(&mut self, content: Content) {
        self.objects = self.wanted_by(content);
        (self.current, self.next) = (Some(content), None);
    }

    pub(super) fn wanted_by(&self, content: Content) -> BTreeMap<usize, u8> {
        let resources = self.scenario.resources.iter().enumerate();
        resources.filter(|(_, resource)| !resource.is_extra || content.extra).map(|(index, _)| (index, content.level)).collect()
    }

    /// Takes in how a run ended.
    pub(super) fn conclude(&mut self) {
        let Some(run) = &self.run else { return };
        let (phase, is_removal) = (run.status.phase, run.status.name == WorkflowName::Deprovision);
        let closed = self.compiled.workflows().get(run.status.name).map(|workflow| run.closed(workflow, self.compiled.order()));
        let is_open = |index: &usize| closed.as_ref().is_none_or(|closed| !closed.contains(&resource_id(*index)));
        match (phase, self.next) {
            (WorkflowPhase::Succeeded, _) if is_removal => self.objects.clear(),
            (_, _) if is_removal => self.objects.retain(|index, _| !is_open(index)),
            (WorkflowPhase::Succeeded, Some(next)) => self.finish(next),
            (WorkflowPhase::RolledBack, _) => {
                self.next = None;
                self.objects = self.current.map(|former| self.wanted_by(former)).unwrap_or_default();
            }
            (_, Some(next)) => {
                let wanted = self.wanted_by(next);
                let begun: Vec<usize> = wanted.keys().copied().filter(is_open).collect();
                self.objects.extend(begun.into_iter().map(|index| (index, next.level)));
                // What isn't wanted any more goes once everything else is as wanted.
                if wanted.iter().all(|(index, level)| self.objects.get(index) == Some(level)) {
                    self.objects = wanted;
                }
            }
            _ => {}
        }
    }
}

/// The number of a step.
pub fn index_of(step: &str) -> usize {
    step[1..].parse().unwrap()
}

/// Whether a step depends on another one, directly or not.
fn comes_before(steps: &[StepPlan], first: usize, second: usize) -> bool {
    steps[second].depends_on.iter().any(|other| *other == first || comes_before(steps, first, *other))
}
