//! Forms that are posted after their session has ended: they lead to the sign-in and back to their page. What can be typed in them is kept for
//! the next person who signs in with the same browser, which gets a key in a cookie. The address leads to the form and holds no value. If
//! someone has signed in again by then, in another tab, they lead back to their page at once.

use app::actions::{
    self, AskAgain, CancelRun, CancelWorkflow, ChangeRequest, Comment, Decide, DecideTogether, DeletePolicy, DeleteRequest, RetryRun,
    RetryWorkflow, RevealOutput, RollOut, RunAction, SaveNotificationSettings, SavePolicy, SavePromise, SetDelegate, SignIn, SkipStep,
    SubmitRequest, SwitchPolicy, Withdraw,
};
use app::backend::Pairs;
use app::routes::{self, page};
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Redirect, Response};
use http::header;
use jiff::SignedDuration;
use promise::form::manifest;
use promise::identity::PersonId;
use promise::{Error, Result};
use serde_json::json;
use store::{NewDraft, POSTED};

use crate::auth::cookie::Kind;
use crate::auth::csrf::{FORM_FIELD, is_token};
use crate::portal::Portal;
use crate::portal::caller::database;
use crate::portal::requests::MANIFEST;
use crate::portal::write::{RecordedWrite, WriteOperation, WriteTarget};
use crate::web::body;
use crate::web::pairs::{field, parse};

/// How long a form waits for a sign-in.
const KEPT: SignedDuration = SignedDuration::from_hours(1);
/// What the addresses of all operations begin with.
const ACTIONS: &str = "/do/";
/// The field of a query with the draft that a form shows.
const DRAFT: &str = "draft";
/// The field of a query with the post that a page shows again.
const REFUSED: &str = "refused";
/// Largest form that is kept, in bytes: anyone can send one.
const MAX_FORM: usize = 64 * 1024;
/// Largest form with the text of a promise that is kept, in bytes.
const MAX_DOCUMENT: usize = 512 * 1024;

/// Checks whether a post at this address needs a session.
pub(crate) fn needs_session(path: &str) -> bool {
    path.starts_with(ACTIONS) && path != actions::path::<SignIn>()
}

