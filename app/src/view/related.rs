//! Requests that a request depends on, and those that depend on it.

use serde::{Deserialize, Serialize};

use promise::state::RequestStates;

/// How a request is related to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RelatedKind {
    /// It was created for the other one. The first is its owner, the next one the owner of that, and so on.
    CreatedBy,
    /// Its promise requires an instance of the other one's promise.
    DependsOn,
    /// The other one was created for it.
    Creates,
    /// The other one's promise requires an instance of its promise.
    RequiredBy,
}

/// Requests that are related in the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedGroup {
    /// How.
    pub kind: RelatedKind,
    /// The first of them.
    pub lines: Vec<RelatedLine>,
    /// Number of further ones.
    pub more: usize,
}

/// A related request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedLine {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Display name of its promise.
    pub promise_title: String,
    /// State of the request, and of its pending change.
    pub states: RequestStates,
}
