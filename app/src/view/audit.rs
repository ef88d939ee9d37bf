//! The audit log.

use promise::audit::AuditRecord;
use serde::{Deserialize, Serialize};

/// Query of the audit log. Texts that are empty don't narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditQuery {
    /// Part of kind, namespace and name of the object.
    pub q: String,
    /// Part of the username.
    pub person: String,
    /// Path of the workspace; those below it count.
    pub workspace: String,
    /// The operation.
    pub operation: String,
    /// `done`, `failed` or `unknown`.
    pub outcome: String,
    /// `portal`, `rest`, `cli`, `plane` or `log`.
    pub source: String,
    /// First day, `2026-11-26`, in UTC.
    pub from: String,
    /// Last day.
    pub to: String,
    /// Page number, starting at 1.
    pub page: usize,
}

/// A page of the audit log, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditPage {
    /// The records of this page.
    pub rows: Vec<AuditRecord>,
    /// Number of records that match the query.
    pub total: u64,
    /// Whether there are more than that, which aren't counted.
    pub more: bool,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages that can be opened.
    pub pages: usize,
    /// All operations.
    pub operations: Vec<String>,
    /// The query in effect.
    pub query: AuditQuery,
}
