//! A form that was posted after its session had ended: it waits for the next person who signs in with the same browser, which has the key.

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::draft::{DraftId, NewDraft};
use crate::random::{self, Random};
use crate::{Result, Store};

/// Subject of posted forms that a person has taken over by signing in.
pub const POSTED: &str = "posted";
/// In place of a person, until someone signs in.
const NO_ONE: &str = "";

impl Store {
    /// Saves a posted form until `expires`. Returns the id under which it can be read after sign-in, and the key for the browser, 64
    /// hexadecimal digits. Only a digest of the key is stored. The oldest are removed if too many wait.
    ///
    /// # Errors
    /// If the form is too large, or the database fails.
    pub async fn leave_post(&self, fields: &Value, now: Timestamp, expires: Timestamp, random: &dyn Random) -> Result<(DraftId, String)> {
        let key = random::hex(&random::bytes::<32>(random));
        let draft = NewDraft { id: None, family: None, subject: &waiting(&key), title: "", content: fields };
        let id = self.save_draft(NO_ONE, &draft, now, expires, random).await?;
        Ok((id, key))
    }

    /// Gives the posted form that waits for `key` to `person`. Returns whether there was one; a second time there is none.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn claim_post(&self, key: &str, person: &str, now: Timestamp) -> Result<bool> {
        let claim = "UPDATE draft SET person = $1, subject = $2 WHERE person = $3 AND subject = $4 AND expires > $5";
        let claimed =
            sqlx::query(claim).bind(person).bind(POSTED).bind(NO_ONE).bind(waiting(key)).bind(now.as_second()).execute(&self.pool).await?;
        Ok(claimed.rows_affected() > 0)
    }
}

/// Returns the subject of the form that waits for a key.
fn waiting(key: &str) -> String {
    format!("{POSTED} {}", random::hex(&Sha256::digest(key.as_bytes())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);
    const LATER: Timestamp = Timestamp::constant(1_780_003_600, 0);

    #[tokio::test]
    async fn belongs_to_who_signs_in_with_its_key_and_to_no_one_else() {
        for (store, random) in every().await {
            let fields = json!([["/name", "orders-db"]]);
            let (id, key) = store.leave_post(&fields, NOW, LATER, &random).await.unwrap();
            assert_eq!(store.draft(&id, "dev-shop", NOW).await.unwrap(), None);
            assert_eq!(
                store.drafts("", NOW).await.unwrap().iter().filter(|draft| draft.subject.contains(&key)).count(),
                0,
                "no key is stored"
            );
            assert!(!store.claim_post(&"0".repeat(64), "dev-shop", NOW).await.unwrap());
            assert!(!store.claim_post(&key, "dev-shop", LATER).await.unwrap(), "expired");
            assert!(store.claim_post(&key, "dev-shop", NOW).await.unwrap());
            let draft = store.draft(&id, "dev-shop", NOW).await.unwrap().unwrap();
            assert_eq!((draft.subject.as_str(), draft.content), (POSTED, fields));
            assert!(!store.claim_post(&key, "dev-data", NOW).await.unwrap(), "only once");
            assert_eq!(store.draft(&id, "dev-data", NOW).await.unwrap(), None);
        }
    }
}
