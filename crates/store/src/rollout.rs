//! Rollouts: upgrades of many requests in waves. What is next for a rollout is decided by `promise::rollout`.

use jiff::{SignedDuration, Timestamp};
use promise::rollout::RolloutState;
use sqlx::AssertSqlSafe;

use crate::random::{self, Random};
use crate::rollout_member::{self, NewMember};
use crate::row::row;
use crate::session::SessionKey;
use crate::{Result, Store};

/// How long rollouts are kept after their last change.
pub const ROLLOUTS_KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);

/// A rollout to start.
#[derive(Clone, Copy, Debug)]
pub struct NewRollout<'a> {
    /// Logical cluster of the promise's home.
    pub home: &'a str,
    /// Name of the promise.
    pub promise: &'a str,
    /// The version to upgrade to.
    pub version: &'a str,
    /// Who starts it.
    pub person: &'a str,
    /// The session in which it acts.
    pub session: SessionKey,
    /// Maximum number of requests of a wave.
    pub wave_size: u32,
    /// How long each request has to be ready, in minutes.
    pub minutes: u32,
    /// Whether requests that aren't ready for the version are skipped. Otherwise they stop the rollout.
    pub skips: bool,
}

/// A stored rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRollout {
    /// 32 hexadecimal digits.
    pub id: String,
    /// Logical cluster of the promise's home.
    pub home: String,
    /// Name of the promise.
    pub promise: String,
    /// The version to upgrade to.
    pub version: String,
    /// Who started it.
    pub person: String,
    /// The session in which it acts; it might have ended.
    pub session: SessionKey,
    /// Maximum number of requests of a wave.
    pub wave_size: u32,
    /// How long each request has to be ready, in minutes.
    pub minutes: u32,
    /// Whether requests that aren't ready for the version are skipped.
    pub skips: bool,
    /// Its state.
    pub state: RolloutState,
    /// When it was started.
    pub created: Timestamp,
    /// How often anything of it changed.
    pub edition: i64,
}

row! {
    struct RolloutRow {
        id: String,
        home: String,
        promise: String,
        version: String,
        person: String,
        session: String,
        wave_size: i64,
        minutes: i64,
        skips: i64,
        state: String,
        created: i64,
        edition: i64,
    }
}

impl From<RolloutRow> for StoredRollout {
    fn from(row: RolloutRow) -> Self {
        let state = RolloutState::ALL.into_iter().find(|state| state.word() == row.state);
        Self {
            // A session that can't be read is one that has ended.
            session: SessionKey::of_text(&row.session).unwrap_or_else(|| SessionKey::of_cookie("")),
            wave_size: u32::try_from(row.wave_size).unwrap_or(1),
            minutes: u32::try_from(row.minutes).unwrap_or_default(),
            skips: row.skips != 0,
            // A state of a newer version of the portal.
            state: state.unwrap_or(RolloutState::Stopped),
            created: Timestamp::from_second(row.created).unwrap_or(Timestamp::MIN),
            edition: row.edition,
            id: row.id,
            home: row.home,
            promise: row.promise,
            version: row.version,
            person: row.person,
        }
    }
}

const COLUMNS: &str = "id, home, promise, version, person, session, wave_size, minutes, skips, state, created, edition";

