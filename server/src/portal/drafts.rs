//! Drafts of forms: private rows of a user, without secrets, found by `?draft=`.

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
    /// Saves the input of the form `subject` and returns the draft's id for the address.
    ///
    /// # Errors
    /// If the input is too large, or the database fails.
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
                    message: format!("The form is too large: the maximum is {} KiB.", limit / 1024),
                }],
            }),
            Err(error) => Err(database(&error)),
        }
    }

    /// Returns the input of the form `subject`, if this user saved it under that id and it is still readable.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn draft<T: DeserializeOwned>(&self, subject: &str, id: &str) -> Result<Option<T>> {
        let Some(id) = DraftId::parse(id) else { return Ok(None) };
        let portal = self.portal();
        let draft = portal.store.draft(&id, &self.identity().person, portal.clock.now()).await.map_err(|error| database(&error))?;
        Ok(draft.filter(|draft| draft.subject == subject).and_then(|draft| serde_json::from_value(draft.content).ok()))
    }

    /// Deletes a draft after its form was accepted.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_draft(&self, id: &str) -> Result<()> {
        let Some(id) = DraftId::parse(id) else { return Ok(()) };
        let write = self.write(WriteOperation::DeleteDraft, WriteTarget::remembered("draft", id.as_str()));
        write.remember(self.portal().store.forget_draft(&id, &self.identity().person), |_| true).await.map_err(|error| database(&error))
    }
}
