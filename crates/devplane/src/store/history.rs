//! The changes of the recent past, which watches and lists of the past read (etcd's compaction, apiserver `storage/cacher`).
//!
//! They are dropped by number, by size and by age. Large objects push out changes of their own kind: each kind has a share of the memory,
//! and what is too much in all is taken from the kind that has most. What was written last is never dropped, however large it is, so that
//! who follows closely misses nothing. A reader is told of a gap only where changes of its own resource were dropped: one that follows what
//! seldom changes goes on, as it does on a real server, whose watch cache is one for each resource.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ops::Bound,
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};

use super::Change;
use crate::registry::GroupResource;

/// How many changes are kept.
const CHANGES: usize = 20_000;
/// How many bytes of objects the kept changes may hold.
const BYTES: usize = 24 << 20;
/// How many bytes of objects the kept changes of one resource may hold.
const KIND_BYTES: usize = 12 << 20;
/// How long a change is kept (`--etcd-compaction-interval` of the real server).
const AGE: SignedDuration = SignedDuration::from_mins(5);

/// The history does not reach back to the revision asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too old resource version: {wanted} ({oldest})")]
pub struct HistoryGap {
    /// Asked for.
    pub wanted: u64,
    /// What the history reaches back to.
    pub oldest: u64,
}

/// Recent changes in the order of their revisions.
pub(super) struct History {
    /// By their revisions.
    kept: BTreeMap<u64, Kept>,
    kinds: HashMap<GroupResource, Kind>,
    bytes: usize,
    /// Changes up to and including this revision are gone.
    compacted: u64,
    /// Of changes up to and including this revision nothing is known, not even of which resources they were.
    unknown: u64,
    /// The last dropped change of each resource.
    dropped: HashMap<GroupResource, u64>,
}

struct Kept {
    change: Arc<Change>,
    at: Timestamp,
}

/// The kept changes of one resource.
#[derive(Default)]
struct Kind {
    revisions: VecDeque<u64>,
    bytes: usize,
}

impl History {
    /// A history that begins after this revision.
    pub(super) fn after(revision: u64) -> Self {
        Self { kept: BTreeMap::new(), kinds: HashMap::new(), bytes: 0, compacted: revision, unknown: revision, dropped: HashMap::new() }
    }

    /// Changes up to and including this revision are gone.
    pub(super) fn oldest(&self) -> u64 {
        self.compacted
    }

    /// Keeps a change, which came after all others, and drops what is too much or too old.
    pub(super) fn push(&mut self, change: Arc<Change>, now: Timestamp) {
        self.count(&change).revisions.push_back(change.revision);
        let resource = change.resource.clone();
        self.kept.insert(change.revision, Kept { change, at: now });
        while self.kinds.get(&resource).is_some_and(|kind| kind.bytes > KIND_BYTES && kind.revisions.len() > 1) {
            self.drop_oldest(&resource);
        }
        self.expire(now);
    }

    /// Counts a change as one of its resource.
    fn count(&mut self, change: &Change) -> &mut Kind {
        self.bytes += change.weight();
        let kind = self.kinds.entry(change.resource.clone()).or_default();
        kind.bytes += change.weight();
        kind
    }

    /// Puts a change before all others, unless it would be dropped at once.
    pub(super) fn prepend(&mut self, change: Change, now: Timestamp) -> bool {
        let of_kind = self.kinds.get(&change.resource).map_or(0, |kind| kind.bytes);
        let is_too_much = self.bytes + change.weight() > BYTES || of_kind + change.weight() > KIND_BYTES;
        if is_too_much || self.kept.len() >= CHANGES {
            return false;
        }
        self.count(&change).revisions.push_front(change.revision);
        // Every write of the plane has a revision of its own: before this one there is nothing between.
        self.compacted = change.revision - 1;
        self.unknown = self.compacted;
        self.kept.insert(change.revision, Kept { change: Arc::new(change), at: now });
        true
    }

    /// Drops what is too much or too old.
    pub(super) fn expire(&mut self, now: Timestamp) {
        // A clock that was set back keeps changes for longer, that is all.
        while let Some((_, first)) = self.kept.first_key_value()
            && (self.kept.len() > CHANGES || now.duration_since(first.at) > AGE)
        {
            let resource = first.change.resource.clone();
            self.drop_oldest(&resource);
        }
        while self.bytes > BYTES
            && let Some(resource) = self.heaviest()
        {
            self.drop_oldest(&resource);
        }
    }

    /// The resource whose changes hold the most, of those that can lose one.
    fn heaviest(&self) -> Option<GroupResource> {
        let losable = self.kinds.iter().filter(|(_, kind)| kind.revisions.len() > 1);
        losable.max_by_key(|(_, kind)| kind.bytes).map(|(resource, _)| resource.clone())
    }

    fn drop_oldest(&mut self, resource: &GroupResource) {
        let oldest = self.kinds.get(resource).and_then(|kind| kind.revisions.front().copied());
        if let Some(change) = oldest.and_then(|revision| self.take(revision)) {
            // Of a kind that is busy newer changes may be gone than of one that is not.
            self.compacted = self.compacted.max(change.revision);
            self.dropped.insert(resource.clone(), change.revision);
        }
    }

    /// Takes out the oldest or the newest change of its resource.
    fn take(&mut self, revision: u64) -> Option<Arc<Change>> {
        let Kept { change, .. } = self.kept.remove(&revision)?;
        self.bytes -= change.weight();
        if let Some(kind) = self.kinds.get_mut(&change.resource) {
            kind.bytes -= change.weight();
            match kind.revisions.front() {
                Some(front) if *front == revision => kind.revisions.pop_front(),
                _ => kind.revisions.pop_back(),
            };
            if kind.revisions.is_empty() {
                self.kinds.remove(&change.resource);
            }
        }
        Some(change)
    }

