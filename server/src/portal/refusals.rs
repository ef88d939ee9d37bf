//! Rejected posts of a user, saved as a draft.

use app::backend::{Refusal, Refusals};
use app::routes::page;
use async_trait::async_trait;
use promise::{Error, Result};
use store::REFUSAL;

use crate::auth::Caller;

/// Why a form that waited for a sign-in was not carried out.
const ENDED: &str = "your session had ended, so nothing was saved; check what you entered and send it again";

#[async_trait]
impl Refusals for Caller {
    async fn keep_refusal(&self, refusal: &Refusal) -> Result<String> {
        self.keep_draft(REFUSAL, refusal).await
    }

    async fn refusal(&self, id: &str) -> Result<Option<Refusal>> {
        if let Some(refusal) = self.draft(REFUSAL, id).await? {
            return Ok(Some(refusal));
        }
        let posted = self.posted(id).await?;
        let error = || Error::Conflict { message: ENDED.to_owned() };
        Ok(posted.map(|fields| Refusal { error: error(), back: page::HOME.to_owned(), fields }))
    }
}
