//! Notifications of users, each written once.
//!
//! The caller derives the id of a notification from what happened and its recipient, so that writing it twice has no effect. Outgoing
//! messages are written in the same transaction: a process that dies at any moment has written all of it or nothing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use sqlx::AnyConnection;

use crate::by_id::{self, Bound, TOGETHER, places};
use crate::row::row;
use crate::{Result, Store};

/// A notification to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Derived from what happened and the recipient.
    pub id: String,
    /// Recipient.
    pub person: String,
    /// What happened, as a machine-readable word.
    pub event: String,
    /// Title, a sentence.
    pub title: String,
    /// Further text.
    pub text: String,
    /// Why this person is notified.
    pub why: String,
    /// Whether the reason names the workspace.
    pub names_workspace: bool,
    /// Address in the portal.
    pub link: String,
    /// Path of the workspace.
    pub workspace: String,
    /// Whether it is shown in the portal.
    pub shown: bool,
    /// When it happened.
    pub at: Timestamp,
    /// Messages to send in addition.
    pub messages: Vec<Message>,
}

/// A message to one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Derived from the notification and the target.
    pub id: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// Address, or name of the webhook.
    pub target: String,
    /// Whether it is combined with the others of the same target and time into one message.
    pub collected: bool,
    /// When it is sent.
    pub due: Timestamp,
}

/// A notification of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// Its id.
    pub id: String,
    /// What happened, as a machine-readable word.
    pub event: String,
    /// Title, a sentence.
    pub title: String,
    /// Further text.
    pub text: String,
    /// Why this person is notified.
    pub why: String,
    /// Whether the reason names the workspace.
    pub names_workspace: bool,
    /// Address in the portal.
    pub link: String,
    /// Path of the workspace.
    pub workspace: String,
    /// When it happened.
    pub at: Timestamp,
    /// Whether it is unread.
    pub unread: bool,
}

/// A page of a user's notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notifications {
    /// Newest first.
    pub rows: Vec<Notification>,
    /// Total number of notifications.
    pub total: u64,
    /// Number of unread notifications.
    pub unread: u64,
}

row! {
    struct NotificationRow {
        id: String,
        event: String,
        title: String,
        content: String,
        why: String,
        names_workspace: i64,
        link: String,
        workspace: String,
        happened: i64,
        seen_at: i64,
    }
}

impl From<NotificationRow> for Notification {
    fn from(row: NotificationRow) -> Self {
        Self {
            id: row.id,
            event: row.event,
            title: row.title,
            text: row.content,
            why: row.why,
            names_workspace: row.names_workspace != 0,
            link: row.link,
            workspace: row.workspace,
            at: moment(row.happened),
            unread: row.seen_at == 0,
        }
    }
}

/// Writes the notifications that weren't written yet, as part of a larger transaction. Returns the people with a new notification.
pub(crate) async fn write(connection: &mut AnyConnection, news: &[News], now: Timestamp) -> Result<BTreeSet<String>> {
    let mut people = BTreeSet::new();
    for one in news {
        let told = sqlx::query(
            "INSERT INTO notification (id, person, event, title, content, why, link, workspace, shown, happened, names_workspace, seen_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0) ON CONFLICT (id) DO NOTHING",
        )
        .bind(one.id.as_str())
        .bind(one.person.as_str())
        .bind(one.event.as_str())
        .bind(one.title.as_str())
        .bind(one.text.as_str())
        .bind(one.why.as_str())
        .bind(one.link.as_str())
        .bind(one.workspace.as_str())
        .bind(i64::from(one.shown))
        .bind(one.at.as_second())
        .bind(i64::from(one.names_workspace))
        .execute(&mut *connection)
        .await?;
        if told.rows_affected() == 0 {
            continue;
        }
        people.insert(one.person.clone());
        metrics::counter!("opm_notifications_total", "event" => one.event.clone()).increment(1);
        for message in &one.messages {
            sqlx::query(
                "INSERT INTO delivery \
                 (id, notification, channel, target, collected, state, attempts, problem, created, due, holder, held_until) \
                 VALUES ($1, $2, $3, $4, $5, 'waiting', 0, '', $6, $7, '', 0) ON CONFLICT (id) DO NOTHING",
            )
            .bind(message.id.as_str())
            .bind(one.id.as_str())
            .bind(message.channel.as_str())
            .bind(message.target.as_str())
            .bind(i64::from(message.collected))
            .bind(now.as_second())
            .bind(message.due.as_second())
            .execute(&mut *connection)
            .await?;
        }
    }
    Ok(people)
}

/// Returns patterns for the workspace at a path and those below it; of all workspaces for the empty path. Paths contain no wildcards.
fn patterns(path: &str) -> [String; 2] {
    match path {
        "" => ["%".to_owned(), "%".to_owned()],
        path => [path.to_owned(), format!("{path}:%")],
    }
}

