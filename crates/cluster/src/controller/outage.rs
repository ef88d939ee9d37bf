//! Destinations that don't respond: one caller checks whether they are back, and meanwhile nothing else waits for them.

use std::collections::HashSet;
use std::future::Future;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::failure::{DestinationFailure, DestinationFailureKind};
use crate::watch::Key;

/// Longest wait for a complete answer, retries included: a server that stalls in the middle must not block callers forever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for the complete answer of a call. Errors are those of the call; a late answer counts as none.
pub async fn complete<T>(call: impl Future<Output = Result<T, kube::Error>>) -> Result<T, kube::Error> {
    let late = |_| kube::Error::Service(format!("no complete response within {} seconds", PATIENCE.as_secs()).into());
    tokio::time::timeout(PATIENCE, call).await.map_err(late)?
}

/// The Destinations that don't respond.
pub struct Outages {
    out: Mutex<HashSet<Key>>,
    lost: mpsc::UnboundedSender<Key>,
}

impl Outages {
    /// Creates an empty set. `lost` receives each Destination that stops responding. Its reader has to probe the Destination until it is
    /// back.
    pub fn new(lost: mpsc::UnboundedSender<Key>) -> Self {
        Self { out: Mutex::default(), lost }
    }

    /// Checks whether a Destination can be called.
    pub fn admit(&self, key: &Key) -> Result<(), DestinationFailure> {
        if self.out.lock().contains(key) { Err(DestinationFailureKind::NoResponse.of(&key.name)) } else { Ok(()) }
    }

    /// Records that a Destination didn't respond.
    pub fn begins(&self, key: &Key) {
        if self.out.lock().insert(key.clone()) {
            tracing::warn!(destination = %key, "the destination does not respond");
            // There is no reader any more once the leadership term has ended.
            let _ = self.lost.send(key.clone());
        }
    }

    /// Records that a Destination responded.
    pub fn ends(&self, key: &Key) {
        if self.out.lock().remove(key) {
            tracing::info!(destination = %key, "the destination responds again");
        }
    }

    /// Drops what is known of a Destination.
    pub fn forget(&self, key: &Key) {
        self.out.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::{DestinationFailureKind, Outages, complete};
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
        assert_eq!(outages.admit(&eu), Err(DestinationFailureKind::NoResponse.of("eu-1")));
        assert!(outages.admit(&us).is_ok());
        assert_eq!((lost.try_recv(), lost.try_recv().is_err()), (Ok(eu.clone()), true));
        outages.ends(&eu);
        assert!(outages.admit(&eu).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_never_ends_is_none() {
        let stalled = complete(std::future::pending::<Result<(), kube::Error>>()).await;
        assert!(is_unanswered(&stalled.unwrap_err()));
    }
}
