//! The port [`Audit`], and the export: for users who manage the platform.

mod facets;
mod verify;

use app::backend::Audit;
use app::view::{AuditPage, AuditQuery};
use async_trait::async_trait;
use futures::stream::{self, Stream};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use promise::audit::{AuditCheck, AuditRecord, ChainHead};
use promise::{DeniedReason, Error, Problem, Result};
use store::{AuditFilter, Store};

use super::caller::database;
use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;
use facets::AuditFacet;

/// Rows per page.
const ROWS: u32 = 50;
/// Records that an export reads at once.
const AT_ONCE: u32 = 500;

#[async_trait]
impl Audit for Caller {
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage> {
        self.looks_after_the_platform(DeniedReason::ViewAuditLog).await?;
        let filter = filter(query)?;
        let portal = self.portal();
        // What this person just did is on the page.
        portal.audit.settle().await;
        let (total, more) = portal.store.count_audit(&filter).await.map_err(|error| database(&error))?;
        let pages = usize::try_from(total.div_ceil(u64::from(ROWS))).unwrap_or(usize::MAX).max(1);
        let page = query.page.clamp(1, pages);
        let from = u64::try_from(page - 1).unwrap_or_default().saturating_mul(u64::from(ROWS));
        let rows = portal.store.audit_page(&filter, from, ROWS).await.map_err(|error| database(&error))?;
        // Without what the facets themselves choose: each is counted beside the others.
        let beside = AuditFilter { source: String::new(), outcome: String::new(), operation: String::new(), ..filter };
        let counts = portal.store.audit_counts(&beside).await.map_err(|error| database(&error))?;
        let check = portal.store.audit_check().await.map_err(|error| database(&error))?;
        let heads = portal.store.audit_heads().await.map_err(|error| database(&error))?;
        let [sources, outcomes, operations] =
            [AuditFacet::Source, AuditFacet::Outcome, AuditFacet::Operation].map(|facet| facet.of(&counts, query));
        let (newest, check) = (counts.more, check.map(|check| verify::status(&check, &heads)));
        let query = AuditQuery { page, ..query.clone() };
        Ok(AuditPage { rows, total, more, page, pages, sources, outcomes, operations, newest, check, query })
    }

    async fn audit_record(&self, chain: &str, sequence: &str) -> Result<AuditRecord> {
        self.looks_after_the_platform(DeniedReason::ViewAuditLog).await?;
        let missing = || Error::NotFound { what: format!("record {sequence} of the audit log") };
        let number = sequence.parse().map_err(|_| missing())?;
        self.portal().audit.settle().await;
        let found = self.portal().store.audit_record(chain, number).await.map_err(|error| database(&error))?;
        found.ok_or_else(missing)
    }

    async fn verify_audit(&self, from_start: bool) -> Result<()> {
        self.looks_after_the_platform(DeniedReason::ViewAuditLog).await?;
        let portal = self.portal();
        portal.audit.settle().await;
        let check = async {
            let known = if from_start { None } else { portal.store.audit_check().await? };
            let check = verify::step(&portal.store, known.unwrap_or_else(AuditCheck::default), &*portal.clock).await?;
            if let Some(broken) = &check.broken {
                tracing::error!(chain = broken.chain, sequence = broken.sequence, "the audit log is broken: {broken}");
            }
            Ok(check)
        };
        let check = check.await.map_err(|error| database(&error))?;
        let write = self.write(WriteOperation::VerifyAuditLog, WriteTarget::remembered("audit log", ""));
        write.remember(portal.store.keep_audit_check(&check), |()| true).await.map_err(|error| database(&error))
    }
}

impl Caller {
    /// Returns the whole log as JSON Lines, piece by piece.
    ///
    /// # Errors
    /// If the user isn't allowed to read it.
    pub(crate) async fn audit_export(&self) -> Result<impl Stream<Item = store::Result<String>> + Send + use<>> {
        self.looks_after_the_platform(DeniedReason::ViewAuditLog).await?;
        let portal = self.portal();
        portal.audit.settle().await;
        let store = portal.store.clone();
        Ok(stream::try_unfold((store, ChainHead::default()), |(store, at)| async move {
            let Some((text, next)) = lines(&store, &at).await? else { return Ok(None) };
            Ok(Some((text, (store, next))))
        }))
    }
}

/// Returns the lines after a position, and where they end.
async fn lines(store: &Store, at: &ChainHead) -> store::Result<Option<(String, ChainHead)>> {
    let records = store.audit_after(&at.chain, at.sequence, AT_ONCE).await?;
    let Some(last) = records.last() else { return Ok(None) };
    let mut text = String::new();
    for record in &records {
        text.push_str(&record.to_line()?);
        text.push('\n');
    }
    Ok(Some((text, last.head())))
}

fn filter(query: &AuditQuery) -> Result<AuditFilter> {
    let text = |text: &str| text.trim().to_owned();
    Ok(AuditFilter {
        person: text(&query.person),
        workspace: text(&query.workspace),
        object: text(&query.q),
        operation: text(&query.operation),
        outcome: text(&query.outcome),
        source: text(&query.source),
        from: day(".from", &query.from, 0)?,
        until: day(".to", &query.to, 1)?,
    })
}

/// Returns the beginning of a day in UTC, or of one some days later; nothing for an empty text.
fn day(path: &str, text: &str, later: i64) -> Result<Option<Timestamp>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let date = text.trim().parse::<Date>().and_then(|date| date.checked_add(later.days())).and_then(|date| date.to_zoned(TimeZone::UTC));
    let invalid = |_| Problem { path: path.to_owned(), message: "Enter a day such as 2026-11-26.".to_owned() };
    date.map(|date| Some(date.timestamp())).map_err(invalid).map_err(|problem| Error::Invalid { problems: vec![problem] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_whole_and_both_count() {
        let filter = filter(&AuditQuery { from: "2026-11-26".into(), to: " 2026-11-26 ".into(), ..AuditQuery::default() }).unwrap();
        let at = |filter: Option<Timestamp>| filter.unwrap().to_string();
        assert_eq!((at(filter.from), at(filter.until)), ("2026-11-26T00:00:00Z".to_owned(), "2026-11-27T00:00:00Z".to_owned()));
        for wrong in ["yesterday", "2026-13-01"] {
            let refused = day(".from", wrong, 0).unwrap_err();
            assert!(matches!(refused, Error::Invalid { problems } if problems[0].path == ".from"), "{wrong}");
        }
    }
}
