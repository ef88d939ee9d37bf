//! Messages that could not be delivered.

use crate::view::Selection;
use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted};
use crate::routes::{page, safe_redirect};

/// Resends messages whose delivery was given up: those with these ids, or all of them.
#[server(prefix = "/do", endpoint = "deliveries/retry", protocol = Form, custom = Posted)]
pub async fn retry_delivery(id: Vec<String>, all: bool, back: String) -> Answer {
    let acting = Acting::now();
    let back = if back.is_empty() { page::DELIVERIES } else { safe_redirect(&back) };
    let done = async { acting.person()?.send_again(&Selection::of(all, id)).await }.await;
    acting.answer(done.map(|()| back.to_owned()), back).await
}
