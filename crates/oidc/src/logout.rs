//! Back-channel logout: the provider itself says that a session is over (OpenID Connect Back-Channel Logout 1.0).

use jiff::Timestamp;
use openidconnect::core::{CoreJsonWebKey, CoreJwsSigningAlgorithm};
use openidconnect::{JsonWebKey as _, JsonWebKeyAlgorithm, JsonWebKeyUse as _, JwsSigningAlgorithm as _};
use serde_json::Value;

use crate::error::Error;
use crate::jwt::Parts;
use crate::keys::Metadata;
use crate::provider::Provider;
use crate::verify::{ALGORITHMS, SKEW};

/// The event that a logout token is about.
const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";
/// Age of a logout token, in seconds, after which it counts no more: later sessions must not be ended by an old one.
const RECENT: i64 = 300;

/// What is over at the provider: one session, or all of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedSession {
    /// The provider's id of the person.
    pub subject: Option<String>,
    /// The provider's id of the session.
    pub sid: Option<String>,
}

impl Provider {
    /// Verifies a logout token and returns what it ends.
    ///
    /// # Errors
    /// [`Error::LogoutToken`], or an error if the provider's keys can't be fetched.
    pub async fn ended(&self, token: &str, now: Timestamp) -> Result<EndedSession, Error> {
        let parts = Parts::of(token).ok_or(Error::LogoutToken("it isn't a token"))?;
        let ended = self.claimed(&parts, now)?;
        let metadata = self.metadata(now).await?;
        if is_signed(&metadata, &parts)? {
            return Ok(ended);
        }
        match self.published.rotated(&self.http, &metadata, now).await? {
            Some(rotated) if is_signed(&rotated, &parts)? => Ok(ended),
            _ => Err(Error::LogoutToken("its signature isn't the provider's")),
        }
    }

    /// Checks everything but the signature (section 2.6).
    fn claimed(&self, parts: &Parts<'_>, now: Timestamp) -> Result<EndedSession, Error> {
        let wrong = |why| Err(Error::LogoutToken(why));
        if parts.header.crit.is_some() {
            return wrong("it has critical extensions");
        }
        let kind = parts.header.typ.as_deref().unwrap_or("JWT").to_ascii_lowercase();
        if !matches!(kind.strip_prefix("application/").unwrap_or(&kind), "jwt" | "logout+jwt") {
            return wrong("its type is another one");
        }
        if parts.text("iss") != Some(self.config().issuer.as_str()) {
            return wrong("its issuer is another one");
        }
        let is_ours = |audience: &Value| audience.as_str() == Some(self.config().client_id.as_str());
        let audience = parts.claims.get("aud");
        if !audience.is_some_and(|audience| is_ours(audience) || audience.as_array().is_some_and(|all| all.iter().any(is_ours))) {
            return wrong("it is for another application");
        }
        let (now, skew) = (now.as_second(), SKEW.as_secs());
        if !parts.second("iat").is_some_and(|issued| (now - RECENT - skew..=now + skew).contains(&issued)) {
            return wrong("it wasn't issued just now");
        }
        if parts.claims.get("exp").is_some() && parts.second("exp").is_none_or(|expires| expires <= now - skew) {
            return wrong("it has expired");
        }
        if !parts.claims.get("events").and_then(|events| events.get(EVENT)).is_some_and(Value::is_object) {
            return wrong("it is about something else");
        }
        if parts.claims.get("nonce").is_some() {
            return wrong("it is an id token");
        }
        let ended = EndedSession { subject: parts.text("sub").map(str::to_owned), sid: parts.text("sid").map(str::to_owned) };
        if ended.subject.is_none() && ended.sid.is_none() { wrong("it names neither person nor session") } else { Ok(ended) }
    }
}

/// Checks whether one of the provider's keys made the signature.
fn is_signed(metadata: &Metadata, parts: &Parts<'_>) -> Result<bool, Error> {
    let algorithm: CoreJwsSigningAlgorithm =
        serde_json::from_value(Value::from(parts.header.alg.as_str())).map_err(|_| Error::LogoutToken("its algorithm isn't known"))?;
    if !ALGORITHMS.contains(&algorithm) {
        return Err(Error::LogoutToken("its algorithm isn't accepted"));
    }
    let mut keys = metadata.jwks().keys().iter().filter(|key| can_sign(key, &algorithm, parts.header.kid.as_deref()));
    Ok(keys.any(|key| key.verify_signature(&algorithm, parts.signed.as_bytes(), &parts.signature).is_ok()))
}

fn can_sign(key: &CoreJsonWebKey, algorithm: &CoreJwsSigningAlgorithm, kid: Option<&str>) -> bool {
    let fits = match key.signing_alg() {
        JsonWebKeyAlgorithm::Unspecified => true,
        JsonWebKeyAlgorithm::Algorithm(own) => own == algorithm,
        JsonWebKeyAlgorithm::Unsupported => false,
    };
    fits && algorithm.key_type().as_ref() == Some(key.key_type())
        && key.key_use().is_none_or(|of| of.allows_signature())
        && kid.is_none_or(|kid| key.key_id().is_some_and(|known| known.as_str() == kid))
}
