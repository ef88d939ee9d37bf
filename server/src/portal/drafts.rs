//! Half-filled forms: private rows of the person, without secrets, found again by `?draft=`.

use jiff::SignedDuration;
use promise::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::DraftId;

use super::write::{WriteOperation, WriteTarget};
use crate::auth::Caller;
use crate::auth::caller::database;

/// How long a draft is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

impl Caller {
    /// Keeps what was typed into the form `subject`; the id for its address.
    ///
    /// # Errors
    /// It is too large, or the database does not answer.
    pub async fn keep_draft<T: Serialize + Sync>(&self, subject: &str, typed: &T) -> Result<String> {
        let portal = self.portal();
        let content = serde_json::to_value(typed).map_err(|_| promise::Error::Internal)?;
        let now = portal.clock.now();
        let expires = now.saturating_add(KEPT).map_err(|_| promise::Error::Internal)?;
        let write = self.write(WriteOperation::SaveDraft, WriteTarget::remembered("draft", subject));
        let person = &self.identity().person;
        let kept = write.remember(portal.store.keep_draft(person, subject, &content, now, expires, &*portal.random), |_| true);
        match kept.await {
            Ok(id) => Ok(id.as_str().to_owned()),
            Err(store::Error::TooLarge { limit, .. }) => Err(promise::Error::Invalid {
                problems: vec![promise::Problem {
                    path: String::new(),
                    message: format!("This is more than the {} KiB that a form may hold.", limit / 1024),
                }],
            }),
            Err(error) => Err(database(&error)),
        }
    }

    /// What was typed into the form `subject`, if this person kept it under that id and it is still readable.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn draft<T: DeserializeOwned>(&self, subject: &str, id: &str) -> Result<Option<T>> {
        let Some(id) = DraftId::parse(id) else { return Ok(None) };
        let portal = self.portal();
        let draft = portal.store.draft(&id, &self.identity().person, portal.clock.now()).await.map_err(|error| database(&error))?;
        Ok(draft.filter(|draft| draft.subject == subject).and_then(|draft| serde_json::from_value(draft.content).ok()))
    }

    /// Forgets a draft, when its form was accepted.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn forget_draft(&self, id: &str) -> Result<()> {
        let Some(id) = DraftId::parse(id) else { return Ok(()) };
        let write = self.write(WriteOperation::DeleteDraft, WriteTarget::remembered("draft", id.as_str()));
        write.remember(self.portal().store.forget_draft(&id, &self.identity().person), |_| true).await.map_err(|error| database(&error))
    }
}
