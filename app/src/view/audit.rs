//! The audit log.

use promise::audit::{AuditBreak, AuditRecord};
use serde::{Deserialize, Serialize};

use super::Facet;

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
    /// Sources, with the number of their records.
    pub sources: Facet,
    /// Outcomes, with the number of their records.
    pub outcomes: Facet,
    /// Operations, with the number of their records.
    pub operations: Facet,
    /// Whether these numbers are of the newest records only.
    pub newest: bool,
    /// How far the chains are verified. `None` if no one verified them.
    pub check: Option<AuditCheckStatus>,
    /// The query in effect.
    pub query: AuditQuery,
}

/// How far the chains of the audit log are verified.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheckStatus {
    /// When they were verified.
    pub at: String,
    /// Number of records that were verified.
    pub records: u64,
    /// Number of chains.
    pub chains: usize,
    /// Position of the last verified record, if there is one chain.
    pub last: u64,
    /// Number of records that are newer, or weren't reached yet.
    pub newer: u64,
    /// Whether everything that was there was verified.
    pub is_complete: bool,
    /// Where a chain is broken.
    pub broken: Option<AuditBreak>,
}
