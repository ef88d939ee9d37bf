//! The audit log.

use async_trait::async_trait;
use promise::Result;
use promise::audit::AuditRecord;

use crate::view::{AuditPage, AuditQuery};

/// The audit log, for users who manage the platform.
#[async_trait]
pub trait Audit: Send + Sync {
    /// Returns a page of records, newest first, filtered.
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage>;
    /// Returns one record of a chain.
    async fn audit_record(&self, chain: &str, sequence: &str) -> Result<AuditRecord>;
    /// Verifies the next records of the chains, from where the last call ended or from the start.
    async fn verify_audit(&self, from_start: bool) -> Result<()>;
}
