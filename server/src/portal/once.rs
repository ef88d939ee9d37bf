//! Calls of programs that carry an idempotency key: made once, and answered as often as the program asks.
//!
//! A call goes on if its program goes away, so that its answer is there when the program asks again. Only what succeeded is kept: a call
//! that was refused can be corrected and made again with the same key. A call whose process died isn't made again: its change might have
//! been made, and undone by someone since, so that only the person can tell what to do.

use std::time::Duration;

use promise::{ConflictReason, Error, Problem, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use store::KeyedCall;
use tokio::time::MissedTickBehavior;
use tracing::Instrument as _;

use super::caller::database;
use crate::portal::Caller;

/// Longest key, in bytes.
const LONGEST: usize = 255;

/// How often a call in progress says so: several times while its lease lasts ([`store::CALL_LEASE`]).
const RENEWAL: Duration = Duration::from_secs(15);

/// A key, and the call that it is for.
pub(crate) struct IdempotencyKey {
    key: String,
    digest: [u8; 32],
}

impl IdempotencyKey {
    /// Reads a key for the call that consists of these parts.
    ///
    /// # Errors
    /// If the key is empty, too long, or has other letters than visible ASCII.
    pub(crate) fn of(key: &str, call: &[&[u8]]) -> Result<Self> {
        if key.is_empty() || key.len() > LONGEST || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!("Choose an Idempotency-Key of 1 to {LONGEST} letters, digits and punctuation marks, such as a UUID.");
            return Err(Error::Invalid { problems: vec![Problem { path: String::new(), message }] });
        }
        let mut digest = Sha256::new();
        for part in call {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Ok(Self { key: key.to_owned(), digest: digest.finalize().into() })
    }
}

/// The answer of a call.
pub(crate) struct Once<T> {
    /// The answer.
    pub(crate) answer: T,
    /// Whether the call was made before, and nothing was done now.
    pub(crate) replayed: bool,
}

impl Caller {
    /// Makes a call. With a key, it is made only once.
    ///
    /// # Errors
    /// Those of the call; if the key was used for another call, or the call is in progress; if the database fails.
    pub(crate) async fn once<T, F>(&self, key: Option<IdempotencyKey>, call: F) -> Result<Once<T>>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let Some(IdempotencyKey { key, digest }) = key else {
            return Ok(Once { answer: call.await?, replayed: false });
        };
        let (portal, person) = (self.portal(), &self.identity().person);
        let begun = portal.store.begin_keyed_call(person, &key, &digest, portal.clock.now(), &*portal.random).await;
        match begun.map_err(|error| database(&error))? {
            KeyedCall::New => {}
            KeyedCall::Running => return Err(ConflictReason::CallInProgress.into()),
            KeyedCall::Interrupted => return Err(ConflictReason::CallInterrupted.into()),
            KeyedCall::Other => return Err(ConflictReason::KeyOfOtherCall.into()),
            KeyedCall::Answered(answer) => {
                let answer = serde_json::from_slice(&answer).map_err(|error| {
                    tracing::error!(%error, "a kept answer can't be read");
                    Error::Internal
                })?;
                return Ok(Once { answer, replayed: true });
            }
        }
        let caller = self.clone();
        let made = tokio::spawn(async move { caller.make(&key, call).await }.in_current_span());
        let answer = made.await.map_err(|error| {
            tracing::error!(%error, "a call stopped unexpectedly");
            Error::Internal
        })?;
        Ok(Once { answer: answer?, replayed: false })
    }

    async fn make<T: Serialize>(&self, key: &str, call: impl Future<Output = Result<T>>) -> Result<T> {
        let (portal, person) = (self.portal(), &self.identity().person);
        let made = leased(call, move || async move {
            if let Err(error) = portal.store.renew_keyed_call(person, key, portal.clock.now()).await {
                tracing::warn!(%error, "the lease of a call could not be renewed");
            }
        });
        let made = made.await;
        let kept = match &made {
            Ok(answer) => {
                let text = serde_json::to_vec(answer).map_err(|_| Error::Internal)?;
                portal.store.keep_answer(person, key, &text, &*portal.random).await
            }
            Err(_) => portal.store.drop_keyed_call(person, key).await,
        };
        // The change is made. Without its answer, a repeated call gets a conflict that says that the outcome is unknown.
        if let Err(error) = kept {
            tracing::warn!(%error, "the answer of a call could not be kept");
        }
        made
    }
}

/// Makes a call, and renews its lease meanwhile.
async fn leased<T, F: Future<Output = ()>>(call: impl Future<Output = T>, renew: impl Fn() -> F) -> T {
    let renewals = async {
        let mut beats = tokio::time::interval(RENEWAL);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick is at once, when the call has just begun.
        beats.tick().await;
        loop {
            beats.tick().await;
            renew().await;
        }
    };
    tokio::select! {
        made = call => made,
        never = renewals => never,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_lease_of_a_call_is_renewed_until_it_ends() {
        let renewals = AtomicUsize::new(0);
        let call = async {
            tokio::time::sleep(Duration::from_secs(100)).await;
            renewals.load(Ordering::SeqCst)
        };
        let made = leased(call, || async {
            renewals.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(made.await, 6);
        assert!(RENEWAL.as_secs() * 3 <= store::CALL_LEASE.as_secs().unsigned_abs(), "a renewal that fails doesn't end it");
    }

    #[test]
    fn keys_are_short_and_visible_and_calls_differ_in_every_part() {
        for wrong in ["", " ", "a b", "ä", &"k".repeat(256)] {
            assert!(IdempotencyKey::of(wrong, &[]).is_err(), "{wrong}");
        }
        let digest = |call: &[&[u8]]| IdempotencyKey::of("9b1deb4d", call).unwrap().digest;
        assert_eq!(digest(&[b"a", b"b"]), digest(&[b"a", b"b"]));
        assert_ne!(digest(&[b"a", b"b"]), digest(&[b"ab", b""]));
    }
}
