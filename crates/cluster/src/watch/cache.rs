//! A cache of one kind, and its freshness.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use imbl::OrdMap;
use jiff::Timestamp;
use parking_lot::RwLock;
use tokio::sync::{broadcast, watch};

use super::Key;
use crate::workspaces::ClusterId;

/// Number of changes that a slow receiver can fall behind before it has to look at everything again. The memory is allocated at once, for
/// every kind.
const BACKLOG: usize = 256;

/// Receives keys of rows that appeared, changed or were deleted. After `Lagged`, look at the whole snapshot.
pub type Changes = broadcast::Receiver<Key>;

/// What a cache keeps of an object.
pub trait Row {
    /// Checks whether two looks showed the same state. Only differences are reported.
    fn same_edition(&self, other: &Self) -> bool;
}

/// How far a cache can be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing was read yet, so an empty cache means nothing.
    Starting,
    /// Up to date with the control plane's events.
    Synced,
    /// The rows were true at `since`.
    Unreachable {
        /// When the connection was lost.
        since: Timestamp,
        /// Reason, for people.
        why: promise::Error,
    },
}

/// A cache of one kind. Clones share the content.
pub struct Cache<V> {
    inner: Arc<Inner<V>>,
}

struct Inner<V> {
    rows: RwLock<OrdMap<Key, Arc<V>>>,
    /// Number of changes so far.
    version: AtomicU64,
    changes: broadcast::Sender<Key>,
    freshness: watch::Sender<Freshness>,
    trouble: watch::Sender<Option<promise::Error>>,
}

impl<V> Clone for Cache<V> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<V> Default for Cache<V> {
    fn default() -> Self {
        let inner = Inner {
            rows: RwLock::new(OrdMap::new()),
            version: AtomicU64::new(0),
            changes: broadcast::Sender::new(BACKLOG),
            freshness: watch::Sender::new(Freshness::Starting),
            trouble: watch::Sender::new(None),
        };
        Self { inner: Arc::new(inner) }
    }
}

impl<V> Cache<V> {
    /// Returns a cache of something that doesn't exist: nothing fills it, and it counts as synced.
    pub fn of_nothing() -> Self {
        let cache = Self::default();
        cache.set_synced();
        cache
    }

    /// Returns one row.
    pub fn get(&self, key: &Key) -> Option<Arc<V>> {
        self.inner.rows.read().get(key).cloned()
    }

    /// Returns all rows at one moment, in the order of their keys; costs nothing.
    pub fn snapshot(&self) -> OrdMap<Key, Arc<V>> {
        self.inner.rows.read().clone()
    }

    /// Checks whether there is any row in a workspace.
    pub fn has_any_in(&self, cluster: &ClusterId) -> bool {
        self.snapshot().range(Key::cluster_scoped(cluster, "")..).next().is_some_and(|(key, _)| key.cluster == *cluster)
    }

    /// Returns a number that grows with every change. Read it before the rows: then it is never newer than what was read.
    pub fn version(&self) -> u64 {
        self.inner.version.load(Ordering::Acquire)
    }

    /// Returns a receiver for changes from now on.
    pub fn changes(&self) -> Changes {
        self.inner.changes.subscribe()
    }

    /// Returns how far the rows can be trusted now.
    pub fn freshness(&self) -> Freshness {
        self.inner.freshness.borrow().clone()
    }

    /// Returns a receiver for every change of freshness.
    pub fn freshness_changes(&self) -> watch::Receiver<Freshness> {
        self.inner.freshness.subscribe()
    }

    /// Returns a receiver for the reason why the rows can't be read at this moment, from the first attempt on; `None` while nothing is
    /// wrong.
    pub fn trouble(&self) -> watch::Receiver<Option<promise::Error>> {
        self.inner.trouble.subscribe()
    }

    /// Waits until the rows were read once. Later losses of contact don't matter here.
    pub async fn synced(&self) {
        let mut freshness = self.inner.freshness.subscribe();
        // The sender lives as long as this cache, so waiting can't fail.
        let _ = freshness.wait_for(|f| *f == Freshness::Synced).await;
    }

    pub(super) fn set_synced(&self) {
        self.inner.freshness.send_if_modified(|f| {
            let changed = *f != Freshness::Synced;
            *f = Freshness::Synced;
            changed
        });
        // Last, so that receivers of this change find rows that can be trusted.
        self.inner.trouble.send_if_modified(|trouble| trouble.take().is_some());
    }

