//! Problems that might pass: a call that got no answer or met a busy server is retried before anything is reported.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::refusals::is_passing;
use crate::watch::Key;

/// How long a call is only retried.
const GRACE: Duration = Duration::from_secs(15);
/// First pause. Each pause is as long as everything before it.
const PAUSE: Duration = Duration::from_millis(50);

/// Why something could not be done, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The sentence.
    pub why: String,
    /// Whether the next attempt might succeed without anyone doing anything.
    pub transient: bool,
}

impl Failure {
    /// Creates the failure of a call that was answered with `error`. `why` describes it.
    pub fn of(error: &kube::Error, why: String) -> Self {
        Self { why, transient: is_passing(error) }
    }

    /// Creates the failure for something that isn't known now, and might be the next time.
    pub fn not_now(why: String) -> Self {
        Self { why, transient: true }
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self { why, transient: false }
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        failure.why
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
