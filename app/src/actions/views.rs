//! Saved views: filters that the user has named.

use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::routes::safe_redirect;

/// Saves the filter of a list under `title`. The filter is the rest of the form, as in the list's address; `list` and `place` identify the
/// list.
#[server(prefix = "/do", endpoint = "views/save", protocol = Form, custom = Posted)]
pub async fn save_view(form: Fields, back: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.save_view(&form.0).await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}

/// Renames a saved view.
#[server(prefix = "/do", endpoint = "views/rename", protocol = Form, custom = Posted)]
pub async fn rename_view(id: String, title: String, back: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.rename_view(&id, &title).await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}

/// Deletes a saved view; it doesn't have to exist.
#[server(prefix = "/do", endpoint = "views/delete", protocol = Form, custom = Posted)]
pub async fn delete_view(id: String, back: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.forget_view(&id).await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}
