//! Texts of the workflow of a request.

use promise::api::{StepKind, StepPhase, WorkflowName, WorkflowPhase};

pub(crate) const RETRY: &str = "Retry";
pub(crate) const CANCEL: &str = "Cancel";
/// Above the last lines of the log of a Job.
pub(crate) const LOG: &str = "Log";
pub(crate) const UNDONE: &str = "Undone";
/// Before the time of the next attempt.
pub(crate) const NEXT_ATTEMPT: &str = "Next attempt:";

pub(crate) fn heading(name: WorkflowName) -> &'static str {
    match name {
        WorkflowName::Provision => "Steps",
        WorkflowName::Upgrade => "Steps of this change",
        WorkflowName::Deprovision => "Steps of the deletion",
        WorkflowName::Action => "Steps",
    }
}

pub(crate) fn phase(phase: WorkflowPhase) -> &'static str {
    match phase {
        WorkflowPhase::Running => "Running",
        WorkflowPhase::Succeeded => "Succeeded",
        WorkflowPhase::Failed => "Failed",
        WorkflowPhase::RollingBack => "Rolling back",
        WorkflowPhase::RolledBack => "Rolled back",
    }
}

/// State of a step. `attempts` is the number of attempts that were made.
pub(crate) fn step(phase: StepPhase, attempts: u32) -> &'static str {
    match phase {
        StepPhase::Pending if attempts > 0 => "Waiting to retry",
        StepPhase::Pending => "Not started",
        StepPhase::Running => "Running",
        StepPhase::Succeeded => "Succeeded",
        StepPhase::Failed => "Failed",
        StepPhase::Skipped => "Skipped",
    }
}

/// What a step does, for steps without a title.
pub(crate) fn kind(kind: StepKind, id: &str) -> String {
    let what = match kind {
        StepKind::Validate => "Check",
        StepKind::Capacity => "Check capacity for",
        StepKind::Apply => "Apply",
        StepKind::Wait => "Wait for",
        StepKind::Delete => "Delete",
        StepKind::Request => "Request",
        StepKind::Http => "Call",
        StepKind::Job => "Run",
        StepKind::Patch => "Change",
        StepKind::Approve => "Approve",
    };
    format!("{what} {id}")
}

pub(crate) fn attempt(count: u32) -> String {
    format!("Attempt {count}")
}
