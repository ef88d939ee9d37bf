//! Forms of requests that are posted after their session has ended: kept for the next person who signs in with the same browser, which gets
//! a key in a cookie. The address leads to the form and holds no value.

use app::actions::{self, ChangeRequest, SubmitRequest};
use app::routes;
use axum::body::Body;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::header;
use jiff::SignedDuration;
use promise::identity::PersonId;
use promise::{Error, Result};
use serde_json::json;

use super::caller::database;
use super::cookie::Kind;
use super::csrf::FORM_FIELD;
use crate::portal::Portal;
use crate::portal::write::{RecordedWrite, WriteOperation, WriteTarget};
use crate::web::body;
use crate::web::pairs::{field, parse};

/// How long a form waits for a sign-in.
const KEPT: SignedDuration = SignedDuration::from_hours(1);
/// Largest form that is kept, in bytes: anyone can send one.
const MAX_FORM: usize = 64 * 1024;

/// Checks whether the form at this address is kept.
pub(crate) fn is_kept(path: &str) -> bool {
    path == actions::path::<SubmitRequest>() || path == actions::path::<ChangeRequest>()
}

/// Keeps a posted form and returns the redirect to the sign-in page, which leads back to the form. The last step is not kept: it can
/// contain secrets, and the draft that it names has everything else.
///
/// # Errors
/// If the form is too large or isn't a form, or the database fails.
pub(crate) async fn keep(portal: &Portal, body: Body, request_id: String) -> Result<Response> {
    let bytes = body::read(body, MAX_FORM, portal.limits.body_timeout).await?;
    let pairs: Vec<(String, String)> = parse(&bytes)?.into_iter().filter(|(name, _)| name != FORM_FIELD).collect();
    let page = page(&pairs);
    let of = |name: &str| field(&pairs, name).unwrap_or_default();
    if of("_op") == "submit" {
        let review = routes::with_query(&page.review, &[("draft", of("_draft"))]);
        return Ok(see(&review));
    }
    let (now, no_one) = (portal.clock.now(), PersonId::default());
    let expires = now.saturating_add(KEPT).map_err(|_| Error::Internal)?;
    let write = RecordedWrite::of(&no_one, &request_id, WriteOperation::LeaveForm, WriteTarget::remembered("form", ""));
    let left = write.remember(portal.store.leave_post(&json!(pairs), now, expires, &*portal.random), |_| true).await;
    let (id, key) = left.map_err(|error| database(&error))?;
    let mut answer = see(&routes::with_query(&page.form, &[("draft", id.as_str())]));
    if let Some(cookie) = portal.sign_in.cookie.set(Kind::Form, &key, KEPT.as_secs()) {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(answer)
}

/// Gives the form that waits for this key to the person who signed in. Signing in works without it.
pub(super) async fn take(portal: &Portal, key: &str, person: &PersonId, request_id: &str) {
    let write = RecordedWrite::of(person, request_id, WriteOperation::TakeForm, WriteTarget::remembered("form", ""));
    let taken = write.remember(portal.store.claim_post(key, person, portal.clock.now()), |taken| *taken).await;
    if let Err(error) = taken {
        tracing::warn!(%error, "a form that waited for a sign-in was lost");
    }
}

/// The pages of a posted form.
struct Pages {
    form: String,
    review: String,
}

fn page(pairs: &[(String, String)]) -> Pages {
    let of = |name: &str| field(pairs, name).unwrap_or_default();
    let (workspace, promise) = (of("workspace"), of("promise"));
    if promise.is_empty() {
        let (namespace, name) = (of("namespace"), of("name"));
        return Pages { form: routes::request_edit(workspace, namespace, name), review: routes::edit_review(workspace, namespace, name) };
    }
    let home = Some(of("home")).filter(|home| !home.is_empty());
    Pages { form: routes::request_new(workspace, promise, home), review: routes::request_review(workspace, promise, home) }
}

/// Redirects to the sign-in page and from there to an address.
fn see(back: &str) -> Response {
    Redirect::to(&routes::sign_in(back)).into_response()
}
