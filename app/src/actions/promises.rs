//! Promises that the user keeps at hand.

use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted};
use crate::routes::safe_redirect;
use crate::view::PromiseKey;

/// Adds the promise in `add` to the user's favourites, or removes the one in `remove`; `workspace` is the one that they found it in.
#[server(prefix = "/do", endpoint = "promises/favourite", protocol = Form, custom = Posted)]
pub async fn set_favourite_promise(workspace: String, add: String, remove: String, back: String) -> Answer {
    let acting = Acting::now();
    let (key, favourite) = if add.is_empty() { (&remove, false) } else { (&add, true) };
    let done = async { acting.person()?.set_favourite_promise(&workspace, &PromiseKey::parse(key), favourite).await }.await;
    acting.answer(done.map(|()| safe_redirect(&back).to_owned()), &back).await
}
