//! Signing in with an identity provider: the browser is sent there, and what it brings back becomes a session.
//!
//! Until then, what must be remembered lies in the database, under a digest of the state and of a secret in the browser's cookie. So the
//! answer counts once, for a few minutes, in the browser that began.

use app::backend::SignInProblem;
use app::routes::safe_redirect;
use http::HeaderValue;
use jiff::SignedDuration;
use oidc::{Callback, Provider, Secrets, Tokens};
use promise::identity::PersonId;
use serde::{Deserialize, Serialize};
use store::{AtProvider, Attempt, Store};

use super::Visitor;
use super::session::{Presented, SignInRequest, begin_with};
use crate::auth::cookie::Kind;
use crate::portal::Portal;
use crate::portal::caller::{bearer, database};
use crate::portal::write::{RecordedWrite, WriteOperation, WriteTarget};

/// How long people can take at the provider.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// What is remembered of a sign-in, sealed.
#[derive(Deserialize, Serialize)]
struct Pending {
    provider: String,
    nonce: String,
    verifier: String,
    back: String,
    /// Set if a person who is signed in confirms who they are.
    #[serde(default)]
    confirms: Option<Confirms>,
}

/// A person who confirms who they are.
#[derive(Clone, Deserialize, Serialize)]
struct Confirms {
    /// As text, a [`PersonId`].
    person: String,
    /// How long ago they can have authenticated, in seconds.
    max_age: i64,
}

impl Confirms {
    /// Returns who confirms who they are: a visitor whose session began at this provider.
    fn of(portal: &Portal, provider: &Provider, visitor: &Visitor) -> Option<Self> {
        let Visitor::Person(caller) = visitor else { return None };
        let max_age = portal.sign_in.reauthentication?.as_secs();
        let is_theirs = caller.provider() == Some(provider.config().name.as_str());
        is_theirs.then(|| Self { person: caller.identity().person.to_string(), max_age })
    }

    fn max_age(&self) -> SignedDuration {
        SignedDuration::from_secs(self.max_age)
    }
}

/// What the provider sent back with the browser (OpenID Connect Core 1.0, section 3.1.2.5; RFC 9207).
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Answer {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    iss: Option<String>,
    #[serde(default)]
    error: String,
}

/// A session that began.
pub(crate) struct Begun {
    /// The session's cookie.
    pub(crate) cookie: HeaderValue,
    /// Where the person wanted to go, an address of the portal.
    pub(crate) back: String,
}

/// A sign-in that failed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) problem: SignInProblem,
    /// Where the person wanted to go, as far as that is known.
    pub(crate) back: String,
}

/// Begins a sign-in: returns the provider's address for this browser, and the browser's secret for its cookie. A browser that has one keeps
/// it, so that several tabs can sign in at the same time. `again` has the provider authenticate a person who is signed in once more: no one
/// else can come back then.
pub(crate) async fn start(
    portal: &Portal,
    visitor: &Visitor,
    provider: &Provider,
    browser: Option<String>,
    (back, again): (&str, bool),
) -> Result<(String, Option<HeaderValue>), SignInProblem> {
    let random = || Store::secret(&*portal.random);
    let (browser, state, nonce, verifier) = (browser.unwrap_or_else(random), random(), random(), random());
    let now = portal.clock.now();
    let secrets = Secrets { state: &state, nonce: &nonce, verifier: &verifier };
    let confirms = again.then(|| Confirms::of(portal, provider, visitor)).flatten();
    let address =
        provider.begin(secrets, confirms.as_ref().map(Confirms::max_age), now).await.map_err(|error| problem(provider, &error))?;
    let back = safe_redirect(back).to_owned();
    let pending = Pending { provider: provider.config().name.clone(), nonce, verifier, back, confirms };
    let content = serde_json::to_value(pending).map_err(|_| SignInProblem::Unavailable)?;
    let expires = now.saturating_add(PATIENCE).map_err(|_| SignInProblem::Unavailable)?;
    let attempt = Attempt { browser: &browser, state: &state };
    let begun = portal.store.begin_attempt(attempt, &content, expires, &*portal.random).await;
    begun.map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "a sign-in could not be begun");
        SignInProblem::Unavailable
    })?;
    Ok((address, portal.sign_in.cookie.set(Kind::Attempt, &browser, PATIENCE.as_secs())))
}

