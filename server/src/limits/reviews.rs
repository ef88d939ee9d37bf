//! Reviews of tokens that the portal doesn't know: they cost the plane work, and anyone can make up tokens.
//!
//! A token that was refused a moment ago isn't reviewed again, one address can send few new tokens, and few reviews run at a time. Bearer
//! tokens and sign-ins are counted separately, so that a flood of one doesn't block the other. Sessions, and tokens whose holder is known,
//! are never counted here.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as _;
use parking_lot::Mutex;
use promise::{BusyReason, Error, Result, TooManyReason};
use store::SessionKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::address::ClientAddress;
use super::negative::Refused;
use super::quota::{Quota, RateLimit, Ticks};

/// Unknown tokens from one address: at once, and per second.
const BURST: u32 = 60;
const PER_SECOND: u32 = 5;
/// Reviews of unknown bearer tokens, and of sign-ins, that run at the same time.
const IN_FLIGHT: usize = 8;
/// How long a review waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);
/// Addresses that are tracked at the same time.
const COUNTED: usize = 10_000;

/// Where an unknown token comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// The request of a program.
    Bearer,
    /// The sign-in page.
    SignIn,
}

/// Current usage of the limits.
pub struct Reviews {
    ticks: Ticks,
    refused: Mutex<Refused>,
    bearers: Lane,
    sign_ins: Lane,
}

struct Lane {
    quota: Quota<ClientAddress>,
    places: Arc<Semaphore>,
}

/// A running review; its place is given back when it is dropped.
pub struct Review {
    _place: OwnedSemaphorePermit,
}

impl Reviews {
    pub(super) fn new(ticks: Ticks) -> Self {
        let least = NonZeroU32::MIN;
        let limit = RateLimit { per_second: NonZeroU32::new(PER_SECOND).unwrap_or(least), burst: NonZeroU32::new(BURST).unwrap_or(least) };
        let lane = || Lane { quota: Quota::new(Some(limit), COUNTED, ticks.clone()), places: Arc::new(Semaphore::new(IN_FLIGHT)) };
        Self { bearers: lane(), sign_ins: lane(), refused: Mutex::default(), ticks }
    }

    /// Checks whether the plane refused this token a moment ago.
    pub fn was_refused(&self, token: SessionKey) -> bool {
        self.refused.lock().has(token, self.ticks.now())
    }

    /// Remembers that the plane refused this token.
    pub fn refuse(&self, token: SessionKey) {
        self.refused.lock().add(token, self.ticks.now());
    }

    /// Waits for a place to review an unknown token from an address.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] for the address, or [`Error::Busy`] if too many reviews are waiting.
    pub async fn begin(&self, source: TokenSource, address: ClientAddress) -> Result<Review> {
        let lane = match source {
            TokenSource::Bearer => &self.bearers,
            TokenSource::SignIn => &self.sign_ins,
        };
        lane.quota.take(&address).map_err(|seconds| too_many(source, seconds))?;
        let busy = |_| Error::from(BusyReason::SignIns);
        let place = tokio::time::timeout(PATIENCE, lane.places.clone().acquire_owned()).await.map_err(busy)?;
        place.map(|place| Review { _place: place }).map_err(|_| Error::Internal)
    }
}

fn too_many(source: TokenSource, seconds: u64) -> Error {
    let reason = match source {
        TokenSource::Bearer => TooManyReason::Tokens,
        TokenSource::SignIn => TooManyReason::SignIns,
    };
    Error::TooManyRequests { reason, seconds }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use http::HeaderMap;

    use super::*;
    use crate::limits::quota::tests::Manual;

    fn address(text: &str) -> ClientAddress {
        ClientAddress::of(Some(text.parse().unwrap()), &HeaderMap::new(), &[])
    }

    #[tokio::test]
    async fn one_address_brings_few_unknown_tokens_and_others_are_not_held_up() {
        let clock = Arc::new(Manual::default());
        let reviews = Reviews::new(Ticks::new(clock.clone()));
        let mut begun = 0;
        for _ in 0..20_000 {
            begun += u32::from(reviews.begin(TokenSource::Bearer, address("203.0.113.9")).await.is_ok());
        }
        assert_eq!(begun, BURST);
        assert!(reviews.begin(TokenSource::SignIn, address("203.0.113.9")).await.is_ok(), "people behind the same address still sign in");
        assert!(reviews.begin(TokenSource::Bearer, address("198.51.100.5")).await.is_ok());
        clock.set(1000);
        let again = futures::future::join_all((0..100).map(|_| reviews.begin(TokenSource::Bearer, address("203.0.113.9")))).await;
        assert_eq!(again.into_iter().filter(Result::is_ok).count(), 5);
    }

    #[tokio::test]
    async fn few_run_at_a_time_whatever_the_address() {
        let reviews = Reviews::new(Ticks::new(Arc::new(Manual::default())));
        let mut running = Vec::new();
        for number in 0..IN_FLIGHT {
            running.push(reviews.begin(TokenSource::Bearer, address(&format!("10.0.0.{number}"))).await.unwrap());
        }
        assert!(reviews.begin(TokenSource::Bearer, address("10.0.1.1")).now_or_never().is_none(), "the next one waits");
        assert!(reviews.begin(TokenSource::SignIn, address("10.0.1.1")).now_or_never().is_some_and(|begun| begun.is_ok()));
        running.pop();
        assert!(reviews.begin(TokenSource::Bearer, address("10.0.1.2")).now_or_never().is_some_and(|begun| begun.is_ok()));
    }
}
