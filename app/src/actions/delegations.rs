//! The user's delegate, who decides while the user is away.

use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::routes::{self, page};

/// Sets a delegate for a number of days: fields `deputy`, `from` and `to`.
#[server(prefix = "/do", endpoint = "delegations/set", protocol = Form, custom = Posted)]
pub async fn set_delegate(form: Fields) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.set_delegate(&form.0).await }.await;
    acting.answer_on(page::STAND_IN, done.map(|()| routes::delegate_saved()), form).await
}

/// Ends the delegation.
#[server(prefix = "/do", endpoint = "delegations/end", protocol = Form, custom = Posted)]
pub async fn end_delegation() -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.end_delegation().await }.await;
    acting.answer(done.map(|()| routes::delegation_ended()), page::STAND_IN).await
}
