//! Leases on messages: one process takes a message for a limited time. Messages that are combined into one mail are taken together, so that
//! several replicas send a single mail.

use jiff::Timestamp;
use sqlx::AssertSqlSafe;

use super::{Delivery, DeliveryRow, ROWS};
use crate::{Result, Store};

/// Messages that go into one mail and that no process is sending. Messages that were taken together have the same number of attempts; later
/// messages don't, and are sent separately, so that a message that is sent again has the same content as before.
const DIGEST: &str =
    "state = 'waiting' AND collected = 1 AND channel = $1 AND target = $2 AND due = $3 AND attempts = $4 AND held_until <= $5";

impl Store {
    /// Takes a message for sending until `until`. Returns false if another process has it, or it is no longer waiting.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn take_delivery(&self, id: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool> {
        let taken = sqlx::query(
            "UPDATE delivery SET holder = $1, held_until = $2, attempts = attempts + 1 \
             WHERE id = $3 AND state = 'waiting' AND held_until <= $4",
        )
        .bind(holder)
        .bind(until.as_second())
        .bind(id)
        .bind(now.as_second())
        .execute(&self.pool)
        .await?;
        Ok(taken.rows_affected() == 1)
    }

    /// Takes everything that is combined into one message with `one`, for sending until `until`: either all of it, sorted by id and with
    /// the number of attempts before this one, or nothing if another process has it or it has changed since `one` was read.
    ///
    /// # Errors
    /// If the database fails; then nothing is taken.
    pub async fn take_digest(&self, one: &Delivery, holder: &str, now: Timestamp, until: Timestamp) -> Result<Vec<Delivery>> {
        let (due, attempts, now) = (one.due.as_second(), i64::from(one.attempts), now.as_second());
        let mut transaction = self.pool.begin().await?;
        // All processes start with the same row: the second one waits for it, and finds that it is taken. The row is written before
        // anything is read also because SQLite doesn't allow writing in a transaction that has read what another connection wrote in the
        // meantime.
        let first = sqlx::query(AssertSqlSafe(format!("UPDATE delivery SET holder = $6 WHERE id = $7 AND {DIGEST}")))
            .bind(one.channel.as_str())
            .bind(one.target.as_str())
            .bind(due)
            .bind(attempts)
            .bind(now)
            .bind(holder)
            .bind(one.id.as_str())
            .execute(&mut *transaction)
            .await?;
        if first.rows_affected() != 1 {
            transaction.rollback().await?;
            return Ok(Vec::new());
        }
        let rows: Vec<DeliveryRow> = sqlx::query_as(AssertSqlSafe(format!("{ROWS} WHERE {DIGEST} ORDER BY d.id")))
            .bind(one.channel.as_str())
            .bind(one.target.as_str())
            .bind(due)
            .bind(attempts)
            .bind(now)
            .fetch_all(&mut *transaction)
            .await?;
        let sql = format!("UPDATE delivery SET holder = $6, held_until = $7, attempts = attempts + 1 WHERE {DIGEST}");
        let taken = sqlx::query(AssertSqlSafe(sql))
            .bind(one.channel.as_str())
            .bind(one.target.as_str())
            .bind(due)
            .bind(attempts)
            .bind(now)
            .bind(holder)
            .bind(until.as_second())
            .execute(&mut *transaction)
            .await?;
        // If messages were added or removed between the two statements, they are processed later with the rest.
        if taken.rows_affected() != rows.len() as u64 {
            transaction.rollback().await?;
            return Ok(Vec::new());
        }
        transaction.commit().await?;
        Ok(rows.into_iter().map(Delivery::from).collect())
    }

    /// Releases all messages that a process with this name took before it died.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn release_deliveries(&self, holder: &str) -> Result<u64> {
        let released = sqlx::query("UPDATE delivery SET held_until = 0 WHERE holder = $1 AND state = 'waiting' AND held_until <> 0")
            .bind(holder)
            .execute(&self.pool)
            .await?;
        Ok(released.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;
    use crate::notification::tests::{at, news};
    use crate::{DeliveryState, News};

    fn collected(id: &str, target: &str) -> News {
        let mut one = news(id, "dana");
        one.messages[0].target = target.to_owned();
        one.messages[0].collected = true;
        one
    }

    fn ids(all: &[Delivery]) -> Vec<&str> {
        all.iter().map(|one| one.id.as_str()).collect()
    }

    #[tokio::test]
    async fn of_two_who_take_a_digest_at_once_one_has_all_of_it_and_the_other_nothing() {
        for (store, _) in every().await {
            for number in 0..20 {
                let target = format!("{number}@x.example");
                let all: Vec<News> = (0..5).map(|part| collected(&format!("{number}-{part}"), &target)).collect();
                store.tell(&all, at(0)).await.unwrap();
                let due = store.due_deliveries(at(0), 10).await.unwrap();
                assert_eq!(due.len(), 5);
                let (one, other) =
                    tokio::join!(store.take_digest(&due[0], "one", at(0), at(60)), store.take_digest(&due[0], "other", at(0), at(60)));
                let (one, other) = (one.unwrap(), other.unwrap());
                let (whole, nothing) = if one.is_empty() { (other, one) } else { (one, other) };
                assert_eq!((whole, nothing), (due.clone(), Vec::new()), "digest {number}");

                // The process that took it died: no process has it until the lease ends, and then it is taken as a whole again, whichever
                // message comes first.
                assert!(store.due_deliveries(at(59), 10).await.unwrap().is_empty());
                let again = store.due_deliveries(at(60), 10).await.unwrap();
                assert_eq!(ids(&again), ids(&due), "digest {number}");
                let whole = store.take_digest(&again[3], "third", at(60), at(120)).await.unwrap();
                assert_eq!(whole, again, "digest {number}");
                assert!(whole.iter().all(|one| one.attempts == 1));
                assert!(store.take_digest(&due[0], "one", at(120), at(180)).await.unwrap().is_empty(), "it was read too long ago");
                store.delivered(&ids(&whole), at(61)).await.unwrap();
            }
            assert_eq!(store.count_deliveries(DeliveryState::Sent).await.unwrap(), 100);
        }
    }

    #[tokio::test]
    async fn a_digest_holds_the_same_each_time_it_is_taken() {
        for (store, _) in every().await {
            let other = collected("n0", "olga@x.example");
            let mut later = collected("n3", "dana@x.example");
            later.messages[0].due = at(1);
            let mut alone = collected("n4", "dana@x.example");
            alone.messages[0].collected = false;
            let all = [other, collected("n2", "dana@x.example"), collected("n5", "dana@x.example"), later, alone];
            store.tell(&all, at(0)).await.unwrap();
            let of = async |second: i64, id: &str| {
                let due = store.due_deliveries(at(second), 10).await.unwrap();
                let one = due.iter().find(|one| one.id == id).unwrap();
                let taken = store.take_digest(one, "one", at(second), at(second + 60)).await.unwrap();
                taken.into_iter().map(|one| one.id).collect::<Vec<_>>()
            };
            assert_eq!(of(2, "n2-mail").await, ["n2-mail", "n5-mail"], "others have their place, their time or go alone");
            assert_eq!(of(2, "n4-mail").await, Vec::<String>::new(), "it goes alone");
            // Another message for the same time arrives late, and the process that has the others dies.
            store.tell(&[collected("n1", "dana@x.example")], at(3)).await.unwrap();
            assert_eq!(of(62, "n5-mail").await, ["n2-mail", "n5-mail"]);
            assert_eq!(of(62, "n1-mail").await, ["n1-mail"]);

            store.postpone(&["n2-mail", "n5-mail"], "busy", at(90)).await.unwrap();
            assert_eq!(of(90, "n2-mail").await, ["n2-mail", "n5-mail"], "it stays together after a failure");
            assert_eq!(store.release_deliveries("one").await.unwrap(), 3);
            assert_eq!(of(91, "n5-mail").await, ["n2-mail", "n5-mail"], "and after the same process is back");
        }
    }
}
