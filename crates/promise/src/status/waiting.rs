//! What a request waits for: computed from observations, never from plans.

use super::Observation;
use crate::api::{CandidateState, PromiseRequestStatus, StepPhase, StepStatus, WaitingKind, WaitingOn, WaitingReason, WorkflowPhase};
use crate::expiry::minute;
use crate::finalizer::HeldDeletion;
use crate::plan::{Hold, Key, Plan};
use crate::problem::Problem;
use crate::wording::upper_first;
use crate::workflow;

pub(super) fn of(previous: &PromiseRequestStatus, seen: &Observation<'_>, now: &str) -> Option<WaitingOn> {
    let waiting = found(seen)?;
    Some(waiting.dated(previous.waiting_on.as_ref(), now))
}

/// Returns what a pending edit waits for while the last accepted release runs: the same as for a new request.
pub(super) fn of_edit(seen: &Observation<'_>) -> Option<WaitingOn> {
    found(&Observation { current: None, expired: None, ..seen.clone() })
}

impl WaitingOn {
    /// Creates the value with a sentence for users.
    pub fn new(kind: WaitingKind, reason: WaitingReason, message: impl Into<String>) -> Self {
        let mut message = message.into();
        message.truncate(message.trim_end_matches('.').len());
        Self { kind, reason, message, ..Self::default() }
    }

    fn about(self, object: impl ToString) -> Self {
        Self { object: Some(object.to_string()), ..self }
    }

    /// Keeps the time of the same reason, unless an object says since when. Its message can change in the meantime, such as a count;
    /// different approvers are a different reason.
    pub(crate) fn dated(self, previous: Option<&Self>, now: &str) -> Self {
        let kept = previous.filter(|kept| kept.is_about_same(&self)).and_then(|kept| kept.since.clone());
        let known = self.since.clone().or(kept);
        Self { since: known.or_else(|| Some(now.to_owned())), ..self }
    }

    fn is_about_same(&self, other: &Self) -> bool {
        (self.kind, self.reason, &self.who, &self.object) == (other.kind, other.reason, &other.who, &other.object)
    }

    /// Whether two observations are the same news, whatever their messages count.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.is_about_same(other) && self.finalizers == other.finalizers
    }
}

/// Whether the promise renders invalid objects from valid parameters, which the requester can't fix.
fn is_of_the_promise(problem: &Problem) -> bool {
    [".implementation", ".outputs"].iter().any(|part| problem.path.starts_with(part))
}

fn found(seen: &Observation<'_>) -> Option<WaitingOn> {
    if seen.deleting {
        return Some(match (seen.failure, seen.plan) {
            (Some(failure), _) => retrying(failure),
            (None, Some(plan)) => of_steps(seen).unwrap_or_else(|| removal(plan)),
            (None, None) => deleting(),
        });
    }
    of_checks(seen).or_else(|| of_people(seen)).or_else(|| of_work(seen)).or_else(|| of_expiry(seen))
}

/// Returns what has to be corrected before anyone is asked.
fn of_checks(seen: &Observation<'_>) -> Option<WaitingOn> {
    if let Some(problem) = seen.problems.first() {
        let reason = if is_of_the_promise(problem) { WaitingReason::InvalidPromise } else { WaitingReason::InvalidRequest };
        let waiting = WaitingOn::new(WaitingKind::Person, reason, upper_first(&problem.message));
        return Some(if problem.path.is_empty() { waiting } else { waiting.about(&problem.path) });
    }
    if let Some(why) = seen.policies_unknown {
        return Some(WaitingOn::new(WaitingKind::Person, WaitingReason::PoliciesNotVisible, upper_first(why)));
    }
    let refusal = seen.refusals.first()?;
    Some(match seen.full {
        true => WaitingOn::new(WaitingKind::Capacity, WaitingReason::NoRoom, upper_first(refusal)),
        false => WaitingOn::new(WaitingKind::Person, WaitingReason::PolicyViolation, upper_first(refusal)),
    })
}

/// Returns who a candidate waits for. A running release keeps running.
fn of_people(seen: &Observation<'_>) -> Option<WaitingOn> {
    let candidate = seen.candidate?;
    let person = |reason, otherwise: &str| WaitingOn::new(WaitingKind::Person, reason, candidate.message.unwrap_or(otherwise));
    match candidate.state {
        CandidateState::AwaitingApproval => {
            let anyone = || WaitingOn::new(WaitingKind::Person, WaitingReason::ApprovalNeeded, "Waiting for approval");
            Some(seen.decides.cloned().unwrap_or_else(anyone))
        }
        CandidateState::ChangesRequested => {
            let changes = || person(WaitingReason::ChangesRequested, "An approver requested changes");
            Some(seen.decides.cloned().unwrap_or_else(changes))
        }
        CandidateState::AwaitingWindow => {
            let window = || WaitingOn::new(WaitingKind::Controller, WaitingReason::ChangeWindow, candidate.message.unwrap_or_default());
            Some(seen.decides.cloned().unwrap_or_else(window))
        }
        CandidateState::Evaluating => {
            let message = "The controller is evaluating this request";
            Some(WaitingOn::new(WaitingKind::Controller, WaitingReason::Evaluating, message))
        }
        CandidateState::Failed => Some(person(WaitingReason::RolledBack, "The change was rolled back")),
        CandidateState::Rejected | CandidateState::Expired | CandidateState::Withdrawn if seen.current.is_none() => {
            Some(person(WaitingReason::NotApproved, "This request wasn't approved"))
        }
        _ => None,
    }
}

