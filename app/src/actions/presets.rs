//! Presets: values that requests start from.

use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::PresetOf;
use crate::routes;

/// Saves the values of a draft, or of what a form starts from, under `title`, for everyone who can create requests in the workspace.
#[server(prefix = "/do", endpoint = "presets/save", protocol = Form, custom = Posted)]
pub async fn save_preset(workspace: String, promise: String, home: String, draft: String, start: String, title: String) -> Answer {
    let acting = Acting::now();
    let of = PresetOf { promise: &promise, home: Some(home.as_str()).filter(|home| !home.is_empty()), draft: &draft, start: &start };
    let page = routes::preset_new(&workspace, of.promise, of.home, of.draft, of.start);
    let done = async { acting.person()?.save_preset(&workspace, of, &title).await }.await;
    let typed = Fields(vec![("title".to_owned(), title.clone())]);
    acting.answer_on(&page, done.map(|()| routes::presets_after(&workspace, &title)), typed).await
}

/// Deletes a preset; it doesn't have to exist. The message on the page names its `title`.
#[server(prefix = "/do", endpoint = "presets/delete", protocol = Form, custom = Posted)]
pub async fn delete_preset(workspace: String, id: String, title: String) -> Answer {
    let acting = Acting::now();
    let page = routes::presets(&workspace);
    let done = async { acting.person()?.delete_preset(&workspace, &id).await }.await;
    acting.answer(done.map(|()| routes::presets_without(&workspace, &title)), &page).await
}
