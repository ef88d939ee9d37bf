//! Drafts of request forms.

use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted};
use crate::routes::safe_redirect;

/// Shares a draft with the people who can submit its form, or stops sharing it.
#[server(prefix = "/do", endpoint = "drafts/share", protocol = Form, custom = Posted)]
pub async fn share_draft(id: String, shared: bool, back: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.share_draft(&id, shared).await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}

/// Deletes a draft; it doesn't have to exist.
#[server(prefix = "/do", endpoint = "drafts/discard", protocol = Form, custom = Posted)]
pub async fn discard_draft(id: String, back: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.discard_draft(&id).await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}
