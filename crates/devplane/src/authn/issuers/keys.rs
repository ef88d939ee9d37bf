//! The keys of an issuer: found by its discovery document, read when a token is signed by one that isn't known, and kept.
//! Source: go-oidc `oidc/{oidc,jwks}.go`.
//!
//! Known keys are used without a request, so people can still sign in while an issuer is down. An unknown key makes the plane fetch the set
//! again: one request at a time, not before the set expires, and at most every two seconds, so that forged tokens can't be used to overload
//! an issuer.

use std::sync::Arc;

use http::{HeaderMap, Uri, header};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde_json::Value;

use super::https::{Client, FetchError};
use super::signatures::{self, Key, KeysError};
use crate::Clock;

/// The least time between two attempts.
const PAUSE: SignedDuration = SignedDuration::from_secs(2);
/// A set is read again this long before it goes stale.
const EARLY: SignedDuration = SignedDuration::from_secs(30);
/// How long an issuer can ask for its set to be kept.
const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// Why the keys of an issuer aren't known.
#[derive(Debug, thiserror::Error)]
pub enum KeysUnknown {
    /// Its description can't be read.
    #[error("can't read {0}: {1}")]
    Discovery(String, FetchError),
    /// Its description isn't one.
    #[error("{0} isn't the description of an issuer")]
    Form(String),
    /// It describes another issuer.
    #[error("{address} describes the issuer {found:?}; issuer.url must be the same, letter for letter")]
    Issuer {
        /// Where it was read.
        address: String,
        /// Whom it describes.
        found: String,
    },
    /// Its keys can't be read.
    #[error("can't read the keys at {0}: {1}")]
    Keys(String, FetchError),
    /// Its keys aren't a set of keys.
    #[error("can't use the keys at {0}: {1}")]
    Set(String, KeysError),
}

/// The keys of an issuer.
pub struct Keys {
    issuer: String,
    discovery: String,
    client: Client,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
    /// Held while the issuer is asked.
    asking: tokio::sync::Mutex<()>,
}

/// What is known of the keys.
#[derive(Clone, Default)]
struct Known {
    keys: Arc<Vec<Key>>,
    /// Where the set is.
    address: Option<Uri>,
    /// Until when the set can't change.
    fresh_until: Option<Timestamp>,
    /// When the issuer was asked last.
    asked: Option<Timestamp>,
    /// Counts sets that were read.
    version: u64,
    /// Why the last attempt failed.
    failure: Option<String>,
}

/// A set of keys, and which one it is.
pub struct Snapshot {
    /// The keys.
    pub keys: Arc<Vec<Key>>,
    version: u64,
    is_stale: bool,
}

impl Keys {
    /// The keys of an issuer, none of which is known yet.
    pub fn new(issuer: &str, discovery: &str, client: Client, clock: Arc<dyn Clock>) -> Self {
        let (issuer, discovery) = (issuer.to_owned(), discovery.to_owned());
        Self { issuer, discovery, client, clock, known: Mutex::default(), asking: tokio::sync::Mutex::default() }
    }

    /// Those that are known.
    pub fn known(&self) -> Snapshot {
        let known = self.known.lock();
        let now = self.clock.now();
        let is_stale = known.fresh_until.is_none_or(|until| now.saturating_add(EARLY).is_ok_and(|soon| soon >= until));
        Snapshot { keys: known.keys.clone(), version: known.version, is_stale }
    }

    /// Those that the issuer has by now, where they can be others than in the snapshot; nothing where they can't.
    ///
    /// # Errors
    /// Why no set was ever read.
    pub async fn newer(&self, than: &Snapshot) -> Result<Option<Snapshot>, String> {
        if than.is_stale {
            self.ask(than.version).await;
        }
        let known = self.known();
        match self.known.lock().failure.clone() {
            Some(why) if known.version == 0 => Err(why),
            _ => Ok((known.version > than.version).then_some(known)),
        }
    }

