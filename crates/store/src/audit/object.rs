//! The last known state of each object.

use jiff::Timestamp;
use promise::audit::{AuditEntry, AuditOutcome, AuditSource, AuditState, seen};
use sqlx::{AnyConnection, AssertSqlSafe};

use super::{AuditTarget, ChainWriter};
use crate::row::{TOGETHER, placeholders, row};
use crate::{Result, Store};

/// Name of the row of a kind that says that the kind is followed. No object has an empty name.
const FOLLOWED: &str = "";

row! {
    struct ObjectRow {
        kind: String,
        cluster: String,
        namespace: String,
        name: String,
        uid: String,
        generation: i64,
        edition: String,
        hash: String,
        stamped: String,
        stamp: String,
        made: i64,
    }
}

impl ObjectRow {
    fn into_parts(self) -> (AuditTarget, AuditState) {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let target = AuditTarget { kind: self.kind, cluster: self.cluster, namespace: self.namespace, name: self.name };
        let state = AuditState {
            uid: self.uid,
            generation: self.generation,
            edition: self.edition,
            hash: some(self.hash),
            stamped: some(self.stamped),
            stamp: self.stamp,
            is_made: self.made != 0,
        };
        (target, state)
    }
}

const COLUMNS: &str = "kind, cluster, namespace, name, uid, generation, edition, hash, stamped, stamp, made";

impl Store {
    /// Returns the last known states of all objects of a kind; `None` if the kind isn't followed yet.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_objects(&self, kind: &str) -> Result<Option<Vec<(AuditTarget, AuditState)>>> {
        let select = format!("SELECT {COLUMNS} FROM audit_object WHERE kind = $1");
        let rows: Vec<ObjectRow> = sqlx::query_as(AssertSqlSafe(select)).bind(kind).fetch_all(&self.pool).await?;
        let mut all: Vec<(AuditTarget, AuditState)> = rows.into_iter().map(ObjectRow::into_parts).collect();
        let known = all.len();
        all.retain(|(target, _)| target.name != FOLLOWED);
        Ok((all.len() < known).then_some(all))
    }

    /// Returns the last known state of an object, and whether a change of it was begun and not ended.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_object(&self, target: &AuditTarget) -> Result<(Option<AuditState>, bool)> {
        let mut connection = self.pool.acquire().await?;
        let is_being_changed = is_being_changed(&mut connection, target).await?;
        Ok((known(&mut connection, target).await?, is_being_changed))
    }

    /// Begins to follow a kind: what exists already is known from now on, and one record says so.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn follow_audit_kind(&self, chain: &str, kind: &str, objects: &[(AuditTarget, AuditState)], now: Timestamp) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        let mut writer = ChainWriter::lock(&mut transaction, chain).await?;
        let followed = (AuditTarget { kind: kind.to_owned(), ..AuditTarget::default() }, AuditState::default());
        let is_first = insert(writer.connection, std::slice::from_ref(&followed)).await? > 0;
        for some in objects.chunks(TOGETHER) {
            insert(writer.connection, some).await?;
        }
        // Another replica might have been faster.
        if is_first {
            let entry = AuditEntry {
                at: now,
                source: AuditSource::Log,
                operation: seen::BEGUN.to_owned(),
                kind: kind.to_owned(),
                outcome: AuditOutcome::Done,
                detail: objects.len().to_string(),
                ..AuditEntry::default()
            };
            writer.append(entry).await?;
        }
        writer.finish().await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Inserts the states of objects that aren't known yet. Returns their number.
async fn insert(connection: &mut AnyConnection, objects: &[(AuditTarget, AuditState)]) -> Result<u64> {
    let rows = placeholders(objects.len(), 11);
    let sql = format!("INSERT INTO audit_object ({COLUMNS}) VALUES {rows} ON CONFLICT (kind, cluster, namespace, name) DO NOTHING");
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for (target, state) in objects {
        query = query
            .bind(target.kind.as_str())
            .bind(target.cluster.as_str())
            .bind(target.namespace.as_str())
            .bind(target.name.as_str())
            .bind(state.uid.as_str())
            .bind(state.generation)
            .bind(state.edition.as_str())
            .bind(state.hash.as_deref().unwrap_or_default())
            .bind(state.stamped.as_deref().unwrap_or_default())
            .bind(state.stamp.as_str())
            .bind(i64::from(state.is_made));
    }
    Ok(query.execute(connection).await?.rows_affected())
}

