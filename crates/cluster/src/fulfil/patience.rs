//! Trouble that may pass by itself: a call that found no answer, or a server that was busy, is tried again before anybody is told.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::words::is_passing;
use crate::watch::Key;

/// How long it is only tried again.
const PATIENCE: Duration = Duration::from_secs(15);
/// First pause; each is as long as everything before it.
const PAUSE: Duration = Duration::from_millis(50);

/// Why something could not be done, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The sentence.
    pub why: String,
    /// Whether the next attempt may succeed although nobody does anything.
    pub passing: bool,
}

impl Refusal {
    /// A call was answered with `error`; `why` says so.
    pub fn of(error: &kube::Error, why: String) -> Self {
        Self { why, passing: is_passing(error) }
    }

    /// It is not known now, and may be the next time.
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

/// Which requests are in such trouble, and since when. A new term of leading begins to count anew.
#[derive(Default)]
pub struct Patience {
    since: Mutex<HashMap<Key, Instant>>,
}

impl Patience {
    /// When to try again, while the trouble of a request is so new that nobody is told of it yet.
    pub fn bears(&self, request: &Key) -> Option<Duration> {
        let elapsed = self.since.lock().entry(request.clone()).or_insert_with(Instant::now).elapsed();
        let left = PATIENCE.checked_sub(elapsed).filter(|left| !left.is_zero())?;
        Some(elapsed.max(PAUSE).min(left))
    }

    /// There is none.
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
