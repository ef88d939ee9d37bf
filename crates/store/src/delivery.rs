//! Outgoing messages: which are due, which process sends them, and which could not be delivered.
//!
//! A process leases a message before it sends it, so that only one of several processes sends it. If a process dies in the meantime, it is
//! unknown whether the message was sent: it is sent again with the same id, so that receivers can recognise the duplicate.

mod lease;

use jiff::Timestamp;
use sqlx::{AnyConnection, AssertSqlSafe};

use crate::by_id::{self, Bound};
use crate::notification::{counted, moment};
use crate::row::row;
use crate::{Result, Store};

/// Selects messages with their notifications, without a condition.
const ROWS: &str = "SELECT d.id, d.channel, d.target, d.collected, d.attempts, d.due, \
    n.person, n.event, n.title, n.content, n.why, n.link, n.workspace, n.happened \
    FROM delivery d JOIN notification n ON n.id = d.notification";

/// A message with its notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Id, the same at each attempt.
    pub id: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// Address, or name of the webhook.
    pub target: String,
    /// Whether it is combined with the others of the same target and time into one message.
    pub collected: bool,
    /// Number of attempts so far.
    pub attempts: u32,
    /// When it was due.
    pub due: Timestamp,
    /// Recipient; starts with @ for a channel.
    pub person: String,
    /// What happened, as a machine-readable word.
    pub event: String,
    /// Title, a sentence.
    pub title: String,
    /// Further text.
    pub text: String,
    /// Why this person is notified.
    pub why: String,
    /// Address in the portal.
    pub link: String,
    /// Path of the workspace.
    pub workspace: String,
    /// When it happened.
    pub at: Timestamp,
}

/// Delivery state of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It will be sent when it is due.
    Waiting,
    /// It was delivered.
    Sent,
    /// It was given up.
    Dead,
}

impl DeliveryState {
    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Dead => "dead",
        }
    }
}

/// Messages that a user no longer wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwanted {
    /// What happened, as a machine-readable word.
    pub event: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// The target that the user still wants; empty if none.
    pub but: String,
}

/// A message, as shown to users who manage the portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// Address, or name of the webhook.
    pub target: String,
    /// What happened, as a machine-readable word.
    pub event: String,
    /// Number of attempts.
    pub attempts: u32,
    /// Why the last attempt failed; empty if none failed.
    pub problem: String,
    /// When it was written.
    pub created: Timestamp,
    /// When it is due, or when it was sent or given up.
    pub at: Timestamp,
}

row! {
    struct DeliveryRow {
        id: String,
        channel: String,
        target: String,
        collected: i64,
        attempts: i64,
        due: i64,
        person: String,
        event: String,
        title: String,
        content: String,
        why: String,
        link: String,
        workspace: String,
        happened: i64,
    }
}

row! {
    struct ListedRow {
        id: String,
        channel: String,
        target: String,
        event: String,
        attempts: i64,
        problem: String,
        created: i64,
        due: i64,
    }
}

impl From<DeliveryRow> for Delivery {
    fn from(row: DeliveryRow) -> Self {
        Self {
            id: row.id,
            channel: row.channel,
            target: row.target,
            collected: row.collected != 0,
            attempts: attempts(row.attempts),
            due: moment(row.due),
            person: row.person,
            event: row.event,
            title: row.title,
            text: row.content,
            why: row.why,
            link: row.link,
            workspace: row.workspace,
            at: moment(row.happened),
        }
    }
}

impl From<ListedRow> for Listed {
    fn from(row: ListedRow) -> Self {
        Self {
            id: row.id,
            channel: row.channel,
            target: row.target,
            event: row.event,
            attempts: attempts(row.attempts),
            problem: row.problem,
            created: moment(row.created),
            at: moment(row.due),
        }
    }
}

