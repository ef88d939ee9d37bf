//! Addresses of day-2 actions of requests and their runs.

use super::{at, page};

/// The form of an action of a request.
pub fn action(workspace: &str, namespace: &str, request: &str, action: &str) -> String {
    at(page::ACTION, &[workspace, namespace, request, action])
}

/// A run of an action.
pub fn run(workspace: &str, namespace: &str, request: &str, run: &str) -> String {
    at(page::RUN, &[workspace, namespace, request, run])
}
