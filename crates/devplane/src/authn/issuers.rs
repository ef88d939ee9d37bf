//! People whose tokens others issue: JSON Web Tokens of the issuers that the configuration names.
//! Source: apiserver `plugin/pkg/authenticator/token/oidc/oidc.go`.
//!
//! A token goes to the issuer that it names, which can't be believed before its signature is verified (`signatures`) with a key of that
//! issuer (`keys`). What its claims say then decides: `claims` about the token, `user` about the person.

mod claims;
mod https;
mod keys;
mod refusal;
mod signatures;
mod user;

use std::{sync::Arc, time::Duration};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use serde_json::Value;

pub use refusal::Refusal;

use super::configuration::{self, JwtAuthenticator, Mappings};
use crate::{Clock, request::User};
use claims::Claims;
use https::Client;
use keys::Keys;
use signatures::{Signed, Unverified};

/// The largest token: it has to fit into a header.
const MAX_TOKEN: usize = 64 << 10;
/// How long an issuer has for one document.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the plane waits before it asks an issuer again that it couldn't read at the start.
const AGAIN: Duration = Duration::from_secs(10);
/// Google's issuer names itself in two ways.
const GOOGLE: (&str, &str) = ("accounts.google.com", "https://accounts.google.com");

/// Why issuers can't be asked at all.
#[derive(Debug, thiserror::Error)]
pub enum IssuersError {
    /// The certificates of one aren't any.
    #[error("the certificates of {0} can't be used: {1}")]
    Certificates(String, String),
    /// TLS can't be set up.
    #[error("TLS can't be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// All issuers. Cheap to clone.
#[derive(Clone, Default)]
pub struct Issuers(Arc<Vec<Issuer>>);

struct Issuer {
    url: String,
    audiences: Vec<String>,
    mappings: Mappings,
    keys: Keys,
    clock: Arc<dyn Clock>,
}

impl Issuers {
    /// The issuers of a configuration, none of which was asked yet.
    ///
    /// # Errors
    /// If their certificates can't be used.
    pub fn new(configured: Vec<JwtAuthenticator>, clock: &Arc<dyn Clock>) -> Result<Self, IssuersError> {
        let mut of_machine = None;
        let mut issuers = Vec::new();
        for JwtAuthenticator { issuer, mappings } in configured {
            let client = match &issuer.certificate_authority {
                Some(pem) => {
                    let failed = |why| IssuersError::Certificates(issuer.url.clone(), why);
                    Client::trusting(configuration::certificates(pem).map_err(failed)?, PATIENCE)?
                }
                None => of_machine.get_or_insert_with(|| Client::trusting(https::of_machine(), PATIENCE)).clone()?,
            };
            let keys = Keys::new(&issuer.url, &issuer.discovery_url, client, clock.clone());
            issuers.push(Issuer { url: issuer.url, audiences: issuer.audiences, mappings, keys, clock: clock.clone() });
        }
        Ok(Self(issuers.into()))
    }

    /// Asks each issuer for its keys until it answers. To be called in a tokio runtime.
    pub fn start(&self) {
        for index in 0..self.0.len() {
            let issuers = self.0.clone();
            tokio::spawn(async move {
                while !issuers[index].keys.ask(0).await {
                    tokio::time::sleep(AGAIN).await;
                }
            });
        }
    }

    /// The user of a token; nothing if no issuer here made it.
    pub async fn user_of(&self, token: &str) -> Option<Result<User, Refusal>> {
        if self.0.is_empty() || token.len() > MAX_TOKEN {
            return None;
        }
        let named = issuer_named_in(token)?;
        let issuer = self.0.iter().find(|issuer| issuer.url == named)?;
        let user = issuer.user_of(token).await;
        if let Err(why) = &user {
            tracing::info!(issuer = issuer.url, %why, "a token was refused");
        }
        Some(user)
    }
}

impl Issuer {
    async fn user_of(&self, token: &str) -> Result<User, Refusal> {
        let claims = self.verified(token).await?;
        claims::check(&claims, &self.audiences, self.clock.now())?;
        // Expressions can take their time.
        let mut user = crate::blocking::long(|| user::user(&self.mappings, &claims))?;
        user.groups.push(super::AUTHENTICATED.into());
        Ok(user)
    }

    async fn verified(&self, token: &str) -> Result<Claims, Refusal> {
        let refusal = |why| match why {
            Unverified::Malformed => Refusal::Malformed,
            Unverified::Algorithm => Refusal::Algorithm,
            Unverified::Key => Refusal::Signature,
        };
        let signed = Signed::read(token).map_err(refusal)?;
        let known = self.keys.known();
        match signed.claims(&known.keys) {
            Err(Unverified::Key) => {}
            verified => return verified.map_err(refusal),
        }
        let newer = self.keys.newer(&known).await.map_err(Refusal::NoKeys)?;
        signed.claims(&newer.ok_or(Refusal::Signature)?.keys).map_err(refusal)
    }
}

/// The issuer that a token claims. It isn't verified yet.
fn issuer_named_in(token: &str) -> Option<String> {
    let mut parts = token.split('.');
    let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let payload: Value = serde_json::from_slice(&BASE64.decode(payload).ok()?).ok()?;
    let named = payload["iss"].as_str()?;
    Some(if named == GOOGLE.0 { GOOGLE.1 } else { named }.to_owned())
}

/// Whether one of the keys of a set made a token, for the fuzz targets.
pub(crate) fn is_made_by(token: &str, set: &[u8]) -> bool {
    let keys = signatures::keys(set).unwrap_or_default();
    Signed::read(token).and_then(|signed| signed.claims(&keys)).is_ok()
}

/// Whom the first issuer of a configuration makes of claims, for the fuzz targets.
pub(crate) fn person(configuration: &str, claims: &Value) -> Option<User> {
    let configuration = configuration::AuthenticationConfiguration::parse(configuration).ok()?;
    user::user(&configuration.jwt.first()?.mappings, claims.as_object()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_issuer() {
        let of = |payload: &str| issuer_named_in(&format!("e30.{}.c2ln", BASE64.encode(payload)));
        assert_eq!(of(r#"{"iss": "https://idp.example"}"#).as_deref(), Some("https://idp.example"));
        assert_eq!(of(r#"{"iss": "accounts.google.com"}"#).as_deref(), Some("https://accounts.google.com"));
        for other in [r#"{"iss": 1}"#, "{}", "[]", "", "{"] {
            assert_eq!(of(other), None, "{other}");
        }
        for other in ["", "a", "a.b", "a.e30.c.d", "a.!.c", "..", "..."] {
            assert_eq!(issuer_named_in(other), None, "{other}");
        }
    }
}