/// Removes waiting messages to a person that are no longer wanted, as part of a larger transaction.
pub(crate) async fn forget(connection: &mut AnyConnection, person: &str, unwanted: &[Unwanted]) -> Result<()> {
    for one in unwanted {
        sqlx::query(
            "DELETE FROM delivery WHERE state = 'waiting' AND channel = $1 AND target <> $2 \
             AND notification IN (SELECT id FROM notification WHERE person = $3 AND event = $4)",
        )
        .bind(one.channel.as_str())
        .bind(one.but.as_str())
        .bind(person)
        .bind(one.event.as_str())
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

fn attempts(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Store {
    /// Returns at most `most` messages that are due at `now` and that no process is sending, the longest waiting first. Messages that are
    /// combined for one target and time are adjacent.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn due_deliveries(&self, now: Timestamp, most: u32) -> Result<Vec<Delivery>> {
        let sql = format!(
            "{ROWS} WHERE d.state = 'waiting' AND d.due <= $1 AND d.held_until <= $2 \
             ORDER BY d.due, d.collected, d.channel, d.target, d.id LIMIT $3"
        );
        let rows: Vec<DeliveryRow> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(now.as_second())
            .bind(now.as_second())
            .bind(i64::from(most))
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(Delivery::from).collect())
    }

    /// Marks messages that were sent together as delivered.
    ///
    /// # Errors
    /// If the database fails; then none of them is marked.
    pub async fn delivered(&self, ids: &[&str], now: Timestamp) -> Result<()> {
        self.note(ids, DeliveryState::Sent, "", now).await
    }

    /// Marks messages that were sent together as given up.
    ///
    /// # Errors
    /// If the database fails; then none of them is marked.
    pub async fn give_up(&self, ids: &[&str], problem: &str, now: Timestamp) -> Result<()> {
        self.note(ids, DeliveryState::Dead, problem, now).await
    }

    /// Records a failed attempt to send messages together; the next attempt is at `due`.
    ///
    /// # Errors
    /// If the database fails; then nothing is recorded for any of them.
    pub async fn postpone(&self, ids: &[&str], problem: &str, due: Timestamp) -> Result<()> {
        self.note(ids, DeliveryState::Waiting, problem, due).await
    }

    /// Updates all of them or none: combined messages stay together even if the process dies in the meantime.
    async fn note(&self, ids: &[&str], state: DeliveryState, problem: &str, due: Timestamp) -> Result<()> {
        const WAITING: &str = "UPDATE delivery SET state = $1, problem = $2, due = $3, held_until = 0 WHERE state = 'waiting'";
        let values = [Bound::Text(state.word()), Bound::Text(problem), Bound::Number(due.as_second())];
        by_id::update(&self.pool, WAITING, &values, ids).await.map(drop)
    }

    /// Makes messages that were given up due again: those with `ids`, or all of them. Returns how many there were.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn revive(&self, ids: Option<&[String]>, now: Timestamp) -> Result<u64> {
        const DEAD: &str = "UPDATE delivery SET state = 'waiting', attempts = 0, due = $1, held_until = 0 WHERE state = 'dead'";
        let Some(ids) = ids else {
            return Ok(sqlx::query(DEAD).bind(now.as_second()).execute(&self.pool).await?.rows_affected());
        };
        by_id::update(&self.pool, DEAD, &[Bound::Number(now.as_second())], ids).await
    }

    /// Returns the number of messages in a state.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn count_deliveries(&self, state: DeliveryState) -> Result<u64> {
        let (count,): (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM delivery WHERE state = $1").bind(state.word()).fetch_one(&self.pool).await?;
        Ok(counted(count))
    }

    /// Returns the number of messages that are sent again because the last attempt failed.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn count_retried_deliveries(&self) -> Result<u64> {
        let (count,): (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM delivery WHERE state = 'waiting' AND problem <> ''").fetch_one(&self.pool).await?;
        Ok(counted(count))
    }

    /// Returns a page of the messages in a state, latest first: `most` rows starting at row `from`.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn deliveries(&self, state: DeliveryState, from: u64, most: u32) -> Result<Vec<Listed>> {
        let rows: Vec<ListedRow> = sqlx::query_as(
            "SELECT d.id, d.channel, d.target, n.event, d.attempts, d.problem, d.created, d.due \
             FROM delivery d JOIN notification n ON n.id = d.notification \
             WHERE d.state = $1 ORDER BY d.due DESC, d.id LIMIT $2 OFFSET $3",
        )
        .bind(state.word())
        .bind(i64::from(most))
        .bind(i64::try_from(from).unwrap_or(i64::MAX))
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Listed::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::notification::tests::{at, news};
    use crate::{Message, News};

    #[tokio::test]
    async fn what_a_person_no_longer_wants_is_not_sent_any_more() {
        for (store, _) in crate::database::tests::every().await {
            let chat = |target: &str| Message {
                id: format!("n1-{target}"),
                channel: "webhook".into(),
                target: target.into(),
                collected: false,
                due: at(0),
            };
            let failed = News { event: "failed".into(), ..news("n2", "dev-shop") };
            let mut all = [news("n1", "dev-shop"), failed, news("n3", "olga"), news("n4", "dev-shop")];
            all[0].messages.extend([chat("old"), chat("new")]);
            store.tell(&all, at(0)).await.unwrap();
            store.delivered(&["n4-mail"], at(1)).await.unwrap();
            let unwanted = |channel: &str, but: &str| Unwanted { event: "approved".into(), channel: channel.into(), but: but.into() };
            let unwanted = [unwanted("mail", ""), unwanted("webhook", "new")];
            store.subscribe("dev-shop", &serde_json::json!({}), &unwanted, at(2)).await.unwrap();
            let due = store.due_deliveries(at(3), 10).await.unwrap();
            let left: BTreeSet<&str> = due.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(left, BTreeSet::from(["n1-new", "n2-mail", "n3-mail"]), "other targets, events and people stay");
            assert_eq!(store.count_deliveries(DeliveryState::Sent).await.unwrap(), 1);
            store.tell(&all, at(4)).await.unwrap();
            assert_eq!(store.count_deliveries(DeliveryState::Waiting).await.unwrap(), 3, "and nothing comes back");
        }
    }

    #[tokio::test]
    async fn a_waiting_message_is_retried_once_an_attempt_failed() {
        for (store, _) in crate::database::tests::every().await {
            store.tell(&[news("n1", "dev-shop"), news("n2", "olga")], at(0)).await.unwrap();
            assert_eq!(store.count_retried_deliveries().await.unwrap(), 0, "neither was sent yet");
            store.postpone(&["n1-mail"], "The server didn't respond.", at(60)).await.unwrap();
            assert_eq!(store.count_retried_deliveries().await.unwrap(), 1);
            store.give_up(&["n1-mail"], "The server didn't respond.", at(61)).await.unwrap();
            assert_eq!(store.count_retried_deliveries().await.unwrap(), 0);
        }
    }

    #[tokio::test]
    async fn what_is_collected_for_one_target_stands_together() {
        for (store, _) in crate::database::tests::every().await {
            let collected = |id: &str, target: &str| {
                let mut one = news(id, "dev-shop");
                one.messages[0].target = target.into();
                one.messages[0].collected = true;
                one
            };
            let all = [collected("n1", "a@x.example"), collected("n2", "b@x.example"), collected("n3", "a@x.example"), news("n4", "olga")];
            store.tell(&all, at(0)).await.unwrap();
            let due = store.due_deliveries(at(0), 3).await.unwrap();
            assert_eq!(due.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["n4-mail", "n1-mail", "n3-mail"]);
        }
    }
}
