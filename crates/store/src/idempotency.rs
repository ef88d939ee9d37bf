//! Idempotency keys of programs: a repeated call gets the answer of the first one, and does nothing again.
//!
//! A key belongs to one person and one call. What the call was is stored as a sealed digest, because it can contain secrets, and the answer
//! is sealed as well. While a call is in progress, its process renews a lease. A call whose lease has run out is never made again with its
//! key: its process died, and the change might have been made before.

use jiff::{SignedDuration, Timestamp};

use crate::random::Random;
use crate::row::row;
use crate::{Error, Result, Store};

/// How long an answer is kept.
pub const ANSWER_LIFETIME: SignedDuration = SignedDuration::from_hours(24);
/// Maximum number of keys of one person. The oldest answers make room for new ones.
pub const MAX_KEYS_PER_PERSON: i64 = 500;
/// Maximum size of an answer, in bytes.
pub const MAX_ANSWER: usize = 256 << 10;
/// How long a call counts as in progress after its process said so.
pub const CALL_LEASE: SignedDuration = SignedDuration::from_mins(1);

/// What is known of a key when a call arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyedCall {
    /// Nothing: the call is now in progress, and has to be kept or dropped.
    New,
    /// The same call is in progress.
    Running,
    /// The same call began, and its process ended before it had an answer: no one knows whether the change was made.
    Interrupted,
    /// The key was used for another call.
    Other,
    /// The answer of the same call.
    Answered(Vec<u8>),
}

row! {
    struct KeyRow {
        call: Vec<u8>,
        answer: Option<Vec<u8>>,
        started: i64,
    }
}

