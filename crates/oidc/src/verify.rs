//! Verification of id tokens (OpenID Connect Core 1.0, section 3.1.3.7).

use chrono::{DateTime, Utc};
use jiff::{SignedDuration, Timestamp};
use openidconnect::core::{CoreIdToken, CoreJwsSigningAlgorithm};
use openidconnect::{ClaimsVerificationError, Nonce, SignatureVerificationError};
use serde_json::Value;

use crate::config::ProviderConfig;
use crate::error::Error;
use crate::jwt::Parts;
use crate::person::ImpersonatedPerson;
use crate::tokens::{Client, Tokens};

/// Difference between our clock and the provider's that is tolerated.
pub(crate) const SKEW: SignedDuration = SignedDuration::from_secs(60);

/// Algorithms whose keys only the provider has. With a client secret, anyone who knows it could sign.
pub(crate) const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// What an id token must say besides who issued it to whom.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    /// The nonce of the sign-in; a token that replaces another one needs none.
    pub(crate) nonce: Option<&'a str>,
    /// How long ago the person can have authenticated; however long if absent.
    pub(crate) max_age: Option<SignedDuration>,
    pub(crate) now: Timestamp,
}

/// Checks an id token completely and returns what it says.
pub(crate) fn verified(config: &ProviderConfig, client: &Client, token: &CoreIdToken, expected: Expected<'_>) -> Result<Tokens, Error> {
    let (now, nonce) = (expected.now, expected.nonce.map(|nonce| Nonce::new(nonce.to_owned())));
    let earlier = now.saturating_sub(SKEW).unwrap_or(now);
    let verifier = client
        .id_token_verifier()
        .set_allowed_algs(ALGORITHMS)
        // Several audiences are fine if the token says that we are the party that it was issued to, see below.
        .set_other_audience_verifier_fn(|_| true)
        .set_time_fn(move || at(earlier))
        .set_issue_time_verifier_fn(move |issued| not_in_the_future(issued, now));
    let matches_nonce = |found: Option<&Nonce>| match (&nonce, found) {
        (None, _) => Ok(()),
        (Some(nonce), Some(found)) if same(nonce.secret(), found.secret()) => Ok(()),
        (Some(_), _) => Err("it isn't the one of this sign-in".to_owned()),
    };
    let claims = token.claims(&verifier, matches_nonce).map_err(Error::IdToken)?;
    let text = token.to_string();
    let parts = Parts::of(&text).ok_or_else(|| Error::Answer("the id token isn't a token".to_owned()))?;
    let party = parts.text("azp");
    if party.map_or(claims.audiences().len() > 1, |party| party != config.client_id) {
        return Err(Error::OtherParty(party.unwrap_or_default().to_owned()));
    }
    if parts.claims.get(&config.username_claim).is_none_or(|claim| !matches!(claim, Value::String(text) if !text.is_empty())) {
        return Err(Error::NoClaim(config.username_claim.clone()));
    }
    let second = |time: DateTime<Utc>| Timestamp::from_second(time.timestamp()).unwrap_or(now);
    let authenticated = claims.auth_time().map(second);
    if let Some(max_age) = expected.max_age {
        check_recent(authenticated, max_age, now)?;
    }
    if let Some(impersonation) = &config.impersonation {
        // Who can't be impersonated doesn't sign in.
        ImpersonatedPerson::of(config, impersonation, &parts)?;
    }
    Ok(Tokens {
        subject: claims.subject().as_str().to_owned(),
        sid: parts.text("sid").map(str::to_owned),
        expires: second(claims.expiration()),
        authenticated,
        refresh_token: None,
        id_token: text.clone(),
    })
}

/// Checks whether a person authenticated at most `max_age` ago, as far as the clocks agree. The one rule for it: for the answer of a provider
/// and for what a session does later (OpenID Connect Core 1.0, sections 2 and 3.1.2.1).
pub fn is_recent(authenticated: Timestamp, max_age: SignedDuration, now: Timestamp) -> bool {
    let age = now.duration_since(authenticated);
    age <= max_age.saturating_add(SKEW) && age >= -SKEW
}

/// Checks what an id token says about when the person authenticated. A provider that was asked for `max_age` has to say it.
fn check_recent(authenticated: Option<Timestamp>, max_age: SignedDuration, now: Timestamp) -> Result<(), Error> {
    match authenticated {
        None => Err(Error::NoAuthenticationTime),
        Some(at) if is_recent(at, max_age, now) => Ok(()),
        Some(_) => Err(Error::AuthenticatedTooLongAgo),
    }
}

/// Checks whether a token might be signed with a key that the provider published later.
pub(crate) fn needs_other_keys(error: &Error) -> bool {
    matches!(
        error,
        Error::IdToken(ClaimsVerificationError::SignatureVerification(
            SignatureVerificationError::NoMatchingKey | SignatureVerificationError::CryptoError(_)
        ))
    )
}

fn at(time: Timestamp) -> DateTime<Utc> {
    DateTime::from_timestamp(time.as_second(), 0).unwrap_or_default()
}

fn not_in_the_future(issued: DateTime<Utc>, now: Timestamp) -> Result<(), String> {
    if issued.timestamp() <= now.as_second() + SKEW.as_secs() { Ok(()) } else { Err("it was issued in the future".to_owned()) }
}

/// Compares in constant time.
fn same(left: &str, right: &str) -> bool {
    left.len() == right.len() && left.bytes().zip(right.bytes()).fold(0, |difference, (l, r)| difference | (l ^ r)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authentication_is_recent_within_the_age_and_the_difference_of_clocks() {
        let now = Timestamp::from_second(1_780_000_000).unwrap();
        let max_age = SignedDuration::from_mins(10);
        let checked = |seconds: i64| check_recent(Some(Timestamp::from_second(1_780_000_000 - seconds).unwrap()), max_age, now);
        for ago in [0, 599, 600, 660, -60] {
            assert!(checked(ago).is_ok(), "{ago} seconds ago");
        }
        for ago in [661, 3600, -61] {
            assert!(matches!(checked(ago), Err(Error::AuthenticatedTooLongAgo)), "{ago} seconds ago");
        }
        assert!(matches!(check_recent(None, max_age, now), Err(Error::NoAuthenticationTime)));
    }
}
