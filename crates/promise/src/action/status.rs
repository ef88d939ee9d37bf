//! The status of a run of an action.

use super::start::is_before_steps;
use super::words;
use crate::api::{
    ActionOutputStatus, ActionPhase, Condition, ConditionStatus, InventoryItem, PromiseActionStatus, StepPhase, StepStatus, WaitingKind,
    WaitingOn, WaitingReason, WorkflowPhase,
};
use crate::workflow::{self, Run};

/// Reason of the condition `Succeeded` of a run that policies refuse.
const POLICY_VIOLATION: &str = "PolicyViolation";

/// What is known of a run that has begun.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Generation of the PromiseAction.
    pub generation: i64,
    /// Its steps.
    pub run: &'a Run,
    /// Objects of the action.
    pub inventory: &'a [InventoryItem],
    /// Values that it returns.
    pub outputs: &'a [ActionOutputStatus],
    /// What its first step waits for, if it is approved.
    pub held: Option<&'a WaitingOn>,
    /// Something that the controller can't do now, as a sentence.
    pub failure: Option<&'a str>,
}

/// Returns the status of a run that has begun. `now` is an RFC 3339 time.
pub fn status(previous: &PromiseActionStatus, seen: &Observed<'_>, now: &str) -> PromiseActionStatus {
    let run = seen.run;
    let phase = match run.status.phase {
        WorkflowPhase::Succeeded => ActionPhase::Succeeded,
        WorkflowPhase::Failed | WorkflowPhase::RollingBack | WorkflowPhase::RolledBack => ActionPhase::Failed,
        WorkflowPhase::Running => ActionPhase::Running,
    };
    let message = (phase == ActionPhase::Failed).then(|| run.failed().map(workflow::failed)).flatten();
    let waiting = match (phase, seen.failure) {
        (ActionPhase::Running, Some(failure)) => {
            let reason = if run.is_unbegun() { reason_before_steps(previous) } else { WaitingReason::Retrying };
            Some(WaitingOn::new(WaitingKind::Controller, reason, failure))
        }
        (ActionPhase::Running, None) => {
            seen.held.cloned().or_else(|| run.steps.iter().find(|step| step.phase == StepPhase::Running).map(waits))
        }
        _ => None,
    };
    let next = PromiseActionStatus {
        observed_generation: seen.generation,
        phase,
        waiting_on: waiting.map(|waiting| waiting.dated(previous.waiting_on.as_ref(), now)),
        message,
        workflow: Some(run.status.clone()),
        steps: run.steps.clone(),
        inventory: seen.inventory.to_vec(),
        outputs: if phase == ActionPhase::Succeeded { seen.outputs.to_vec() } else { Vec::new() },
        finished_at: phase.is_over().then(|| previous.finished_at.clone().unwrap_or_else(|| now.to_owned())),
        ..previous.clone()
    };
    judged(next, now)
}

/// Returns why a run that waits for approvals that policies require, or is approved and hasn't begun, doesn't begin. An error meanwhile
/// doesn't make the other runs wait for it.
fn reason_before_steps(previous: &PromiseActionStatus) -> WaitingReason {
    let known = previous.waiting_on.as_ref().map(|waiting| waiting.reason);
    known.filter(|reason| is_before_steps(*reason)).unwrap_or(WaitingReason::RunApprovalNeeded)
}

/// Returns the status of a failed run that someone retries. `is_queued` is whether none of its steps has begun, so that others don't wait for
/// it.
pub fn resumed(previous: &PromiseActionStatus, is_queued: bool, now: &str) -> PromiseActionStatus {
    let asking = || WaitingOn::new(WaitingKind::Person, WaitingReason::RunApprovalNeeded, words::asking());
    let waiting = is_queued.then(|| asking().dated(previous.waiting_on.as_ref(), now));
    PromiseActionStatus { phase: ActionPhase::Running, waiting_on: waiting, message: None, finished_at: None, ..previous.clone() }
}

