//! Addresses of promises for their authors.

use super::{at, page, with_query};
use crate::view::FleetQuery;

/// A promise for its authors.
pub fn author(workspace: &str, promise: &str) -> String {
    at(page::AUTHOR, &[workspace, promise])
}

/// A new promise in a workspace; in one to choose for the empty path.
pub fn promise_new(workspace: &str) -> String {
    with_query(page::PROMISE_NEW, &[("workspace", workspace)])
}

/// A promise as YAML, for editing.
pub fn promise_edit(workspace: &str, promise: &str) -> String {
    at(page::PROMISE_EDIT, &[workspace, promise])
}

/// Confirmation before a promise is no longer offered.
pub fn promise_retire(workspace: &str, promise: &str) -> String {
    at(page::PROMISE_RETIRE, &[workspace, promise])
}

/// The instances of a promise.
pub fn fleet(workspace: &str, promise: &str) -> String {
    at(page::FLEET, &[workspace, promise])
}

/// The instances of a promise, filtered.
pub fn fleet_with(workspace: &str, promise: &str, query: &FleetQuery) -> String {
    let FleetQuery { q, workspace: place, version, to, .. } = query;
    with_query(&fleet(workspace, promise), &[("q", q), ("workspace", place), ("version", version), ("to", to)])
}

/// An upgrade of many instances in waves.
pub fn rollout(workspace: &str, promise: &str, id: &str) -> String {
    at(page::ROLLOUT, &[workspace, promise, id])
}
