//! Promises that the user keeps at hand.

use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::PreviewText;
use crate::routes::{self, page, safe_redirect};
use crate::view::PromiseKey;

/// Adds the promise in `add` to the user's favourites, or removes the one in `remove`; `workspace` is the one that they found it in.
#[server(prefix = "/do", endpoint = "promises/favourite", protocol = Form, custom = Posted)]
pub async fn set_favourite_promise(workspace: String, add: String, remove: String, back: String) -> Answer {
    let acting = Acting::now();
    let (key, favourite) = if add.is_empty() { (&remove, false) } else { (&add, true) };
    let done = async { acting.person()?.set_favourite_promise(&workspace, &PromiseKey::parse(key), favourite).await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}

/// Shows the form that a schema makes, with what was typed into it. Nothing is published.
#[server(prefix = "/do", endpoint = "promises/preview", protocol = Form, custom = Posted)]
pub async fn preview_promise(form: Fields) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.preview_promise(&PreviewText::posted(&form.0)).await }.await;
    acting.answer(done.map(|draft| routes::promise_preview_draft(&draft)), page::PROMISE_PREVIEW).await
}
