//! What was seen of instances: the journal from which the ledger is made.
//!
//! Everything that one look says is written in one transaction together with its moment, and only if nobody else has looked since: a
//! process that ends between any two writes, or a second one beside it, can neither lose nor double a second.

use sqlx::{AssertSqlSafe, Row as _};

use crate::ledger::{TOGETHER, placeholders};
use crate::row::row;
use crate::{Result, Store};

/// Which instance, and to whom it is counted.
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
    /// Version that runs.
    pub version: String,
    /// Project; empty where none is named.
    pub project: String,
    /// Who asked for it.
    pub owner: String,
}

/// A price a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Millionths of the currency.
    pub micros: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// A stretch of time in which an instance was ready at one price, or in which nobody saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Of what.
    pub subject: Subject,
    /// Its first second.
    pub since: i64,
    /// The second after its last one; none while it goes on.
    pub until: Option<i64>,
    /// Whether it was ready; otherwise nobody saw it.
    pub ready: bool,
    /// What it costs a month; none where that is not known.
    pub rate: Option<Rate>,
    /// From where the price is.
    pub basis: String,
}

/// How far the ledger has come, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerClock {
    /// Everything was last looked at then.
    pub seen: i64,
    /// Hours before it are complete.
    pub posted: i64,
}

/// One thing that a look says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The open stretch of an instance ended.
    Ended {
        /// Uid of the request.
        uid: String,
        /// The second after its last one.
        until: i64,
    },
    /// A stretch: a whole one, or one that goes on.
    Stretch(Box<Observation>),
}

/// Every column, in the order in which it is bound.
const COLUMNS: &str =
    "uid, since, until, ready, monthly, currency, basis, cluster, workspace, namespace, name, home, promise, version, project, owner";
/// How many these are.
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
    /// How far the ledger has come; nothing before it has begun.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn ledger_clock(&self) -> Result<Option<LedgerClock>> {
        let row = sqlx::query("SELECT seen, posted FROM ledger_clock WHERE id = 1").fetch_optional(&self.pool).await?;
        Ok(row.map(|row| Ok::<_, sqlx::Error>(LedgerClock { seen: row.try_get(0)?, posted: row.try_get(1)? })).transpose()?)
    }

    /// Begins the ledger at a full hour, unless it has begun.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn begin_ledger(&self, at: i64) -> Result<()> {
        sqlx::query("INSERT INTO ledger_clock (id, seen, posted) VALUES (1, $1, $1) ON CONFLICT (id) DO NOTHING")
            .bind(at)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// The stretches that go on.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn open_observations(&self) -> Result<Vec<Observation>> {
        let sql = format!("SELECT {COLUMNS} FROM observation WHERE until IS NULL");
        let rows: Vec<ObservationRow> = sqlx::query_as(AssertSqlSafe(sql)).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(Observation::from).collect())
    }

    /// The stretches that have a part between two moments, in the order of their instances.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn observations_between(&self, from: i64, to: i64) -> Result<Vec<Observation>> {
        // Two parts, each with its index: an `OR` would read all that ever ended.
        let sql = format!(
            "SELECT {COLUMNS} FROM observation WHERE until > $1 AND since < $2 \
             UNION ALL SELECT {COLUMNS} FROM observation WHERE until IS NULL AND since < $2 ORDER BY uid, since"
        );
        let rows: Vec<ObservationRow> = sqlx::query_as(AssertSqlSafe(sql)).bind(from).bind(to).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(Observation::from).collect())
    }

    /// Writes what a look at `now` says after one at `before`; `false`, and nothing is written, if somebody else has looked since.
    ///
    /// # Errors
    /// The database refuses; then nothing is written.
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
        // What ended comes first: of an instance whose next stretch begins here, no two are open at any time.
        for seen in seen {
            let Seen::Ended { uid, until } = seen else { continue };
            // What ended when it began has never been.
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
