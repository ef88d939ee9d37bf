//! Messages about runs of actions.

use crate::wording::{all_of, upper_first};

/// Returns that the promise has no such action.
pub fn unknown_action(name: &str) -> String {
    format!("The promise has no action {name}.")
}

/// Returns that there is no such request.
pub fn gone(request: &str) -> String {
    format!("There is no request {request}, or it is being deleted.")
}

/// Returns that it isn't known who created the run.
pub fn unnamed() -> String {
    "It isn't recorded who created this action, so it can't run.".to_owned()
}

/// Returns that a parameter doesn't name a run that can be used. `field` is the path of the parameter.
pub fn chosen_run(field: &str, name: &str, action: &str) -> String {
    format!("{field}: choose a {action} of this request that succeeded; {name} isn't one.")
}

/// Returns that a field has to name a run of another action. `title` is that of the action.
pub fn choose_run(title: &str) -> String {
    format!("Choose a run of “{title}” that succeeded.")
}

/// Returns that there is no run of another action to choose, without a full stop.
pub fn none_succeeded(title: &str) -> String {
    format!("No run of “{title}” has succeeded yet")
}

/// Returns who can run an action, as a sentence about a person who can't.
pub(super) fn not_allowed(title: &str, people: &[&str]) -> String {
    format!("Only {} can run “{title}”.", all_of(people))
}

pub(super) fn rollout() -> String {
    "Waiting for the rollout of the request to finish".to_owned()
}

pub(super) fn not_running() -> String {
    "Waiting for the request to be provisioned".to_owned()
}

pub(super) fn edited() -> String {
    "Waiting for the last change of the request to be checked".to_owned()
}

pub(super) fn asking() -> String {
    "Requesting approval".to_owned()
}

pub(super) fn other_release() -> String {
    "The request was changed since approval was requested. Starting again with its present release".to_owned()
}

pub(super) fn another(action: &str, name: &str, who: Option<&str>) -> String {
    let of = who.map(|who| format!(" of {who}")).unwrap_or_default();
    format!("Waiting for {action} {name}{of} to finish")
}

pub(super) fn running(step: &str, message: Option<&str>) -> String {
    match message {
        Some(message) => upper_first(message.trim_end_matches('.')),
        None => format!("Running {step}"),
    }
}

pub(super) fn cancelled() -> String {
    "Cancelled. What was done before isn't undone.".to_owned()
}
