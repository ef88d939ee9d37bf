//! Which Destination a promise means by a name.

use std::collections::BTreeMap;

use promise::api::{DestinationId, PromiseSpec};
use promise::placement;

use crate::watch::Key;
use crate::workspaces::{ClusterId, WorkspacePath};
use crate::world::World;

impl World {
    /// Where the Destination lies that promises of `home` mean by a name: in the home itself, if that is one of the `trusted` homes, else in
    /// the first of them, in their order, whose Destination of that name serves promises of `home`, or failing that in the first that has one.
    ///
    /// It says where to look, also for what was made once, and not whether the promise may use it: see [`placement::admits`].
    /// Without any it is the home, where it is missed.
    pub fn destination(&self, home: &ClusterId, name: &str, trusted: &[WorkspacePath]) -> Key {
        let tree = self.tree();
        let own = Key::cluster_scoped(home, name);
        let Some(path) = tree.path(home) else { return own };
        if trusted.contains(&path) && self.destinations.get(&own).is_some() {
            return own;
        }
        let there = trusted.iter().filter_map(|owner| {
            let key = Key::cluster_scoped(&tree.cluster(owner)?, name);
            let destination = self.destinations.get(&key)?;
            Some((placement::serves(&destination.spec, owner.as_str(), path.as_str()), key))
        });
        let found = there.reduce(|best, other| if other.0 && !best.0 { other } else { best });
        found.map_or(own, |(_, key)| key)
    }

    /// Which Destinations promises of `home` mean by the names in a spec, as far as they are there.
    pub fn destination_ids(&self, home: &ClusterId, spec: &PromiseSpec, trusted: &[WorkspacePath]) -> BTreeMap<String, DestinationId> {
        let named = spec.implementation.resources.iter().filter_map(|resource| resource.destination.clone());
        named.filter_map(|name| Some((name.clone(), self.destination_id(&self.destination(home, &name, trusted))?))).collect()
    }

    /// Of the Destinations that promises of `home` mean by the names in a spec, those that do not allow orphaned objects, with the paths of
    /// their homes.
    pub fn unorphaned(&self, home: &ClusterId, spec: &PromiseSpec, trusted: &[WorkspacePath]) -> BTreeMap<String, String> {
        let named = spec.implementation.resources.iter().filter_map(|resource| resource.destination.as_ref());
        let tree = self.tree();
        let unorphaned = |name: &String| {
            let at = self.destination(home, name, trusted);
            let forbids = !self.destinations.get(&at)?.spec.allow_orphan;
            forbids.then(|| (name.clone(), tree.path(&at.cluster).map(|path| path.to_string()).unwrap_or_default()))
        };
        named.filter_map(unorphaned).collect()
    }

    /// Which Destination lies somewhere, if there is one.
    pub fn destination_id(&self, at: &Key) -> Option<DestinationId> {
        let uid = self.destinations.get(at)?.metadata.uid.clone()?;
        Some(DestinationId { cluster: at.cluster.to_string(), uid, server: None })
    }

    /// Where a Destination lies that something belongs to, while it is there; another one of its name is another one.
    pub fn destination_at(&self, name: &str, id: &DestinationId) -> Option<Key> {
        let at = Key::cluster_scoped(&ClusterId::parse(&id.cluster).ok()?, name);
        (self.destination_id(&at)?.uid == id.uid).then_some(at)
    }
}
