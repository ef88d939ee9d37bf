//! Notifications of the person.

use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted};
use crate::routes::{page, safe_redirect};

/// Marks one notification as read, or with an empty `id` all that came until `until`.
#[server(prefix = "/do", endpoint = "notifications/read", protocol = Form, custom = Posted)]
pub async fn mark_read(id: String, until: String, back: String) -> Answer {
    let acting = Acting::now();
    let back = if back.is_empty() { page::NOTIFICATIONS } else { safe_redirect(&back) };
    let done = async { acting.person()?.mark_read(&id, &until).await }.await;
    acting.answer(done.map(|()| back.to_owned()), back).await
}
