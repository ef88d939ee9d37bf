//! Workspaces that the user keeps at hand.

use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted};
use crate::routes::safe_redirect;

/// Adds the workspace at a path to the user's favourites if `favourite` is `true`, and removes it otherwise.
#[server(prefix = "/do", endpoint = "workspaces/favourite", protocol = Form, custom = Posted)]
pub async fn set_favourite(path: String, favourite: String, back: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.set_favourite(&path, favourite == "true").await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}
