//! A cache of one kind, and its freshness.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use imbl::OrdMap;
use jiff::Timestamp;
use parking_lot::RwLock;
use tokio::sync::{broadcast, watch};

use super::{Key, RowChanges};
use crate::workspaces::ClusterId;

/// Number of changes that a slow receiver can fall behind before it has to look at everything again. The memory is allocated at once, 32
/// bytes for each.
const BACKLOG: usize = 1024;
/// The same for [`Cache::small`].
const SMALL_BACKLOG: usize = 256;

/// Receives keys of rows that appeared, changed or were deleted. After `Lagged`, look at the whole snapshot.
pub type Changes = broadcast::Receiver<Key>;

/// What a cache keeps of an object.
pub trait Row {
    /// Checks whether two looks showed the same state. Only differences are reported.
    fn same_edition(&self, other: &Self) -> bool;

    /// Returns what is kept when this is shown where `before` is known; `None` if `before` is newer. A watch shows states in their order,
    /// so only rows that don't come from a watch alone need to compare.
    fn after(self, _before: &Self) -> Option<Self>
    where
        Self: Sized,
    {
        Some(self)
    }

    /// Checks whether this takes the place of `before`, which shows the same state. That isn't reported.
    fn settles(&self, _before: &Self) -> bool {
        false
    }

    /// Returns what is kept of an object of which not all fields could be decoded.
    fn in_part(self) -> Self
    where
        Self: Sized,
    {
        self
    }
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
    /// Number of times that rows might have been removed. It only changes while the rows are locked.
    removals: AtomicU64,
    is_current: AtomicBool,
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
        Self::with_backlog(BACKLOG)
    }
}

impl<V> Cache<V> {
    /// Returns a cache with a short backlog, for caches of which there can be thousands.
    pub(crate) fn small() -> Self {
        Self::with_backlog(SMALL_BACKLOG)
    }

    fn with_backlog(backlog: usize) -> Self {
        let inner = Inner {
            rows: RwLock::new(OrdMap::new()),
            version: AtomicU64::new(0),
            removals: AtomicU64::new(0),
            is_current: AtomicBool::new(false),
            changes: broadcast::Sender::new(backlog),
            freshness: watch::Sender::new(Freshness::Starting),
            trouble: watch::Sender::new(None),
        };
        Self { inner: Arc::new(inner) }
    }

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

    /// Returns the changes of rows from now on.
    pub fn row_changes(&self) -> RowChanges<V> {
        RowChanges::of(self)
    }

    /// Returns a receiver for changes from now on.
    pub fn changes(&self) -> Changes {
        self.inner.changes.subscribe()
    }

    /// Returns how far the rows can be trusted now.
    pub fn freshness(&self) -> Freshness {
        self.inner.freshness.borrow().clone()
    }