impl Store {
    /// Starts a rollout of these requests, in this order, and returns its id.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn begin_rollout(
        &self,
        new: &NewRollout<'_>,
        members: &[NewMember<'_>],
        now: Timestamp,
        random: &dyn Random,
    ) -> Result<String> {
        let id = random::hex(&random::bytes::<16>(random));
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO rollout (id, home, promise, version, person, session, wave_size, minutes, skips, state, created, updated, edition, \
             holder, leased) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, 0, '', 0)",
        )
        .bind(&id)
        .bind(new.home)
        .bind(new.promise)
        .bind(new.version)
        .bind(new.person)
        .bind(new.session.text())
        .bind(i64::from(new.wave_size))
        .bind(i64::from(new.minutes))
        .bind(i64::from(new.skips))
        .bind(RolloutState::Running.word())
        .bind(now.as_second())
        .execute(&mut *transaction)
        .await?;
        rollout_member::insert(&mut transaction, &id, members).await?;
        transaction.commit().await?;
        Ok(id)
    }

    /// Returns a rollout of a person.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rollout(&self, person: &str, id: &str) -> Result<Option<StoredRollout>> {
        let sql = format!("SELECT {COLUMNS} FROM rollout WHERE id = $1 AND person = $2");
        let row: Option<RolloutRow> = sqlx::query_as(AssertSqlSafe(sql)).bind(id).bind(person).fetch_optional(&self.pool).await?;
        Ok(row.map(StoredRollout::from))
    }

    /// Returns the last rollouts of a person for a promise, newest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rollouts(&self, person: &str, home: &str, promise: &str, limit: u32) -> Result<Vec<StoredRollout>> {
        let sql =
            format!("SELECT {COLUMNS} FROM rollout WHERE person = $1 AND home = $2 AND promise = $3 ORDER BY created DESC, id LIMIT $4");
        let rows: Vec<RolloutRow> =
            sqlx::query_as(AssertSqlSafe(sql)).bind(person).bind(home).bind(promise).bind(i64::from(limit)).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(StoredRollout::from).collect())
    }

    /// Returns the rollouts that go on, or that are stopped while upgrades of them are in progress, oldest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn open_rollouts(&self) -> Result<Vec<StoredRollout>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM rollout WHERE state = $1 OR (state = $2 AND EXISTS (SELECT 1 FROM rollout_member \
             WHERE rollout = id AND rollout_member.state IN ('starting', 'started'))) ORDER BY created, id"
        );
        let rows: Vec<RolloutRow> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(RolloutState::Running.word())
            .bind(RolloutState::Stopped.word())
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(StoredRollout::from).collect())
    }

    /// Lets a process advance a rollout until `until`, unless another one does at `now`.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn lease_rollout(&self, id: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool> {
        let leased = sqlx::query("UPDATE rollout SET holder = $2, leased = $4 WHERE id = $1 AND (holder = $2 OR leased <= $3)")
            .bind(id)
            .bind(holder)
            .bind(now.as_second())
            .bind(until.as_second())
            .execute(&self.pool)
            .await?;
        Ok(leased.rows_affected() > 0)
    }

    /// Gives up the rollouts that a process advances, so that another one can do so at once.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn release_rollouts(&self, holder: &str) -> Result<()> {
        sqlx::query("UPDATE rollout SET leased = 0 WHERE holder = $1").bind(holder).execute(&self.pool).await?;
        Ok(())
    }

    /// Changes the state of a rollout if it is `from`, and nothing of the rollout has changed since this edition.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn turn_rollout(&self, id: &str, from: RolloutState, to: RolloutState, edition: i64, now: Timestamp) -> Result<bool> {
        let sql = "UPDATE rollout SET state = $3, updated = $4, edition = edition + 1 WHERE id = $1 AND state = $2 AND edition = $5";
        let turned =
            sqlx::query(sql).bind(id).bind(from.word()).bind(to.word()).bind(now.as_second()).bind(edition).execute(&self.pool).await?;
        Ok(turned.rows_affected() > 0)
    }

    /// Stops a person's rollout that is in progress.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn stop_rollout(&self, person: &str, id: &str, now: Timestamp) -> Result<bool> {
        let sql = "UPDATE rollout SET state = $3, updated = $4, edition = edition + 1 WHERE id = $1 AND person = $2 AND state = $5";
        let stopped = sqlx::query(sql)
            .bind(id)
            .bind(person)
            .bind(RolloutState::Stopped.word())
            .bind(now.as_second())
            .bind(RolloutState::Running.word())
            .execute(&self.pool)
            .await?;
        Ok(stopped.rows_affected() > 0)
    }

    /// Resumes a rollout of a person that isn't completed. From now on it acts in this session.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn resume_rollout(&self, person: &str, id: &str, session: SessionKey, now: Timestamp) -> Result<bool> {
        let sql = "UPDATE rollout SET state = $3, session = $4, updated = $5, edition = edition + 1 \
                   WHERE id = $1 AND person = $2 AND state <> $6";
        let resumed = sqlx::query(sql)
            .bind(id)
            .bind(person)
            .bind(RolloutState::Running.word())
            .bind(session.text())
            .bind(now.as_second())
            .bind(RolloutState::Completed.word())
            .execute(&self.pool)
            .await?;
        Ok(resumed.rows_affected() > 0)
    }

    /// Forgets rollouts that haven't changed for a long time and don't go on. Returns how many.
    pub(crate) async fn forget_rollouts(&self, now: Timestamp) -> Result<u64> {
        let before = now.saturating_sub(ROLLOUTS_KEPT).unwrap_or(Timestamp::MIN);
        let forgotten = sqlx::query("DELETE FROM rollout WHERE updated < $1 AND state <> $2")
            .bind(before.as_second())
            .bind(RolloutState::Running.word())
            .execute(&self.pool)
            .await?;
        Ok(forgotten.rows_affected())
    }
}
