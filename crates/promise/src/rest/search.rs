//! Search.

use serde::{Deserialize, Serialize};

use super::request::RequestState;

/// A result of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchItem {
    /// What was found.
    pub kind: SearchItemKind,
    /// Path of the workspace that it is in.
    pub workspace: String,
    /// Namespace of a request, or of the request of a resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name. Of a workspace, the last segment of its path.
    pub name: String,
    /// Display name.
    pub title: String,
    /// What it is, such as the promise of a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// State of a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<RequestState>,
    /// Name of the request of a resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Kind of a resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_kind: Option<String>,
}

/// A kind of object that can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SearchItemKind {
    /// A promise that the workspace offers.
    Promise,
    /// A request.
    Request,
    /// An object that was created for a request.
    Resource,
    /// A workspace.
    Workspace,
    /// A policy.
    Policy,
}
