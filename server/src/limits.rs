//! Fairness: limits on what one person, bearer token or network address can use of the portal, so that none of them blocks it for the
//! others.
//!
//! People are limited by identity and never by address, because a whole office or a proxy can share an address. Only requests without a
//! known person are limited by address. All state kept here is bounded.

mod address;
mod evaluations;
mod negative;
mod quota;
mod reviews;
mod streams;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use promise::identity::PersonId;
use promise::{Error, Result, TooManyReason};
use store::SessionKey;

pub use address::{ClientAddress, Network};
pub use evaluations::{Evaluation, Evaluations};
pub use reviews::{Reviews, TokenSource};
pub use streams::{Place, Streams};

use self::quota::{Quota, RateLimit, Ticks};
use crate::clock::Clock;
use crate::web::listen::Peer;

/// Requests of one person per second, unless the operator says otherwise.
pub const REQUESTS_PER_SECOND: NonZeroU32 = NonZeroU32::MIN.saturating_add(49);
/// How long the body of a request can take to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// A burst is as large as this many seconds allow.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);
/// Number of people, tokens and addresses that are tracked at the same time, each.
const COUNTED: usize = 10_000;

/// Limits set by the operator.
#[derive(Clone, Debug)]
pub struct LimitsConfig {
    /// Requests per second of one person, or of one address without a known person; bursts can be four times as large. `None` means no
    /// limit.
    pub requests_per_second: Option<NonZeroU32>,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<Network>,
    /// How long the body of a request can take to arrive.
    pub body_timeout: Duration,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self { requests_per_second: Some(REQUESTS_PER_SECOND), trusted_proxies: Vec::new(), body_timeout: BODY_TIMEOUT }
    }
}

/// The limits of a running portal, and their current usage.
pub struct RequestLimits {
    people: Quota<PersonId>,
    tokens: Quota<SessionKey>,
    addresses: Quota<ClientAddress>,
    /// Limits on reviews of tokens that the portal doesn't know.
    pub reviews: Reviews,
    /// Limits on evaluations of promises and policies.
    pub evaluations: Evaluations,
    /// How long the body of a request can take to arrive.
    pub body_timeout: Duration,
    trusted_proxies: Vec<Network>,
}

impl RequestLimits {
    /// Creates the limits with no usage.
    pub fn new(config: &LimitsConfig, clock: Arc<dyn Clock>) -> Self {
        let ticks = Ticks::new(clock);
        let limit = |rate: NonZeroU32| RateLimit { per_second: rate, burst: rate.saturating_mul(BURST_SECONDS) };
        let whole = config.requests_per_second;
        // A token belongs to one program, whereas people load pages with many parts.
        let half = whole.map(|rate| NonZeroU32::new(rate.get() / 2).unwrap_or(NonZeroU32::MIN));
        Self {
            people: Quota::new(whole.map(limit), COUNTED, ticks.clone()),
            tokens: Quota::new(half.map(limit), COUNTED, ticks.clone()),
            addresses: Quota::new(whole.map(limit), COUNTED, ticks.clone()),
            reviews: Reviews::new(ticks),
            evaluations: Evaluations::default(),
            body_timeout: config.body_timeout,
            trusted_proxies: config.trusted_proxies.clone(),
        }
    }

    /// Returns the client address of a request: the other end of the connection, or what a trusted proxy reports.
    pub fn address(&self, peer: Option<&Peer>, headers: &HeaderMap) -> ClientAddress {
        ClientAddress::of(peer.and_then(|peer| peer.0), headers, &self.trusted_proxies)
    }

    /// Checks whether the other end of a connection is a trusted proxy.
    pub fn is_proxy(&self, peer: &Peer) -> bool {
        peer.0.is_some_and(|address| self.trusted_proxies.iter().any(|network| network.contains(address)))
    }

    /// Counts a request of a person.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if the limit is used up.
    pub fn person(&self, person: &PersonId) -> Result<()> {
        self.people.take(person).map_err(too_many)
    }

    /// Counts a request with a bearer token, known by its digest.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if the limit is used up.
    pub fn token(&self, token: SessionKey) -> Result<()> {
        self.tokens.take(&token).map_err(too_many)
    }

    /// Counts a request without a known person.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if the limit is used up.
    pub fn anonymous(&self, address: ClientAddress) -> Result<()> {
        self.addresses.take(&address).map_err(too_many)
    }
}

/// Returns the error for a quota that is used up for this many seconds.
fn too_many(seconds: u64) -> Error {
    Error::TooManyRequests { reason: TooManyReason::Requests, seconds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::quota::tests::Manual;

    fn limits(rate: u32) -> RequestLimits {
        let config = LimitsConfig { requests_per_second: NonZeroU32::new(rate), ..LimitsConfig::default() };
        RequestLimits::new(&config, Arc::new(Manual::default()))
    }

    #[test]
    fn one_person_cannot_use_up_what_others_have() {
        let limits = limits(50);
        let (greedy, other) = (PersonId::new("dev-shop", None), PersonId::new("dev-data", None));
        let accepted = (0..1000).filter(|_| limits.person(&greedy).is_ok()).count();
        assert_eq!(accepted, 200, "a burst of four seconds");
        assert!(limits.person(&other).is_ok());
        assert!(limits.anonymous(ClientAddress::of(None, &HeaderMap::new(), &[])).is_ok());
        assert_eq!(
            limits.person(&greedy),
            Err(Error::TooManyRequests { reason: TooManyReason::Requests, seconds: 1 }),
            "the burst is used up"
        );
    }

    #[test]
    fn without_a_rate_there_is_no_limit() {
        let limits = limits(0);
        let person = PersonId::new("dev-shop", None);
        assert!((0..10_000).all(|_| limits.person(&person).is_ok()));
    }
}
