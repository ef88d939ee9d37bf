//! Approvals in emergencies, across requests.

use serde::{Deserialize, Serialize};

use super::{GivenLine, Total};

/// An approval in the place of everybody who would have been asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmergencyLine {
    /// uid of its request.
    pub uid: String,
    /// Path of the request's workspace; empty where that is gone.
    pub workspace: String,
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// Whether the request is still there.
    pub is_there: bool,
    /// Name of the policy or promise whose rule was answered.
    pub of: String,
    /// Whether it is a rule of the promise itself.
    pub own: bool,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace where the rule is set, and the approval lies.
    pub source: String,
    /// Name of the Approval.
    pub approval: String,
    /// Who, when, why, and why it does not count where it does not.
    pub given: GivenLine,
}

/// A page of them, newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EmergenciesPage {
    /// Rows of this page.
    pub rows: Vec<EmergencyLine>,
    /// How many there are that the person may see.
    pub total: Total,
    /// How many of them in the last [`EmergenciesPage::RECENT_DAYS`] days.
    pub recent: Total,
    /// In how many workspaces the person may list approvals.
    pub places: usize,
    /// Page, from 1.
    pub page: usize,
    /// How many pages there are.
    pub pages: usize,
}

impl EmergenciesPage {
    /// What counts as recent.
    pub const RECENT_DAYS: i64 = 30;
}
