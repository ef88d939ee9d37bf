//! What a provider publishes about itself: addresses and keys. Fetched when first needed, from time to time, and when keys rotate.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use openidconnect::core::{
    CoreAuthDisplay, CoreClaimName, CoreClaimType, CoreClientAuthMethod, CoreGrantType, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm, CoreResponseMode, CoreResponseType, CoreSubjectIdentifierType,
};
use openidconnect::{
    AdditionalProviderMetadata, DeviceAuthorizationUrl, EndSessionUrl, IssuerUrl, JsonWebKeySet, ProviderMetadata, RevocationUrl,
};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::error::Error;
use crate::http_client::HttpClient;

/// How long what a provider publishes is used before it is fetched again.
const FRESH: SignedDuration = SignedDuration::from_hours(1);
/// How long it is used while the provider doesn't answer.
const KEPT: SignedDuration = SignedDuration::from_hours(24);
/// Pause after a failure, so that people who wait don't do so one after the other.
const REST: SignedDuration = SignedDuration::from_secs(2);
/// Pause between fetches of keys, because anyone can name a key that doesn't exist.
const ROTATION: SignedDuration = SignedDuration::from_secs(10);

/// What [`ProviderMetadata`] leaves out.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Extra {
    /// RP-Initiated Logout 1.0.
    pub(crate) end_session_endpoint: Option<EndSessionUrl>,
    /// RFC 8628, section 4.
    pub(crate) device_authorization_endpoint: Option<DeviceAuthorizationUrl>,
    /// RFC 8414, section 2: where tokens are revoked (RFC 7009).
    pub(crate) revocation_endpoint: Option<RevocationUrl>,
    /// RFC 9207: whether each answer names the issuer.
    #[serde(default)]
    pub(crate) authorization_response_iss_parameter_supported: bool,
}

impl AdditionalProviderMetadata for Extra {}

pub(crate) type Metadata = ProviderMetadata<
    Extra,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

/// What one provider published.
#[derive(Default)]
pub(crate) struct Published(Mutex<State>);

#[derive(Default)]
struct State {
    known: Option<Known>,
    failed: Option<Timestamp>,
}

struct Known {
    metadata: Arc<Metadata>,
    fetched: Timestamp,
    /// When keys were last fetched because one was unknown.
    rotated: Option<Timestamp>,
}

fn within(now: Timestamp, since: Timestamp, span: SignedDuration) -> bool {
    now.duration_since(since).abs() < span
}

impl Published {
    /// Returns what the provider publishes, at most as old as it may be.
    pub(crate) async fn get(&self, http: &HttpClient, issuer: &IssuerUrl, now: Timestamp) -> Result<Arc<Metadata>, Error> {
        let mut state = self.0.lock().await;
        if let Some(known) = state.known.as_ref().filter(|known| within(now, known.fetched, FRESH)) {
            return Ok(known.metadata.clone());
        }
        let rests = state.failed.is_some_and(|failed| within(now, failed, REST));
        let fetched = if rests {
            Err(Error::Answer("it didn't respond a moment ago".to_owned()))
        } else {
            Metadata::discover_async(issuer.clone(), http).await.map_err(Error::from)
        };
        match (fetched, &mut state.known) {
            (Ok(metadata), known) => {
                let metadata = Arc::new(metadata);
                *known = Some(Known { metadata: metadata.clone(), fetched: now, rotated: None });
                state.failed = None;
                Ok(metadata)
            }
            (Err(error), Some(known)) if within(now, known.fetched, KEPT) => {
                tracing::warn!(
                    issuer = issuer.as_str(),
                    error = &error as &dyn std::error::Error,
                    "the present keys of the issuer are used"
                );
                let metadata = known.metadata.clone();
                state.failed = Some(now);
                Ok(metadata)
            }
            (Err(error), _) => {
                state.failed = Some(now);
                Err(error)
            }
        }
    }

    /// Fetches the provider's keys again, because one isn't among those of `used`. `None` if they were fetched a moment ago.
    pub(crate) async fn rotated(&self, http: &HttpClient, used: &Arc<Metadata>, now: Timestamp) -> Result<Option<Arc<Metadata>>, Error> {
        let mut state = self.0.lock().await;
        let Some(known) = &mut state.known else { return Ok(None) };
        if !Arc::ptr_eq(&known.metadata, used) {
            return Ok(Some(known.metadata.clone()));
        }
        if known.rotated.is_some_and(|rotated| within(now, rotated, ROTATION)) {
            return Ok(None);
        }
        known.rotated = Some(now);
        let keys = JsonWebKeySet::fetch_async(used.jwks_uri(), http).await?;
        known.metadata = Arc::new(Metadata::clone(used).set_jwks(keys));
        Ok(Some(known.metadata.clone()))
    }
}
