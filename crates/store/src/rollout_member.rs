//! The requests of rollouts.

use jiff::Timestamp;
use promise::rollout::{MemberReason, MemberState, RolloutState};
use sqlx::{AnyConnection, AssertSqlSafe};

use crate::notification::counted;
use crate::row::{TOGETHER, placeholders, row};
use crate::session::SessionKey;
use crate::{Result, Store};

/// Number of columns.
const COLUMNS: usize = 11;

/// A request to upgrade.
#[derive(Clone, Copy, Debug)]
pub struct NewMember<'a> {
    /// Logical cluster of its workspace.
    pub cluster: &'a str,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its uid.
    pub uid: &'a str,
    /// The version that it runs.
    pub from: &'a str,
}

/// A request of a rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMember {
    /// Its position, from 0.
    pub position: i64,
    /// Logical cluster of its workspace.
    pub cluster: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// The version that it ran when the rollout began.
    pub from: String,
    /// Its state.
    pub state: MemberState,
    /// The wave that it belongs to, from 1; zero before its turn.
    pub wave: u32,
    /// When its upgrade began.
    pub since: Option<Timestamp>,
    /// Why it failed or was skipped.
    pub reason: Option<MemberReason>,
}

/// A change of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberChange<'a> {
    /// The rollout.
    pub rollout: &'a str,
    /// The process that has leased the rollout.
    pub holder: &'a str,
    /// The member's position.
    pub position: i64,
    /// The state from which it changes.
    pub from: MemberState,
    /// Its new state.
    pub to: MemberState,
    /// Its new wave; `None` leaves it as it is.
    pub wave: Option<u32>,
    /// When its upgrade begins; `None` leaves it as it is.
    pub since: Option<Timestamp>,
    /// Why it failed or was skipped.
    pub reason: Option<&'a MemberReason>,
}

/// What a person decides about a failed member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberAnswer<'a> {
    /// The rollout.
    pub rollout: &'a str,
    /// Whose it is.
    pub person: &'a str,
    /// The member's position.
    pub position: i64,
    /// Its new state.
    pub to: MemberState,
    /// Why it is skipped.
    pub reason: Option<&'a MemberReason>,
    /// The session in which the rollout acts from now on.
    pub session: SessionKey,
}

row! {
    struct MemberRow {
        position: i64,
        cluster: String,
        namespace: String,
        name: String,
        uid: String,
        from_version: String,
        state: String,
        wave: i64,
        since: i64,
        reason: String,
    }
}

impl MemberRow {
    fn read(self) -> Result<StoredMember> {
        let state = MemberState::ALL.into_iter().find(|state| state.word() == self.state);
        Ok(StoredMember {
            // A state of a newer version of the portal: nothing begins with it.
            state: state.unwrap_or(MemberState::Failed),
            wave: u32::try_from(self.wave).unwrap_or_default(),
            since: Some(self.since).filter(|since| *since > 0).and_then(|since| Timestamp::from_second(since).ok()),
            reason: if self.reason.is_empty() { None } else { Some(serde_json::from_str(&self.reason)?) },
            position: self.position,
            cluster: self.cluster,
            namespace: self.namespace,
            name: self.name,
            uid: self.uid,
            from: self.from_version,
        })
    }
}

