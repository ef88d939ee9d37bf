//! The changes of the recent past, which watches and lists of the past read (etcd's compaction, apiserver `storage/cacher`).
//!
//! They are dropped by number, by size and by age. A reader is told of a gap only where changes of its own resource were dropped: one that
//! follows what seldom changes goes on, as it does on a real server, whose watch cache is one for each resource.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};

use super::Change;
use crate::registry::GroupResource;

/// How many changes are kept.
const CHANGES: usize = 20_000;
/// How many bytes of objects the kept changes may hold.
const BYTES: usize = 12 << 20;
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
    kept: VecDeque<Kept>,
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

impl History {
    /// A history that begins after this revision.
    pub(super) fn after(revision: u64) -> Self {
        Self { kept: VecDeque::new(), bytes: 0, compacted: revision, unknown: revision, dropped: HashMap::new() }
    }

    /// Changes up to and including this revision are gone.
    pub(super) fn oldest(&self) -> u64 {
        self.compacted
    }

    /// Keeps a change, which came after all others, and drops what is too much or too old.
    pub(super) fn push(&mut self, change: Arc<Change>, now: Timestamp) {
        self.bytes += change.weight();
        self.kept.push_back(Kept { change, at: now });
        self.expire(now);
    }

    /// Puts a change before all others, unless it would be dropped at once.
    pub(super) fn prepend(&mut self, change: Change, now: Timestamp) -> bool {
        if self.bytes + change.weight() > BYTES || self.kept.len() >= CHANGES {
            return false;
        }
        self.bytes += change.weight();
        // Every write of the plane has a revision of its own: before this one there is nothing between.
        self.compacted = change.revision - 1;
        self.unknown = self.compacted;
        self.kept.push_front(Kept { change: Arc::new(change), at: now });
        true
    }

    /// Drops what is too much or too old.
    pub(super) fn expire(&mut self, now: Timestamp) {
        while let Some(first) = self.kept.front() {
            // A clock that was set back keeps changes for longer, that is all.
            if self.kept.len() <= CHANGES && self.bytes <= BYTES && now.duration_since(first.at) <= AGE {
                return;
            }
            let Some(Kept { change, .. }) = self.kept.pop_front() else { return };
            self.bytes -= change.weight();
            self.compacted = change.revision;
            self.dropped.insert(change.resource.clone(), change.revision);
        }
    }

    /// Takes back the newest change if it came after this revision.
    pub(super) fn pop_after(&mut self, revision: u64) -> Option<Arc<Change>> {
        self.kept.back().filter(|kept| kept.change.revision > revision)?;
        let Kept { change, .. } = self.kept.pop_back()?;
        self.bytes -= change.weight();
        Some(change)
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
        let start = self.kept.partition_point(|kept| kept.change.revision <= after);
        let wanted = |change: &&Arc<Change>| resource.is_none_or(|resource| change.resource == *resource);
        let within = self.kept.range(start..).map(|kept| &kept.change).take_while(|change| change.revision <= until);
        Ok(within.filter(wanted).cloned().collect())
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
