//! What the audit log says in this world.

use app::backend::Audit;
use app::view::*;
use async_trait::async_trait;
use promise::Result;
use promise::audit::{AuditEntry, AuditOutcome, AuditRecord, AuditSource, ChainHead};

use super::World;

/// A record of each source.
fn records() -> Vec<AuditRecord> {
    let mut head = ChainHead { chain: "opm-portal-3f9c2a417be0d865".into(), ..ChainHead::default() };
    let mut records = Vec::new();
    for (index, source) in AuditSource::ALL.into_iter().enumerate() {
        let entry = AuditEntry {
            at: "2026-11-21T10:00:00Z".parse().expect("a time"),
            source,
            actor: if source == AuditSource::Plane { String::new() } else { "dana".into() },
            operation: "create-request".into(),
            kind: "PromiseRequest".into(),
            cluster: "c1".into(),
            workspace: super::WORKSPACE.into(),
            namespace: "default".into(),
            name: "orders-db".into(),
            after: Some("ab".repeat(32)),
            request_id: "0123456789abcdef".into(),
            outcome: AuditOutcome::ALL[index % 3],
            code: (index % 3 == 1).then_some(409),
            ..AuditEntry::default()
        };
        let record = AuditRecord::after(&head, entry).expect("a record");
        head = record.head();
        records.push(record);
    }
    records
}

#[async_trait]
impl Audit for World {
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage> {
        let rows = if self.empty { Vec::new() } else { records() };
        let (total, operations) = (rows.len() as u64, vec!["sign-in".to_owned(), "create-request".to_owned()]);
        Ok(AuditPage { total, more: !self.fits, page: 1, pages: 2, operations, query: query.clone(), rows })
    }

    async fn audit_record(&self, _: &str, _: &str) -> Result<AuditRecord> {
        Ok(records().remove(1))
    }
}
