//! What a user typed into a form that hasn't been accepted yet.
//!
//! A draft is found by its id *and* its user: another user's id finds nothing. The caller leaves out secret values.

use jiff::Timestamp;
use serde_json::Value;

use crate::random::{self, Random};
use crate::row::row;
use crate::{Error, Result, Store};

/// Maximum size of a draft, in bytes of JSON.
pub const MAX_DRAFT_BYTES: usize = 256 * 1024;
/// Maximum number of drafts of one user; the oldest are removed first.
pub const MAX_DRAFTS_PER_PERSON: u32 = 20;

/// Subject of refused posts. They don't take the place of half-filled forms.
pub const REFUSAL: &str = "refusal";
/// Maximum number of refusals of one user; the oldest are removed first.
pub const MAX_REFUSALS_PER_PERSON: u32 = 5;

/// Id of a draft: 32 hexadecimal digits, as in `?draft=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftId(String);

/// A half-filled form.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Identifies the form, such as the path of its page.
    pub subject: String,
    /// What was typed.
    pub content: Value,
    /// When it was saved.
    pub created: Timestamp,
}

impl DraftId {
    /// Parses an id from an address; returns `None` for anything that isn't an id.
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))).then(|| Self(text.to_owned()))
    }

    /// Returns the text for an address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Removes all but the newest forms of a user, and the one that was just saved.
const TOO_MANY_FORMS: &str = "DELETE FROM draft WHERE person = $1 AND id <> $2 AND subject <> $4 AND id NOT IN \
    (SELECT id FROM draft WHERE person = $1 AND subject <> $4 ORDER BY created DESC, id LIMIT $3)";
/// The same for refusals.
const TOO_MANY_REFUSALS: &str = "DELETE FROM draft WHERE person = $1 AND id <> $2 AND subject = $4 AND id NOT IN \
    (SELECT id FROM draft WHERE person = $1 AND subject = $4 ORDER BY created DESC, id LIMIT $3)";

row! {
    struct DraftRow {
        subject: String,
        content: String,
        created: i64,
    }
}

impl Store {
    /// Saves a draft of `person` until `expires`.
    ///
    /// # Errors
    /// If the draft is larger than [`MAX_DRAFT_BYTES`], or the database fails.
    pub async fn keep_draft(
        &self,
        person: &str,
        subject: &str,
        content: &Value,
        now: Timestamp,
        expires: Timestamp,
        random: &dyn Random,
    ) -> Result<DraftId> {
        let content = serde_json::to_string(content)?;
        if content.len() > MAX_DRAFT_BYTES {
            return Err(Error::TooLarge { bytes: content.len(), limit: MAX_DRAFT_BYTES });
        }
        let id = DraftId(random::hex(&random::bytes::<16>(random)));
        let mut transaction = self.pool.begin().await?;
        sqlx::query("INSERT INTO draft (id, person, subject, content, created, expires) VALUES ($1, $2, $3, $4, $5, $6)")
            .bind(id.as_str())
            .bind(person)
            .bind(subject)
            .bind(content)
            .bind(now.as_second())
            .bind(expires.as_second())
            .execute(&mut *transaction)
            .await?;
        let (too_many, most) =
            if subject == REFUSAL { (TOO_MANY_REFUSALS, MAX_REFUSALS_PER_PERSON) } else { (TOO_MANY_FORMS, MAX_DRAFTS_PER_PERSON) };
        let too_many = sqlx::query(too_many).bind(person).bind(id.as_str()).bind(i64::from(most)).bind(REFUSAL);
        too_many.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(id)
    }

