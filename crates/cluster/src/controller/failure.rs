//! Why something can't be done, worded in one place, and problems that might pass: a call that got no answer or met a busy server is
//! retried before anything is reported.

mod cause;
mod destination;
mod release;
mod secret;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::refusals::is_passing;
use crate::watch::Key;

pub use cause::FailureCause;
pub use destination::{DestinationFailure, DestinationFailureKind, KindFailure};
pub use release::ReleaseFailure;
pub use secret::SecretFailure;

/// How long a call is only retried.
const GRACE: Duration = Duration::from_secs(15);
/// First pause. Each pause is as long as everything before it.
const PAUSE: Duration = Duration::from_millis(50);

/// Why something could not be done. Its text is one or more sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong.
    pub cause: FailureCause,
    /// Whether the next attempt might succeed without anyone doing anything.
    pub transient: bool,
}

impl Failure {
    /// Creates the failure of a call that was answered with `error`.
    pub fn of(error: &kube::Error, cause: impl Into<FailureCause>) -> Self {
        Self { cause: cause.into(), transient: is_passing(error) }
    }

    /// Creates the failure for something that isn't known now, and might be the next time.
    pub fn not_now(cause: impl Into<FailureCause>) -> Self {
        Self { cause: cause.into(), transient: true }
    }

    /// Creates the failure for something that stays as it is until someone does something.
    pub fn lasting(cause: impl Into<FailureCause>) -> Self {
        Self { cause: cause.into(), transient: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(to)
    }
}

impl From<FailureCause> for Failure {
    fn from(cause: FailureCause) -> Self {
        Self::lasting(cause)
    }
}

impl From<Failure> for FailureCause {
    fn from(failure: Failure) -> Self {
        failure.cause
    }
}

/// Requests with such problems, each with the time since when. A new leadership term starts counting again.
#[derive(Default)]
pub struct TransientFailures {
    since: Mutex<HashMap<Key, Instant>>,
}

impl TransientFailures {
    /// Returns when to try again, while the problem of a request is too new to be reported.
    pub fn pause(&self, request: &Key) -> Option<Duration> {
        let elapsed = self.since.lock().entry(request.clone()).or_insert_with(Instant::now).elapsed();
        let left = GRACE.checked_sub(elapsed).filter(|left| !left.is_zero())?;
        Some(elapsed.max(PAUSE).min(left))
    }

    /// Records that a request has no such problem.
    pub fn clear(&self, request: &Key) {
        self.since.lock().remove(request);
    }
}

#[cfg(test)]
mod tests {
    use super::TransientFailures;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[tokio::test(start_paused = true)]
    async fn trouble_is_borne_for_a_while_from_its_beginning() {
        let (transient, key) = (TransientFailures::default(), Key::cluster_scoped(&ClusterId::root(), "web"));
        let mut attempts = 0;
        while let Some(pause) = transient.pause(&key) {
            attempts += 1;
            tokio::time::advance(pause).await;
        }
        assert!((8..=12).contains(&attempts), "{attempts} attempts");
        assert_eq!(transient.pause(&key), None, "it began long ago");
        transient.clear(&key);
        assert!(transient.pause(&key).is_some(), "this is another one");
    }
}