/// Starts the session for what the browser `browser` brought back from a provider.
pub(crate) async fn finish(
    portal: &Portal,
    visitor: &Visitor,
    provider: &Provider,
    browser: Option<&str>,
    answer: &Answer,
    from: &SignInRequest<'_>,
) -> Result<Begun, Failed> {
    // Before anything else: the answer counts once, whatever it says.
    let Some(pending) = taken(portal, browser, &answer.state).await.map_err(|problem| Failed { problem, back: String::new() })? else {
        return Err(Failed { problem: SignInProblem::NoAttempt, back: String::new() });
    };
    let failed = |problem| Failed { problem, back: safe_redirect(&pending.back).to_owned() };
    // The state belongs to another provider: one answers in the place of another (mix-up).
    if pending.provider != provider.config().name {
        tracing::warn!(
            provider = provider.config().name,
            asked = pending.provider,
            "an identity provider answered in the place of another"
        );
        return Err(failed(SignInProblem::ProviderAnswer));
    }
    if !answer.error.is_empty() || answer.code.is_empty() {
        tracing::info!(provider = pending.provider, error = word(&answer.error), "an identity provider didn't sign a person in");
        let code = answer.error.as_str();
        let problem = if code == "temporarily_unavailable" { SignInProblem::ProviderUnavailable } else { SignInProblem::ProviderDeclined };
        return Err(failed(problem));
    }
    let secrets = Secrets { state: &answer.state, nonce: &pending.nonce, verifier: &pending.verifier };
    let callback = Callback { code: &answer.code, issuer: answer.iss.as_deref() };
    let max_age = pending.confirms.as_ref().map(Confirms::max_age);
    let tokens = provider.finish(callback, secrets, max_age, portal.clock.now()).await;
    let tokens = tokens.map_err(|error| failed(problem(provider, &error)))?;
    let (text, at) = (tokens.id_token.clone(), at_provider(&pending.provider, tokens));
    let token = bearer::token(portal, Some(&pending.provider), &text).map_err(|error| {
        tracing::warn!(provider = pending.provider, error = &error as &dyn std::error::Error, "the portal doesn't act as a person");
        failed(SignInProblem::NameRefused)
    })?;
    let person = pending.confirms.as_ref().map(|confirms| confirms.person.as_str());
    let begun = begin_with(portal, visitor, Presented { text: &text, token, at: Some(&at), person }, from).await;
    let cookie =
        begun.map_err(|problem| failed(if problem == SignInProblem::TokenRefused { SignInProblem::AccountRefused } else { problem }))?;
    Ok(Begun { cookie, back: safe_redirect(&pending.back).to_owned() })
}

/// Returns an error code without what doesn't belong in one, because anyone can put anything into the address.
fn word(code: &str) -> String {
    code.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').take(64).collect()
}

/// Takes what was remembered of a sign-in. Nothing is remembered for another browser, another state, or a second time.
async fn taken(portal: &Portal, browser: Option<&str>, state: &str) -> Result<Option<Pending>, SignInProblem> {
    let Some(browser) = browser else { return Ok(None) };
    match portal.store.take_attempt(Attempt { browser, state }, portal.clock.now()).await {
        Ok(found) => Ok(found.and_then(|content| serde_json::from_value(content).ok())),
        // The key that sealed it is gone.
        Err(store::Error::Unsealable) => Ok(None),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "a sign-in could not be read");
            Err(SignInProblem::Unavailable)
        }
    }
}

fn at_provider(provider: &str, tokens: Tokens) -> AtProvider {
    AtProvider {
        provider: provider.to_owned(),
        subject: tokens.subject,
        sid: tokens.sid.unwrap_or_default(),
        refresh: tokens.refresh_token,
        token_expires: tokens.expires,
        authenticated: tokens.authenticated,
    }
}

/// Why a provider's word about the end of a session has no effect.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It isn't the provider's, or not about this.
    NotValid,
    /// It can't be checked or carried out now.
    Later,
}

/// Ends the sessions that a logout token of a provider is about.
pub(crate) async fn end(portal: &Portal, provider: &Provider, token: &str, request_id: &str) -> Result<(), Ended> {
    let name = provider.config().name.as_str();
    let ended = provider.ended(token, portal.clock.now()).await.map_err(|error| {
        tracing::warn!(provider = name, error = &error as &dyn std::error::Error, "a logout token is refused");
        if matches!(error, oidc::Error::LogoutToken(_)) { Ended::NotValid } else { Ended::Later }
    })?;
    let no_one = PersonId::default();
    let write = RecordedWrite::of(portal, &no_one, request_id, WriteOperation::SignOut, WriteTarget::remembered("session", name));
    let ending = write.remember(portal.store.end_sessions_at(name, ended.subject.as_deref(), ended.sid.as_deref()), |_| true).await;
    let ending = ending.map_err(|error| {
        database(&error);
        Ended::Later
    })?;
    for (key, _) in ending {
        portal.callers.end(key);
    }
    Ok(())
}

/// Returns the problem that the sign-in page shows for an error; the log has the details.
pub(crate) fn problem(provider: &Provider, error: &oidc::Error) -> SignInProblem {
    tracing::warn!(
        provider = provider.config().name,
        error = error as &dyn std::error::Error,
        "a sign-in with an identity provider failed"
    );
    match error {
        oidc::Error::Unreachable(_) | oidc::Error::Answer(_) => SignInProblem::ProviderUnavailable,
        oidc::Error::NoAuthenticationTime | oidc::Error::AuthenticatedTooLongAgo => SignInProblem::ProviderDidNotAsk,
        oidc::Error::NotImpersonated { .. } => SignInProblem::NameRefused,
        oidc::Error::NoClaim(_) => SignInProblem::ProviderClaim,
        _ => SignInProblem::ProviderAnswer,
    }
}
