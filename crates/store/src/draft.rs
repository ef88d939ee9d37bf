//! What a user typed into a form that hasn't been accepted yet.
//!
//! A draft is found by its id *and* its user, unless the user shares it: another user's id finds nothing. The caller leaves out secret
//! values.

use jiff::Timestamp;
use serde_json::Value;

use crate::random::{self, Random};
use crate::row::row;
use crate::{Error, Result, Store};

/// Maximum size of a draft, in bytes of JSON.
pub const MAX_DRAFT_BYTES: usize = 512 * 1024;
/// Maximum number of drafts of one user; the oldest are removed first.
pub const MAX_DRAFTS_PER_PERSON: u32 = 60;
/// Maximum number of drafts of one form: each step of filling it in leaves one, so that Back shows it. The oldest are removed first.
pub const MAX_DRAFTS_PER_FORM: u32 = 10;

/// Subject of refused posts. They don't take the place of half-filled forms.
pub const REFUSAL: &str = "refusal";
/// Maximum number of refusals of one user; the oldest are removed first.
pub const MAX_REFUSALS_PER_PERSON: u32 = 5;

/// Id of a draft: 32 hexadecimal digits, as in `?draft=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftId(pub(crate) String);

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

/// A draft to save.
#[derive(Clone, Copy, Debug)]
pub struct NewDraft<'a> {
    /// Its id; a new one if there is none.
    pub id: Option<&'a DraftId>,
    /// The family of drafts of one form that it joins; one of its own if there is none.
    pub family: Option<&'a DraftId>,
    /// Identifies the form.
    pub subject: &'a str,
    /// What lists call it.
    pub title: &'a str,
    /// What was typed.
    pub content: &'a Value,
}

/// A draft in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedDraft {
    /// Id of the newest draft of the form.
    pub id: DraftId,
    /// Identifies the form.
    pub subject: String,
    /// What the list calls it; can be empty.
    pub title: String,
    /// The draft of this form that is shared.
    pub shared: Option<DraftId>,
    /// When it was saved.
    pub saved: Timestamp,
}

impl DraftId {
    /// Returns an id that can't be guessed.
    pub fn new(random: &dyn Random) -> Self {
        Self(random::hex(&random::bytes::<16>(random)))
    }

    /// Parses an id from an address; returns `None` for anything that isn't an id.
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))).then(|| Self(text.to_owned()))
    }

    /// Returns the text for an address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Removes all but the newest drafts of a user, and the one that was just saved.
const TOO_MANY_DRAFTS: &str = "DELETE FROM draft WHERE person = $1 AND id <> $2 AND subject <> $4 AND id NOT IN \
    (SELECT id FROM draft WHERE person = $1 AND subject <> $4 ORDER BY created DESC, id LIMIT $3)";
/// The same for refusals.
const TOO_MANY_REFUSALS: &str = "DELETE FROM draft WHERE person = $1 AND id <> $2 AND subject = $4 AND id NOT IN \
    (SELECT id FROM draft WHERE person = $1 AND subject = $4 ORDER BY created DESC, id LIMIT $3)";
/// The same for the drafts of one form.
const TOO_MANY_OF_FORM: &str = "DELETE FROM draft WHERE person = $1 AND id <> $2 AND family = $4 AND id NOT IN \
    (SELECT id FROM draft WHERE person = $1 AND family = $4 ORDER BY created DESC, id LIMIT $3)";

row! {
    struct DraftRow {
        subject: String,
        content: String,
        created: i64,
    }
}

row! {
    struct SharedRow {
        person: String,
        subject: String,
        content: String,
        created: i64,
    }
}

row! {
    struct ListedRow {
        id: String,
        family: String,
        subject: String,
        title: String,
        shared: i64,
        created: i64,
    }
}