    /// Records an outage, and keeps its first moment. A cache that never had anything stays `Starting`; its trouble says why.
    pub(super) fn set_unreachable(&self, since: Timestamp, why: promise::Error) {
        self.inner.trouble.send_if_modified(|trouble| {
            let changed = trouble.as_ref() != Some(&why);
            *trouble = Some(why.clone());
            changed
        });
        self.inner.freshness.send_if_modified(|f| match f {
            Freshness::Synced => {
                *f = Freshness::Unreachable { since, why };
                true
            }
            Freshness::Starting | Freshness::Unreachable { .. } => false,
        });
    }
}

impl<V: Row> Cache<V> {
    pub(crate) fn put(&self, key: Key, value: V) {
        let changed = {
            let mut rows = self.inner.rows.write();
            let same = rows.get(&key).is_some_and(|old| old.same_edition(&value));
            if !same {
                rows.insert(key.clone(), Arc::new(value));
            }
            !same
        };
        if changed {
            self.tell(key);
        }
    }

    pub(crate) fn remove(&self, key: Key) {
        let removed = self.inner.rows.write().remove(&key);
        if removed.is_some() {
            self.tell(key);
        }
    }

    /// Replaces the rows with a fresh list. Only differences are reported.
    pub(super) fn replace(&self, fresh: Vec<(Key, V)>) {
        let old = self.snapshot();
        let mut differs = Vec::new();
        // A row that is the same stays the very same, so that callers that compare snapshots don't need to look into it.
        let row = |(key, value): (Key, V)| match old.get(&key).filter(|before| before.same_edition(&value)) {
            Some(before) => (key, before.clone()),
            None => {
                differs.push(key.clone());
                (key, Arc::new(value))
            }
        };
        let fresh: OrdMap<Key, Arc<V>> = fresh.into_iter().map(row).collect();
        *self.inner.rows.write() = fresh.clone();
        differs.into_iter().for_each(|key| self.tell(key));
        for key in old.keys().filter(|key| !fresh.contains_key(*key)) {
            self.tell(key.clone());
        }
    }

    fn tell(&self, key: Key) {
        self.inner.version.fetch_add(1, Ordering::AcqRel);
        // It is fine if there are no receivers.
        let _ = self.inner.changes.send(key);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Cache, Freshness, Row};
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    impl Row for i32 {
        fn same_edition(&self, other: &Self) -> bool {
            self == other
        }
    }

    fn key(cluster: &str, name: &str) -> Key {
        Key { cluster: ClusterId::parse(cluster).unwrap(), namespace: "default".into(), name: name.into() }
    }

    #[test]
    fn same_named_objects_of_two_workspaces_are_two() {
        let cache = Cache::default();
        cache.replace(vec![(key("a", "db"), 1), (key("b", "db"), 2)]);
        assert_eq!(cache.get(&key("a", "db")).as_deref(), Some(&1));
        assert_eq!(cache.get(&key("b", "db")).as_deref(), Some(&2));
    }

    #[test]
    fn a_fresh_list_tells_only_what_differs() {
        let cache = Cache::default();
        cache.replace(vec![(key("a", "same"), 1), (key("a", "changed"), 1), (key("a", "gone"), 1)]);
        let mut changes = cache.changes();
        cache.replace(vec![(key("a", "same"), 1), (key("a", "changed"), 2), (key("a", "new"), 1)]);
        let mut told: Vec<String> = std::iter::from_fn(|| changes.try_recv().ok()).map(|k| k.name).collect();
        told.sort();
        assert_eq!(told, ["changed", "gone", "new"]);
        let same = cache.get(&key("a", "same")).unwrap();
        cache.replace(vec![(key("a", "same"), 1)]);
        assert!(std::sync::Arc::ptr_eq(&same, &cache.get(&key("a", "same")).unwrap()), "what is the same is kept");
    }

    #[test]
    fn an_outage_is_dated_from_its_first_moment() {
        let cache = Cache::<u8>::default();
        let why = promise::Error::Unreachable { what: "the plane".into() };
        cache.set_unreachable(Timestamp::UNIX_EPOCH, why.clone());
        assert_eq!(cache.freshness(), Freshness::Starting, "nothing was read yet");
        assert_eq!(*cache.trouble().borrow(), Some(why.clone()));
        cache.set_synced();
        assert_eq!(*cache.trouble().borrow(), None);
        cache.set_unreachable(Timestamp::UNIX_EPOCH, why.clone());
        cache.set_unreachable(Timestamp::MAX, why.clone());
        assert_eq!(cache.freshness(), Freshness::Unreachable { since: Timestamp::UNIX_EPOCH, why });
    }
}
