//! The releases of a request, found in the cache by their names.

use std::sync::Arc;

use crate::projection::CachedRelease;
use crate::watch::Key;
use crate::world::World;

/// Returns what the names of a request's releases begin with.
pub fn prefix(request: &str) -> String {
    // The name of an object has at most 253 characters, of which ten are from the content.
    let request: String = request.chars().take(253 - 11).collect();
    format!("{request}-")
}

impl World {
    /// Returns the releases of the request at `key` with this uid. Of those of other requests, which might be very many, it looks only at the
    /// ones whose names begin alike.
    pub fn releases_of(&self, key: &Key, uid: &str) -> Vec<Arc<CachedRelease>> {
        let (prefix, rows) = (prefix(&key.name), self.releases.snapshot());
        let from = key.beside(prefix.clone());
        let is_named = |at: &Key| at.cluster == key.cluster && at.namespace == key.namespace && at.name.starts_with(&prefix);
        let named = rows.range(from..).take_while(|(at, _)| is_named(at));
        named.filter(|(_, release)| release.request_uid == uid).map(|(_, release)| release.clone()).collect()
    }
}