impl Store {
    /// Saves a draft of `person` until `expires`, which belongs to no other draft.
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
        let draft = NewDraft { id: None, family: None, subject, title: "", content };
        self.save_draft(person, &draft, now, expires, random).await
    }

    /// Saves a draft of `person` until `expires`. If the person has a draft of the same subject with its id, it is replaced. The oldest are
    /// removed if there are too many.
    ///
    /// # Errors
    /// If the draft is larger than [`MAX_DRAFT_BYTES`], or the database fails.
    pub async fn save_draft(
        &self,
        person: &str,
        draft: &NewDraft<'_>,
        now: Timestamp,
        expires: Timestamp,
        random: &dyn Random,
    ) -> Result<DraftId> {
        let content = serde_json::to_string(draft.content)?;
        if content.len() > MAX_DRAFT_BYTES {
            return Err(Error::TooLarge { bytes: content.len(), limit: MAX_DRAFT_BYTES });
        }
        let mut transaction = self.pool.begin().await?;
        let mut id = draft.id.cloned().unwrap_or_else(|| DraftId::new(random));
        let mut family = draft.family.unwrap_or(&id).clone();
        // An id that belongs to someone else, or to another form, is as good as none.
        for again in [false, true] {
            if again {
                id = DraftId::new(random);
                family = draft.family.unwrap_or(&id).clone();
            }
            let upsert = "INSERT INTO draft (id, person, subject, content, created, expires, family, title) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE \
                SET content = excluded.content, created = excluded.created, expires = excluded.expires, title = excluded.title \
                WHERE draft.person = excluded.person AND draft.subject = excluded.subject";
            let written = sqlx::query(upsert)
                .bind(id.as_str())
                .bind(person)
                .bind(draft.subject)
                .bind(&content)
                .bind(now.as_second())
                .bind(expires.as_second())
                .bind(family.as_str())
                .bind(draft.title)
                .execute(&mut *transaction)
                .await?;
            if written.rows_affected() > 0 {
                break;
            }
        }
        let is_refusal = draft.subject == REFUSAL;
        let (too_many, most) =
            if is_refusal { (TOO_MANY_REFUSALS, MAX_REFUSALS_PER_PERSON) } else { (TOO_MANY_DRAFTS, MAX_DRAFTS_PER_PERSON) };
        let of_person = sqlx::query(too_many).bind(person).bind(id.as_str()).bind(i64::from(most)).bind(REFUSAL);
        of_person.execute(&mut *transaction).await?;
        let of_form = sqlx::query(TOO_MANY_OF_FORM).bind(person).bind(id.as_str()).bind(i64::from(MAX_DRAFTS_PER_FORM));
        of_form.bind(family.as_str()).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(id)
    }

    /// Returns the drafts of `person`, newest first: of each form the newest one. Refusals aren't among them.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn drafts(&self, person: &str, now: Timestamp) -> Result<Vec<ListedDraft>> {
        let select = "SELECT id, family, subject, title, shared, created FROM draft \
            WHERE person = $1 AND expires > $2 AND subject <> $3 ORDER BY created DESC, id";
        let rows: Vec<ListedRow> = sqlx::query_as(select).bind(person).bind(now.as_second()).bind(REFUSAL).fetch_all(&self.pool).await?;
        let mut listed: Vec<ListedDraft> = Vec::new();
        let mut families = std::collections::BTreeMap::new();
        for row in rows {
            let at = *families.entry(row.family).or_insert(listed.len());
            // An older draft of the form can be the shared one.
            let shared = (row.shared != 0).then(|| DraftId(row.id.clone()));
            match listed.get_mut(at) {
                Some(known) => known.shared = known.shared.take().or(shared),
                None => listed.push(ListedDraft {
                    id: DraftId(row.id),
                    subject: row.subject,
                    title: row.title,
                    shared,
                    saved: Timestamp::from_second(row.created).unwrap_or(Timestamp::MIN),
                }),
            }
        }
        Ok(listed)
    }

    /// Returns the family of a draft of `person`, which the other drafts of its form share.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn family_of_draft(&self, id: &DraftId, person: &str) -> Result<Option<DraftId>> {
        let row: Option<(String,)> = sqlx::query_as("SELECT family FROM draft WHERE id = $1 AND person = $2")
            .bind(id.as_str())
            .bind(person)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(|(family,)| DraftId(family)))
    }

    /// Shares a draft of `person`, or stops sharing the drafts of its form. Returns whether there is such a draft.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn share_draft(&self, id: &DraftId, person: &str, shared: bool) -> Result<bool> {
        let update = if shared {
            "UPDATE draft SET shared = 1 WHERE id = $1 AND person = $2"
        } else {
            "UPDATE draft SET shared = 0 WHERE person = $2 AND family = (SELECT family FROM draft WHERE id = $1 AND person = $2)"
        };
        Ok(sqlx::query(update).bind(id.as_str()).bind(person).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Returns the shared draft with this id, and who wrote it. The caller checks who can open it.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn shared_draft(&self, id: &DraftId, now: Timestamp) -> Result<Option<(String, Draft)>> {
        let select = "SELECT person, subject, content, created FROM draft WHERE id = $1 AND shared = 1 AND expires > $2";
        let row: Option<SharedRow> = sqlx::query_as(select).bind(id.as_str()).bind(now.as_second()).fetch_optional(&self.pool).await?;
        row.map(|row| Ok((row.person, draft(row.subject, &row.content, row.created)?))).transpose()
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
        row.map(|row| draft(row.subject, &row.content, row.created)).transpose()
    }

    /// Deletes a draft of `person` with the other drafts of its form; it doesn't have to exist.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_draft(&self, id: &DraftId, person: &str) -> Result<()> {
        let delete = "DELETE FROM draft WHERE person = $2 AND family = (SELECT family FROM draft WHERE id = $1 AND person = $2)";
        sqlx::query(delete).bind(id.as_str()).bind(person).execute(&self.pool).await?;
        Ok(())
    }
}

