//! Destinations that do not answer: one asks whether they are back, and meanwhile nobody waits for them.

use std::collections::HashSet;
use std::future::Future;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::watch::Key;

/// Longest wait for a whole answer, repetitions included: a server that stalls in the middle must not keep anybody for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// A call with its whole answer. Errors: those of the call; a late answer is none.
pub async fn whole<T>(call: impl Future<Output = Result<T, kube::Error>>) -> Result<T, kube::Error> {
    let late = |_| kube::Error::Service(format!("no whole answer within {} seconds", PATIENCE.as_secs()).into());
    tokio::time::timeout(PATIENCE, call).await.map_err(late)?
}

/// Which Destinations do not answer.
pub struct Outages {
    out: Mutex<HashSet<Key>>,
    lost: mpsc::UnboundedSender<Key>,
}

impl Outages {
    /// `lost` receives each Destination that stops to answer: whoever reads it has to ask until it is back.
    pub fn new(lost: mpsc::UnboundedSender<Key>) -> Self {
        Self { out: Mutex::default(), lost }
    }

    /// Whether it may be asked. Errors: a sentence.
    pub fn admit(&self, key: &Key) -> Result<(), String> {
        if self.out.lock().contains(key) {
            return Err(format!("The destination {} does not answer. The controller tries again.", key.name));
        }
        Ok(())
    }

    /// It did not answer.
    pub fn begins(&self, key: &Key) {
        if self.out.lock().insert(key.clone()) {
            tracing::warn!(destination = %key, "there is no answer");
            // Nobody reads it any more when the term of leading ends.
            let _ = self.lost.send(key.clone());
        }
    }

    /// It answered.
    pub fn ends(&self, key: &Key) {
        if self.out.lock().remove(key) {
            tracing::info!(destination = %key, "it answers again");
        }
    }

    /// What was known of it counts no longer.
    pub fn forget(&self, key: &Key) {
        self.out.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::{Outages, whole};
    use crate::error::is_unanswered;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[test]
    fn who_does_not_answer_is_asked_by_one_alone() {
        let (sender, mut lost) = mpsc::unbounded_channel();
        let outages = Outages::new(sender);
        let [eu, us] = ["eu-1", "us-1"].map(|name| Key::cluster_scoped(&ClusterId::root(), name));
        outages.begins(&eu);
        outages.begins(&eu);
        assert!(outages.admit(&eu).unwrap_err().contains("eu-1") && outages.admit(&us).is_ok());
        assert_eq!((lost.try_recv(), lost.try_recv().is_err()), (Ok(eu.clone()), true));
        outages.ends(&eu);
        assert!(outages.admit(&eu).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_never_ends_is_none() {
        let stalled = whole(std::future::pending::<Result<(), kube::Error>>()).await;
        assert!(is_unanswered(&stalled.unwrap_err()));
    }
}
