//! Starting and ending sessions.

use app::backend::SignInProblem;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cluster::Token;
use http::HeaderValue;
use jiff::{SignedDuration, Timestamp};
use promise::people::tidy;
use promise::{Error, Result};
use serde_json::Value;
use store::{AtProvider, NewSession};

use super::{Visitor, unsent};
use crate::auth::cookie::Kind;
use crate::auth::sign_in_method::Given;
use crate::limits::{ClientAddress, TokenSource};
use crate::portal::Portal;
use crate::portal::caller::{Identity, Shown, database, review};
use crate::portal::write::{RecordedWrite, WriteOperation, WriteTarget};

/// How long the browser keeps the cookie of a session that has ended. It opens nothing any more, and only tells that there was a session:
/// a form that is posted with it is kept for the next sign-in.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The request with which a person signs in.
#[derive(Clone, Copy)]
pub struct SignInRequest<'a> {
    /// Where it comes from.
    pub address: ClientAddress,
    /// The id of the HTTP request.
    pub request_id: &'a str,
    /// The browser, as people call it.
    pub browser: &'a str,
    /// The key of a form that the browser posted after its session had ended.
    pub form: Option<&'a str>,
}

/// What a person signs in with.
pub(crate) struct Presented<'a> {
    /// The token that they brought, or that an identity provider issued for them. It is stored.
    pub(crate) text: &'a str,
    /// The token with which the portal acts for them.
    pub(crate) token: Token,
    /// Where it comes from, if an identity provider issued it.
    pub(crate) at: Option<&'a AtProvider>,
    /// Who it has to be, the text of a [`promise::identity::PersonId`]; anyone if absent.
    pub(crate) person: Option<&'a str>,
}

/// Starts a session for a person whom the plane knows, and returns the cookie for the browser. An earlier session of the browser ends.
///
/// # Errors
/// If there is no such person, the plane doesn't accept the token, there were too many attempts, or the plane or the database doesn't
/// respond.
pub async fn begin(
    portal: &Portal,
    visitor: &Visitor,
    given: Given<'_>,
    from: &SignInRequest<'_>,
) -> std::result::Result<HeaderValue, SignInProblem> {
    let token = portal.sign_in.open(given)?;
    let text = token.expose();
    begin_with(portal, visitor, Presented { text: &text, token, at: None, person: None }, from).await
}

/// Starts a session for the holder of a token, which an identity provider might have issued. An earlier session of the browser ends, and the
/// new one has a new secret: what was in the browser before the sign-in opens nothing.
///
/// # Errors
/// As [`begin`], and if it is someone else than it has to be: the earlier session stays as it is.
pub(crate) async fn begin_with(
    portal: &Portal,
    visitor: &Visitor,
    presented: Presented<'_>,
    from: &SignInRequest<'_>,
) -> std::result::Result<HeaderValue, SignInProblem> {
    let identity = holder(portal, &presented, from.address).await.map_err(problem)?;
    // Neither who came back is someone else, nor who is signed in by now.
    let signed_in = visitor.caller().ok().map(|caller| &caller.identity().person);
    let is_other = |person: &str| *person != *identity.person || signed_in.is_some_and(|known| *person != **known);
    if presented.person.is_some_and(is_other) {
        return Err(SignInProblem::OtherPerson);
    }
    let begun = async {
        end(portal, visitor).await?;
        let cookie = of(portal, &presented, &identity, from).await?;
        if let Some(key) = from.form {
            unsent::take(portal, key, &identity.person, from.request_id).await;
        }
        Ok(cookie)
    };
    begun.await.map_err(problem)
}

/// Returns the problem that the sign-in page shows for an error.
fn problem(error: Error) -> SignInProblem {
    match error {
        Error::Unauthenticated => SignInProblem::TokenRefused,
        Error::TooManyRequests { seconds, .. } => SignInProblem::TooManyAttempts(seconds),
        _ => SignInProblem::Unavailable,
    }
}