impl Store {
    /// Begins a call with a key. `digest` identifies the call.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn begin_keyed_call(&self, person: &str, key: &str, digest: &[u8], now: Timestamp, random: &dyn Random) -> Result<KeyedCall> {
        let seconds = now.as_second();
        sqlx::query("DELETE FROM idempotency WHERE person = $1 AND expires <= $2").bind(person).bind(seconds).execute(&self.pool).await?;
        let sealed = self.keys.seal(digest, &row_id(person, key, "call"), random)?;
        let expires = now.saturating_add(ANSWER_LIFETIME).unwrap_or(Timestamp::MAX).as_second();
        let added = sqlx::query(
            "INSERT INTO idempotency (person, key, call, answer, started, expires) VALUES ($1, $2, $3, NULL, $4, $5) \
             ON CONFLICT (person, key) DO NOTHING",
        )
        .bind(person)
        .bind(key)
        .bind(sealed)
        .bind(seconds)
        .bind(expires)
        .execute(&self.pool)
        .await?;
        if added.rows_affected() > 0 {
            self.make_room_for_key(person).await?;
            return Ok(KeyedCall::New);
        }
        let found: Option<KeyRow> = sqlx::query_as("SELECT call, answer, started FROM idempotency WHERE person = $1 AND key = $2")
            .bind(person)
            .bind(key)
            .fetch_optional(&self.pool)
            .await?;
        // It was dropped in the meantime.
        let Some(row) = found else { return Ok(KeyedCall::Running) };
        match self.keys.unseal(&row.call, &row_id(person, key, "call")) {
            Ok(known) if known == digest => {}
            Ok(_) => return Ok(KeyedCall::Other),
            // The key that sealed it is gone, and with it what is known of the call.
            Err(Error::Unsealable) => return Ok(KeyedCall::Interrupted),
            Err(error) => return Err(error),
        }
        match row.answer {
            Some(answer) => match self.keys.unseal(&answer, &row_id(person, key, "answer")) {
                Ok(answer) => Ok(KeyedCall::Answered(answer)),
                Err(Error::Unsealable) => Ok(KeyedCall::Interrupted),
                Err(error) => Err(error),
            },
            None if row.started <= seconds - CALL_LEASE.as_secs() => Ok(KeyedCall::Interrupted),
            None => Ok(KeyedCall::Running),
        }
    }

    /// Renews the lease of a call in progress.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn renew_keyed_call(&self, person: &str, key: &str, now: Timestamp) -> Result<()> {
        sqlx::query("UPDATE idempotency SET started = $1 WHERE person = $2 AND key = $3 AND answer IS NULL")
            .bind(now.as_second())
            .bind(person)
            .bind(key)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Removes the oldest answers beyond the maximum. Calls in progress stay.
    async fn make_room_for_key(&self, person: &str) -> Result<()> {
        sqlx::query(
            "DELETE FROM idempotency WHERE person = $1 AND answer IS NOT NULL AND key NOT IN \
             (SELECT key FROM idempotency WHERE person = $1 ORDER BY started DESC, key LIMIT $2)",
        )
        .bind(person)
        .bind(MAX_KEYS_PER_PERSON)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Keeps the answer of a call that began.
    ///
    /// # Errors
    /// If the answer is too large, or the database fails.
    pub async fn keep_answer(&self, person: &str, key: &str, answer: &[u8], random: &dyn Random) -> Result<()> {
        if answer.len() > MAX_ANSWER {
            return Err(Error::TooLarge { bytes: answer.len(), limit: MAX_ANSWER });
        }
        let sealed = self.keys.seal(answer, &row_id(person, key, "answer"), random)?;
        sqlx::query("UPDATE idempotency SET answer = $1 WHERE person = $2 AND key = $3")
            .bind(sealed)
            .bind(person)
            .bind(key)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Forgets a call that began and did nothing, so that it can be made again.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn drop_keyed_call(&self, person: &str, key: &str) -> Result<()> {
        sqlx::query("DELETE FROM idempotency WHERE person = $1 AND key = $2 AND answer IS NULL")
            .bind(person)
            .bind(key)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Removes expired keys. Returns how many.
    pub(crate) async fn forget_keyed_calls(&self, now: Timestamp) -> Result<u64> {
        let gone = sqlx::query("DELETE FROM idempotency WHERE expires <= $1").bind(now.as_second()).execute(&self.pool).await?;
        Ok(gone.rows_affected())
    }
}

/// Returns what a sealed value is bound to.
fn row_id(person: &str, key: &str, column: &str) -> Vec<u8> {
    format!("{column}\n{}\n{person}\n{key}", person.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    fn after(seconds: i64) -> Timestamp {
        NOW + SignedDuration::from_secs(seconds)
    }

    #[tokio::test]
    async fn the_same_call_gets_the_same_answer_and_another_one_none() {
        for (store, random) in every().await {
            let begin =
                async |person: &str, digest: &[u8], at: i64| store.begin_keyed_call(person, "k", digest, after(at), &random).await.unwrap();
            assert_eq!(begin("dana", b"one", 0).await, KeyedCall::New);
            assert_eq!(begin("dana", b"one", 1).await, KeyedCall::Running);
            assert_eq!(begin("dana", b"two", 1).await, KeyedCall::Other);
            assert_eq!(begin("alex", b"two", 1).await, KeyedCall::New, "a key is one person's");
            store.keep_answer("dana", "k", b"answer", &random).await.unwrap();
            assert_eq!(begin("dana", b"one", 2).await, KeyedCall::Answered(b"answer".to_vec()));
            assert_eq!(begin("dana", b"two", 2).await, KeyedCall::Other);
            store.drop_keyed_call("dana", "k").await.unwrap();
            assert_eq!(begin("dana", b"one", 3).await, KeyedCall::Answered(b"answer".to_vec()), "only what did nothing is dropped");
            let day = ANSWER_LIFETIME.as_secs();
            assert_eq!(begin("dana", b"two", day).await, KeyedCall::New, "expired");
            assert_eq!(store.sweep(after(3 * day)).await.unwrap(), 2);
        }
    }

    #[tokio::test]
    async fn a_call_that_did_nothing_can_be_made_again_and_one_that_was_left_behind_never() {
        for (store, random) in every().await {
            let begin = async |at: i64| store.begin_keyed_call("dana", "k", b"one", after(at), &random).await.unwrap();
            assert_eq!(begin(0).await, KeyedCall::New);
            store.drop_keyed_call("dana", "k").await.unwrap();
            assert_eq!(begin(1).await, KeyedCall::New);
            assert_eq!(begin(60).await, KeyedCall::Running);
            store.renew_keyed_call("dana", "k", after(60)).await.unwrap();
            assert_eq!(begin(119).await, KeyedCall::Running, "its process lives");
            assert_eq!(begin(120).await, KeyedCall::Interrupted, "its process died");
            assert_eq!(begin(3000).await, KeyedCall::Interrupted, "and it isn't made by anyone else");
            // A process that was only slow answers all the same.
            store.keep_answer("dana", "k", b"answer", &random).await.unwrap();
            store.renew_keyed_call("dana", "k", after(0)).await.unwrap();
            assert_eq!(begin(3001).await, KeyedCall::Answered(b"answer".to_vec()));
        }
    }

    #[tokio::test]
    async fn a_person_has_a_bounded_number_of_keys_and_answers_are_bounded() {
        for (store, random) in every().await {
            for number in 0..=MAX_KEYS_PER_PERSON {
                let key = format!("k{number}");
                store.begin_keyed_call("dana", &key, b"one", after(number), &random).await.unwrap();
                store.keep_answer("dana", &key, b"answer", &random).await.unwrap();
            }
            let begin = async |key: &str| store.begin_keyed_call("dana", key, b"one", after(MAX_KEYS_PER_PERSON), &random).await.unwrap();
            assert_eq!(begin("k1").await, KeyedCall::Answered(b"answer".to_vec()));
            assert_eq!(begin("k0").await, KeyedCall::New, "the oldest made room");
            let large = vec![0; MAX_ANSWER + 1];
            assert!(matches!(store.keep_answer("dana", "k0", &large, &random).await, Err(Error::TooLarge { .. })));
        }
    }
}
