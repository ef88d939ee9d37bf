//! The state in memory: current objects, and the changes of the recent past.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ops::Bound,
    sync::Arc,
};

use bytes::Bytes;

use super::{
    Key, Range, Stored, WriteError,
    text::{self, Draft},
};
use crate::{ClusterId, registry::GroupResource};

/// How many changes are kept for watches.
const HISTORY_CHANGES: usize = 20_000;
/// How many bytes of objects the kept changes may hold.
const HISTORY_BYTES: usize = 12 << 20;

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

    fn weight(&self) -> usize {
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

/// The history does not reach back to the revision asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too old resource version: {wanted} ({oldest})")]
pub struct HistoryGap {
    /// Asked for.
    pub wanted: u64,
    /// What the history reaches back to.
    pub oldest: u64,
}

/// Current objects and recent changes.
pub(super) struct Memory {
    revision: u64,
    objects: HashMap<GroupResource, BTreeMap<Key, Stored>>,
    last_changes: HashMap<GroupResource, HashMap<ClusterId, u64>>,
    history: VecDeque<Arc<Change>>,
    history_bytes: usize,
    /// Changes up to and including this revision are gone.
    compacted: u64,
    /// For each resource the revision of its last change that is gone, where that is known; not after this one for the others.
    gone: HashMap<GroupResource, u64>,
    gone_before: u64,
}

impl Memory {
    pub(super) fn new() -> Self {
        // Revision 1 is etcd's empty state.
        Self {
            revision: 1,
            objects: HashMap::new(),
            last_changes: HashMap::new(),
            history: VecDeque::new(),
            history_bytes: 0,
            compacted: 1,
            gone: HashMap::new(),
            gone_before: 1,
        }
    }

    /// Puts an object that was on disk.
    pub(super) fn load(&mut self, resource: GroupResource, key: Key, stored: Stored) {
        let objects = self.objects.entry(resource).or_default();
        let key = sharing(objects, &key);
        objects.insert(key, stored);
    }

    /// Goes on from the revision that was on disk, with the history after `compacted`. `past` are the kept changes, newest first, each
    /// as the state that it replaced: what it led to is what the next change of the object replaced, or what is there now.
    pub(super) fn resume(&mut self, revision: u64, compacted: u64, past: impl IntoIterator<Item = Past>) {
        self.revision = self.revision.max(revision);
        self.forget_until(self.revision);
        let mut later: HashMap<(GroupResource, Key), Option<Stored>> = HashMap::new();
        for Past { revision, resource, key, old } in past {
            let place = (resource, key);
            let new = later.get(&place).cloned().unwrap_or_else(|| self.get(&place.0, &place.1));
            let last = removed(&old, &new, revision);
            later.insert(place.clone(), old.clone());
            let change = Change { revision, resource: place.0, key: place.1, old, new, last };
            if revision <= compacted || self.history_bytes + change.weight() > HISTORY_BYTES {
                return;
            }
            self.history_bytes += change.weight();
            // Every write of the plane has a revision of its own: before this one there is nothing between.
            self.forget_until(revision - 1);
            self.history.push_front(Arc::new(change));
        }
    }

    /// The revision from which the changes of a resource are all there; those of all resources if none is given. The history of what
    /// seldom changes reaches further back than that of the rest: nothing is missed by who follows it.
    fn oldest_of(&self, resource: Option<&GroupResource>) -> u64 {
        resource.map_or(self.compacted, |resource| self.gone.get(resource).copied().unwrap_or(self.gone_before))
    }

    /// Whether nothing was ever written.
    pub(super) fn is_new(&self) -> bool {
        self.revision == 1
    }

    /// Drops the history up to now.
    pub(super) fn begin_history(&mut self) {
        self.history.clear();
        self.history_bytes = 0;
        self.forget_until(self.revision);
    }

    /// Nothing is known of what changed up to here.
    fn forget_until(&mut self, revision: u64) {
        self.compacted = revision;
        self.gone_before = revision;
        self.gone.clear();
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn last_change(&self, resource: &GroupResource, cluster: &ClusterId) -> u64 {
        self.last_changes.get(resource).and_then(|clusters| clusters.get(cluster)).copied().unwrap_or(0)
    }

    pub(super) fn oldest(&self) -> u64 {
        self.compacted
    }

    pub(super) fn get(&self, resource: &GroupResource, key: &Key) -> Option<Stored> {
        self.objects.get(resource)?.get(key).cloned()
    }

    pub(super) fn list(&self, resource: &GroupResource, range: &Range) -> Vec<(Key, Stored)> {
        self.after(resource, range, None).map(|(key, stored)| (key.clone(), stored.clone())).collect()
    }

    /// The objects of a range in order, those after a place if one is given.
    fn after<'a>(&'a self, resource: &GroupResource, range: &'a Range, place: Option<&Key>) -> impl Iterator<Item = (&'a Key, &'a Stored)> {
        let first = match range {
            Range::All => None,
            Range::Cluster(cluster) => Some(Key::new(cluster, "", "")),
            Range::Namespace(cluster, namespace) => Some(Key::new(cluster, namespace, "")),
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
        let objects = self.objects.entry(resource.clone()).or_default();
        let key = sharing(objects, key);
        match &new {
            Some(stored) => objects.insert(key.clone(), stored.clone()),
            None => objects.remove(&key),
        };
        let change = Arc::new(Change { revision, resource: resource.clone(), key, old, new, last });
        self.history_bytes += change.weight();
        self.history.push_back(change.clone());
        while self.history.len() > HISTORY_CHANGES || self.history_bytes > HISTORY_BYTES {
            let Some(gone) = self.history.pop_front() else { break };
            self.history_bytes -= gone.weight();
            self.compacted = gone.revision;
            match self.gone.get_mut(&gone.resource) {
                Some(last) => *last = gone.revision,
                None => drop(self.gone.insert(gone.resource.clone(), gone.revision)),
            }
        }
        Ok(change)
    }

    /// Changes after one revision up to another, in the order of their revisions.
    pub(super) fn changes(&self, resource: Option<&GroupResource>, after: u64, until: u64) -> Result<Vec<Arc<Change>>, HistoryGap> {
        let oldest = self.oldest_of(resource);
        if after < oldest {
            return Err(HistoryGap { wanted: after, oldest });
        }
        let start = self.history.partition_point(|change| change.revision <= after);
        let wanted = |change: &&Arc<Change>| change.revision <= until && resource.is_none_or(|resource| change.resource == *resource);
        Ok(self.history.range(start..).filter(wanted).cloned().collect())
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
