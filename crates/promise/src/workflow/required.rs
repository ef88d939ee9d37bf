//! Approvals that policies require of a run of an action: `approve` steps before its own steps, as the rules were when the run started.
//!
//! People can take their time, so the windows that were open at the start might be closed when they have decided. The steps of the action
//! wait until the controller has found them open again.

use super::Run;
use super::advance::State;
use super::compile::{Action, CompiledStep, CompiledWorkflow, duration};
use super::words;
use crate::api::{Approve, OnFailure, StepKind, StepPhase, StepPolicy, StepStatus, WorkflowPhase};
use crate::policy::{Origin, Provenance, Ruling};

/// Ids of steps of promises are letters and digits, so none is the same.
const PREFIX: &str = "policy-";

/// Returns the steps that policies require before the steps of a run, in the order of their stages.
pub fn required_steps(approvals: &[Ruling<Approve>]) -> Vec<StepStatus> {
    let mut approvals: Vec<&Ruling<Approve>> = approvals.iter().collect();
    approvals.sort_by_key(|ruling| ruling.effect.stage());
    let step = |(index, ruling): (usize, &Ruling<Approve>)| StepStatus {
        id: format!("{PREFIX}{}", index + 1),
        title: Some(words::required_by(ruling.from.title.as_deref().unwrap_or(&ruling.from.policy))),
        kind: StepKind::Approve,
        policy: Some(Box::new(frozen(ruling))),
        ..StepStatus::default()
    };
    approvals.into_iter().enumerate().map(step).collect()
}

/// Returns a rule as it is from now on. Its condition has been evaluated, and not everyone who reads the run can read the policy.
fn frozen(Ruling { from, effect, .. }: &Ruling<Approve>) -> StepPolicy {
    StepPolicy {
        policy: from.policy.clone(),
        rule: from.rule.clone(),
        source: from.workspace.clone(),
        cluster: from.cluster.clone(),
        title: from.title.clone(),
        owner: from.owner.clone(),
        reason: from.reason.clone(),
        approve: Approve { when: None, ..effect.clone() },
    }
}

/// Returns where the rule comes from that requires a step.
pub fn provenance(policy: &StepPolicy) -> Provenance {
    Provenance {
        // Why the policy applied makes no difference any more.
        origin: Origin::Reference,
        workspace: policy.source.clone(),
        cluster: policy.cluster.clone(),
        policy: policy.policy.clone(),
        rule: policy.rule.clone(),
        title: policy.title.clone(),
        owner: policy.owner.clone(),
        reason: policy.reason.clone(),
        enforcement: crate::api::Enforcement::default(),
    }
}

impl Run {
    /// Puts steps that policies require before those of a run that hasn't begun.
    #[must_use]
    pub fn asking(mut self, steps: Vec<StepStatus>) -> Self {
        self.steps.splice(0..0, steps);
        self
    }

    /// Checks whether policies required approvals of a run, and none of the steps of the action has begun.
    pub fn is_unbegun(&self) -> bool {
        is_unbegun(&self.steps)
    }

    /// Checks whether such a run has all its approvals, and none of the steps of the action has begun. One that failed has begun: a retry
    /// continues a run, whatever policies say by then.
    pub fn awaits_opening(&self) -> bool {
        let is_decided = |step: &StepStatus| matches!(step.phase, StepPhase::Succeeded | StepPhase::Skipped);
        let mut required = self.steps.iter().filter(|step| step.policy.is_some());
        self.status.phase == WorkflowPhase::Running && is_unbegun(&self.steps) && required.all(is_decided)
    }
}

/// Checks whether policies required approvals of a run, and none of the steps of the action has begun.
fn is_unbegun(steps: &[StepStatus]) -> bool {
    let (required, own): (Vec<&StepStatus>, Vec<&StepStatus>) = steps.iter().partition(|step| step.policy.is_some());
    let has_begun = |step: &&StepStatus| step.phase != StepPhase::Pending || step.started_at.is_some();
    !required.is_empty() && !own.is_empty() && !own.iter().any(has_begun)
}

impl CompiledWorkflow {
    /// Puts the steps that policies require before all others.
    pub(super) fn ask_first(&mut self, steps: &[StepStatus]) {
        let required: Vec<(&StepStatus, &StepPolicy)> = steps.iter().filter_map(|step| Some((step, step.policy.as_deref()?))).collect();
        let ids: Vec<String> = required.iter().map(|(step, _)| step.id.clone()).collect();
        let asking: Vec<CompiledStep> = required.iter().map(|(step, policy)| compiled(step, policy, &required)).collect();
        for first in self.steps.iter_mut().filter(|step| step.depends_on.is_empty()) {
            first.depends_on.clone_from(&ids);
        }
        self.steps.splice(0..0, asking);
    }
}

/// Returns a step that waits until the rules of all earlier stages are approved.
fn compiled(step: &StepStatus, policy: &StepPolicy, all: &[(&StepStatus, &StepPolicy)]) -> CompiledStep {
    let stage = policy.approve.stage();
    CompiledStep {
        id: step.id.clone(),
        title: step.title.clone(),
        kind: StepKind::Approve,
        depends_on: all.iter().filter(|(_, other)| other.approve.stage() < stage).map(|(other, _)| other.id.clone()).collect(),
        when: None,
        timeout: policy.approve.expires_after.as_deref().and_then(duration),
        retries: 0,
        backoff: 0,
        on_failure: OnFailure::Fail,
        action: Action::Approve { rule: Box::new(policy.approve.clone()), message: policy.reason.clone() },
    }
}

impl State<'_, '_> {
    /// Checks whether a step of the action can't begin, because windows weren't found open after the approvals that policies require.
    pub(super) fn is_held(&self, index: usize) -> bool {
        !self.input.windows_open && self.run.steps[index].policy.is_none() && is_unbegun(&self.run.steps)
    }

    /// Ends the other questions of policies once one of them is rejected or expires: nothing follows from them. If someone retries the run,
    /// they continue, and what was decided about them still counts.
    pub(super) fn stop_asking(&mut self) {
        for step in self.run.steps.iter_mut().filter(|step| step.policy.is_some() && step.phase == StepPhase::Running) {
            (step.phase, step.attempts, step.started_at) = (StepPhase::Pending, 0, None);
            (step.reason, step.message) = (None, None);
        }
    }
}
