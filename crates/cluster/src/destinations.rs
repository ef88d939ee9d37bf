//! Resolves the Destinations and Endpoints that a promise refers to by name.

use std::collections::BTreeMap;

use promise::api::{DestinationId, PromiseSpec};
use promise::{endpoint, placement};

use crate::watch::{Cache, Key};
use crate::workspaces::{ClusterId, Tree, WorkspacePath};
use crate::world::World;

impl World {
    /// Returns the key of the Destination that promises of `home` refer to by `name`: the one in `home` itself if `home` is one of the
    /// `trusted` homes, otherwise the first one in `trusted` order that serves promises of `home`, or failing that the first one that
    /// exists.
    ///
    /// The key says where to look, including for objects that were created earlier. Whether the promise can use the Destination is decided
    /// by [`placement::admits`]. If there is none, the key points into `home`, where it is reported as missing.
    pub fn destination(&self, home: &ClusterId, name: &str, trusted: &[WorkspacePath]) -> Key {
        named(&self.tree(), &self.destinations, home, name, trusted, |row, owner, home| placement::serves(&row.spec, owner, home))
    }

    /// Returns the key of the Endpoint that promises of `home` refer to by `name`, found like a Destination. Whether the promise can call
    /// it is decided by [`endpoint::serves`].
    pub fn endpoint(&self, home: &ClusterId, name: &str, trusted: &[WorkspacePath]) -> Key {
        named(&self.tree(), &self.endpoints, home, name, trusted, |row, owner, home| endpoint::serves(&row.spec, owner, home))
    }

    /// Returns the ids of the Destinations that promises of `home` refer to in a spec, as far as they exist.
    pub fn destination_ids(&self, home: &ClusterId, spec: &PromiseSpec, trusted: &[WorkspacePath]) -> BTreeMap<String, DestinationId> {
        let named = spec.implementation.resources.iter().filter_map(|resource| resource.destination.clone());
        named.filter_map(|name| Some((name.clone(), self.destination_id(&self.destination(home, &name, trusted))?))).collect()
    }

    /// Returns those Destinations that promises of `home` refer to in a spec and that don't allow orphaned objects, with the paths of their
    /// homes.
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

    /// Returns the id of the Destination at a key, if there is one.
    pub fn destination_id(&self, at: &Key) -> Option<DestinationId> {
        let uid = self.destinations.get(at)?.metadata.uid.clone()?;
        Some(DestinationId { cluster: at.cluster.to_string(), uid, server: None })
    }

    /// Returns the key of the Destination with this name and id while it exists. A Destination that was re-created under the same name
    /// doesn't match.
    pub fn destination_at(&self, name: &str, id: &DestinationId) -> Option<Key> {
        let at = Key::cluster_scoped(&ClusterId::parse(&id.cluster).ok()?, name);
        (self.destination_id(&at)?.uid == id.uid).then_some(at)
    }
}

/// Returns the key of what promises of `home` refer to by `name`, see [`World::destination`]. `serves` is asked for an object with the paths
/// of its own home and of the promise's.
fn named<V>(
    tree: &Tree,
    cache: &Cache<V>,
    home: &ClusterId,
    name: &str,
    trusted: &[WorkspacePath],
    serves: impl Fn(&V, &str, &str) -> bool,
) -> Key {
    let own = Key::cluster_scoped(home, name);
    let Some(path) = tree.path(home) else { return own };
    if trusted.contains(&path) && cache.get(&own).is_some() {
        return own;
    }
    let there = trusted.iter().filter_map(|owner| {
        let key = Key::cluster_scoped(&tree.cluster(owner)?, name);
        let row = cache.get(&key)?;
        Some((serves(&row, owner.as_str(), path.as_str()), key))
    });
    let found = there.reduce(|best, other| if other.0 && !best.0 { other } else { best });
    found.map_or(own, |(_, key)| key)
}