    /// Reads the set, unless that was done since this version or just before. Whether there is a set now.
    pub async fn ask(&self, version: u64) -> bool {
        let _asking = self.asking.lock().await;
        let known = self.known.lock().clone();
        let now = self.clock.now();
        if known.version > version || known.asked.is_some_and(|asked| now.duration_since(asked) < PAUSE) {
            return known.version > 0;
        }
        let read = self.read(known.address).await;
        let mut known = self.known.lock();
        // At the end: those who waited meanwhile don't ask again.
        known.asked = Some(self.clock.now());
        match read {
            Ok((address, keys, lifetime)) => {
                if known.version == 0 || known.failure.is_some() {
                    tracing::info!(issuer = self.issuer, keys = keys.len(), "tokens of the issuer are accepted");
                }
                *known = Known {
                    keys: keys.into(),
                    address: Some(address),
                    fresh_until: now.checked_add(lifetime).ok(),
                    version: known.version + 1,
                    failure: None,
                    ..known.clone()
                };
            }
            Err(error) => {
                let why = error.to_string();
                if known.failure.as_ref() != Some(&why) {
                    let kept =
                        if known.version == 0 { "its tokens are refused until it can" } else { "the keys that are known go on counting" };
                    tracing::warn!(issuer = self.issuer, why, "the issuer can't be asked for its keys; {kept}");
                }
                // They may have moved.
                (known.failure, known.address) = (Some(why), None);
            }
        }
        known.version > 0
    }

    async fn read(&self, address: Option<Uri>) -> Result<(Uri, Vec<Key>, SignedDuration), KeysUnknown> {
        let address = match address {
            Some(address) => address,
            None => self.discover().await?,
        };
        let (headers, set) = self.client.get(&address).await.map_err(|error| KeysUnknown::Keys(address.to_string(), error))?;
        let keys = signatures::keys(&set).map_err(|error| KeysUnknown::Set(address.to_string(), error))?;
        Ok((address, keys, lifetime(&headers)))
    }

    /// Where the set is, as the issuer describes itself.
    async fn discover(&self) -> Result<Uri, KeysUnknown> {
        let form = || KeysUnknown::Form(self.discovery.clone());
        let address: Uri = self.discovery.parse().map_err(|_| form())?;
        let (_, document) = self.client.get(&address).await.map_err(|error| KeysUnknown::Discovery(self.discovery.clone(), error))?;
        let document: Value = serde_json::from_slice(&document).map_err(|_| form())?;
        let found = document["issuer"].as_str().ok_or_else(form)?;
        if found != self.issuer {
            return Err(KeysUnknown::Issuer { address: self.discovery.clone(), found: found.to_owned() });
        }
        document["jwks_uri"].as_str().and_then(|address| address.parse().ok()).ok_or_else(form)
    }
}

/// How long an answer can be kept, by its `Cache-Control`; not at all if it doesn't say.
fn lifetime(headers: &HeaderMap) -> SignedDuration {
    let mut longest = SignedDuration::ZERO;
    let said = headers.get_all(header::CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    for directive in said.flat_map(|value| value.split(',')) {
        let (name, value) = directive.trim().split_once('=').unwrap_or((directive.trim(), ""));
        match name.to_ascii_lowercase().as_str() {
            "no-store" | "no-cache" => return SignedDuration::ZERO,
            "max-age" => longest = value.trim_matches('"').parse().map_or(SignedDuration::ZERO, SignedDuration::from_secs),
            _ => {}
        }
    }
    longest.clamp(SignedDuration::ZERO, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_kept_as_long_as_its_issuer_says() {
        let kept = |value: &str| lifetime(&HeaderMap::from_iter([(header::CACHE_CONTROL, value.parse().unwrap())])).as_secs();
        assert_eq!(kept("public, max-age=600, must-revalidate"), 600);
        assert_eq!(kept("Max-Age=\"60\""), 60);
        assert_eq!(kept("max-age=99999999999"), LONGEST.as_secs());
        for none in ["no-store, max-age=600", "max-age=600, no-cache", "max-age=-1", "max-age=x", "public"] {
            assert_eq!(kept(none), 0, "{none}");
        }
        assert_eq!(lifetime(&HeaderMap::new()), SignedDuration::ZERO);
    }
}
