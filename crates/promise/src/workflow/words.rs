//! What steps say to people.

use crate::api::{
    ActionPhase, ApprovalStatus, Decision, StepKind, StepPhase, StepReason, StepStatus, WaitingKind, WaitingOn, WaitingReason,
};
use crate::approval::{decided, deciders, deciding};
use crate::wording::{all_of, counted};

/// Returns the state of a step in a word or two. `attempts` is the number of attempts that were made.
pub fn step_label(phase: StepPhase, attempts: u32) -> &'static str {
    match phase {
        StepPhase::Pending if attempts > 0 => "Waiting to retry",
        StepPhase::Pending => "Not started",
        StepPhase::Running => "Running",
        StepPhase::Succeeded => "Succeeded",
        StepPhase::Failed => "Failed",
        StepPhase::Skipped => "Skipped",
    }
}

/// Returns the state of a run of an action in a word.
pub fn action_label(phase: ActionPhase) -> &'static str {
    match phase {
        ActionPhase::Pending => "Waiting",
        ActionPhase::Running => "Running",
        ActionPhase::Succeeded => "Succeeded",
        ActionPhase::Failed => "Failed",
        ActionPhase::Refused => "Refused",
        ActionPhase::Cancelled => "Cancelled",
    }
}

/// Returns what a run that failed says: which step, and why.
pub fn failed(step: &StepStatus) -> String {
    let why = step.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
    ended(&format!("The step {} failed{why}", title(step)))
}

/// Returns what a step that runs waits for. Steps about objects don't say it: the objects say more.
pub fn waits(step: &StepStatus) -> Option<WaitingOn> {
    let why = step.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
    let message = match (step.kind, step.reason) {
        (StepKind::Http, Some(StepReason::Polling)) => format!("Waiting for {}{why}", title(step)),
        (StepKind::Http | StepKind::Wait | StepKind::Job | StepKind::Approve, _) => format!("Waiting for {}{why}", title(step)),
        (StepKind::Validate | StepKind::Capacity, Some(_)) => format!("{} is checked again{why}", title(step)),
        _ => return None,
    };
    if step.kind == StepKind::Approve && (step.policy.is_some() || step.approval.is_some()) {
        // Approvals that policies require come before everything that an action does.
        let reason = if step.policy.is_some() { WaitingReason::RunApprovalNeeded } else { WaitingReason::ApprovalNeeded };
        let waiting = WaitingOn::new(WaitingKind::Person, reason, message.trim_end_matches('.'));
        let who = step.approval.as_deref().map(deciders).unwrap_or_default();
        return Some(WaitingOn { object: Some(step.id.clone()), who, ..waiting });
    }
    let waiting = WaitingOn::new(WaitingKind::Step, WaitingReason::StepRunning, message);
    Some(WaitingOn { object: Some(step.id.clone()), ..waiting })
}

/// Returns what a rollback waits for, if a step isn't undone yet. `is_removal` is whether the request is being deleted.
pub fn waits_for_undo(step: &StepStatus, is_removal: bool) -> Option<WaitingOn> {
    let why = step.undo_message.as_deref().filter(|_| step.waits_for_undo())?;
    let aim = if is_removal { "Deleting the request" } else { "Returning to the former release" };
    let message = format!("{aim}, but {} couldn't be undone yet: {why} There will be another attempt", title(step));
    let waiting = WaitingOn::new(WaitingKind::Controller, WaitingReason::RollingBack, message);
    Some(WaitingOn { object: Some(step.id.clone()), ..waiting })
}

/// Returns that a step isn't undone. `why` says who decided that, as a sentence.
pub(super) fn undo_skipped(why: &str) -> String {
    format!("Not undone: {why}")
}

/// Returns that someone cancelled the step.
pub(super) fn cancelled() -> String {
    "Cancelled".to_owned()
}

/// Returns who has to decide about a step. `check` is what to check before.
pub(super) fn approval_needed(line: &ApprovalStatus, check: Option<&str>) -> String {
    let who = decided(line, Decision::RequestChanges).unwrap_or_else(|| deciding(line));
    match check {
        Some(check) => format!("{}. {check}", who.trim_end_matches('.')),
        None => who,
    }
}

/// Returns the title of a step that a policy requires.
pub(super) fn required_by(policy: &str) -> String {
    format!("Approval required by {policy}")
}

/// Returns that no one knows yet who has to decide about a step.
pub(super) fn asking() -> String {
    "Requesting approval".to_owned()
}

/// Returns who rejected a step, and why.
pub(super) fn rejected(line: &ApprovalStatus) -> String {
    decided(line, Decision::Reject).unwrap_or_else(|| "An approver rejected it.".to_owned())
}

/// Returns how far a Job is. `active` is the number of its pods that run.
pub(super) fn job_runs(active: i64) -> String {
    match u64::try_from(active) {
        Ok(0) | Err(_) => "The Job hasn't started yet".to_owned(),
        Ok(active) => format!("{} of the Job running", counted(active, "pod")),
    }
}

/// Returns that a Job is about to be created.
pub(super) fn job_is_created() -> String {
    "Creating the Job".to_owned()
}

/// Returns that a Job failed. `why` is its termination message or what its status says.
pub(super) fn job_failed(why: &str) -> String {
    if why.is_empty() { "The Job failed.".to_owned() } else { ended(&format!("The Job failed: {why}")) }
}

/// Returns that a Job is gone before it ended.
pub(super) fn job_deleted() -> String {
    "The Job was deleted before it was finished.".to_owned()
}

/// Returns that a promise has no Job for its step.
pub(super) fn no_job() -> String {
    "The template of the Job has no `spec`.".to_owned()
}

/// Returns a text as a sentence with a full stop.
fn ended(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

fn title(step: &StepStatus) -> String {
    step.title.as_ref().map_or_else(|| step.id.clone(), |title| format!("“{title}”"))
}

/// Returns what a step about objects waits for.
pub(super) fn left(reason: StepReason, ids: &[&str]) -> String {
    let ids = all_of(ids);
    match reason {
        StepReason::Applying => format!("Applying {ids}"),
        StepReason::Deleting => format!("Deleting {ids}"),
        _ => format!("Waiting for {ids}"),
    }
}

/// Returns that an attempt took too long. `timeout` is in seconds.
pub(super) fn timed_out(timeout: i64, step: &StepStatus) -> String {
    let after = duration(timeout);
    match &step.message {
        Some(message) => ended(&format!("Timed out after {after}. Last: {message}")),
        None => format!("Timed out after {after}."),
    }
}

/// Returns that the answer of an Endpoint isn't the expected one.
pub(super) fn unexpected(status: u16) -> String {
    match status {
        200..300 => format!("The endpoint responded with HTTP {status}, but not as the step expects."),
        _ => format!("The endpoint responded with HTTP {status}."),
    }
}

/// Returns that an undo wasn't answered as expected.
pub(super) fn undo_answer(status: u16) -> String {
    format!("The endpoint responded with HTTP {status}.")
}

/// Returns that the promise takes the answer as a failure.
pub(super) fn refused() -> String {
    "The endpoint reported a failure.".to_owned()
}

fn duration(seconds: i64) -> String {
    let seconds = u64::try_from(seconds).unwrap_or_default();
    match seconds {
        _ if seconds % 3_600 == 0 => counted(seconds / 3_600, "hour"),
        _ if seconds % 60 == 0 => counted(seconds / 60, "minute"),
        _ => counted(seconds, "second"),
    }
}
