//! Texts of day-2 actions and their runs.

use promise::api::ActionPhase;

pub(crate) const ACTIONS: &str = "Actions";
pub(crate) const ACTION: &str = "Action";
pub(crate) const RUN_IT_FIRST: &str = "Run that action first. Its results can be chosen here.";
pub(crate) const RUNS: &str = "Runs";
pub(crate) const RUN: &str = "Run";
pub(crate) const STATE: &str = "State";
pub(crate) const STARTED_BY: &str = "Started by";
pub(crate) const CREATED: &str = "Created";
pub(crate) const FINISHED: &str = "Finished";
pub(crate) const NAME: &str = "Name";
pub(crate) const RELEASE: &str = "Release";
pub(crate) const PARAMETERS: &str = "Values";
pub(crate) const OUTPUTS: &str = "Results";
pub(crate) const RESOURCES: &str = "Objects of this run";
pub(crate) const RESOURCE: &str = "Object";
pub(crate) const DETAILS: &str = "Details";
pub(crate) const RETRY: &str = "Retry";
pub(crate) const CANCEL: &str = "Cancel run";
pub(crate) const RUN_AGAIN: &str = "Run again";
pub(crate) const CHECK: &str = "Check";
pub(crate) const BACK: &str = "Cancel";
pub(crate) const VIEW_RUNS: &str = "View runs";
pub(crate) const NO_RUNS: &str = "No runs yet";
pub(crate) const NO_RUNS_TEXT: &str = "Runs of actions appear here, newest first.";
pub(crate) const NO_ACTIONS: &str = "The version of this promise that runs has no actions.";
pub(crate) const NO_PARAMETERS: &str = "This action has nothing to fill in.";
pub(crate) const CHOOSE: &str = "Choose…";
pub(crate) const DRAFT_GONE: &str = "What you entered is no longer available";
pub(crate) const DRAFT_GONE_TEXT: &str = "The action ran, or the draft is older than a week. Fill in the form again.";
pub(crate) const CONFIRM_PROBLEM: &str = "Confirm that you want to run it.";
pub(crate) const KUBECTL_COMMAND: &str = "kubectl command";
pub(crate) const NOT_SEEN_YET: &str = "Waiting for the platform to start it";
pub(crate) const CANCEL_HINT: &str = "What is done already isn't undone.";

/// Title of the form of an action.
pub(crate) fn title(action: &str, request: &str) -> String {
    format!("{action}: {request}")
}

/// Label of the checkbox that confirms an action.
pub(crate) fn confirm(action: &str, request: &str) -> String {
    format!("Yes, run “{action}” on {request}")
}

/// For screen readers, after the label of a link.
pub(crate) fn of_request(request: &str) -> String {
    format!(" of {request}")
}

pub(crate) fn phase(phase: ActionPhase) -> &'static str {
    match phase {
        ActionPhase::Pending => "Waiting",
        ActionPhase::Running => "Running",
        ActionPhase::Succeeded => "Succeeded",
        ActionPhase::Failed => "Failed",
        ActionPhase::Refused => "Refused",
        ActionPhase::Cancelled => "Cancelled",
    }
}

/// A run to choose: its name, and when it finished.
pub(crate) fn choice(name: &str, finished: &str) -> String {
    format!("{finished} ({name})")
}
