//! Emergency overrides across requests.

use serde::{Deserialize, Serialize};

use super::{GivenLine, Total};

/// An emergency override of all other approvers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmergencyLine {
    /// uid of the request.
    pub uid: String,
    /// Path of the request's workspace. Empty if it no longer exists.
    pub workspace: String,
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// Whether the request still exists.
    pub is_there: bool,
    /// Name of the policy or promise that defines the rule.
    pub of: String,
    /// Its title, or its name if it has none.
    pub title: String,
    /// Whether it is a promise's own rule.
    pub own: bool,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that contains the rule and the approval.
    pub source: String,
    /// Name of the Approval.
    pub approval: String,
    /// Approver, time and reason, and why it doesn't count if it doesn't.
    pub given: GivenLine,
}

/// A page of emergency overrides, newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EmergenciesPage {
    /// Rows of this page.
    pub rows: Vec<EmergencyLine>,
    /// Number of overrides that the user can see.
    pub total: Total,
    /// Number of them in the last [`EmergenciesPage::RECENT_DAYS`] days.
    pub recent: Total,
    /// Number of workspaces in which the user can list approvals.
    pub places: usize,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages.
    pub pages: usize,
}

impl EmergenciesPage {
    /// Number of days that count as recent.
    pub const RECENT_DAYS: i64 = 30;
}
