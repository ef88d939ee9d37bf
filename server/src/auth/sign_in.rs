//! Beginning and ending a session.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::header;
use promise::Error;
use serde::Deserialize;

use super::caller::database;
use super::doors::SESSION;
use super::gate::Visitor;
use crate::error::HttpProblem;
use crate::state::Portal;

/// What the sign-in page sends.
#[derive(Deserialize)]
pub struct SignIn {
    /// Name of the chosen person.
    person: String,
    /// Where to go then, on this site.
    #[serde(default)]
    next: String,
}

/// `POST /sign-in`: a session of the chosen person of the embedded plane. An earlier session of the browser ends.
pub async fn enter(State(portal): State<Arc<Portal>>, Extension(visitor): Extension<Visitor>, Form(form): Form<SignIn>) -> Response {
    match begin(&portal, &visitor, &form.person).await {
        Ok(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to(local(&form.next))).into_response(),
        Err(error) => HttpProblem(error).into_response(),
    }
}

/// `POST /sign-out`: ends the session.
pub async fn leave(State(portal): State<Arc<Portal>>, Extension(visitor): Extension<Visitor>) -> Response {
    match end(&portal, &visitor).await {
        Ok(()) => ([(header::SET_COOKIE, portal.doors.cookie.clear())], Redirect::to("/")).into_response(),
        Err(error) => HttpProblem(error).into_response(),
    }
}

async fn begin(portal: &Portal, visitor: &Visitor, person: &str) -> promise::Result<http::HeaderValue> {
    let not_found = || Error::NotFound { what: format!("person {person}") };
    let token = portal.doors.token(person).ok_or_else(not_found)?;
    end(portal, visitor).await?;
    let now = portal.clock.now();
    let expires = now.saturating_add(SESSION).map_err(|_| Error::Internal)?;
    let begun = portal.store.begin_session(person, token.expose(), now, expires, &*portal.random).await;
    let cookie = begun.map_err(|error| database(&error))?;
    portal.doors.cookie.set(cookie.reveal(), SESSION.as_secs()).ok_or(Error::Internal)
}

async fn end(portal: &Portal, visitor: &Visitor) -> promise::Result<()> {
    let Visitor::Person(caller) = visitor else { return Ok(()) };
    portal.callers.forget(caller.session());
    portal.store.end_session(caller.session()).await.map_err(|error| database(&error))
}

/// Only addresses of this site: one slash and then something that no browser takes for a host.
fn local(next: &str) -> &str {
    let local = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains(['\\', '\n', '\r', '\t'])
        && next.parse::<http::Uri>().is_ok_and(|uri| uri.host().is_none());
    if local { next } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn nobody_is_sent_elsewhere() {
        for stays in ["/", "/w/root:acme:shop/catalog?q=a", "/approvals"] {
            assert_eq!(local(stays), stays);
        }
        for goes in ["", "//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)", "evil"] {
            assert_eq!(local(goes), "/", "{goes}");
        }
    }
}
