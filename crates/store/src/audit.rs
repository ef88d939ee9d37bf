//! The audit log: chains of records that are only ever appended, one for each replica.
//!
//! A replica appends from one task, in one transaction for everything that waits. A change is noted before it is made (an *intent*), and the
//! intent becomes its record afterwards: a process that dies in between leaves the intent, whose outcome is unknown. Reading is in `read`,
//! counting in `count`, how far the chains are verified in `check`, removing what is too old in `cut`.

mod check;
mod count;
mod cut;
mod object;
mod read;

use jiff::Timestamp;
use promise::audit::{AuditEntry, AuditOutcome, AuditRecord, AuditState, ChainHead, seen};
use sqlx::AnyConnection;

pub use count::{AuditCounts, AuditSum};
pub use read::AuditFilter;

use crate::row::row;
use crate::{Result, Store};

/// An object of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AuditTarget {
    /// Kind.
    pub kind: String,
    /// Id of its workspace.
    pub cluster: String,
    /// Namespace; empty without one.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl AuditTarget {
    /// Returns the object that a record is about.
    fn of(entry: &AuditEntry) -> Self {
        let AuditEntry { kind, cluster, namespace, name, .. } = entry.clone();
        Self { kind, cluster, namespace, name }
    }
}

/// What a change made of the object that it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ObjectChange {
    /// It is about no object whose state the log follows, or it failed.
    #[default]
    None,
    /// The object is in this state now.
    Now(AuditState),
    /// The object was deleted.
    Deleted,
}

/// Something to write into the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditStep {
    /// A change is about to be made.
    Begin {
        /// Unique id of the intent.
        id: String,
        /// What the record will say.
        entry: AuditEntry,
    },
    /// A change was made, or not.
    End {
        /// The intent.
        id: String,
        /// What the record says.
        entry: AuditEntry,
        /// What became of the object.
        object: ObjectChange,
    },
    /// An object was seen in a state; `None` if it doesn't exist. It is recorded if no known change led to that state.
    Observe {
        /// Object and time.
        entry: AuditEntry,
        /// Its state.
        state: Option<AuditState>,
    },
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditStepOutcome {
    /// The change can be made. With the hash of the object's content, as far as the log knows it.
    Begun(Option<String>),
    /// A record was appended.
    Recorded,
    /// What was seen was known already.
    Known,
    /// A change of the object is in progress, which might explain it: observe it again later.
    Waits,
}

row! {
    struct HeadRow {
        sequence: i64,
        hash: String,
    }
}

row! {
    struct IntentRow {
        id: String,
        entry: String,
    }
}

impl Store {
    /// Writes steps into the log, in order, in one transaction. The chain is locked meanwhile.
    ///
    /// # Errors
    /// If the database fails; then none of them is written.
    pub async fn append_audit(&self, chain: &str, steps: &[AuditStep]) -> Result<Vec<AuditStepOutcome>> {
        let mut transaction = self.pool.begin().await?;
        let mut writer = ChainWriter::lock(&mut transaction, chain).await?;
        let mut outcomes = Vec::with_capacity(steps.len());
        for step in steps {
            outcomes.push(writer.write(step).await?);
        }
        writer.finish().await?;
        transaction.commit().await?;
        Ok(outcomes)
    }

    /// Records the changes that were begun and never ended, with an unknown outcome: those of any chain that were begun before a time, and
    /// `with_own` all of this chain. Returns their number.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn adopt_audit(&self, chain: &str, before: Timestamp, with_own: bool) -> Result<usize> {
        let select = "SELECT id, entry FROM audit_intent WHERE chain = $1 OR begun < $2 ORDER BY begun, id";
        let own = if with_own { chain } else { "" };
        let rows: Vec<IntentRow> = sqlx::query_as(select).bind(own).bind(before.as_microsecond()).fetch_all(&self.pool).await?;
        let mut steps = Vec::with_capacity(rows.len());
        for IntentRow { id, entry } in rows {
            let entry = AuditEntry { outcome: AuditOutcome::Unknown, ..serde_json::from_str(&entry)? };
            steps.push(AuditStep::End { id, entry, object: ObjectChange::None });
        }
        if !steps.is_empty() {
            self.append_audit(chain, &steps).await?;
        }
        Ok(steps.len())
    }
}

/// The locked end of a chain.
struct ChainWriter<'c> {
    connection: &'c mut AnyConnection,
    head: ChainHead,
}

impl<'c> ChainWriter<'c> {
    /// Locks a chain until the end of the transaction. The first statement writes, so that SQLite doesn't have to turn a reader into a writer.
    async fn lock(connection: &'c mut AnyConnection, chain: &str) -> Result<Self> {
        sqlx::query("INSERT INTO audit_chain (chain, sequence, hash) VALUES ($1, 0, '') ON CONFLICT (chain) DO NOTHING")
            .bind(chain)
            .execute(&mut *connection)
            .await?;
        let lock = "UPDATE audit_chain SET sequence = sequence WHERE chain = $1 RETURNING sequence, hash";
        let row: HeadRow = sqlx::query_as(lock).bind(chain).fetch_one(&mut *connection).await?;
        let head = ChainHead { chain: chain.to_owned(), sequence: u64::try_from(row.sequence).unwrap_or_default(), hash: row.hash };
        Ok(Self { connection, head })
    }

