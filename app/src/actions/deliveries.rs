//! Messages that could not be delivered.

use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted};
use crate::routes::{page, safe_redirect};

/// Sends a message again that was given up; with an empty `id` all of them.
#[server(prefix = "/do", endpoint = "deliveries/retry", protocol = Form, custom = Posted)]
pub async fn retry_delivery(id: String, back: String) -> Answer {
    let acting = Acting::now();
    let back = if back.is_empty() { page::DELIVERIES } else { safe_redirect(&back) };
    let done = async { acting.person()?.send_again(&id).await }.await;
    acting.answer(done.map(|()| back.to_owned()), back).await
}