/// Starts a session for the holder of a token, and returns the cookie for the browser.
async fn of(portal: &Portal, presented: &Presented<'_>, identity: &Identity, from: &SignInRequest<'_>) -> Result<HeaderValue> {
    let Presented { text, at, .. } = *presented;
    let now = portal.clock.now();
    let expires = now.checked_add(portal.sign_in.lifetime.longest).map_err(|_| Error::Internal)?;
    // A token that can be replaced doesn't end its session.
    let renewable = at.is_some_and(|at| at.refresh.is_some());
    let expires = if renewable { expires } else { ends(text).map_or(expires, |end| end.min(expires)) };
    let rests = portal.rests(now);
    let mail = mail(text).unwrap_or_default();
    let sample = || portal.person(&identity.person).map(|person| person.display_name.clone());
    let name = name(text).or_else(sample).unwrap_or_default();
    let write =
        RecordedWrite::of(portal, &identity.person, from.request_id, WriteOperation::SignIn, WriteTarget::remembered("session", ""));
    let begun = write.remember(
        async {
            let session = NewSession { person: &identity.person, token: text, expires, rests, browser: from.browser, at_provider: at };
            let cookie = portal.store.begin_session(&session, now, &*portal.random).await?;
            // Records the groups, so that rules that name a group find its members.
            portal.store.meet(&identity.person, &identity.groups, (&mail, &name), now).await?;
            portal.people.changed();
            Ok(cookie)
        },
        |_| true,
    );
    let cookie = begun.await.map_err(|error| database(&error))?;
    let seconds = expires.duration_since(now).saturating_add(REMEMBERED).as_secs();
    portal.sign_in.cookie.set(Kind::Session, cookie.reveal(), seconds).ok_or(Error::Internal)
}

/// Returns the identity of a token's holder. A token that the plane refused a moment ago isn't reviewed again.
async fn holder(portal: &Portal, presented: &Presented<'_>, address: ClientAddress) -> Result<Identity> {
    let (key, reviews) = (Shown::Bearer(presented.text).key(), &portal.limits.reviews);
    let _review = reviews.begin(TokenSource::SignIn, address).await?;
    if reviews.was_refused(key) {
        return Err(Error::Unauthenticated);
    }
    review(portal, &presented.token).await.inspect_err(|error| match error {
        Error::Unauthenticated => reviews.refuse(key),
        // Without it, no one whom the portal impersonates can sign in.
        Error::Denied { reason } => tracing::error!(%reason, "the control plane doesn't let the portal impersonate people"),
        _ => {}
    })
}

/// Returns the claims of a token (RFC 7519).
fn claims(token: &str) -> Option<Value> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?).ok()
}

/// Returns the expiry time in the token's claims. It can only shorten a session, so the signature doesn't need to be checked.
fn ends(token: &str) -> Option<Timestamp> {
    Timestamp::from_second(claims(token)?.get("exp")?.as_i64()?).ok()
}

/// Returns the mail address in the token's claims, unless the issuer marks it as unverified. The plane has already accepted the token, so
/// it comes from an issuer that the plane trusts.
fn mail(token: &str) -> Option<String> {
    let claims = claims(token)?;
    let checked = claims.get("email_verified").and_then(Value::as_bool).unwrap_or(true);
    claims.get("email").and_then(Value::as_str).filter(|_| checked).map(str::to_owned)
}

/// Returns the person's name in the token's claims (OpenID Connect), for pages. Nothing is decided by it.
fn name(token: &str) -> Option<String> {
    claims(token)?.get("name").and_then(Value::as_str).map(tidy).filter(|name| !name.is_empty())
}

/// Ends the visitor's session, if there is one.
///
/// # Errors
/// If the database doesn't respond.
pub async fn end(portal: &Portal, visitor: &Visitor) -> Result<()> {
    let Visitor::Person(caller) = visitor else { return Ok(()) };
    let write = caller.write(WriteOperation::SignOut, WriteTarget::remembered("session", ""));
    let ended = write.remember(portal.store.end_session(caller.session()), |()| true).await.map_err(|error| database(&error));
    // Removed after the session: a verification running at the same time checks the session again.
    portal.callers.end(caller.session());
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_address_counts_unless_nobody_checked_it() {
        let token = |claims: &str| format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(mail(&token(r#"{"email":"dana@acme.example"}"#)).as_deref(), Some("dana@acme.example"));
        assert_eq!(mail(&token(r#"{"email":"dana@acme.example","email_verified":false}"#)), None);
        assert_eq!(mail("opaque"), None);
    }

    #[test]
    fn a_name_is_what_the_issuer_says() {
        let token = |claims: &str| format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(name(&token(r#"{"name":" Dana  Shaw"}"#)).as_deref(), Some("Dana Shaw"));
        assert_eq!([name(&token(r#"{"name":"  "}"#)), name(&token(r#"{"name":7}"#)), name("opaque")], [None, None, None]);
    }

    #[test]
    fn a_token_that_says_when_it_ends_is_believed() {
        let token = |claims: &str| format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(ends(&token(r#"{"exp":1800000000}"#)), Timestamp::from_second(1_800_000_000).ok());
        for other in ["opaque".to_owned(), token("{}"), token("no json"), "a.%%%.b".to_owned()] {
            assert_eq!(ends(&other), None, "{other}");
        }
    }
}