/// Adds the members of a new rollout.
pub(crate) async fn insert(connection: &mut AnyConnection, rollout: &str, members: &[NewMember<'_>]) -> Result<()> {
    for (part, members) in members.chunks(TOGETHER).enumerate() {
        let sql = format!(
            "INSERT INTO rollout_member (rollout, position, cluster, namespace, name, uid, from_version, state, wave, since, reason) VALUES {}",
            placeholders(members.len(), COLUMNS)
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for (index, member) in members.iter().enumerate() {
            let position = i64::try_from(part * TOGETHER + index).unwrap_or(i64::MAX);
            query = query
                .bind(rollout)
                .bind(position)
                .bind(member.cluster)
                .bind(member.namespace)
                .bind(member.name)
                .bind(member.uid)
                .bind(member.from)
                .bind(MemberState::Waiting.word())
                .bind(0_i64)
                .bind(0_i64)
                .bind("");
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

impl Store {
    /// Returns the members of a rollout, in their order.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rollout_members(&self, rollout: &str) -> Result<Vec<StoredMember>> {
        let rows: Vec<MemberRow> = sqlx::query_as(
            "SELECT position, cluster, namespace, name, uid, from_version, state, wave, since, reason FROM rollout_member \
             WHERE rollout = $1 ORDER BY position",
        )
        .bind(rollout)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(MemberRow::read).collect()
    }

    /// Returns the number of members of a rollout in a state.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn count_members(&self, rollout: &str, state: MemberState) -> Result<u64> {
        let (count,): (i64,) = sqlx::query_as("SELECT COUNT(*) FROM rollout_member WHERE rollout = $1 AND state = $2")
            .bind(rollout)
            .bind(state.word())
            .fetch_one(&self.pool)
            .await?;
        Ok(counted(count))
    }

    /// Changes a member if its state is still the given one and no other process has leased the rollout since. Its upgrade begins only while
    /// the rollout is in progress.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn change_member(&self, change: &MemberChange<'_>, now: Timestamp) -> Result<bool> {
        let reason = change.reason.map(serde_json::to_string).transpose()?.unwrap_or_default();
        let mut transaction = self.pool.begin().await?;
        let changed = sqlx::query(
            "UPDATE rollout_member SET state = $4, wave = COALESCE($5, wave), since = COALESCE($6, since), reason = $7 \
             WHERE rollout = $1 AND position = $2 AND state = $3 \
             AND EXISTS (SELECT 1 FROM rollout WHERE id = $1 AND holder = $10 AND ($4 <> $8 OR rollout.state = $9))",
        )
        .bind(change.rollout)
        .bind(change.position)
        .bind(change.from.word())
        .bind(change.to.word())
        .bind(change.wave.map(i64::from))
        .bind(change.since.map(Timestamp::as_second))
        .bind(reason)
        .bind(MemberState::Starting.word())
        .bind(RolloutState::Running.word())
        .bind(change.holder)
        .execute(&mut *transaction)
        .await?;
        if changed.rows_affected() > 0 {
            sqlx::query("UPDATE rollout SET updated = $2, edition = edition + 1 WHERE id = $1")
                .bind(change.rollout)
                .bind(now.as_second())
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(changed.rows_affected() > 0)
    }

    /// Resolves a failed member of a person's rollout: it is retried ([`MemberState::Starting`]) or skipped. The rollout continues in
    /// this session.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn answer_member(&self, answer: &MemberAnswer<'_>, now: Timestamp) -> Result<bool> {
        let reason = answer.reason.map(serde_json::to_string).transpose()?.unwrap_or_default();
        let mut transaction = self.pool.begin().await?;
        let answered = sqlx::query(
            "UPDATE rollout_member SET state = $5, since = $6, reason = $7 WHERE rollout = $1 AND position = $3 AND state = $4 \
             AND EXISTS (SELECT 1 FROM rollout WHERE id = $1 AND person = $2)",
        )
        .bind(answer.rollout)
        .bind(answer.person)
        .bind(answer.position)
        .bind(MemberState::Failed.word())
        .bind(answer.to.word())
        .bind(now.as_second())
        .bind(reason)
        .execute(&mut *transaction)
        .await?;
        if answered.rows_affected() > 0 {
            sqlx::query("UPDATE rollout SET state = $2, session = $3, updated = $4, edition = edition + 1 WHERE id = $1")
                .bind(answer.rollout)
                .bind(RolloutState::Running.word())
                .bind(answer.session.text())
                .bind(now.as_second())
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(answered.rows_affected() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;
    use crate::{NewRollout, ROLLOUTS_KEPT};

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    fn new(person: &str) -> NewRollout<'_> {
        let session = SessionKey::of_cookie("a");
        NewRollout { home: "platform", promise: "redis", version: "2.0.0", person, session, wave_size: 5, minutes: 30, skips: true }
    }

    #[tokio::test]
    async fn a_rollout_is_of_one_person_and_keeps_the_order_of_its_requests() {
        for (store, random) in every().await {
            let names: Vec<String> = (0..70).map(|number| format!("db-{number}")).collect();
            let member = |name| NewMember { cluster: "shop", namespace: "default", name, uid: "u", from: "1.0.0" };
            let members: Vec<NewMember<'_>> = names.iter().map(|name| member(name)).collect();
            let id = store.begin_rollout(&new("dana"), &members, NOW, &random).await.unwrap();
            assert_eq!(store.rollout("eve", &id).await.unwrap(), None);
            let found = store.rollout("dana", &id).await.unwrap().unwrap();
            assert_eq!((found.state, found.wave_size, found.skips), (RolloutState::Running, 5, true));
            assert_eq!(found.session, SessionKey::of_cookie("a"));
            let stored = store.rollout_members(&id).await.unwrap();
            assert_eq!(stored.iter().map(|one| one.name.clone()).collect::<Vec<_>>(), names);
            assert!(stored.iter().all(|one| one.state == MemberState::Waiting && one.since.is_none() && one.wave == 0));
            assert_eq!(store.rollouts("dana", "platform", "redis", 10).await.unwrap(), [found]);
            assert!(store.rollouts("dana", "platform", "postgresql", 10).await.unwrap().is_empty());
        }
    }

    #[tokio::test]
    async fn a_member_changes_from_the_state_that_was_read() {
        for (store, random) in every().await {
            let member = NewMember { cluster: "shop", namespace: "default", name: "db", uid: "u", from: "1.0.0" };
            let id = store.begin_rollout(&new("dana"), &[member], NOW, &random).await.unwrap();
            assert!(store.lease_rollout(&id, "one", NOW, NOW).await.unwrap());
            let change = |from, to, reason| MemberChange {
                rollout: &id,
                holder: "one",
                position: 0,
                from,
                to,
                wave: Some(1),
                since: Some(NOW),
                reason,
            };
            assert!(store.change_member(&change(MemberState::Waiting, MemberState::Starting, None), NOW).await.unwrap());
            assert!(
                !store.change_member(&change(MemberState::Waiting, MemberState::Starting, None), NOW).await.unwrap(),
                "by another process"
            );
            let late = MemberReason::Late { minutes: 30 };
            let failed = MemberChange { wave: None, since: None, ..change(MemberState::Starting, MemberState::Failed, Some(&late)) };
            assert!(store.change_member(&failed, NOW).await.unwrap());
            let stored = store.rollout_members(&id).await.unwrap();
            assert_eq!((stored[0].wave, stored[0].since, stored[0].reason.as_ref()), (1, Some(NOW), Some(&late)));
            assert_eq!(store.count_members(&id, MemberState::Failed).await.unwrap(), 1);
            assert_eq!(store.count_members(&id, MemberState::Skipped).await.unwrap(), 0);
            assert_eq!(store.rollout("dana", &id).await.unwrap().unwrap().edition, 2);
            let answer =
                |person, to| MemberAnswer { rollout: &id, person, position: 0, to, reason: None, session: SessionKey::of_cookie("b") };
            assert!(store.turn_rollout(&id, RolloutState::Running, RolloutState::Stopped, 2, NOW).await.unwrap());
            assert!(!store.answer_member(&answer("eve", MemberState::Skipped), NOW).await.unwrap());
            assert!(store.answer_member(&answer("dana", MemberState::Starting), NOW).await.unwrap());
            assert!(!store.answer_member(&answer("dana", MemberState::Skipped), NOW).await.unwrap(), "it isn't failed any more");
            let found = store.rollout("dana", &id).await.unwrap().unwrap();
            assert_eq!((found.state, found.session), (RolloutState::Running, SessionKey::of_cookie("b")));
            assert!(store.turn_rollout(&id, RolloutState::Running, RolloutState::Stopped, 4, NOW).await.unwrap());
            let again = change(MemberState::Starting, MemberState::Starting, None);
            assert!(!store.change_member(&again, NOW).await.unwrap(), "nothing begins while it is stopped");
        }
    }

    #[tokio::test]
    async fn a_process_that_lost_its_lease_changes_nothing_and_one_that_ends_gives_it_up() {
        for (store, random) in every().await {
            let member = NewMember { cluster: "shop", namespace: "default", name: "db", uid: "u", from: "1.0.0" };
            let id = store.begin_rollout(&new("dana"), &[member], NOW, &random).await.unwrap();
            let later = Timestamp::constant(1_780_000_030, 0);
            let (from, to) = (MemberState::Waiting, MemberState::Starting);
            let by = |holder| MemberChange { rollout: &id, holder, position: 0, from, to, wave: Some(1), since: Some(NOW), reason: None };
            assert!(store.lease_rollout(&id, "one", NOW, later).await.unwrap());
            store.release_rollouts("two").await.unwrap();
            assert!(!store.lease_rollout(&id, "two", NOW, later).await.unwrap(), "a process gives up only its own");
            store.release_rollouts("one").await.unwrap();
            assert!(store.lease_rollout(&id, "two", NOW, later).await.unwrap());
            assert!(!store.change_member(&by("one"), NOW).await.unwrap(), "it finds out when it writes");
            assert!(store.change_member(&by("two"), NOW).await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_rollout_stops_only_if_nothing_changed_since_its_requests_were_read() {
        for (store, random) in every().await {
            let member = NewMember { cluster: "shop", namespace: "default", name: "db", uid: "u", from: "1.0.0" };
            let id = store.begin_rollout(&new("dana"), &[member], NOW, &random).await.unwrap();
            assert!(store.resume_rollout("dana", &id, SessionKey::of_cookie("b"), NOW).await.unwrap(), "meanwhile, by its person");
            assert!(!store.turn_rollout(&id, RolloutState::Running, RolloutState::Stopped, 0, NOW).await.unwrap());
            assert!(store.turn_rollout(&id, RolloutState::Running, RolloutState::Stopped, 1, NOW).await.unwrap());
        }
    }

    #[tokio::test]
    async fn one_process_advances_a_rollout_and_people_stop_and_resume_their_own() {
        for (store, random) in every().await {
            let member = NewMember { cluster: "shop", namespace: "default", name: "db", uid: "u", from: "1.0.0" };
            let id = store.begin_rollout(&new("dana"), &[member], NOW, &random).await.unwrap();
            let later = Timestamp::constant(1_780_000_030, 0);
            assert!(store.lease_rollout(&id, "one", NOW, later).await.unwrap());
            assert!(!store.lease_rollout(&id, "two", NOW, later).await.unwrap());
            assert!(store.lease_rollout(&id, "two", later, later).await.unwrap(), "the lease has run out");
            assert!(!store.stop_rollout("eve", &id, NOW).await.unwrap());
            assert!(store.stop_rollout("dana", &id, NOW).await.unwrap());
            assert!(store.open_rollouts().await.unwrap().is_empty(), "nothing of it is in progress");
            let other = SessionKey::of_cookie("b");
            assert!(!store.resume_rollout("eve", &id, other, NOW).await.unwrap());
            assert!(store.resume_rollout("dana", &id, other, NOW).await.unwrap());
            assert_eq!(store.open_rollouts().await.unwrap()[0].session, other);
            assert!(store.turn_rollout(&id, RolloutState::Running, RolloutState::Completed, 2, NOW).await.unwrap());
            assert!(!store.resume_rollout("dana", &id, other, NOW).await.unwrap(), "it is over");
            let forgotten = NOW + ROLLOUTS_KEPT + jiff::SignedDuration::from_secs(1);
            assert_eq!(store.sweep(forgotten).await.unwrap(), 1);
            assert!(store.rollout_members(&id).await.unwrap().is_empty());
        }
    }
}
