//! How many records there are of each source, outcome and operation.

use sqlx::AssertSqlSafe;

use super::AuditFilter;
use super::read::FILTER;
use crate::row::row;
use crate::{Result, Store};

/// Most records that are counted, the newest first: a log grows without end.
const COUNTED: i64 = 10_000;

row! {
    struct SumRow {
        source: String,
        outcome: String,
        operation: String,
        records: i64,
    }
}

/// The number of records that have three values in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditSum {
    /// The source.
    pub source: String,
    /// The outcome.
    pub outcome: String,
    /// The operation.
    pub operation: String,
    /// Number of records.
    pub records: u64,
}

/// Records by source, outcome and operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditCounts {
    /// The sums.
    pub sums: Vec<AuditSum>,
    /// Whether there are older records, which aren't counted.
    pub more: bool,
}

impl Store {
    /// Returns the number of records that a filter leaves, and whether there are more than are counted.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn count_audit(&self, filter: &AuditFilter) -> Result<(u64, bool)> {
        let (patterns, times) = filter.bound();
        let sql = format!("SELECT COUNT(*) FROM (SELECT 1 FROM audit_record WHERE {FILTER} LIMIT $10) AS counted");
        let mut query = sqlx::query_as::<_, (i64,)>(AssertSqlSafe(sql));
        for pattern in patterns {
            query = query.bind(pattern);
        }
        for time in times {
            query = query.bind(time);
        }
        let (count,) = query.bind(COUNTED + 1).fetch_one(&self.pool).await?;
        Ok((u64::try_from(count.min(COUNTED)).unwrap_or_default(), count > COUNTED))
    }

    /// Counts the newest records that a filter leaves, by source, outcome and operation.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_counts(&self, filter: &AuditFilter) -> Result<AuditCounts> {
        let (patterns, times) = filter.bound();
        let sql = format!(
            "SELECT source, outcome, operation, COUNT(*) AS records FROM \
             (SELECT source, outcome, operation FROM audit_record WHERE {FILTER} ORDER BY at DESC LIMIT $10) AS newest \
             GROUP BY source, outcome, operation ORDER BY source, outcome, operation"
        );
        let mut query = sqlx::query_as::<_, SumRow>(AssertSqlSafe(sql));
        for pattern in patterns {
            query = query.bind(pattern);
        }
        for time in times {
            query = query.bind(time);
        }
        let rows = query.bind(COUNTED).fetch_all(&self.pool).await?;
        let sum = |row: SumRow| AuditSum {
            source: row.source,
            outcome: row.outcome,
            operation: row.operation,
            records: u64::try_from(row.records).unwrap_or_default(),
        };
        let sums: Vec<AuditSum> = rows.into_iter().map(sum).collect();
        let more = sums.iter().map(|sum| sum.records).sum::<u64>() >= COUNTED.unsigned_abs();
        Ok(AuditCounts { sums, more })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use promise::audit::{AuditEntry, AuditOutcome, AuditSource};

    use super::*;
    use crate::database::tests::every;
    use crate::{AuditStep, ObjectChange};

    fn end(source: AuditSource, operation: &str) -> AuditStep {
        let entry = AuditEntry {
            at: Timestamp::UNIX_EPOCH,
            source,
            actor: "dana".into(),
            operation: operation.into(),
            outcome: AuditOutcome::Done,
            ..AuditEntry::default()
        };
        AuditStep::End { id: String::new(), entry, object: ObjectChange::None }
    }

    #[tokio::test]
    async fn records_are_counted_by_what_they_have_in_common() {
        for (store, _) in every().await {
            let steps = [end(AuditSource::Portal, "sign-in"), end(AuditSource::Rest, "sign-in"), end(AuditSource::Portal, "sign-in")];
            store.append_audit("a", &steps).await.unwrap();
            let sum =
                |source: &str, records| AuditSum { source: source.into(), outcome: "done".into(), operation: "sign-in".into(), records };
            let all = store.audit_counts(&AuditFilter::default()).await.unwrap();
            assert_eq!(all, AuditCounts { sums: vec![sum("portal", 2), sum("rest", 1)], more: false });
            let none = AuditFilter { person: "alex".into(), ..AuditFilter::default() };
            assert_eq!(store.audit_counts(&none).await.unwrap(), AuditCounts::default());
            let from = store.audit_chain_from("a", 2, 1).await.unwrap();
            assert_eq!(from.iter().map(|record| record.sequence).collect::<Vec<_>>(), [2]);
            assert!(store.audit_chain_from("b", 1, 1).await.unwrap().is_empty());
        }
    }
}
