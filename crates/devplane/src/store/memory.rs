//! The state in memory: current objects, and the changes of the recent past.
//! Source: apiserver `storage/cacher` for what history is kept for.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::Arc,
};

use bytes::Bytes;
use jiff::Timestamp;

use super::{
    Key, Range, Stored, WriteError,
    history::{History, HistoryGap},
    text::{self, Draft},
};
use crate::{ClusterId, registry::GroupResource};

/// One write.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its revision.
    pub revision: u64,
    /// Resource.
    pub resource: GroupResource,
    /// Place.
    pub key: Key,
    /// The state before, none for a creation.
    pub old: Option<Stored>,
    /// The state after, none for a removal.
    pub new: Option<Stored>,
    /// For a removal: the last state under the revision of the removal.
    pub last: Option<Bytes>,
}

impl Change {
    /// The JSON text this change is told with: the new state, or the last one.
    pub fn json(&self) -> &Bytes {
        static EMPTY: Bytes = Bytes::from_static(b"{}");
        self.new.as_ref().map(|stored| &stored.json).or(self.last.as_ref()).unwrap_or(&EMPTY)
    }

    /// About how many bytes it holds.
    pub(super) fn weight(&self) -> usize {
        self.json().len() + 128
    }
}

/// A kept change as it is on disk: what it replaced.
pub(super) struct Past {
    /// Its revision.
    pub(super) revision: u64,
    /// Resource.
    pub(super) resource: GroupResource,
    /// Place.
    pub(super) key: Key,
    /// The state before, none for a creation.
    pub(super) old: Option<Stored>,
}

/// Current objects and recent changes.
pub(super) struct Memory {
    revision: u64,
    objects: HashMap<GroupResource, BTreeMap<Key, Stored>>,
    last_changes: HashMap<GroupResource, HashMap<ClusterId, u64>>,
    history: History,
}

impl Memory {
    pub(super) fn new() -> Self {
        // Revision 1 is etcd's empty state.
        Self { revision: 1, objects: HashMap::new(), last_changes: HashMap::new(), history: History::after(1) }
    }

    /// Puts the objects of a resource that were on disk.
    pub(super) fn load(&mut self, resource: GroupResource, objects: BTreeMap<Key, Stored>) {
        self.objects.insert(resource, objects);
    }

    /// Goes on from the revision that was on disk, with the history after `compacted`. `past` are the kept changes, newest first, each
    /// as the state that it replaced: what it led to is what the next change of the object replaced, or what is there now. When they
    /// were made is not known any more: they age from now on.
    pub(super) fn resume(&mut self, revision: u64, compacted: u64, past: impl IntoIterator<Item = Past>, now: Timestamp) {
        self.revision = self.revision.max(revision);
        self.history = History::after(self.revision);
        let mut later: HashMap<(GroupResource, Key), Option<Stored>> = HashMap::new();
        for Past { revision, resource, key, old } in past {
            let place = (resource, key);
            let new = later.get(&place).cloned().unwrap_or_else(|| self.get(&place.0, &place.1));
            let last = removed(&old, &new, revision);
            later.insert(place.clone(), old.clone());
            let changed = self.last_changes.entry(place.0.clone()).or_default().entry(place.1.cluster.clone()).or_default();
            *changed = revision.max(*changed);
            let change = Change { revision, resource: place.0, key: place.1, old, new, last };
            if revision <= compacted || !self.history.prepend(change, now) {
                return;
            }
        }
    }

    /// Whether nothing was ever written.
    pub(super) fn is_new(&self) -> bool {
        self.revision == 1
    }

    /// Drops the history up to now.
    pub(super) fn begin_history(&mut self) {
        self.history = History::after(self.revision);
    }

    /// Drops what is too old of the history.
    pub(super) fn expire_history(&mut self, now: Timestamp) {
        self.history.expire(now);
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn last_change(&self, resource: &GroupResource, cluster: &ClusterId) -> u64 {
        self.last_changes.get(resource).and_then(|clusters| clusters.get(cluster)).copied().unwrap_or(0)
    }

    pub(super) fn last_change_anywhere(&self, resource: &GroupResource) -> u64 {
        self.last_changes.get(resource).and_then(|clusters| clusters.values().max()).copied().unwrap_or(0)
    }

    pub(super) fn oldest(&self) -> u64 {
        self.history.oldest()
    }

    pub(super) fn get(&self, resource: &GroupResource, key: &Key) -> Option<Stored> {
        self.objects.get(resource)?.get(key).cloned()
    }

    pub(super) fn list(&self, resource: &GroupResource, range: &Range) -> Vec<(Key, Stored)> {
        self.after(resource, range, None).map(|(key, stored)| (key.clone(), stored.clone())).collect()
    }

    pub(super) fn count(&self, resource: &GroupResource, range: &Range) -> usize {
        match range {
            Range::All => self.objects.get(resource).map_or(0, BTreeMap::len),
            _ => self.after(resource, range, None).count(),
        }
    }

    /// The objects of a range in order, those after a place if one is given.
    fn after<'a>(&'a self, resource: &GroupResource, range: &'a Range, place: Option<&Key>) -> impl Iterator<Item = (&'a Key, &'a Stored)> {
        let first = match range {
            Range::All => None,
            Range::Cluster(cluster) => Some(Key::new(cluster, "", "")),
            Range::Namespace(cluster, namespace) => Some(Key::new(cluster, namespace, "")),
            Range::Object(key) => Some(key.clone()),
        };
        let start = match (place, first) {
            (Some(place), first) if first.as_ref().is_none_or(|first| place >= first) => Bound::Excluded(place.clone()),
            (_, Some(first)) => Bound::Included(first),
            (_, None) => Bound::Unbounded,
        };
        let objects = self.objects.get(resource).into_iter();
        objects.flat_map(move |objects| objects.range((start.clone(), Bound::Unbounded))).take_while(|(key, _)| range.contains(key))
    }