/// Returns the last known state of an object.
pub(super) async fn known(connection: &mut AnyConnection, target: &AuditTarget) -> Result<Option<AuditState>> {
    let select = format!("SELECT {COLUMNS} FROM audit_object WHERE kind = $1 AND cluster = $2 AND namespace = $3 AND name = $4");
    let row: Option<ObjectRow> = sqlx::query_as(AssertSqlSafe(select))
        .bind(target.kind.as_str())
        .bind(target.cluster.as_str())
        .bind(target.namespace.as_str())
        .bind(target.name.as_str())
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| row.into_parts().1))
}

/// Checks whether a change of an object was begun and not ended.
pub(super) async fn is_being_changed(connection: &mut AnyConnection, target: &AuditTarget) -> Result<bool> {
    let select = "SELECT COUNT(*) FROM audit_intent WHERE kind = $1 AND cluster = $2 AND namespace = $3 AND name = $4";
    let (count,): (i64,) = sqlx::query_as(select)
        .bind(target.kind.as_str())
        .bind(target.cluster.as_str())
        .bind(target.namespace.as_str())
        .bind(target.name.as_str())
        .fetch_one(connection)
        .await?;
    Ok(count > 0)
}

/// Saves the state that an object has after a change through the portal.
pub(super) async fn replace(connection: &mut AnyConnection, target: &AuditTarget, state: &AuditState) -> Result<()> {
    upsert(connection, target, state, "").await.map(drop)
}

/// Saves the state that an object was seen in, if it is another one and not older. Returns whether it is.
pub(super) async fn advance(connection: &mut AnyConnection, target: &AuditTarget, state: &AuditState) -> Result<bool> {
    let newer = " WHERE audit_object.edition <> excluded.edition \
        AND (audit_object.uid <> excluded.uid OR audit_object.generation <= excluded.generation)";
    upsert(connection, target, state, newer).await
}

async fn upsert(connection: &mut AnyConnection, target: &AuditTarget, state: &AuditState, condition: &str) -> Result<bool> {
    let sql = format!(
        "INSERT INTO audit_object ({COLUMNS}) VALUES {} ON CONFLICT (kind, cluster, namespace, name) DO UPDATE SET \
         uid = excluded.uid, generation = excluded.generation, edition = excluded.edition, hash = excluded.hash, \
         stamped = excluded.stamped, stamp = excluded.stamp, made = excluded.made{condition}",
        placeholders(1, 11)
    );
    let changed = sqlx::query(AssertSqlSafe(sql))
        .bind(target.kind.as_str())
        .bind(target.cluster.as_str())
        .bind(target.namespace.as_str())
        .bind(target.name.as_str())
        .bind(state.uid.as_str())
        .bind(state.generation)
        .bind(state.edition.as_str())
        .bind(state.hash.as_deref().unwrap_or_default())
        .bind(state.stamped.as_deref().unwrap_or_default())
        .bind(state.stamp.as_str())
        .bind(i64::from(state.is_made))
        .execute(connection)
        .await?;
    Ok(changed.rows_affected() > 0)
}

/// Forgets an object that was deleted; with `uid`, only this one. Returns whether it was known.
pub(super) async fn forget(connection: &mut AnyConnection, target: &AuditTarget, uid: Option<&str>) -> Result<bool> {
    let any = i64::from(uid.is_none());
    let delete = "DELETE FROM audit_object WHERE kind = $1 AND cluster = $2 AND namespace = $3 AND name = $4 AND ($5 = 1 OR uid = $6)";
    let gone = sqlx::query(delete)
        .bind(target.kind.as_str())
        .bind(target.cluster.as_str())
        .bind(target.namespace.as_str())
        .bind(target.name.as_str())
        .bind(any)
        .bind(uid.unwrap_or_default())
        .execute(connection)
        .await?;
    Ok(gone.rows_affected() > 0)
}
