//! Problems that might pass: a call that got no answer or met a busy server is retried before anything is reported.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::words::is_passing;
use crate::watch::Key;

/// How long a call is only retried.
const PATIENCE: Duration = Duration::from_secs(15);
/// First pause. Each pause is as long as everything before it.
const PAUSE: Duration = Duration::from_millis(50);

/// Why something could not be done, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The sentence.
    pub why: String,
    /// Whether the next attempt might succeed without anyone doing anything.
    pub passing: bool,
}

impl Refusal {
    /// Creates the refusal of a call that was answered with `error`. `why` describes it.
    pub fn of(error: &kube::Error, why: String) -> Self {
        Self { why, passing: is_passing(error) }
    }

    /// Creates the refusal for something that isn't known now, and might be the next time.
    pub fn not_now(why: String) -> Self {
        Self { why, passing: true }
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self { why, passing: false }
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.why
    }
}

/// Requests with such problems, each with the time since when. A new leadership term starts counting again.
#[derive(Default)]
pub struct Patience {
    since: Mutex<HashMap<Key, Instant>>,
}

impl Patience {
    /// Returns when to try again, while the problem of a request is too new to be reported.
    pub fn bears(&self, request: &Key) -> Option<Duration> {
        let elapsed = self.since.lock().entry(request.clone()).or_insert_with(Instant::now).elapsed();
        let left = PATIENCE.checked_sub(elapsed).filter(|left| !left.is_zero())?;
        Some(elapsed.max(PAUSE).min(left))
    }

    /// Records that a request has no such problem.
    pub fn ends(&self, request: &Key) {
        self.since.lock().remove(request);
    }
}

#[cfg(test)]
mod tests {
    use super::Patience;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[tokio::test(start_paused = true)]
    async fn trouble_is_borne_for_a_while_from_its_beginning() {
        let (patience, key) = (Patience::default(), Key::cluster_scoped(&ClusterId::root(), "web"));
        let mut attempts = 0;
        while let Some(pause) = patience.bears(&key) {
            attempts += 1;
            tokio::time::advance(pause).await;
        }
        assert!((8..=12).contains(&attempts), "{attempts} attempts");
        assert_eq!(patience.bears(&key), None, "it began long ago");
        patience.ends(&key);
        assert!(patience.bears(&key).is_some(), "this is another one");
    }
}