/// Returns the status of a run whose request got another release since policies required approvals of it, before any of its steps began: it
/// starts again, and its approvers are asked about the present release.
pub fn restarted(previous: &PromiseActionStatus, generation: i64, now: &str) -> PromiseActionStatus {
    let asking = WaitingOn::new(WaitingKind::Controller, WaitingReason::RolloutRunning, words::other_release());
    let fresh = PromiseActionStatus {
        release: None,
        workflow: None,
        steps: Vec::new(),
        outputs: Vec::new(),
        message: None,
        started_at: None,
        ..previous.clone()
    };
    waiting(&fresh, generation, asking, now)
}

/// Returns the status of a run that never begins. `why` is a sentence.
pub fn refused(previous: &PromiseActionStatus, generation: i64, why: String, now: &str) -> PromiseActionStatus {
    let next = PromiseActionStatus {
        observed_generation: generation,
        phase: ActionPhase::Refused,
        waiting_on: None,
        message: Some(why),
        finished_at: Some(now.to_owned()),
        ..previous.clone()
    };
    judged(next, now)
}

/// Returns the status of a run that policies refuse. `why` are sentences.
pub fn denied(previous: &PromiseActionStatus, generation: i64, why: String, now: &str) -> PromiseActionStatus {
    let mut next = refused(previous, generation, why, now);
    for condition in &mut next.conditions {
        POLICY_VIOLATION.clone_into(&mut condition.reason);
    }
    next
}

/// Returns the status of a run that was stopped: by someone, or for the reason `why`, a sentence. Nothing is undone.
pub fn cancelled(previous: &PromiseActionStatus, generation: i64, why: Option<String>, now: &str) -> PromiseActionStatus {
    let mut next = PromiseActionStatus {
        observed_generation: generation,
        phase: ActionPhase::Cancelled,
        waiting_on: None,
        message: Some(why.unwrap_or_else(words::cancelled)),
        finished_at: Some(now.to_owned()),
        ..previous.clone()
    };
    if let Some(run) = &mut next.workflow {
        (run.phase, run.finished_at) = (WorkflowPhase::Failed, Some(now.to_owned()));
    }
    for step in next.steps.iter_mut().filter(|step| step.phase == StepPhase::Running) {
        (step.phase, step.finished_at, step.next_at) = (StepPhase::Failed, Some(now.to_owned()), None);
    }
    judged(next, now)
}

/// Adds the condition `Succeeded`, with the time of its last change.
fn judged(mut status: PromiseActionStatus, now: &str) -> PromiseActionStatus {
    let verdict = match status.phase {
        ActionPhase::Succeeded => ConditionStatus::True,
        ActionPhase::Pending | ActionPhase::Running => ConditionStatus::Unknown,
        ActionPhase::Failed | ActionPhase::Refused | ActionPhase::Cancelled => ConditionStatus::False,
    };
    let waiting = status.waiting_on.as_ref().map(|waiting| format!("{}.", waiting.message));
    let before = status.conditions.iter().find(|condition| condition.r#type == "Succeeded" && condition.status == verdict);
    let since = before.and_then(|before| before.last_transition_time.clone()).unwrap_or_else(|| now.to_owned());
    status.conditions = vec![Condition {
        r#type: "Succeeded".to_owned(),
        status: verdict,
        reason: format!("{:?}", status.phase),
        message: status.message.clone().or(waiting).unwrap_or_default(),
        observed_generation: Some(status.observed_generation),
        last_transition_time: Some(since),
    }];
    status
}

/// Returns the status of a run that waits for its start.
pub fn waiting(previous: &PromiseActionStatus, generation: i64, waiting: WaitingOn, now: &str) -> PromiseActionStatus {
    let waiting = waiting.dated(previous.waiting_on.as_ref(), now);
    let next =
        PromiseActionStatus { observed_generation: generation, phase: ActionPhase::Pending, waiting_on: Some(waiting), ..previous.clone() };
    judged(next, now)
}

fn waits(step: &StepStatus) -> WaitingOn {
    workflow::waits(step).unwrap_or_else(|| {
        let title = step.title.as_deref().unwrap_or(&step.id);
        let message = words::running(title, step.message.as_deref());
        let waiting = WaitingOn::new(WaitingKind::Step, WaitingReason::StepRunning, message);
        WaitingOn { object: Some(step.id.clone()), ..waiting }
    })
}