    /// Takes back the newest change if it came after this revision.
    pub(super) fn pop_after(&mut self, revision: u64) -> Option<Arc<Change>> {
        let newest = *self.kept.last_key_value()?.0;
        if newest > revision { self.take(newest) } else { None }
    }

    /// Changes after one revision up to another, of one resource if one is given.
    pub(super) fn between(&self, resource: Option<&GroupResource>, after: u64, until: u64) -> Result<Vec<Arc<Change>>, HistoryGap> {
        let oldest = match resource {
            Some(resource) => self.dropped.get(resource).copied().unwrap_or(0).max(self.unknown),
            None => self.compacted,
        };
        if after < oldest {
            return Err(HistoryGap { wanted: after, oldest });
        }
        if after >= until {
            return Ok(Vec::new());
        }
        let within = (Bound::Excluded(after), Bound::Included(until));
        let Some(resource) = resource else {
            return Ok(self.kept.range(within).map(|(_, kept)| kept.change.clone()).collect());
        };
        let Some(kind) = self.kinds.get(resource) else { return Ok(Vec::new()) };
        let start = kind.revisions.partition_point(|revision| *revision <= after);
        let own = kind.revisions.range(start..).take_while(|revision| **revision <= until);
        Ok(own.filter_map(|revision| self.kept.get(revision)).map(|kept| kept.change.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::{ClusterId, store::Key};

    fn change(revision: u64, resource: &str, bytes: usize) -> Change {
        let last = Some(Bytes::from(vec![b'x'; bytes]));
        let key = Key::new(&ClusterId::root(), "default", "a");
        Change { revision, resource: GroupResource::new("", resource), key, old: None, new: None, last }
    }

    fn revisions(found: Result<Vec<Arc<Change>>, HistoryGap>) -> Vec<u64> {
        found.unwrap().iter().map(|change| change.revision).collect()
    }

    #[test]
    fn changes_go_with_their_age() {
        let (mut history, start) = (History::after(1), Timestamp::UNIX_EPOCH);
        history.push(Arc::new(change(2, "maps", 10)), start);
        history.push(Arc::new(change(3, "maps", 10)), start + AGE);
        assert_eq!(revisions(history.between(None, 1, 9)), [2, 3]);
        history.expire(start + AGE + SignedDuration::from_secs(1));
        assert_eq!(history.between(None, 1, 9).unwrap_err(), HistoryGap { wanted: 1, oldest: 2 });
        assert_eq!(revisions(history.between(None, 2, 9)), [3]);
    }

    #[test]
    fn changes_go_by_number_and_by_size() {
        let now = Timestamp::UNIX_EPOCH;
        let mut history = History::after(1);
        (2..CHANGES as u64 + 12).for_each(|revision| history.push(Arc::new(change(revision, "maps", 1)), now));
        assert_eq!((history.oldest(), history.kept.len()), (11, CHANGES));
        let mut history = History::after(1);
        (2..32).for_each(|revision| history.push(Arc::new(change(revision, "maps", 1 << 20)), now));
        assert_eq!((history.oldest(), history.kept.len()), (20, 11));
    }

    #[test]
    fn large_objects_push_out_changes_of_their_own_kind() {
        let now = Timestamp::UNIX_EPOCH;
        let (large, small) = (GroupResource::new("", "large"), GroupResource::new("", "small"));
        let mut history = History::after(1);
        history.push(Arc::new(change(2, "small", 10)), now);
        (3..40).for_each(|revision| history.push(Arc::new(change(revision, "large", 1 << 20)), now));
        assert_eq!(revisions(history.between(Some(&small), 1, 99)), [2]);
        assert!(history.between(Some(&large), 3, 99).is_err());
        assert_eq!(revisions(history.between(Some(&large), 30, 99)), (31..40).collect::<Vec<_>>());
        // Many kinds together have a limit, too: the one that holds most gives way.
        (40..48).for_each(|revision| history.push(Arc::new(change(revision, "other", 1 << 20)), now));
        (48..56).for_each(|revision| history.push(Arc::new(change(revision, "third", 1 << 20)), now));
        assert!(history.bytes <= BYTES, "{}", history.bytes);
        assert_eq!(revisions(history.between(Some(&small), 1, 99)), [2]);
        assert_eq!(revisions(history.between(Some(&GroupResource::new("", "third")), 50, 99)), (51..56).collect::<Vec<_>>());
    }

    #[test]
    fn what_was_written_last_is_there_however_large_it_is() {
        let now = Timestamp::UNIX_EPOCH;
        let mut history = History::after(1);
        for revision in 2..6 {
            history.push(Arc::new(change(revision, "maps", BYTES + 1)), now);
            assert_eq!(revisions(history.between(Some(&GroupResource::new("", "maps")), revision - 1, 99)), [revision]);
            assert_eq!(revisions(history.between(None, revision - 1, 99)), [revision]);
        }
    }

    #[test]
    fn a_gap_is_told_only_to_those_who_missed_something() {
        let (mut history, start) = (History::after(5), Timestamp::UNIX_EPOCH);
        history.push(Arc::new(change(6, "busy", 10)), start);
        history.push(Arc::new(change(7, "calm", 10)), start + AGE);
        history.expire(start + AGE + AGE / 2);
        assert_eq!(revisions(history.between(Some(&GroupResource::new("", "calm")), 5, 9)), [7]);
        assert_eq!(history.between(Some(&GroupResource::new("", "busy")), 5, 9).unwrap_err().oldest, 6);
        assert!(history.between(Some(&GroupResource::new("", "calm")), 4, 9).is_err(), "nobody knows what was before");
    }
}
