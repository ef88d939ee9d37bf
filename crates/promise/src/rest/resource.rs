//! Resources across requests.

use serde::{Deserialize, Serialize};

use crate::api::Health;

/// An object that was created for a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceItem {
    /// Path of the request's workspace.
    pub workspace: String,
    /// Namespace of the request.
    pub request_namespace: String,
    /// Name of the request.
    pub request: String,
    /// Name of the promise.
    pub promise: String,
    /// Running version of the promise.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// API group and version.
    pub api_version: String,
    /// Namespace. Absent for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
    /// Name of the Destination. Absent for the request's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Whether the server accepted it.
    pub applied: bool,
    /// Health.
    pub health: Health,
    /// Why it isn't healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether something else changed it.
    pub drift: Drift,
    /// RFC 3339 time at which the request was created.
    pub since: String,
}

/// Whether an object matches what was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// The state.
    pub state: DriftState,
    /// How often in a row it was restored.
    pub repairs: u32,
}

/// State of the comparison of an object with what was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum DriftState {
    /// Not compared yet.
    Unknown,
    /// It matches.
    None,
    /// Something else changed it, and it was restored.
    Restored,
    /// Something else keeps changing it, and it is left as it is for now.
    Contested,
}
