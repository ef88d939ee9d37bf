//! The audit log.

use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted};
use crate::routes::page;

/// Verifies the next records of the chains. `start` begins with the first record again.
#[server(prefix = "/do", endpoint = "audit/verify", protocol = Form, custom = Posted)]
pub async fn verify_audit_log(start: bool) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.verify_audit(start).await }.await;
    acting.answer(done.map(|()| page::AUDIT.to_owned()), page::AUDIT).await
}