    /// Saves where the chain ends.
    async fn finish(self) -> Result<()> {
        sqlx::query("UPDATE audit_chain SET sequence = $1, hash = $2 WHERE chain = $3")
            .bind(signed(self.head.sequence))
            .bind(self.head.hash.as_str())
            .bind(self.head.chain.as_str())
            .execute(&mut *self.connection)
            .await?;
        Ok(())
    }

    async fn write(&mut self, step: &AuditStep) -> Result<AuditStepOutcome> {
        match step {
            AuditStep::Begin { id, entry } => self.begin(id, entry).await,
            AuditStep::End { id, entry, object } => {
                sqlx::query("DELETE FROM audit_intent WHERE id = $1").bind(id.as_str()).execute(&mut *self.connection).await?;
                let target = AuditTarget::of(entry);
                match object {
                    ObjectChange::None => {}
                    ObjectChange::Now(state) => object::replace(self.connection, &target, state).await?,
                    ObjectChange::Deleted => object::forget(self.connection, &target, None).await.map(drop)?,
                }
                self.append(entry.clone()).await?;
                Ok(AuditStepOutcome::Recorded)
            }
            AuditStep::Observe { entry, state } => self.observe(entry, state.as_ref()).await,
        }
    }

    async fn begin(&mut self, id: &str, entry: &AuditEntry) -> Result<AuditStepOutcome> {
        let insert = "INSERT INTO audit_intent (id, chain, begun, kind, cluster, namespace, name, entry) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        sqlx::query(insert)
            .bind(id)
            .bind(self.head.chain.as_str())
            .bind(entry.at.as_microsecond())
            .bind(entry.kind.as_str())
            .bind(entry.cluster.as_str())
            .bind(entry.namespace.as_str())
            .bind(entry.name.as_str())
            .bind(serde_json::to_string(entry)?)
            .execute(&mut *self.connection)
            .await?;
        // Only objects of a workspace are followed.
        let known = if entry.cluster.is_empty() { None } else { object::known(self.connection, &AuditTarget::of(entry)).await? };
        Ok(AuditStepOutcome::Begun(known.and_then(|state| state.hash)))
    }

    async fn observe(&mut self, entry: &AuditEntry, state: Option<&AuditState>) -> Result<AuditStepOutcome> {
        let target = AuditTarget::of(entry);
        if object::is_being_changed(self.connection, &target).await? {
            return Ok(AuditStepOutcome::Waits);
        }
        let known = object::known(self.connection, &target).await?;
        let is_new = match state {
            Some(state) => object::advance(self.connection, &target, state).await?,
            None => match &known {
                Some(known) => object::forget(self.connection, &target, Some(&known.uid)).await?,
                None => false,
            },
        };
        if !is_new {
            return Ok(AuditStepOutcome::Known);
        }
        // An object of the same name that is another one.
        let former = known.as_ref().filter(|known| state.is_none_or(|state| state.uid == known.uid));
        let operation = match (former, state) {
            (_, None) => seen::DELETED,
            (None, Some(_)) => seen::CREATED,
            (Some(_), Some(_)) => seen::CHANGED,
        };
        let entry = AuditEntry {
            actor: state.map(|state| state.changed_by(known.as_ref()).to_owned()).unwrap_or_default(),
            operation: operation.to_owned(),
            before: former.and_then(|known| known.hash.clone()),
            after: state.and_then(|state| state.hash.clone()),
            outcome: AuditOutcome::Done,
            ..entry.clone()
        };
        self.append(entry).await?;
        Ok(AuditStepOutcome::Recorded)
    }

    /// Appends a record to the chain.
    async fn append(&mut self, entry: AuditEntry) -> Result<()> {
        let record = AuditRecord::after(&self.head, entry)?;
        let entry = &record.entry;
        let insert = "INSERT INTO audit_record (chain, sequence, previous, hash, at, source, actor, operation, kind, cluster, workspace, \
            namespace, name, before_hash, after_hash, request_id, outcome, code, detail) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
        sqlx::query(insert)
            .bind(record.chain.as_str())
            .bind(signed(record.sequence))
            .bind(record.previous.as_str())
            .bind(record.hash.as_str())
            .bind(entry.at.as_microsecond())
            .bind(entry.source.word())
            .bind(entry.actor.as_str())
            .bind(entry.operation.as_str())
            .bind(entry.kind.as_str())
            .bind(entry.cluster.as_str())
            .bind(entry.workspace.as_str())
            .bind(entry.namespace.as_str())
            .bind(entry.name.as_str())
            .bind(entry.before.as_deref().unwrap_or_default())
            .bind(entry.after.as_deref().unwrap_or_default())
            .bind(entry.request_id.as_str())
            .bind(entry.outcome.word())
            .bind(entry.code.map(i64::from).unwrap_or_default())
            .bind(entry.detail.as_str())
            .execute(&mut *self.connection)
            .await?;
        self.head = record.head();
        Ok(())
    }
}

/// Returns a number as databases keep it.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
