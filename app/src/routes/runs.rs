//! Addresses of day-2 actions of requests and their runs, and of the steps of workflows.

use super::{at, page};

/// Confirmation before a step of the workflow of a request is skipped.
pub const SKIP: &str = "/w/{workspace}/requests/{namespace}/{name}/steps/{step}/skip";
/// The same for a step of a run of an action.
pub const SKIP_IN_RUN: &str = "/w/{workspace}/requests/{namespace}/{name}/runs/{run}/steps/{step}/skip";

/// The form of an action of a request.
pub fn action(workspace: &str, namespace: &str, request: &str, action: &str) -> String {
    at(page::ACTION, &[workspace, namespace, request, action])
}

/// A run of an action.
pub fn run(workspace: &str, namespace: &str, request: &str, run: &str) -> String {
    at(page::RUN, &[workspace, namespace, request, run])
}

/// Confirmation before a step of the workflow of a request is skipped.
pub fn skip(workspace: &str, namespace: &str, request: &str, step: &str) -> String {
    at(SKIP, &[workspace, namespace, request, step])
}

/// Confirmation before a step of a run is skipped.
pub fn skip_in_run(workspace: &str, namespace: &str, request: &str, run: &str, step: &str) -> String {
    at(SKIP_IN_RUN, &[workspace, namespace, request, run, step])
}
