//! Messages on their way: what is due, who sends it, and what could not be delivered.
//!
//! A process takes a message for a while before it sends it, so that of several processes one sends it. One that dies meanwhile has sent it
//! or not, nobody knows: it is sent again under the same id, and receivers can tell.

mod lease;

use jiff::Timestamp;
use sqlx::{AnyConnection, AssertSqlSafe};

use crate::notification::{TOGETHER, counted, moment};
use crate::row::row;
use crate::{Result, Store};

/// Messages with what they tell, before it is said which ones.
const ROWS: &str = "SELECT d.id, d.channel, d.target, d.collected, d.attempts, d.due, \
    n.person, n.event, n.title, n.content, n.why, n.link, n.workspace, n.happened \
    FROM delivery d JOIN notification n ON n.id = d.notification";

/// A message with what it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its id, the same at each attempt.
    pub id: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// Address, or name of the webhook.
    pub target: String,
    /// Whether it goes into one message with the others of its target and time.
    pub collected: bool,
    /// Attempts until now.
    pub attempts: u32,
    /// When it was due.
    pub due: Timestamp,
    /// To whom it is told; begins with @ for a channel.
    pub person: String,
    /// What happened, a machine's word.
    pub event: String,
    /// A sentence.
    pub title: String,
    /// More of it.
    pub text: String,
    /// Why this person.
    pub why: String,
    /// Address in the portal.
    pub link: String,
    /// Path of the workspace.
    pub workspace: String,
    /// When it happened.
    pub at: Timestamp,
}

/// How far a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is sent when it is due.
    Waiting,
    /// Its receiver has it.
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

/// Messages that a person no longer wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwanted {
    /// What happened, a machine's word.
    pub event: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// The target that the person still wants; empty for none.
    pub but: String,
}

/// A message, as those see it who look after the portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// Address, or name of the webhook.
    pub target: String,
    /// What happened, a machine's word.
    pub event: String,
    /// How often it was tried.
    pub attempts: u32,
    /// Why the last attempt failed; empty while none did.
    pub problem: String,
    /// When it was written.
    pub created: Timestamp,
    /// When it is due, or came to its end.
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

/// Removes what waits to be sent to a person and is no longer wanted, as a part of something larger.
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
    /// At most `most` messages that are due at `now` and that nobody is sending, the longest waiting first. What is collected for one target
    /// and time stands together.
    ///
    /// # Errors
    /// The database refuses.
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

    /// Their receiver has these messages, which went as one.
    ///
    /// # Errors
    /// The database refuses; then nothing is noted of any.
    pub async fn delivered(&self, ids: &[&str], now: Timestamp) -> Result<()> {
        self.note(ids, DeliveryState::Sent, "", now).await
    }

    /// These messages, which went as one, are given up.
    ///
    /// # Errors
    /// The database refuses; then nothing is noted of any.
    pub async fn give_up(&self, ids: &[&str], problem: &str, now: Timestamp) -> Result<()> {
        self.note(ids, DeliveryState::Dead, problem, now).await
    }

    /// An attempt with these messages, which went as one, failed; the next one is at `due`.
    ///
    /// # Errors
    /// The database refuses; then nothing is noted of any.
    pub async fn postpone(&self, ids: &[&str], problem: &str, due: Timestamp) -> Result<()> {
        self.note(ids, DeliveryState::Waiting, problem, due).await
    }

    /// Notes of all of them or of none: what is collected stays together when a process dies meanwhile.
    async fn note(&self, ids: &[&str], state: DeliveryState, problem: &str, due: Timestamp) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        for part in ids.chunks(TOGETHER) {
            let places: Vec<String> = (4..part.len() + 4).map(|number| format!("${number}")).collect();
            let text = format!(
                "UPDATE delivery SET state = $1, problem = $2, due = $3, held_until = 0 WHERE state = 'waiting' AND id IN ({})",
                places.join(", ")
            );
            let mut query = sqlx::query(AssertSqlSafe(text)).bind(state.word()).bind(problem).bind(due.as_second());
            for id in part {
                query = query.bind(*id);
            }
            query.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Sends again at once what was given up; with no id everything. How many they are.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn revive(&self, id: Option<&str>, now: Timestamp) -> Result<u64> {
        let revived = sqlx::query(
            "UPDATE delivery SET state = 'waiting', attempts = 0, due = $1, held_until = 0 WHERE state = 'dead' AND (id = $2 OR $3 = 1)",
        )
        .bind(now.as_second())
        .bind(id.unwrap_or_default())
        .bind(i64::from(id.is_none()))
        .execute(&self.pool)
        .await?;
        Ok(revived.rows_affected())
    }

    /// How many messages are in a state.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn count_deliveries(&self, state: DeliveryState) -> Result<u64> {
        let (count,): (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM delivery WHERE state = $1").bind(state.word()).fetch_one(&self.pool).await?;
        Ok(counted(count))
    }

    /// A page of the messages in a state, latest first: `most` rows from the row `from` on.
    ///
    /// # Errors
    /// The database refuses.
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
