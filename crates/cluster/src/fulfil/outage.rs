//! Destinations that do not answer: one asks whether they are back, and meanwhile nobody waits for them.

use std::collections::HashSet;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::watch::Key;

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

    /// It answered, or is gone.
    pub fn ends(&self, key: &Key) {
        if self.out.lock().remove(key) {
            tracing::info!(destination = %key, "it answers again");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::Outages;
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
}
