//! When a request that can't be worked on, or has nothing left to do, is looked at again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use promise::api::{InventoryItem, Phase, PromiseRequestStatus};
use promise::workflow::Run;

use super::Reconciliation;
use crate::controller::queue::Requeue;
use crate::workspaces::ClusterId;

/// When a request that can't be worked on is looked at again, in case the event that ends this was lost, and one that time alone can change,
/// such as a rollout that takes too long.
pub const LOOK: Duration = Duration::from_secs(600);
/// Longest time until an idle request is reconciled again. What it depends on announces its changes, so this is only a safeguard. It is as
/// long as that of controller-runtime.
const RESYNC: Duration = Duration::from_secs(10 * 3_600);

impl Reconciliation<'_> {
    /// Returns when a request that was reported is worked on again: if there is nothing left to do, not for what our own writes look like to
    /// watches.
    pub(super) fn settle(&mut self, pause: Duration) -> Requeue {
        if pause.is_zero() || !self.has_nothing_left() {
            return Requeue::After(pause);
        }
        Requeue::Settled { pause, versions: std::mem::take(&mut self.versions).into() }
    }

    /// Checks whether the request works as it was last changed, and neither something new nor an edit waits. In any other state, what was
    /// written can lead to the next step, and others look at the status to see what concerns the request.
    fn has_nothing_left(&self) -> bool {
        let metadata = &self.request.metadata;
        let is_kept = |status: &PromiseRequestStatus| {
            status.phase == Phase::Ready
                && status.candidate.is_none()
                && status.waiting_on.is_none()
                && Some(status.observed_generation) == metadata.generation
        };
        metadata.deletion_timestamp.is_none()
            && self.failure.is_none()
            && self.run.as_ref().is_none_or(Run::is_over)
            && self.request.status.as_ref().is_some_and(is_kept)
    }
}

/// Returns the time until a request of a workspace that has nothing to do is reconciled again: the longer one only if it is ready and
/// everything that was created for it is watched.
pub fn resync(cluster: &ClusterId, uid: &str, status: Option<&PromiseRequestStatus>) -> Duration {
    let is_steady =
        |status: &PromiseRequestStatus| status.phase == Phase::Ready && status.inventory.iter().all(|item| is_watched(cluster, item));
    if status.is_some_and(is_steady) { spread(uid) } else { LOOK }
}

/// Whether changes of an object are announced. On kcp, no export claims to list Secrets, so those beside requests aren't watched.
fn is_watched(cluster: &ClusterId, item: &InventoryItem) -> bool {
    let is_secret = item.group.is_empty() && item.kind == "Secret";
    !is_secret || item.destination.is_some() || cluster.namespace().is_some()
}

/// Returns between half of [`RESYNC`] and all of it, by the uid, so that requests that became idle at the same time, such as after a restart,
/// don't come back at the same time.
fn spread(uid: &str) -> Duration {
    let mut hasher = DefaultHasher::new();
    uid.hash(&mut hasher);
    let half = RESYNC.as_secs() / 2;
    Duration::from_secs(half + hasher.finish() % half)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use promise::api::{InventoryItem, Phase, PromiseRequestStatus};

    use super::{LOOK, RESYNC, resync, spread};
    use crate::workspaces::ClusterId;

    #[test]
    fn requests_that_became_idle_together_are_spread_over_hours() {
        let all: Vec<_> = (0..1_000).map(|number| spread(&format!("uid-{number}"))).collect();
        assert!(all.iter().all(|pause| (RESYNC / 2..RESYNC).contains(pause)));
        let minutes: BTreeSet<u64> = all.iter().map(|pause| pause.as_secs() / 60).collect();
        assert!(minutes.len() > 200, "of 300 minutes, {}", minutes.len());
    }

    #[test]
    fn what_changes_without_an_event_is_looked_at_sooner() {
        let item = |kind: &str, destination: Option<&str>| InventoryItem {
            kind: kind.to_owned(),
            destination: destination.map(str::to_owned),
            ..InventoryItem::default()
        };
        let status = |phase, inventory| PromiseRequestStatus { phase, inventory, ..PromiseRequestStatus::default() };
        let [kcp, kubernetes] = ["root", "cluster:shop"].map(|cluster| ClusterId::parse(cluster).unwrap());
        let pause = |cluster: &ClusterId, status: &PromiseRequestStatus| resync(cluster, "u", Some(status));
        let watched = status(Phase::Ready, vec![item("ConfigMap", None), item("Secret", Some("eu"))]);
        let secret = status(Phase::Ready, vec![item("Secret", None)]);
        assert!(pause(&kcp, &watched) > LOOK && pause(&kubernetes, &secret) > LOOK);
        assert_eq!(pause(&kcp, &secret), LOOK);
        for phase in [Phase::Updating, Phase::Provisioning, Phase::Degraded] {
            assert_eq!(pause(&kcp, &status(phase, Vec::new())), LOOK, "{phase:?}");
        }
        assert_eq!(resync(&kcp, "u", None), LOOK);
    }
}
