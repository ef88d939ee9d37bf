//! Rejected posts of a user, saved as a draft.

use app::backend::{Refusal, Refusals};
use app::routes::page;
use async_trait::async_trait;
use promise::{ConflictReason, Result};
use store::REFUSAL;

use crate::portal::Caller;

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
        Ok(posted.map(|fields| Refusal { error: ConflictReason::SessionEnded.into(), back: page::HOME.to_owned(), fields }))
    }
}
