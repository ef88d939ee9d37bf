//! Promises that the user keeps at hand.

use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::{PreviewText, PromiseText};
use crate::routes::{self, page, safe_redirect};
use crate::view::{PromiseFormOutcome, PromiseKey};

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

/// Checks a promise, shows its form, or publishes it if `_op` is `publish`. Without a `name`, the promise is new. What isn't published becomes a
/// draft, which the form shows with the results of its check.
#[server(prefix = "/do", endpoint = "promises/save", protocol = Form, custom = Posted)]
pub async fn save_promise(form: Fields) -> Answer {
    let acting = Acting::now();
    let typed = PromiseText::posted(&form.0);
    let page = match &typed.name {
        Some(name) => routes::promise_edit(&typed.workspace, name),
        None => routes::promise_new(&typed.workspace),
    };
    let done = async {
        let person = acting.person()?;
        if typed.operation == "preview" {
            let preview = PreviewText { document: Some(typed.text.clone()), operation: "show".to_owned(), ..PreviewText::default() };
            return person.preview_promise(&preview).await.map(|draft| routes::promise_preview_draft(&draft));
        }
        Ok(match person.write_promise(&typed).await? {
            PromiseFormOutcome::Again { draft } => routes::with_query(&page, &[("draft", &draft)]),
            PromiseFormOutcome::Written { workspace, name } => routes::author(&workspace, &name),
        })
    };
    acting.answer(done.await, &page).await
}

/// Has a promise no longer offered. Its instances keep running.
#[server(prefix = "/do", endpoint = "promises/retire", protocol = Form, custom = Posted)]
pub async fn retire_promise(place: String, promise: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.retire_promise(&place, &promise).await }.await;
    acting.answer(done.map(|()| routes::author(&place, &promise)), &routes::promise_retire(&place, &promise)).await
}
