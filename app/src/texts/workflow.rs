//! Texts of the workflow of a request.

use promise::api::{StepKind, WorkflowName, WorkflowPhase};
use promise::wording::all_of;
pub(crate) use promise::workflow::step_label as step;
use promise::workflow::{PlannedStep, StepEffect};

pub(crate) const RETRY: &str = "Retry";
pub(crate) const CANCEL: &str = "Cancel";
/// Above the last lines of the log of a Job.
pub(crate) const LOG: &str = "Log";
pub(crate) const UNDONE: &str = "Undone";
pub(crate) const SKIP: &str = "Skip";
pub(crate) const REVIEW: &str = "Review";
pub(crate) const SKIP_STEP: &str = "Skip step";
pub(crate) const SKIP_REASON: &str = "Reason";
pub(crate) const SKIP_REASON_HINT: &str = "Everyone who can see the request can read it.";
pub(crate) const SKIP_CONTINUES: &str = "The workflow continues without this step. No other step depends on it.";
pub(crate) const SKIP_FOLLOWS: &str = "These steps then run as if this one had succeeded:";
pub(crate) const SKIP_RECORDED: &str = "The step doesn't run later. The skip is recorded with your name.";
/// Before the time of the next attempt.
pub(crate) const NEXT_ATTEMPT: &str = "Next attempt:";

/// Where a policy is set, after its title.
pub(crate) fn set_at(workspace: &str) -> String {
    format!(", set at {workspace}")
}

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

/// Heading of the steps that a request will run.
pub(crate) const PLANNED: &str = "Steps that will run";

/// What a step that will run does, and where.
pub(crate) fn planned(step: &PlannedStep) -> String {
    let what = match &step.effect {
        StepEffect::Call { endpoint, method } => format!("Calls the endpoint {endpoint} ({})", method.as_str()),
        StepEffect::Job { destination: Some(destination) } => format!("Runs a Job at {destination}"),
        StepEffect::Job { destination: None } => "Runs a Job next to the request".to_owned(),
        StepEffect::Resources { kind, resources } => about(*kind, resources),
    };
    if step.conditional { format!("{what}, if its condition is met") } else { what }
}

/// What a step does with resources.
fn about(kind: StepKind, resources: &[String]) -> String {
    let names = all_of(resources);
    match kind {
        StepKind::Validate => "Checks the values".to_owned(),
        StepKind::Capacity => format!("Checks that {names} can be applied"),
        StepKind::Wait if resources.is_empty() => "Waits for a condition".to_owned(),
        StepKind::Wait => format!("Waits until {names} can be used"),
        StepKind::Delete => format!("Deletes {names}"),
        StepKind::Request => format!("Requests {names}"),
        StepKind::Patch => format!("Changes {names}"),
        StepKind::Approve => "Waits for an approval".to_owned(),
        StepKind::Apply | StepKind::Http | StepKind::Job => format!("Applies {names}"),
    }
}

/// Title of the page that skips a step.
pub(crate) fn skip_title(step: &str, request: &str) -> String {
    format!("Skip “{step}” of {request}")
}

/// The outputs that a skipped step hasn't returned.
pub(crate) fn skip_missing(names: &[String]) -> String {
    let what = if names.len() == 1 { "a value" } else { "values" };
    format!("Later steps don't get {what} from it: {}.", all_of(names))
}

/// What a step says about its last attempt, in the words of its author or of a program.
pub(crate) fn step_reports(message: &str) -> String {
    format!("The step reports: {message}")
}

pub(crate) fn attempt(count: u32) -> String {
    format!("Attempt {count}")
}
