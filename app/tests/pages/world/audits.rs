//! What the audit log says in this world.

use app::backend::Audit;
use app::view::*;
use async_trait::async_trait;
use promise::Result;
use promise::audit::{AuditBreak, AuditEntry, AuditOutcome, AuditRecord, AuditSource, BreakReason, ChainHead};

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

/// Values of a facet, the first of which is chosen or not.
fn facet(values: &[(&str, usize)], chosen: &str) -> Facet {
    let value = |(value, count): &(&str, usize)| FacetValue {
        value: (*value).to_owned(),
        label: (*value).to_owned(),
        count: *count,
        chosen: *value == chosen,
    };
    Facet { values: values.iter().map(value).collect(), left_out: 0 }
}

impl World {
    /// How far the chains are verified here.
    fn audit_check(&self) -> Option<AuditCheckStatus> {
        let broken = AuditBreak { chain: "opm-portal-3f9c2a417be0d865".into(), sequence: 2, reason: BreakReason::Altered };
        let status = AuditCheckStatus {
            at: "2026-11-21T10:00:00Z".into(),
            records: 3,
            chains: 1,
            last: 3,
            newer: 2,
            is_complete: true,
            broken: (!self.fits).then_some(broken),
        };
        (!self.empty).then_some(status)
    }
}

#[async_trait]
impl Audit for World {
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage> {
        let rows = if self.empty { Vec::new() } else { records() };
        let (total, newest) = (rows.len() as u64, !self.fits);
        let sources = facet(&[("portal", 3), ("rest", 2)], &query.source);
        let outcomes = facet(&[("done", 3), ("failed", 2)], &query.outcome);
        let operations = facet(&[("sign-in", 2), ("create-request", 3)], &query.operation);
        let (check, query) = (self.audit_check(), query.clone());
        Ok(AuditPage { rows, total, more: newest, page: 1, pages: 2, sources, outcomes, operations, newest, check, query })
    }

    async fn verify_audit(&self, _: bool) -> Result<()> {
        Ok(())
    }

    async fn audit_record(&self, _: &str, _: &str) -> Result<AuditRecord> {
        Ok(records().remove(1))
    }
}
