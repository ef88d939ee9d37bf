//! Releases of a request.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::page::Amount;
use crate::api::{DeletionPolicy, UpgradePolicy};

/// A recorded release of a request. It never contains the values of secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseItem {
    /// Name of the PromiseRelease.
    pub name: String,
    /// Version of the promise. Absent if it is no longer published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// State.
    pub state: ReleaseItemState,
    /// RFC 3339 time at which it was recorded.
    pub created: String,
    /// Username of the person who requested its content.
    pub changed_by: String,
    /// Parameters to request, to go back to it. Values that apply by default aren't included. Secret parameters are references.
    pub parameters: Value,
    /// What happens to the objects when the request is deleted.
    pub deletion_policy: DeletionPolicy,
    /// Newer versions that are rolled out automatically.
    pub upgrade: UpgradePolicy,
    /// Version constraint to request, to go back to it. Absent if its version is no longer published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<String>,
    /// Labels of secrets that had another value. Releases don't contain the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_secrets: Vec<String>,
    /// Monthly price. Absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Amount>,
}

/// State of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ReleaseItemState {
    /// It runs.
    Running,
    /// It will run next, or waits for approval.
    Candidate,
    /// It ran before, or never did.
    #[default]
    Former,
}
