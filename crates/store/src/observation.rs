//! Observations of instances: the journal that the ledger is computed from.
//!
//! The result of one observation pass is written in one transaction together with its time, and only if no other pass was written since:
//! neither a process that ends between any two writes, nor a second one beside it, can lose or double a second.

use sqlx::{AssertSqlSafe, Row as _};

use crate::row::{TOGETHER, placeholders, row};
use crate::{Result, Store};

/// An instance, and who its cost is attributed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Uid of the request.
    pub uid: String,
    /// Id of its workspace.
    pub cluster: String,
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Path of the promise's home; empty on plain Kubernetes.
    pub home: String,
    /// Name of the promise.
    pub promise: String,
    /// Running version.
    pub version: String,
    /// Project; empty if there is none.
    pub project: String,
    /// Requester.
    pub owner: String,
}

/// A price per month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Millionths of the currency.
    pub micros: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// A period of time in which an instance was ready at one price, or in which it was not observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The instance.
    pub subject: Subject,
    /// Its first second.
    pub since: i64,
    /// The second after its last one; `None` while it continues.
    pub until: Option<i64>,
    /// Whether the instance was ready; otherwise it was not observed.
    pub ready: bool,
    /// Price per month; `None` if it is unknown.
    pub rate: Option<Rate>,
    /// Source of the price.
    pub basis: String,
}

/// Progress of the ledger, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerClock {
    /// Time of the last observation pass.
    pub seen: i64,
    /// Hours before it are complete.
    pub posted: i64,
}

/// One result of an observation pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The open observation of an instance ended.
    Ended {
        /// Uid of the request.
        uid: String,
        /// The second after its last one.
        until: i64,
    },
    /// An observation: a complete one, or one that continues.
    Stretch(Box<Observation>),
}

/// Every column, in binding order.
const COLUMNS: &str =
    "uid, since, until, ready, monthly, currency, basis, cluster, workspace, namespace, name, home, promise, version, project, owner";
/// Number of columns.
const WIDTH: usize = 16;

row! {
    struct ObservationRow {
        uid: String,
        since: i64,
        until: Option<i64>,
        ready: i64,
        monthly: Option<i64>,
        currency: String,
        basis: String,
        cluster: String,
        workspace: String,
        namespace: String,
        name: String,
        home: String,
        promise: String,
        version: String,
        project: String,
        owner: String,
    }
}

impl From<ObservationRow> for Observation {
    fn from(row: ObservationRow) -> Self {
        Self {
            since: row.since,
            until: row.until,
            ready: row.ready != 0,
            rate: row.monthly.map(|micros| Rate { micros, currency: row.currency }),
            basis: row.basis,
            subject: Subject {
                uid: row.uid,
                cluster: row.cluster,
                workspace: row.workspace,
                namespace: row.namespace,
                name: row.name,
                home: row.home,
                promise: row.promise,
                version: row.version,
                project: row.project,
                owner: row.owner,
            },
        }
    }
}

impl Store {
    /// Returns the progress of the ledger; `None` if it hasn't started.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn ledger_clock(&self) -> Result<Option<LedgerClock>> {
        let row = sqlx::query("SELECT seen, posted FROM ledger_clock WHERE id = 1").fetch_optional(&self.pool).await?;
        Ok(row.map(|row| Ok::<_, sqlx::Error>(LedgerClock { seen: row.try_get(0)?, posted: row.try_get(1)? })).transpose()?)
    }

    /// Starts the ledger at a full hour, unless it has already started.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn begin_ledger(&self, at: i64) -> Result<()> {
        sqlx::query("INSERT INTO ledger_clock (id, seen, posted) VALUES (1, $1, $1) ON CONFLICT (id) DO NOTHING")
            .bind(at)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Returns the observations that continue.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn open_observations(&self) -> Result<Vec<Observation>> {
        let sql = format!("SELECT {COLUMNS} FROM observation WHERE until IS NULL");
        let rows: Vec<ObservationRow> = sqlx::query_as(AssertSqlSafe(sql)).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(Observation::from).collect())
    }

    /// Returns the observations that overlap the period between two points in time, sorted by instance.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn observations_between(&self, from: i64, to: i64) -> Result<Vec<Observation>> {
        // Two queries, each with its own index: an `OR` would read every observation that has ended.
        let sql = format!(
            "SELECT {COLUMNS} FROM observation WHERE until > $1 AND since < $2 \
             UNION ALL SELECT {COLUMNS} FROM observation WHERE until IS NULL AND since < $2 ORDER BY uid, since"
        );
        let rows: Vec<ObservationRow> = sqlx::query_as(AssertSqlSafe(sql)).bind(from).bind(to).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(Observation::from).collect())
    }

    /// Writes the results of an observation pass at `now` that follows one at `before`. Returns `false` without writing anything if another
    /// pass was written in the meantime.
    ///
    /// # Errors
    /// If the database fails; then nothing is written.
    pub async fn look(&self, before: i64, now: i64, seen: &[Seen]) -> Result<bool> {
        let mut transaction = self.pool.begin().await?;
        let moved = sqlx::query("UPDATE ledger_clock SET seen = $1 WHERE id = 1 AND seen = $2")
            .bind(now)
            .bind(before)
            .execute(&mut *transaction)
            .await?;
        if moved.rows_affected() != 1 {
            transaction.rollback().await?;
            return Ok(false);
        }
        // Ended observations come first, so that an instance whose next observation starts here never has two open ones.
        for seen in seen {
            let Seen::Ended { uid, until } = seen else { continue };
            // An observation that ended when it started never existed.
            sqlx::query("DELETE FROM observation WHERE uid = $1 AND until IS NULL AND since >= $2")
                .bind(uid)
                .bind(*until)
                .execute(&mut *transaction)
                .await?;
            sqlx::query("UPDATE observation SET until = $2 WHERE uid = $1 AND until IS NULL")
                .bind(uid)
                .bind(*until)
                .execute(&mut *transaction)
                .await?;
        }
        let stretches: Vec<&Observation> =
            seen.iter().filter_map(|seen| if let Seen::Stretch(stretch) = seen { Some(&**stretch) } else { None }).collect();
        for chunk in stretches.chunks(TOGETHER) {
            let sql = format!("INSERT INTO observation ({COLUMNS}) VALUES {}", placeholders(chunk.len(), WIDTH));
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for Observation { subject, since, until, ready, rate, basis } in chunk {
                query = query.bind(&subject.uid).bind(*since).bind(*until).bind(i64::from(*ready));
                query = query.bind(rate.as_ref().map(|rate| rate.micros));
                query = query.bind(rate.as_ref().map(|rate| rate.currency.as_str()).unwrap_or_default()).bind(basis);
                query = query.bind(&subject.cluster).bind(&subject.workspace).bind(&subject.namespace).bind(&subject.name);
                query = query.bind(&subject.home).bind(&subject.promise).bind(&subject.version).bind(&subject.project).bind(&subject.owner);
            }
            query.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }
}
