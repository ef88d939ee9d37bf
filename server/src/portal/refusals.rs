//! Rejected posts of a user, saved as a draft.

use app::backend::{Refusal, Refusals};
use async_trait::async_trait;
use promise::Result;
use store::REFUSAL;

use crate::auth::Caller;

#[async_trait]
impl Refusals for Caller {
    async fn keep_refusal(&self, refusal: &Refusal) -> Result<String> {
        self.keep_draft(REFUSAL, refusal).await
    }

    async fn refusal(&self, id: &str) -> Result<Option<Refusal>> {
        self.draft(REFUSAL, id).await
    }
}
