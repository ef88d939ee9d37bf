//! Texts of day-2 actions and their runs.

use promise::Error;
use promise::wording::{all_of, counted, upper_first};
pub(crate) use promise::workflow::action_label as phase;

pub(crate) const ACTIONS: &str = "Actions";
pub(crate) const ACTION: &str = "Action";
pub(crate) const RUN_IT_FIRST: &str = "Run that action first. Its results can be chosen here.";
pub(crate) const WAITS_FOR_WINDOW: &str = "A run now waits for a window";
pub(crate) const WAITS_FOR_APPROVAL_AND_WINDOW: &str = "Waits for approval, then for a window";
pub(crate) const POLICY_WARNINGS: &str = "Policies warn about this run";
pub(crate) const RUNS: &str = "Runs";
pub(crate) const RUN: &str = "Run";
pub(crate) const STATE: &str = "State";
pub(crate) const STARTED_BY: &str = "Started by";
pub(crate) const CREATED: &str = "Created";
pub(crate) const FINISHED: &str = "Finished";
pub(crate) const TOOK: &str = "Took";
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
pub(crate) const NO_ACTIONS: &str = "The running version of this promise has no actions.";
pub(crate) const NO_PARAMETERS: &str = "This action has nothing to fill in.";
pub(crate) const CHOOSE: &str = "Choose…";
pub(crate) const DRAFT_GONE: &str = "What you entered is no longer available";
pub(crate) const DRAFT_GONE_TEXT: &str = "The action ran, or the draft is older than a week. Fill in the form again.";
pub(crate) const CONFIRM_PROBLEM: &str = "Confirm that you want to run it.";
pub(crate) const KUBECTL_COMMAND: &str = "kubectl command";
pub(crate) const NOT_SEEN_YET: &str = "Waiting for the platform to start it";
pub(crate) const CANCEL_HINT: &str = "Completed steps aren't undone.";

pub(crate) const BEFORE: &str = "Before you start";
pub(crate) const YOU_CAN_RUN_IT: &str = "You can run it";
pub(crate) const YOU_CANT_RUN_IT: &str = "You can't run it";
pub(crate) const ANYONE_HERE: &str = "Like anyone who can run actions in this workspace";
pub(crate) const STARTS_RIGHT_AWAY: &str = "Starts right away";
pub(crate) const NOTHING_IN_THE_WAY: &str = "No rollout or other action is running";
pub(crate) const DOESNT_START_YET: &str = "Doesn't start right away";
pub(crate) const DEPENDS_ON_VALUES: &str = "Approvals depend on the values you enter";
pub(crate) const ASKS_TO_CONFIRM: &str = "Asks you to confirm";
pub(crate) const NOT_MEASURED: &str = "Duration unknown: no run has succeeded yet";
pub(crate) const WHAT_IT_DOES: &str = "What it does";
pub(crate) const OTHER_ACTIONS: &str = "Other actions";
pub(crate) const OPEN: &str = "Open";
pub(crate) const LATEST_RUNS: &str = "Latest runs";
pub(crate) const NO_RUNS_OF_IT: &str = "Runs of this action appear here, newest first.";

/// Who can run an action, by groups and users.
pub(crate) fn only(people: &[String]) -> String {
    format!("Only {} can", all_of(people))
}

/// Why the user can't run an action, skip a step, or retry a run.
pub(crate) fn refused(why: &Error) -> String {
    upper_first(&why.to_string())
}

/// When a run continues that needs approvals. `opens` is the day and time at which the window opens.
pub(crate) fn approved_before_window(opens: &str) -> String {
    format!("Approvers are asked right away. Once it's approved, the run waits for the window, which opens on {opens}.")
}

/// How long an action usually takes.
pub(crate) fn usually(span: &str) -> String {
    format!("Usually takes {span}")
}

/// What the usual time is based on.
pub(crate) fn median_of(measured: usize) -> String {
    format!("Median of {}", counted(measured as u64, "run"))
}

/// The longest duration of a step, such as `30m`.
pub(crate) fn at_most(timeout: &str) -> String {
    format!("At most {timeout}")
}

/// How many of all runs are listed.
pub(crate) fn of_all(listed: usize, all: usize) -> String {
    format!("{listed} of {all}, newest first")
}

/// Runs that the activity of a request leaves out.
pub(crate) fn earlier(count: usize) -> String {
    if count == 1 { "1 earlier run is listed in Actions".to_owned() } else { format!("{count} earlier runs are listed in Actions") }
}

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

/// A run to choose: its name, and when it finished.
pub(crate) fn choice(name: &str, finished: &str) -> String {
    format!("{finished} ({name})")
}
