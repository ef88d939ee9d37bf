//! Beginning and ending a session.

use http::HeaderValue;
use promise::{Error, Result};

use super::caller::database;
use super::cookie::Kind;
use super::doors::SESSION;
use super::gate::Visitor;
use crate::state::Portal;

/// Begins a session of one of the people of the embedded plane; the cookie for the browser. An earlier session of it ends.
///
/// # Errors
/// There is no such person, or the database does not answer.
pub async fn begin(portal: &Portal, visitor: &Visitor, person: &str) -> Result<HeaderValue> {
    let not_found = || Error::NotFound { what: format!("person {person}") };
    let token = portal.doors.token(person).ok_or_else(not_found)?;
    end(portal, visitor).await?;
    let now = portal.clock.now();
    let expires = now.checked_add(SESSION).map_err(|_| Error::Internal)?;
    let begun = portal.store.begin_session(person, token.expose(), now, expires, &*portal.random).await;
    let cookie = begun.map_err(|error| database(&error))?;
    portal.doors.cookie.set(Kind::Session, cookie.reveal(), SESSION.as_secs()).ok_or(Error::Internal)
}

/// Ends the session of a visitor, if there is one.
///
/// # Errors
/// The database does not answer.
pub async fn end(portal: &Portal, visitor: &Visitor) -> Result<()> {
    let Visitor::Person(caller) = visitor else { return Ok(()) };
    let ended = portal.store.end_session(caller.session()).await.map_err(|error| database(&error));
    // Afterwards: whoever is being verified meanwhile looks at the session once more.
    portal.callers.forget(caller.session());
    ended
}