/// Returns a stored time.
pub(crate) fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::MIN)
}

/// Returns a count from the database.
pub(crate) fn counted(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

impl Store {
    /// Returns since when people are notified: `now` at the first call, and the same time ever after.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn telling_since(&self, now: Timestamp) -> Result<Timestamp> {
        sqlx::query("INSERT INTO telling (id, since) VALUES (1, $1) ON CONFLICT (id) DO NOTHING")
            .bind(now.as_second())
            .execute(&self.pool)
            .await?;
        let (since,): (i64,) = sqlx::query_as("SELECT since FROM telling WHERE id = 1").fetch_one(&self.pool).await?;
        Ok(moment(since))
    }

    /// Returns those of `ids` that already have a notification.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn known_notifications(&self, ids: &[String]) -> Result<BTreeSet<String>> {
        let mut known = BTreeSet::new();
        for part in ids.chunks(TOGETHER) {
            let text = format!("SELECT id FROM notification WHERE id IN ({})", places(1, part.len()));
            let mut query = sqlx::query_as::<_, (String,)>(sqlx::AssertSqlSafe(text));
            for id in part {
                query = query.bind(id.as_str());
            }
            known.extend(query.fetch_all(&self.pool).await?.into_iter().map(|(id,)| id));
        }
        Ok(known)
    }

    /// Writes the notifications that weren't written yet, each with its messages, all or nothing. Returns the people with a new
    /// notification.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn tell(&self, news: &[News], now: Timestamp) -> Result<BTreeSet<String>> {
        let mut transaction = self.pool.begin().await?;
        let people = write(&mut transaction, news, now).await?;
        transaction.commit().await?;
        Ok(people)
    }

    /// Returns a page of a user's notifications, `most` rows starting at row `from`; with `all`, read ones too. With `within`, only those of
    /// the workspace at that path and below it; the numbers are those of these.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn notifications(&self, person: &str, within: &str, all: bool, from: u64, most: u32) -> Result<Notifications> {
        let [at, below] = patterns(within);
        let rows: Vec<NotificationRow> = sqlx::query_as(
            "SELECT id, event, title, content, why, names_workspace, link, workspace, happened, seen_at FROM notification \
             WHERE person = $1 AND shown = 1 AND (seen_at = 0 OR $2 = 1) AND (workspace LIKE $5 OR workspace LIKE $6) \
             ORDER BY happened DESC, id LIMIT $3 OFFSET $4",
        )
        .bind(person)
        .bind(i64::from(all))
        .bind(i64::from(most))
        .bind(i64::try_from(from).unwrap_or(i64::MAX))
        .bind(at.as_str())
        .bind(below.as_str())
        .fetch_all(&self.pool)
        .await?;
        let count = async |read: i64| -> Result<u64> {
            let (count,): (i64,) = sqlx::query_as(
                "SELECT COUNT(*) FROM notification \
                 WHERE person = $1 AND shown = 1 AND (seen_at = 0 OR $2 = 1) AND (workspace LIKE $3 OR workspace LIKE $4)",
            )
            .bind(person)
            .bind(read)
            .bind(at.as_str())
            .bind(below.as_str())
            .fetch_one(&self.pool)
            .await?;
            Ok(counted(count))
        };
        let rows = rows.into_iter().map(Notification::from).collect();
        Ok(Notifications { rows, total: count(1).await?, unread: count(0).await? })
    }

    /// Returns how many notifications of a user each workspace has, by path; with `all`, read ones too.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn notified_workspaces(&self, person: &str, all: bool) -> Result<Vec<(String, u64)>> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT workspace, COUNT(*) FROM notification \
             WHERE person = $1 AND shown = 1 AND (seen_at = 0 OR $2 = 1) GROUP BY workspace ORDER BY workspace",
        )
        .bind(person)
        .bind(i64::from(all))
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(workspace, count)| (workspace, counted(count))).collect())
    }

    /// Returns the number of unread notifications of a user.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn unread(&self, person: &str) -> Result<u64> {
        let (count,): (i64,) = sqlx::query_as("SELECT COUNT(*) FROM notification WHERE person = $1 AND shown = 1 AND seen_at = 0")
            .bind(person)
            .fetch_one(&self.pool)
            .await?;
        Ok(counted(count))
    }

    /// Marks notifications of a user as read: those with `ids`, or all that happened up to `until`, because the user might not have seen
    /// later ones. Returns how many were unread.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn mark_read(&self, person: &str, ids: Option<&[String]>, until: Timestamp, now: Timestamp) -> Result<u64> {
        const UNREAD: &str = "UPDATE notification SET seen_at = $1 WHERE person = $2 AND shown = 1 AND seen_at = 0";
        let Some(ids) = ids else {
            let text = format!("{UNREAD} AND happened <= $3");
            let query = sqlx::query(sqlx::AssertSqlSafe(text)).bind(now.as_second()).bind(person).bind(until.as_second());
            return Ok(query.execute(&self.pool).await?.rows_affected());
        };
        by_id::update(&self.pool, UNREAD, &[Bound::Number(now.as_second()), Bound::Text(person)], ids).await
    }

    /// Deletes notifications from before `before`, with their messages. Returns the number of deleted notifications.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_notifications(&self, before: Timestamp) -> Result<u64> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query("DELETE FROM delivery WHERE notification IN (SELECT id FROM notification WHERE happened < $1)")
            .bind(before.as_second())
            .execute(&mut *transaction)
            .await?;
        let gone = sqlx::query("DELETE FROM notification WHERE happened < $1").bind(before.as_second()).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(gone.rows_affected())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::*;
    use crate::random::seeded::Seeded;
    use crate::{DeliveryState, SealKeys};

    pub(crate) fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_780_000_000 + second).unwrap()
    }

    pub(crate) fn news(id: &str, person: &str) -> News {
        News {
            id: id.into(),
            person: person.into(),
            event: "approved".into(),
            title: "amara approved orders-db".into(),
            text: "“Fine.”".into(),
            why: "You asked for it.".into(),
            names_workspace: false,
            link: "/w/root:acme:shop/requests/default/orders-db".into(),
            workspace: "root:acme:shop".into(),
            shown: true,
            at: at(0),
            messages: vec![Message {
                id: format!("{id}-mail"),
                channel: "mail".into(),
                target: "dana@acme.example".into(),
                collected: false,
                due: at(0),
            }],
        }
    }

    /// Reopens the same file, as a process does after each kill.
    async fn again(path: &Path, keys: &Path) -> Store {
        let random = Seeded::default();
        Store::open(path, SealKeys::open(keys, &random).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn a_process_that_dies_between_any_two_writes_loses_nothing_and_tells_nothing_twice() {
        let folder = tempfile::tempdir().unwrap();
        let (path, keys) = (folder.path().join("portal.sqlite"), folder.path().join("keys"));
        let told = [news("n1", "dev-shop"), news("n2", "olga")];
        assert_eq!(again(&path, &keys).await.telling_since(at(0)).await.unwrap(), at(0));
        assert_eq!(again(&path, &keys).await.telling_since(at(9)).await.unwrap(), at(0), "the first time counts");
        // Only the first is written, as if the process had died before the second.
        assert_eq!(again(&path, &keys).await.tell(&told[..1], at(1)).await.unwrap(), BTreeSet::from(["dev-shop".to_owned()]));
        for _ in 0..2 {
            let ids = ["n1".to_owned(), "n2".to_owned(), "n3".to_owned()];
            let known = again(&path, &keys).await.known_notifications(&ids).await.unwrap();
            assert!(known.contains("n1") && !known.contains("n3"));
            again(&path, &keys).await.tell(&told, at(2)).await.unwrap();
        }
        let store = again(&path, &keys).await;
        assert_eq!(store.notifications("dev-shop", "", true, 0, 10).await.unwrap().rows.len(), 1);
        assert_eq!(store.count_deliveries(DeliveryState::Waiting).await.unwrap(), 2);

        // One is taken, and the process dies before or after it was sent: no other process takes it until the lease ends, or the same
        // process is back.
        let due = store.due_deliveries(at(3), 10).await.unwrap();
        assert_eq!(due.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["n1-mail", "n2-mail"]);
        assert!(store.take_delivery("n1-mail", "one", at(3), at(63)).await.unwrap());
        let store = again(&path, &keys).await;
        assert!(!store.take_delivery("n1-mail", "two", at(4), at(64)).await.unwrap());
        assert_eq!(store.due_deliveries(at(4), 10).await.unwrap().len(), 1);
        assert_eq!(again(&path, &keys).await.release_deliveries("one").await.unwrap(), 1);
        let store = again(&path, &keys).await;
        assert!(store.take_delivery("n1-mail", "one", at(5), at(65)).await.unwrap());
        store.delivered(&["n1-mail"], at(6)).await.unwrap();
        let store = again(&path, &keys).await;
        assert!(!store.take_delivery("n1-mail", "one", at(99), at(199)).await.unwrap(), "what was sent is not sent again");
        store.tell(&told, at(7)).await.unwrap();
        assert_eq!(store.count_deliveries(DeliveryState::Sent).await.unwrap(), 1);
        assert_eq!(store.count_deliveries(DeliveryState::Waiting).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn what_fails_waits_is_given_up_and_sent_again_when_asked() {
        for (store, _) in crate::database::tests::every().await {
            store.tell(&[news("n1", "dev-shop")], at(0)).await.unwrap();
            assert!(store.take_delivery("n1-mail", "one", at(0), at(60)).await.unwrap());
            store.postpone(&["n1-mail"], "busy", at(30)).await.unwrap();
            assert!(store.due_deliveries(at(29), 10).await.unwrap().is_empty());
            let due = store.due_deliveries(at(30), 10).await.unwrap();
            assert_eq!((due[0].attempts, due[0].title.as_str(), due[0].at), (1, "amara approved orders-db", at(0)));
            assert!(store.take_delivery("n1-mail", "one", at(30), at(90)).await.unwrap());
            store.give_up(&["n1-mail"], "gone", at(31)).await.unwrap();
            assert!(store.due_deliveries(at(999), 10).await.unwrap().is_empty());
            let dead = store.deliveries(DeliveryState::Dead, 0, 10).await.unwrap();
            assert_eq!((dead[0].problem.as_str(), dead[0].attempts, dead[0].at), ("gone", 2, at(31)));
            assert_eq!(store.revive(Some(&["other".to_owned()]), at(40)).await.unwrap(), 0);
            assert_eq!(store.revive(None, at(40)).await.unwrap(), 1);
            assert_eq!(store.due_deliveries(at(40), 10).await.unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn people_read_their_own_and_what_came_meanwhile_stays_new() {
        for (store, _) in crate::database::tests::every().await {
            let later = News { at: at(50), names_workspace: true, ..news("n2", "dev-shop") };
            let hidden = News { shown: false, ..news("n3", "dev-shop") };
            store.tell(&[news("n1", "dev-shop"), later, hidden, news("n4", "olga")], at(0)).await.unwrap();
            assert_eq!(store.unread("dev-shop").await.unwrap(), 2);
            assert_eq!(store.mark_read("olga", Some(&["n1".to_owned()]), at(99), at(99)).await.unwrap(), 0, "not theirs");
            assert_eq!(store.mark_read("dev-shop", Some(&[]), at(99), at(99)).await.unwrap(), 0, "nothing selected");
            assert_eq!(store.mark_read("dev-shop", None, at(49), at(60)).await.unwrap(), 1);
            let page = store.notifications("dev-shop", "", false, 0, 10).await.unwrap();
            assert_eq!((page.rows.len(), page.rows[0].id.as_str(), page.unread, page.total), (1, "n2", 1, 2));
            assert!(page.rows[0].names_workspace);
            let page = store.notifications("dev-shop", "", true, 1, 10).await.unwrap();
            assert_eq!(page.rows.iter().map(|one| (one.id.as_str(), one.unread)).collect::<Vec<_>>(), [("n1", false)]);
            assert!(!page.rows[0].names_workspace);
            let of = async |within: &str| store.notifications("dev-shop", within, true, 0, 10).await.unwrap();
            for (within, count) in [("root:acme:shop", 2), ("root:acme", 2), ("root", 2), ("root:acme:sho", 0), ("root:globex", 0)] {
                let page = of(within).await;
                assert_eq!((page.rows.len(), page.total), (count, count as u64), "{within}");
            }
            assert_eq!(store.notified_workspaces("dev-shop", true).await.unwrap(), [("root:acme:shop".to_owned(), 2)]);
            assert_eq!(store.notified_workspaces("dev-shop", false).await.unwrap(), [("root:acme:shop".to_owned(), 1)]);
            assert_eq!(store.forget_notifications(at(50)).await.unwrap(), 3);
            assert_eq!(store.count_deliveries(DeliveryState::Waiting).await.unwrap(), 1, "with their messages");
        }
    }

    #[tokio::test]
    async fn rules_and_groups_are_those_of_the_last_time() {
        for (store, _) in crate::database::tests::every().await {
            assert_eq!(store.subscription("olga").await.unwrap(), None);
            for zone in ["UTC", "Europe/Berlin"] {
                store.subscribe("olga", &serde_json::json!({"zone": zone}), &[], at(0)).await.unwrap();
            }
            assert_eq!(store.subscription("olga").await.unwrap().unwrap()["zone"], "Europe/Berlin");
            let groups = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            store.meet("olga", &groups(&["owners", "approvers", "approvers"]), ("olga@acme.example", "Olga Brandt"), at(0)).await.unwrap();
            store.meet("amara", &groups(&["approvers"]), ("", ""), at(0)).await.unwrap();
            assert_eq!(store.members("approvers").await.unwrap(), ["amara", "olga"]);
            store.meet("olga", &groups(&["owners"]), ("", "Olga B."), at(9)).await.unwrap();
            assert_eq!(store.person_names(9).await.unwrap(), [("olga".to_owned(), "Olga B.".to_owned())]);
            assert_eq!(store.members("approvers").await.unwrap(), ["amara"]);
            assert_eq!(store.acquaintance("olga").await.unwrap().unwrap().mail, "");
            assert_eq!(store.acquaintance("nobody").await.unwrap(), None);
        }
    }
}
