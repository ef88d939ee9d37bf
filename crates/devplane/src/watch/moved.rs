//! What comes and goes for a watch through a virtual workspace without being written: objects of a workspace that binds, unbinds, or
//! accepts a claim.
//! Source: kcp `pkg/reconciler/apis/permissionclaimlabel`, which writes a label into each of them.

use super::{Chunks, Watch};
use crate::store::{Change, HistoryGap, Key, Range};

impl Watch {
    /// Tells which objects a change of what the view rests on has brought or taken. They are told as they are: nothing wrote them.
    pub(super) fn tell_moved(&self, change: &Change, told: &mut Chunks) -> Result<(), HistoryGap> {
        let (cluster, revision) = (&change.key.cluster, change.revision);
        let range = match &self.range {
            Range::All => Range::Cluster(cluster.clone()),
            Range::Cluster(own) | Range::Namespace(own, _) | Range::Object(Key { cluster: own, .. }) if own != cluster => return Ok(()),
            own => own.clone(),
        };
        let storage = &self.call.resource.storage;
        let (before, after) = (self.call.view.at(cluster, revision - 1)?, self.call.view.at(cluster, revision)?);
        let (objects, _) = self.call.state.store.page(storage, &range, revision, None, usize::MAX, false)?;
        // The object that changed was told with its change.
        let others = objects.iter().filter(|(key, _)| change.resource != *storage || *key != change.key);
        for (key, stored) in others {
            match (self.shows(key, stored, &before), self.shows(key, stored, &after)) {
                (false, true) => self.share_stored(told, "ADDED", stored),
                (true, false) => self.share_stored(told, "DELETED", &stored.told_under(revision)),
                _ => {}
            }
        }
        Ok(())
    }
}