    pub(super) fn all(&self) -> Vec<(GroupResource, Key, Stored)> {
        let of = |(resource, objects): (&GroupResource, &BTreeMap<Key, Stored>)| {
            let resource = resource.clone();
            objects.iter().map(move |(key, stored)| (resource.clone(), key.clone(), stored.clone())).collect::<Vec<_>>()
        };
        self.objects.iter().flat_map(of).collect()
    }

    pub(super) fn page(
        &self,
        resource: &GroupResource,
        range: &Range,
        revision: u64,
        after: Option<&Key>,
        limit: usize,
        counted: bool,
    ) -> Result<(Vec<(Key, Stored)>, usize), HistoryGap> {
        let changes = self.changes(Some(resource), revision, self.revision)?;
        let wanted = |key: &Key| range.contains(key) && after.is_none_or(|after| key > after);
        // From the newest to the oldest, so that of an object that changed twice its state before the first change counts.
        let undone: BTreeMap<&Key, &Option<Stored>> =
            changes.iter().rev().filter(|change| wanted(&change.key)).map(|change| (&change.key, &change.old)).collect();
        let mut now = self.after(resource, range, after).filter(|(key, _)| !undone.contains_key(key)).peekable();
        let mut then = undone.iter().filter_map(|(key, old)| Some((*key, old.as_ref()?))).peekable();
        let mut state = std::iter::from_fn(|| match (now.peek(), then.peek()) {
            (Some((own, _)), Some((other, _))) if own < other => now.next(),
            (_, Some(_)) => then.next(),
            (_, None) => now.next(),
        });
        let page = state.by_ref().take(limit).map(|(key, stored)| (key.clone(), stored.clone())).collect();
        let rest = if counted { state.count() } else { state.take(1).count() };
        Ok((page, rest))
    }

    pub(super) fn resources_of(&self, cluster: &ClusterId) -> Vec<GroupResource> {
        let start = Key::new(cluster, "", "");
        let holds = |objects: &BTreeMap<Key, Stored>| objects.range(&start..).next().is_some_and(|(key, _)| key.cluster == *cluster);
        self.objects.iter().filter(|(_, objects)| holds(objects)).map(|(resource, _)| resource.clone()).collect()
    }

    pub(super) fn write(
        &mut self,
        resource: &GroupResource,
        key: &Key,
        expected: u64,
        draft: Option<&Draft>,
        now: Timestamp,
    ) -> Result<Arc<Change>, WriteError> {
        let old = self.get(resource, key);
        if old.as_ref().map_or(0, |stored| stored.revision) != expected || (old.is_none() && draft.is_none()) {
            return Err(WriteError::Changed);
        }
        let revision = self.revision + 1;
        let new = draft.map(|draft| Stored { revision, json: draft.with(revision) });
        let last = removed(&old, &new, revision);
        self.revision = revision;
        self.last_changes.entry(resource.clone()).or_default().insert(key.cluster.clone(), revision);
        let key = self.put(resource, key, new.clone());
        let change = Arc::new(Change { revision, resource: resource.clone(), key, old, new, last });
        self.history.push(change.clone(), now);
        Ok(change)
    }

    /// Puts an object, or takes it away; answers its key as it is kept.
    fn put(&mut self, resource: &GroupResource, key: &Key, state: Option<Stored>) -> Key {
        let objects = self.objects.entry(resource.clone()).or_default();
        let key = sharing(objects, key);
        match state {
            Some(stored) => objects.insert(key.clone(), stored),
            None => objects.remove(&key),
        };
        key
    }

    /// Takes back the changes after a revision: they never were. `lost` are all of them, in their order; the history may not have kept
    /// each of them.
    pub(super) fn undo(&mut self, revision: u64, lost: &[Arc<Change>]) {
        for change in lost.iter().rev() {
            self.put(&change.resource, &change.key, change.old.clone());
            // Whoever has computed something from it finds that it changed.
            self.last_changes.entry(change.resource.clone()).or_default().insert(change.key.cluster.clone(), revision);
        }
        while self.history.pop_after(revision).is_some() {}
        self.revision = revision;
    }

    /// Changes after one revision up to another, in the order of their revisions.
    pub(super) fn changes(&self, resource: Option<&GroupResource>, after: u64, until: u64) -> Result<Vec<Arc<Change>>, HistoryGap> {
        self.history.between(resource, after, until)
    }
}

/// What the removal of an object is told with.
fn removed(old: &Option<Stored>, new: &Option<Stored>, revision: u64) -> Option<Bytes> {
    old.as_ref().filter(|_| new.is_none()).map(|old| text::under(old, revision))
}

/// The key with the texts of its neighbour where they are the same: an object costs the memory of its own name alone.
fn sharing(objects: &BTreeMap<Key, Stored>, key: &Key) -> Key {
    let own = |neighbour: &Key| Key {
        cluster: if neighbour.cluster == key.cluster { neighbour.cluster.clone() } else { key.cluster.clone() },
        namespace: if neighbour.namespace == key.namespace { neighbour.namespace.clone() } else { key.namespace.clone() },
        name: key.name.clone(),
    };
    objects.range(..=key).next_back().map_or_else(|| key.clone(), |(neighbour, _)| own(neighbour))
}