    /// Checks whether a watch is open that reports changes of the rows. It isn't while it is being opened again or everything is listed
    /// again, although the rows count as synced then.
    pub fn is_current(&self) -> bool {
        self.inner.is_current.load(Ordering::Acquire)
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

    /// Sets whether a watch reports changes of the rows.
    pub(crate) fn set_current(&self, is_current: bool) {
        self.inner.is_current.store(is_current, Ordering::Release);
    }

    pub(crate) fn set_synced(&self) {
        // First, so that receivers of this change find rows that can be used.
        self.set_current(true);
        self.inner.freshness.send_if_modified(|f| {
            let changed = *f != Freshness::Synced;
            *f = Freshness::Synced;
            changed
        });
        // Last, so that receivers of this change find rows that can be trusted.
        self.inner.trouble.send_if_modified(|trouble| trouble.take().is_some());
    }

    /// Records an outage, and keeps its first moment. A cache that never had anything stays `Starting`; its trouble says why.
    pub(crate) fn set_unreachable(&self, since: Timestamp, why: promise::Error) {
        self.set_current(false);
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
        let mut rows = self.inner.rows.write();
        if let Some(key) = insert(&mut rows, key, value) {
            self.tell(&rows, key);
        }
    }

    /// Returns a number that grows whenever rows might have been removed, for [`Cache::put_own`].
    pub(crate) fn removals(&self) -> u64 {
        self.inner.removals.load(Ordering::Acquire)
    }

    /// Like [`Cache::put`], for what a call of ours was answered with. `removals` is the number from before the call: a row that was
    /// removed since then isn't added again, because the watch might already have shown what came after the answer.
    pub(crate) fn put_own(&self, key: Key, value: V, removals: u64) {
        let mut rows = self.inner.rows.write();
        if (self.removals() == removals || rows.contains_key(&key))
            && let Some(key) = insert(&mut rows, key, value)
        {
            self.tell(&rows, key);
        }
    }

    /// Replaces a row, if there is one. It isn't reported: the object didn't change.
    pub(crate) fn amend(&self, key: &Key, amended: impl FnOnce(&V) -> V) {
        let mut rows = self.inner.rows.write();
        let row = rows.get(key).map(|row| Arc::new(amended(row)));
        if let Some(row) = row {
            rows.insert(key.clone(), row);
        }
    }

    pub(crate) fn remove(&self, key: Key) {
        let mut rows = self.inner.rows.write();
        self.inner.removals.fetch_add(1, Ordering::AcqRel);
        if rows.remove(&key).is_some() {
            self.tell(&rows, key);
        }
    }

    /// Replaces the rows with a fresh list. Only differences are reported.
    pub(crate) fn replace(&self, fresh: Vec<(Key, V)>) {
        let mut differs = Vec::new();
        // Locked meanwhile: a row that a write of ours adds is in one list or the other.
        let mut rows = self.inner.rows.write();
        self.inner.removals.fetch_add(1, Ordering::AcqRel);
        // A row that is the same stays the very same, so that callers that compare snapshots don't need to look into it.
        let row = |(key, value): (Key, V)| {
            let (key, before) = known(&rows, key);
            let value = match before {
                Some(before) if before.same_edition(&value) && value.settles(before) => return Some((key, Arc::new(value))),
                Some(before) if before.same_edition(&value) => None,
                Some(before) => value.after(before),
                None => Some(value),
            };
            match (value, before) {
                (Some(value), _) => {
                    differs.push(key.clone());
                    Some((key, Arc::new(value)))
                }
                (None, before) => before.cloned().map(|before| (key, before)),
            }
        };
        let fresh: OrdMap<Key, Arc<V>> = fresh.into_iter().filter_map(row).collect();
        differs.extend(rows.keys().filter(|key| !fresh.contains_key(*key)).cloned());
        *rows = fresh;
        differs.into_iter().for_each(|key| self.tell(&rows, key));
    }

    /// Reports a change while the rows are still locked, so that everything in a snapshot has been reported.
    fn tell(&self, _rows: &OrdMap<Key, Arc<V>>, key: Key) {
        self.inner.version.fetch_add(1, Ordering::AcqRel);
        // It is fine if there are no receivers.
        let _ = self.inner.changes.send(key);
    }
}

/// Returns a row, and its key as the row has it, so that callers that keep the key share its memory.
fn known<V>(rows: &OrdMap<Key, Arc<V>>, key: Key) -> (Key, Option<&Arc<V>>) {
    match rows.get_key_value(&key) {
        Some((known, row)) => (known.clone(), Some(row)),
        None => (key, None),
    }
}

/// Inserts a row, unless it shows nothing new. Returns its key if it is to be reported.
fn insert<V: Row>(rows: &mut OrdMap<Key, Arc<V>>, key: Key, value: V) -> Option<Key> {
    let (key, before) = known(rows, key);
    let (value, is_new) = match before {
        Some(before) if before.same_edition(&value) => (value.settles(before).then_some(value), false),
        Some(before) => (value.after(before), true),
        None => (Some(value), true),
    };
    rows.insert(key.clone(), Arc::new(value?));
    is_new.then_some(key)
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
        Key::new(ClusterId::parse(cluster).unwrap(), "default", name)
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
        let mut reported: Vec<String> = std::iter::from_fn(|| changes.try_recv().ok()).map(|key| key.name.clone()).collect();
        reported.sort();
        assert_eq!(reported, ["changed", "gone", "new"]);
        let same = cache.get(&key("a", "same")).unwrap();
        cache.replace(vec![(key("a", "same"), 1)]);
        assert!(std::sync::Arc::ptr_eq(&same, &cache.get(&key("a", "same")).unwrap()), "what is the same is kept");
    }

    #[test]
    fn an_answer_adds_no_row_that_was_removed_since_the_write() {
        let cache = Cache::default();
        cache.replace(vec![(key("a", "kept"), 1)]);
        let before = cache.removals();
        cache.put_own(key("a", "new"), 1, before);
        assert_eq!(cache.get(&key("a", "new")).as_deref(), Some(&1));
        cache.remove(key("a", "new"));
        cache.put_own(key("a", "new"), 2, before);
        assert_eq!(cache.get(&key("a", "new")), None, "the watch has shown its end");
        cache.put_own(key("a", "kept"), 2, before);
        assert_eq!(cache.get(&key("a", "kept")).as_deref(), Some(&2));
    }

    #[test]
    fn a_row_that_is_amended_is_not_reported() {
        let cache = Cache::default();
        cache.put(key("a", "db"), 1);
        let mut changes = cache.changes();
        cache.amend(&key("a", "db"), |row| row + 1);
        cache.amend(&key("a", "none"), |row| row + 1);
        assert!(changes.try_recv().is_err());
        assert_eq!((cache.get(&key("a", "db")).as_deref(), cache.snapshot().len()), (Some(&2), 1));
    }

    #[test]
    fn rows_are_current_while_a_watch_reports_their_changes() {
        let cache = Cache::<u8>::default();
        assert!(!cache.is_current());
        cache.set_synced();
        assert!(cache.is_current());
        cache.set_current(false);
        assert_eq!((cache.is_current(), cache.freshness()), (false, Freshness::Synced));
        cache.set_current(true);
        cache.set_unreachable(Timestamp::UNIX_EPOCH, promise::Error::Unreachable { what: "the plane".into() });
        assert!(!cache.is_current());
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