    /// Returns the draft with this id, if it belongs to `person` and has not expired at `now`.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn draft(&self, id: &DraftId, person: &str, now: Timestamp) -> Result<Option<Draft>> {
        let row: Option<DraftRow> =
            sqlx::query_as("SELECT subject, content, created FROM draft WHERE id = $1 AND person = $2 AND expires > $3")
                .bind(id.as_str())
                .bind(person)
                .bind(now.as_second())
                .fetch_optional(&self.pool)
                .await?;
        row.map(|row| {
            Ok(Draft {
                subject: row.subject,
                content: serde_json::from_str(&row.content)?,
                created: Timestamp::from_second(row.created).unwrap_or(Timestamp::MIN),
            })
        })
        .transpose()
    }

    /// Deletes a draft of `person`; it doesn't have to exist.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_draft(&self, id: &DraftId, person: &str) -> Result<()> {
        sqlx::query("DELETE FROM draft WHERE id = $1 AND person = $2").bind(id.as_str()).bind(person).execute(&self.pool).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);
    const LATER: Timestamp = Timestamp::constant(1_780_086_400, 0);

    #[tokio::test]
    async fn is_private_to_its_person() {
        for (store, random) in every().await {
            let typed = json!([["name", "orders-db"], ["size", ""], ["size", "large"]]);
            let id = store.keep_draft("dev-shop", "/w/root:acme:shop", &typed, NOW, LATER, &random).await.unwrap();
            assert_eq!(DraftId::parse(id.as_str()).as_ref(), Some(&id));
            let draft = store.draft(&id, "dev-shop", NOW).await.unwrap().unwrap();
            assert_eq!((draft.subject.as_str(), draft.content, draft.created), ("/w/root:acme:shop", typed, NOW));
            assert_eq!(store.draft(&id, "dev-data", NOW).await.unwrap(), None);
            store.forget_draft(&id, "dev-data").await.unwrap();
            assert!(store.draft(&id, "dev-shop", NOW).await.unwrap().is_some(), "a stranger cannot remove it");
            assert_eq!(store.draft(&id, "dev-shop", LATER).await.unwrap(), None, "expired");
            store.forget_draft(&id, "dev-shop").await.unwrap();
            assert_eq!(store.draft(&id, "dev-shop", NOW).await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn the_oldest_go_when_there_are_too_many() {
        for (store, random) in every().await {
            let other = store.keep_draft("dev-data", "other", &json!([]), NOW, LATER, &random).await.unwrap();
            let mut ids = Vec::new();
            for second in 0..=i64::from(MAX_DRAFTS_PER_PERSON) {
                let now = Timestamp::from_second(NOW.as_second() + second).unwrap();
                ids.push(store.keep_draft("dev-shop", "form", &json!([second]), now, LATER, &random).await.unwrap());
            }
            assert_eq!(store.draft(&ids[0], "dev-shop", NOW).await.unwrap(), None);
            assert!(store.draft(&ids[1], "dev-shop", NOW).await.unwrap().is_some());
            assert!(store.draft(&other, "dev-data", NOW).await.unwrap().is_some(), "other people's stay");
        }
    }

    #[tokio::test]
    async fn refusals_take_the_place_of_older_ones_and_of_no_form() {
        for (store, random) in every().await {
            let form = store.keep_draft("dev-shop", "form", &json!("typed"), NOW, LATER, &random).await.unwrap();
            let mut ids = Vec::new();
            for second in 1..=i64::from(MAX_DRAFTS_PER_PERSON) {
                let now = Timestamp::from_second(NOW.as_second() + second).unwrap();
                ids.push(store.keep_draft("dev-shop", REFUSAL, &json!([second]), now, LATER, &random).await.unwrap());
            }
            assert!(store.draft(&form, "dev-shop", NOW).await.unwrap().is_some());
            let mut kept = 0;
            for id in &ids {
                kept += u32::from(store.draft(id, "dev-shop", NOW).await.unwrap().is_some());
            }
            assert_eq!(kept, MAX_REFUSALS_PER_PERSON);
        }
    }

    #[tokio::test]
    async fn too_large_is_refused() {
        for (store, random) in every().await {
            let typed = json!("x".repeat(MAX_DRAFT_BYTES));
            let kept = store.keep_draft("dev-shop", "form", &typed, NOW, LATER, &random).await;
            assert!(matches!(kept, Err(Error::TooLarge { .. })));
        }
    }

    #[test]
    fn only_ids_are_ids() {
        for text in ["", "abc", &"A".repeat(32), &"g".repeat(32), &"0".repeat(33)] {
            assert_eq!(DraftId::parse(text), None, "{text}");
        }
    }
}
