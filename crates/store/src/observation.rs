//! What was seen of instances: the journal from which the ledger is made.
//!
//! Everything that one look says is written in one transaction together with its moment, and only if nobody else has looked since: a
//! process that ends between any two writes, or a second one beside it, can neither lose nor double a second.

use sqlx::{FromRow, Row as _};

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

#[derive(FromRow)]
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
        let rows: Vec<ObservationRow> = sqlx::query_as(
            "SELECT uid, since, until, ready, monthly, currency, basis, cluster, workspace, namespace, name, home, promise, version, \
             project, owner FROM observation WHERE until IS NULL",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Observation::from).collect())
    }

    /// The stretches that have a part between two moments, in the order of their instances.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn observations_between(&self, from: i64, to: i64) -> Result<Vec<Observation>> {
        let rows: Vec<ObservationRow> = sqlx::query_as(
            "SELECT uid, since, until, ready, monthly, currency, basis, cluster, workspace, namespace, name, home, promise, version, \
             project, owner FROM observation WHERE since < $2 AND (until IS NULL OR until > $1) ORDER BY uid, since",
        )
        .bind(from)
        .bind(to)
        .fetch_all(&self.pool)
        .await?;
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
        for seen in seen {
            match seen {
                Seen::Ended { uid, until } => {
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
                Seen::Stretch(observation) => {
                    let subject = &observation.subject;
                    sqlx::query(
                        "INSERT INTO observation (uid, since, until, ready, monthly, currency, basis, cluster, workspace, namespace, name, \
                         home, promise, version, project, owner) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
                    )
                    .bind(&subject.uid)
                    .bind(observation.since)
                    .bind(observation.until)
                    .bind(i64::from(observation.ready))
                    .bind(observation.rate.as_ref().map(|rate| rate.micros))
                    .bind(observation.rate.as_ref().map(|rate| rate.currency.as_str()).unwrap_or_default())
                    .bind(&observation.basis)
                    .bind(&subject.cluster)
                    .bind(&subject.workspace)
                    .bind(&subject.namespace)
                    .bind(&subject.name)
                    .bind(&subject.home)
                    .bind(&subject.promise)
                    .bind(&subject.version)
                    .bind(&subject.project)
                    .bind(&subject.owner)
                    .execute(&mut *transaction)
                    .await?;
                }
            }
        }
        transaction.commit().await?;
        Ok(true)
    }
}