/// Keeps a posted form and returns the redirect to the sign-in page, which leads back to the form. The last step of a request is not kept: it
/// can contain secrets, and the draft that it names has everything else. `had_cookie` is whether the browser still has the cookie of the session;
/// `request_id` is that of the HTTP request.
///
/// # Errors
/// [`Error::Unauthenticated`] if it wasn't posted from a page of a session; if the form is too large or isn't a form, or the database fails.
pub(crate) async fn keep(portal: &Portal, path: &str, body: Body, (had_cookie, request_id): (bool, String)) -> Result<Response> {
    let bytes = body::read(body, most(path), portal.limits.body_timeout).await?;
    if !had_cookie && !is_of_session(&bytes)? {
        return Err(Error::Unauthenticated);
    }
    let KeptForm { page, key } = keep_form(portal, path, &bytes, &request_id).await?;
    let mut answer = see(&page);
    if let Some(cookie) = key.and_then(|key| portal.sign_in.cookie.set(Kind::Form, &key, KEPT.as_secs())) {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(answer)
}

/// Keeps a form that was posted from a page of an earlier session, and returns the address where `person`, who has signed in again since, can
/// open it again. `None` if there was no such session, or no one has signed in.
///
/// # Errors
/// If it isn't a form, or the database fails.
pub(crate) async fn reopen(
    portal: &Portal,
    person: Option<&PersonId>,
    path: &str,
    body: &Bytes,
    request_id: String,
) -> Result<Option<String>> {
    let Some(person) = person.filter(|_| is_of_session(body).unwrap_or_default()) else { return Ok(None) };
    if body.len() > most(path) {
        return Err(Error::TooLarge { limit: most(path) });
    }
    let (pairs, PostedFrom { page, kept }) = posted(portal, path, body)?;
    let Some(kept) = kept else { return Ok(Some(page)) };
    let (now, content) = (portal.clock.now(), json!(pairs));
    let expires = now.saturating_add(KEPT).map_err(|_| Error::Internal)?;
    let draft = NewDraft { id: None, family: None, subject: POSTED, title: "", content: &content };
    let write = RecordedWrite::of(portal, person, &request_id, WriteOperation::TakeForm, WriteTarget::remembered("form", ""));
    let saved = write.remember(portal.store.save_draft(person, &draft, now, expires, &*portal.random), |_| true).await;
    let id = saved.map_err(|error| unkept(&error))?;
    Ok(Some(routes::with_query(&page, &[(kept, id.as_str())])))
}

/// Checks whether a form comes from a page that was opened in a session. Which one isn't known any more.
fn is_of_session(body: &Bytes) -> Result<bool> {
    Ok(parse(body)?.iter().any(|(name, value)| name == FORM_FIELD && is_token(value)))
}

/// A form that is kept until someone signs in.
struct KeptForm {
    /// The page that it leads back to.
    page: String,
    /// The key that takes what was typed; `None` if nothing is typed there.
    key: Option<String>,
}

/// Returns what can be kept of a posted form, and the page that it was posted from.
fn posted(portal: &Portal, path: &str, body: &Bytes) -> Result<(Vec<(String, String)>, PostedFrom)> {
    let mut pairs: Vec<(String, String)> = parse(body)?.into_iter().filter(|(name, _)| name != FORM_FIELD).collect();
    take_secrets_out(portal, &mut pairs);
    let from = PostedFrom::of(path, &pairs);
    Ok((pairs, from))
}

/// Returns the largest form that is kept, in bytes.
fn most(path: &str) -> usize {
    if path == actions::path::<SavePromise>() { MAX_DOCUMENT } else { MAX_FORM }
}

/// Returns why a form can't be kept.
fn unkept(error: &store::Error) -> Error {
    match error {
        store::Error::TooLarge { limit, .. } => Error::TooLarge { limit: *limit },
        error => database(error),
    }
}

async fn keep_form(portal: &Portal, path: &str, body: &Bytes, request_id: &str) -> Result<KeptForm> {
    let (pairs, PostedFrom { page, kept }) = posted(portal, path, body)?;
    let Some(kept) = kept else { return Ok(KeptForm { page, key: None }) };
    let (now, no_one) = (portal.clock.now(), PersonId::default());
    let expires = now.saturating_add(KEPT).map_err(|_| Error::Internal)?;
    let write = RecordedWrite::of(portal, &no_one, request_id, WriteOperation::LeaveForm, WriteTarget::remembered("form", ""));
    let left = write.remember(portal.store.leave_post(&json!(pairs), now, expires, &*portal.random), |_| true).await;
    let (id, key) = left.map_err(|error| unkept(&error))?;
    Ok(KeptForm { page: routes::with_query(&page, &[(kept, id.as_str())]), key: Some(key) })
}

/// Takes secrets out of a posted manifest. Which promise it is about isn't known for certain without a session, so those of every promise that
/// the text names go.
fn take_secrets_out(portal: &Portal, pairs: &mut [(String, String)]) {
    for (_, text) in pairs.iter_mut().filter(|(name, _)| name == MANIFEST) {
        for (key, promise) in portal.world.promises.snapshot().iter() {
            if !promise.spec.secret_parameters.is_empty() && text.contains(&key.name) {
                *text = manifest::without_secrets(text, &promise.spec).0;
            }
        }
    }
}

/// Gives the form that waits for this key to the person who signed in. Signing in works without it.
pub(super) async fn take(portal: &Portal, key: &str, person: &PersonId, request_id: &str) {
    let write = RecordedWrite::of(portal, person, request_id, WriteOperation::TakeForm, WriteTarget::remembered("form", ""));
    let taken = write.remember(portal.store.claim_post(key, person, portal.clock.now()), |taken| *taken).await;
    if let Err(error) = taken {
        tracing::warn!(%error, "a form that waited for a sign-in was lost");
    }
}

/// The page that a form was posted from.
struct PostedFrom {
    page: String,
    /// The field of its query with what was typed; `None` if nothing is typed there.
    kept: Option<&'static str>,
}

impl PostedFrom {
    fn of(path: &str, pairs: &Pairs) -> Self {
        let of = |name: &str| field(pairs, name).unwrap_or_default();
        let is = |paths: &[&str]| paths.contains(&path);
        let (workspace, namespace, name) = (of("workspace"), of("namespace"), of("name"));
        let typed = |page: String, kept| Self { page, kept: Some(kept) };
        let untyped = |page: String| Self { page, kept: None };
        if is(&[actions::path::<SubmitRequest>(), actions::path::<ChangeRequest>()]) {
            let (form, review) = form_pages(pairs);
            return if of("_op") == "submit" {
                untyped(routes::with_query(&review, &[("draft", of("_draft"))]))
            } else {
                typed(form, DRAFT)
            };
        }
        if is(&[actions::path::<SavePolicy>()]) {
            let page = if name.is_empty() { routes::policy_new(workspace) } else { routes::policy_edit(workspace, name) };
            return typed(page, DRAFT);
        }
        if is(&[actions::path::<SavePromise>()]) {
            let page = if name.is_empty() { routes::promise_new(workspace) } else { routes::promise_edit(workspace, name) };
            return typed(page, DRAFT);
        }
        if is(&[actions::path::<Decide>(), actions::path::<Comment>()]) {
            return typed(routes::approval_since(of("uid"), of("hash")), REFUSED);
        }
        if is(&[actions::path::<DecideTogether>()]) {
            return typed(routes::alike(of("like")), REFUSED);
        }
        if is(&[actions::path::<SaveNotificationSettings>()]) {
            return typed(page::NOTIFICATION_SETTINGS.to_owned(), REFUSED);
        }
        if is(&[actions::path::<SetDelegate>()]) {
            return typed(page::STAND_IN.to_owned(), REFUSED);
        }
        if is(&[actions::path::<Withdraw>(), actions::path::<AskAgain>()]) {
            return untyped(routes::approval(of("uid")));
        }
        if is(&[
            actions::path::<RollOut>(),
            actions::path::<RetryWorkflow>(),
            actions::path::<CancelWorkflow>(),
            actions::path::<RevealOutput>(),
        ]) {
            return untyped(routes::request(workspace, namespace, name));
        }
        if is(&[actions::path::<RunAction>()]) {
            return typed(routes::action(workspace, namespace, name, of("action")), DRAFT);
        }
        if is(&[actions::path::<CancelRun>(), actions::path::<RetryRun>()]) {
            return untyped(routes::run(workspace, namespace, name, of("run")));
        }
        if is(&[actions::path::<SkipStep>()]) {
            let page = match of("run") {
                "" => routes::skip(workspace, namespace, name, of("step")),
                run => routes::skip_in_run(workspace, namespace, name, run, of("step")),
            };
            return typed(page, REFUSED);
        }
        if is(&[actions::path::<DeleteRequest>()]) {
            return untyped(routes::request_delete(workspace, namespace, name));
        }
        if is(&[actions::path::<SwitchPolicy>(), actions::path::<DeletePolicy>()]) {
            return untyped(routes::policy(workspace, name, ""));
        }
        untyped(routes::safe_redirect(of("back")).to_owned())
    }
}

/// Returns the form of a request and its review.
fn form_pages(pairs: &Pairs) -> (String, String) {
    let of = |name: &str| field(pairs, name).unwrap_or_default();
    let (workspace, promise) = (of("workspace"), of("promise"));
    if promise.is_empty() {
        let (namespace, name) = (of("namespace"), of("name"));
        return (routes::request_edit(workspace, namespace, name), routes::edit_review(workspace, namespace, name));
    }
    let home = Some(of("home")).filter(|home| !home.is_empty());
    (routes::request_new(workspace, promise, home), routes::request_review(workspace, promise, home))
}

/// Redirects to the sign-in page and from there to an address.
fn see(back: &str) -> Response {
    Redirect::to(&routes::sign_in(back)).into_response()
}

#[cfg(test)]
mod tests {
    use app::actions::SaveView;

    use super::*;

    fn leads(path: &str, pairs: &[(&str, &str)]) -> (String, Option<&'static str>) {
        let pairs: Vec<(String, String)> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let PostedFrom { page, kept } = PostedFrom::of(path, &pairs);
        (page, kept)
    }

    #[test]
    fn a_post_leads_to_the_page_that_it_came_from() {
        let request = [("workspace", "root:a"), ("namespace", "default"), ("name", "db")];
        assert_eq!(leads(actions::path::<RollOut>(), &request), ("/w/root:a/requests/default/db".to_owned(), None));
        assert_eq!(leads(actions::path::<ChangeRequest>(), &request), ("/w/root:a/requests/default/db/edit".to_owned(), Some("draft")));
        let run = [&request[..], &[("action", "backup"), ("run", "db-backup-1")]].concat();
        assert_eq!(leads(actions::path::<RunAction>(), &run), ("/w/root:a/requests/default/db/actions/backup".to_owned(), Some("draft")));
        assert_eq!(leads(actions::path::<CancelRun>(), &run), ("/w/root:a/requests/default/db/runs/db-backup-1".to_owned(), None));
        let step = [&run[..], &[("step", "ticket"), ("comment", "It is done by hand.")]].concat();
        let skip = "/w/root:a/requests/default/db/runs/db-backup-1/steps/ticket/skip";
        assert_eq!(leads(actions::path::<SkipStep>(), &step), (skip.to_owned(), Some("refused")));
        let decision = [("uid", "u1"), ("hash", "h1"), ("comment", "Why?")];
        assert_eq!(leads(actions::path::<Decide>(), &decision), ("/approvals/u1?since=h1".to_owned(), Some("refused")));
        assert_eq!(leads(actions::path::<SavePolicy>(), &[("workspace", "root:a")]).1, Some("draft"));
        let promise = [("workspace", "root:a"), ("name", "redis"), ("text", "kind: Promise")];
        assert_eq!(leads(actions::path::<SavePromise>(), &promise), (routes::promise_edit("root:a", "redis"), Some("draft")));
        assert_eq!(leads(actions::path::<SavePromise>(), &promise[..1]), (routes::promise_new("root:a"), Some("draft")));
        let view = actions::path::<SaveView>();
        assert_eq!(leads(view, &[("back", "/requests?phase=Ready")]), ("/requests?phase=Ready".to_owned(), None));
        assert_eq!(leads(view, &[("back", "https://elsewhere.example")]), ("/".to_owned(), None));
        assert!(needs_session(view) && !needs_session(actions::path::<SignIn>()) && !needs_session("/w/root/preflight"));
    }
}