/// Returns that the request is deleted unless it is renewed.
fn of_expiry(seen: &Observation<'_>) -> Option<WaitingOn> {
    let expiry = seen.expired?;
    let message = format!("Expired on {}. It is deleted after {} unless it is renewed", minute(expiry.at), minute(expiry.ends()));
    Some(WaitingOn::new(WaitingKind::Person, WaitingReason::Expired, message))
}

/// Returns what is in progress, or what prevents it.
fn of_work(seen: &Observation<'_>) -> Option<WaitingOn> {
    if let Some(failure) = seen.failure {
        return Some(retrying(failure));
    }
    let Some(plan) = seen.plan else {
        let message = "The controller is checking this request";
        return Some(WaitingOn::new(WaitingKind::Controller, WaitingReason::Reconciling, message));
    };
    let is_in_the_way =
        |hold: &Hold| matches!(hold, Hold::Paused | Hold::Foreign { .. } | Hold::Unreachable { .. } | Hold::Terminating { .. });
    if !plan.holds.first().is_some_and(is_in_the_way)
        && let Some(waiting) = of_steps(seen)
    {
        return Some(waiting);
    }
    let applying = || WaitingOn::new(WaitingKind::Controller, WaitingReason::Applying, "Creating resources");
    plan.holds.first().map(|hold| held(hold, plan)).or_else(|| (!plan.actions.is_empty()).then(applying))
}

/// Returns what the workflow waits for. Steps about objects leave it to the objects.
fn of_steps(seen: &Observation<'_>) -> Option<WaitingOn> {
    let run = seen.run?;
    match run.status.phase {
        WorkflowPhase::Failed => {
            let step = run.failed()?;
            Some(WaitingOn::new(WaitingKind::Person, WaitingReason::StepFailed, workflow::failed(step)).about(&step.id))
        }
        WorkflowPhase::RollingBack => {
            let waiting = run.steps.iter().find_map(|step| workflow::waits_for_undo(step, seen.deleting));
            let returning = || {
                let message = "A step failed: returning to the former release";
                WaitingOn::new(WaitingKind::Controller, WaitingReason::RollingBack, message)
            };
            waiting.or_else(|| (!seen.deleting).then(returning))
        }
        WorkflowPhase::Running => {
            let is_open = |step: &&StepStatus| step.phase == StepPhase::Running || step.next_at.is_some();
            run.steps.iter().filter(is_open).find_map(workflow::waits)
        }
        WorkflowPhase::Succeeded | WorkflowPhase::RolledBack => None,
    }
}

fn retrying(failure: &str) -> WaitingOn {
    WaitingOn::new(WaitingKind::Controller, WaitingReason::Retrying, format!("Retrying after an error: {failure}"))
}

fn deleting() -> WaitingOn {
    WaitingOn::new(WaitingKind::Controller, WaitingReason::Deleting, "Deleting resources")
}

fn held(hold: &Hold, plan: &Plan) -> WaitingOn {
    match hold {
        Hold::Paused => WaitingOn::new(WaitingKind::Person, WaitingReason::Paused, "Paused by the requester"),
        Hold::Foreign { key, message, .. } => WaitingOn::new(WaitingKind::Person, WaitingReason::Conflict, upper_first(message)).about(key),
        Hold::Unreachable { key, message, .. } => {
            WaitingOn::new(WaitingKind::Controller, WaitingReason::Unreachable, upper_first(message)).about(key)
        }
        Hold::Terminating { key, held: Some(deletion), .. } => held_by_finalizer(key, deletion),
        Hold::Terminating { key, held: None, .. } => {
            let message = format!("Waiting for the old {key} to be deleted");
            WaitingOn::new(WaitingKind::Step, WaitingReason::Terminating, message).about(key)
        }
        Hold::Unhealthy { key, message, .. } => {
            let detail = message.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
            WaitingOn::new(WaitingKind::Step, WaitingReason::Unhealthy, format!("{key} isn't healthy yet{detail}")).about(key)
        }
        Hold::NotYet { id, waits_for } => {
            WaitingOn::new(WaitingKind::Step, WaitingReason::Dependency, format!("{id} waits for {waits_for}")).about(id)
        }
        Hold::Budget { left } => {
            let message = format!("Creating resources: {left} of {} left", plan.inventory.len());
            WaitingOn::new(WaitingKind::Controller, WaitingReason::Applying, message)
        }
    }
}

fn held_by_finalizer(key: &Key, deletion: &HeldDeletion) -> WaitingOn {
    let waiting = WaitingOn::new(WaitingKind::Step, WaitingReason::HeldByFinalizer, deletion.reason(key)).about(key);
    WaitingOn { finalizers: deletion.finalizers.clone(), since: Some(deletion.since.clone()), ..waiting }
}

fn removal(plan: &Plan) -> WaitingOn {
    match plan.holds.first() {
        Some(Hold::Terminating { key, held: None, .. }) => {
            let message = format!("Waiting for {key} to be deleted");
            WaitingOn::new(WaitingKind::Step, WaitingReason::Terminating, message).about(key)
        }
        Some(hold) => held(hold, plan),
        None => deleting(),
    }
}
