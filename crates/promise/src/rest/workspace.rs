//! Workspaces.

use serde::{Deserialize, Serialize};

/// A workspace that the caller can enter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSummary {
    /// Path, such as `root:acme:shop`.
    pub path: String,
    /// Id of its logical cluster. On plain Kubernetes, the same as the path.
    pub id: String,
    /// Team that owns it, as stated by the nearest workspace above that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Namespace of requests that name none. Absent if the workspace has no requests of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Number of its requests that the caller can list. Absent if the caller can't list them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
}
