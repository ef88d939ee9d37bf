//! Reading the log.

use jiff::Timestamp;
use promise::audit::{AuditEntry, AuditOutcome, AuditRecord, AuditSource, ChainHead};
use sqlx::AssertSqlSafe;

use super::signed;
use crate::row::row;
use crate::{Result, Store};

/// Which records are listed. Texts that are empty don't narrow the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Part of the username.
    pub person: String,
    /// Path of the workspace; those below it count.
    pub workspace: String,
    /// Part of kind, namespace and name, such as `PromiseRequest default/orders`.
    pub object: String,
    /// The operation.
    pub operation: String,
    /// The outcome.
    pub outcome: String,
    /// The source.
    pub source: String,
    /// First moment.
    pub from: Option<Timestamp>,
    /// First moment that doesn't count any more.
    pub until: Option<Timestamp>,
}

/// The condition for which [`AuditFilter::bound`] has the values.
pub(super) const FILTER: &str = "LOWER(actor) LIKE $1 ESCAPE '\\' \
    AND (workspace LIKE $2 ESCAPE '\\' OR workspace LIKE $3 ESCAPE '\\') \
    AND LOWER(kind || ' ' || namespace || '/' || name) LIKE $4 ESCAPE '\\' \
    AND operation LIKE $5 ESCAPE '\\' AND outcome LIKE $6 ESCAPE '\\' AND source LIKE $7 ESCAPE '\\' \
    AND at >= $8 AND at < $9";

const COLUMNS: &str = "chain, sequence, previous, hash, at, source, actor, operation, kind, cluster, workspace, namespace, name, before_hash, \
    after_hash, request_id, outcome, code, detail";

row! {
    struct RecordRow {
        chain: String,
        sequence: i64,
        previous: String,
        hash: String,
        at: i64,
        source: String,
        actor: String,
        operation: String,
        kind: String,
        cluster: String,
        workspace: String,
        namespace: String,
        name: String,
        before_hash: String,
        after_hash: String,
        request_id: String,
        outcome: String,
        code: i64,
        detail: String,
    }
}

row! {
    struct ChainRow {
        chain: String,
        sequence: i64,
        hash: String,
    }
}

/// What was changed in the database by other means still becomes a record; its hash tells.
impl From<RecordRow> for AuditRecord {
    fn from(row: RecordRow) -> Self {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            chain: row.chain,
            sequence: u64::try_from(row.sequence).unwrap_or_default(),
            previous: row.previous,
            entry: AuditEntry {
                at: Timestamp::from_microsecond(row.at).unwrap_or(Timestamp::MIN),
                source: AuditSource::parse(&row.source).unwrap_or_default(),
                actor: row.actor,
                operation: row.operation,
                kind: row.kind,
                cluster: row.cluster,
                workspace: row.workspace,
                namespace: row.namespace,
                name: row.name,
                before: some(row.before_hash),
                after: some(row.after_hash),
                request_id: row.request_id,
                outcome: AuditOutcome::parse(&row.outcome).unwrap_or_default(),
                code: u16::try_from(row.code).ok().filter(|code| *code != 0),
                detail: row.detail,
            },
            hash: row.hash,
        }
    }
}

impl AuditFilter {
    /// Returns patterns and times, in the order of [`FILTER`].
    pub(super) fn bound(&self) -> ([String; 7], [i64; 2]) {
        let part = |text: &str| format!("%{}%", escaped(&text.to_lowercase()));
        let whole = |text: &str| if text.is_empty() { "%".to_owned() } else { escaped(text) };
        let below = if self.workspace.is_empty() { "%".to_owned() } else { format!("{}:%", escaped(&self.workspace)) };
        let patterns = [
            part(&self.person),
            whole(&self.workspace),
            below,
            part(&self.object),
            whole(&self.operation),
            whole(&self.outcome),
            whole(&self.source),
        ];
        (patterns, [self.from.map_or(i64::MIN, Timestamp::as_microsecond), self.until.map_or(i64::MAX, Timestamp::as_microsecond)])
    }
}

/// Returns a text as part of a pattern that matches it alone.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

impl Store {
    /// Returns the records that a filter leaves, newest first: `most` from `from` on.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_page(&self, filter: &AuditFilter, from: u64, most: u32) -> Result<Vec<AuditRecord>> {
        let (patterns, times) = filter.bound();
        let sql = format!("SELECT {COLUMNS} FROM audit_record WHERE {FILTER} ORDER BY at DESC, chain, sequence DESC LIMIT $10 OFFSET $11");
        let mut query = sqlx::query_as::<_, RecordRow>(AssertSqlSafe(sql));
        for pattern in patterns {
            query = query.bind(pattern);
        }
        for time in times {
            query = query.bind(time);
        }
        let rows = query.bind(i64::from(most)).bind(signed(from)).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(AuditRecord::from).collect())
    }

    /// Returns one record.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_record(&self, chain: &str, sequence: u64) -> Result<Option<AuditRecord>> {
        let sql = format!("SELECT {COLUMNS} FROM audit_record WHERE chain = $1 AND sequence = $2");
        let row: Option<RecordRow> =
            sqlx::query_as(AssertSqlSafe(sql)).bind(chain).bind(signed(sequence)).fetch_optional(&self.pool).await?;
        Ok(row.map(AuditRecord::from))
    }

    /// Returns the records after a position, chain by chain, in order: `most` at once.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_after(&self, chain: &str, sequence: u64, most: u32) -> Result<Vec<AuditRecord>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM audit_record WHERE chain > $1 OR (chain = $2 AND sequence > $3) ORDER BY chain, sequence LIMIT $4"
        );
        let rows: Vec<RecordRow> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(chain)
            .bind(chain)
            .bind(signed(sequence))
            .bind(i64::from(most))
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(AuditRecord::from).collect())
    }

    /// Returns the records of one chain from a position on, in order: `most` at once.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_chain_from(&self, chain: &str, sequence: u64, most: u32) -> Result<Vec<AuditRecord>> {
        let sql = format!("SELECT {COLUMNS} FROM audit_record WHERE chain = $1 AND sequence >= $2 ORDER BY sequence LIMIT $3");
        let rows: Vec<RecordRow> =
            sqlx::query_as(AssertSqlSafe(sql)).bind(chain).bind(signed(sequence)).bind(i64::from(most)).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(AuditRecord::from).collect())
    }

    /// Returns where each chain ends.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_heads(&self) -> Result<Vec<ChainHead>> {
        let rows: Vec<ChainRow> =
            sqlx::query_as("SELECT chain, sequence, hash FROM audit_chain WHERE sequence > 0 ORDER BY chain").fetch_all(&self.pool).await?;
        let head =
            |row: ChainRow| ChainHead { chain: row.chain, sequence: u64::try_from(row.sequence).unwrap_or_default(), hash: row.hash };
        Ok(rows.into_iter().map(head).collect())
    }
}
