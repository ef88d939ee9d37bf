//! Sign-ins that are under way at an identity provider: each belongs to one browser, ends soon, and is taken once.

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::random::{self, Random};
use crate::{Result, Store};

/// What identifies a sign-in that is under way: both are 64 hexadecimal digits, and only a digest of them together is stored.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    /// The secret in the browser's cookie.
    pub browser: &'a str,
    /// The state that the provider sends back.
    pub state: &'a str,
}

impl Attempt<'_> {
    fn id(self) -> Vec<u8> {
        Sha256::new().chain_update(self.browser).chain_update("\n").chain_update(self.state).finalize().to_vec()
    }
}

impl Store {
    /// Returns 32 random bytes as hexadecimal digits, such as for the parts of an attempt.
    pub fn secret(random: &dyn Random) -> String {
        random::hex(&random::bytes::<32>(random))
    }

    /// Saves what must be remembered until the provider sends the browser back, sealed.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn begin_attempt(&self, attempt: Attempt<'_>, content: &Value, expires: Timestamp, random: &dyn Random) -> Result<()> {
        let id = attempt.id();
        let sealed = self.keys.seal(content.to_string().as_bytes(), &id, random)?;
        sqlx::query("INSERT INTO sign_in_attempt (id, content, expires) VALUES ($1, $2, $3)")
            .bind(id)
            .bind(sealed)
            .bind(expires.as_second())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Takes an attempt: a second time there is none, and neither is there for another browser or another state.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn take_attempt(&self, attempt: Attempt<'_>, now: Timestamp) -> Result<Option<Value>> {
        let id = attempt.id();
        let taken: Option<(Vec<u8>, i64)> = sqlx::query_as("DELETE FROM sign_in_attempt WHERE id = $1 RETURNING content, expires")
            .bind(&id[..])
            .fetch_optional(&self.pool)
            .await?;
        let Some((content, _)) = taken.filter(|(_, expires)| *expires > now.as_second()) else { return Ok(None) };
        Ok(Some(serde_json::from_slice(&self.keys.unseal(&content, &id)?)?))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);
    const LATER: Timestamp = Timestamp::constant(1_780_000_600, 0);

    #[tokio::test]
    async fn is_taken_once_by_the_browser_that_began_it() {
        for (store, random) in every().await {
            let (browser, state) = (Store::secret(&random), Store::secret(&random));
            let attempt = Attempt { browser: &browser, state: &state };
            store.begin_attempt(attempt, &json!({"nonce": "n"}), LATER, &random).await.unwrap();
            let other = Store::secret(&random);
            assert_eq!(store.take_attempt(Attempt { browser: &other, ..attempt }, NOW).await.unwrap(), None);
            assert_eq!(store.take_attempt(Attempt { state: &other, ..attempt }, NOW).await.unwrap(), None);
            assert_eq!(store.take_attempt(attempt, NOW).await.unwrap(), Some(json!({"nonce": "n"})));
            assert_eq!(store.take_attempt(attempt, NOW).await.unwrap(), None, "a second time");
        }
    }

    #[tokio::test]
    async fn ends_soon_and_is_stored_sealed() {
        for (store, random) in every().await {
            let (browser, state) = (Store::secret(&random), Store::secret(&random));
            let attempt = Attempt { browser: &browser, state: &state };
            store.begin_attempt(attempt, &json!({"verifier": "a-secret"}), LATER, &random).await.unwrap();
            let (id, content): (Vec<u8>, Vec<u8>) =
                sqlx::query_as("SELECT id, content FROM sign_in_attempt").fetch_one(&store.pool).await.unwrap();
            assert!(!content.windows(8).any(|part| part == b"a-secret"));
            assert!(id != browser.as_bytes() && id != state.as_bytes());
            assert_eq!(store.take_attempt(attempt, LATER).await.unwrap(), None, "not in the second it expires");
            store.begin_attempt(attempt, &json!({}), LATER, &random).await.unwrap();
            assert_eq!((store.sweep(NOW).await.unwrap(), store.sweep(LATER).await.unwrap()), (0, 1));
        }
    }
}