fn draft(subject: String, content: &str, created: i64) -> Result<Draft> {
    let created = Timestamp::from_second(created).unwrap_or(Timestamp::MIN);
    Ok(Draft { subject, content: serde_json::from_str(content)?, created })
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
    async fn drafts_of_one_form_are_listed_once_and_go_together() {
        for (store, random) in every().await {
            let first = DraftId::new(&random);
            let mut at = NOW.as_second();
            let mut save = async |id: Option<&DraftId>, family: &DraftId, title: &str| {
                at += 1;
                let content = json!(title);
                let draft = NewDraft { id, family: Some(family), subject: "new a b c", title, content: &content };
                store.save_draft("dev-shop", &draft, Timestamp::from_second(at).unwrap(), LATER, &random).await.unwrap()
            };
            assert_eq!(save(Some(&first), &first, "ord").await, first);
            assert_eq!(save(Some(&first), &first, "orders").await, first, "typing on replaces it");
            let second = save(None, &first, "orders-db").await;
            let other = DraftId::new(&random);
            save(Some(&other), &other, "carts").await;
            let told = async || {
                let listed = store.drafts("dev-shop", NOW).await.unwrap();
                listed.into_iter().map(|draft| (draft.title, draft.id, draft.shared)).collect::<Vec<_>>()
            };
            let entry = |title: &str, id: &DraftId, shared| (title.to_owned(), id.clone(), shared);
            assert_eq!(told().await, [entry("carts", &other, None), entry("orders-db", &second, None)]);
            assert_eq!(store.draft(&first, "dev-shop", NOW).await.unwrap().unwrap().content, json!("orders"), "Back shows each step");

            assert_eq!(store.shared_draft(&first, NOW).await.unwrap(), None);
            assert!(!store.share_draft(&first, "dev-data", true).await.unwrap(), "a stranger cannot share it");
            assert!(store.share_draft(&first, "dev-shop", true).await.unwrap());
            let (person, shared) = store.shared_draft(&first, NOW).await.unwrap().unwrap();
            assert_eq!((person.as_str(), shared.content), ("dev-shop", json!("orders")));
            assert_eq!(store.shared_draft(&second, NOW).await.unwrap(), None, "what is typed later stays private");
            assert_eq!(told().await[1], entry("orders-db", &second, Some(first.clone())));
            assert!(store.share_draft(&second, "dev-shop", false).await.unwrap());
            assert_eq!(store.shared_draft(&first, NOW).await.unwrap(), None);

            let stolen = NewDraft { id: Some(&first), family: None, subject: "new a b c", title: "", content: &json!("theirs") };
            let theirs = store.save_draft("dev-data", &stolen, NOW, LATER, &random).await.unwrap();
            assert_ne!(theirs, first, "an id of someone else is as good as none");
            assert_eq!(store.draft(&first, "dev-shop", NOW).await.unwrap().unwrap().content, json!("orders"));
            store.forget_draft(&second, "dev-shop").await.unwrap();
            assert_eq!(told().await, [entry("carts", &other, None)]);
            assert_eq!(store.draft(&first, "dev-shop", NOW).await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn one_form_takes_the_place_of_no_other() {
        for (store, random) in every().await {
            let other = store.keep_draft("dev-shop", "other", &json!([]), NOW, LATER, &random).await.unwrap();
            let family = DraftId::new(&random);
            for second in 1..=i64::from(MAX_DRAFTS_PER_PERSON) {
                let content = json!(second);
                let draft = NewDraft { id: None, family: Some(&family), subject: "form", title: "", content: &content };
                store
                    .save_draft("dev-shop", &draft, Timestamp::from_second(NOW.as_second() + second).unwrap(), LATER, &random)
                    .await
                    .unwrap();
            }
            assert!(store.draft(&other, "dev-shop", NOW).await.unwrap().is_some());
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
