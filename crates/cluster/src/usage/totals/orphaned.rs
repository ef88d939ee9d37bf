//! Orphans: what deleted requests handed over counts until it is released.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use promise::policy::{Reach, Tally};

use super::{Accepted, Group, Place, Sum, Totals, includes, place};
use crate::orphans::Orphan;
use crate::watch::{Cache, Key, RowChanges};
use crate::workspaces::ClusterId;

/// What the caches show of orphans.
pub(super) struct Orphaned {
    pub(super) rows: Cache<Orphan>,
    pub(super) changes: RowChanges<Orphan>,
    /// Orphans by request, in the order of their workspaces.
    of: BTreeMap<Key, BTreeSet<Key>>,
    known: HashMap<Key, Known>,
}

struct Known {
    request: Key,
    /// `None` while the request exists: then the request counts.
    counts: Option<Left>,
}

/// What counts of an orphan.
struct Left {
    place: Place,
    accepted: Accepted,
}

impl Left {
    /// Adds the orphan to a sum this many times, if it counts there.
    fn add(&self, tally: &Tally, sum: &mut Sum, times: i64) {
        let group = Group::of(&self.accepted);
        if includes(tally, &group, &self.place) {
            sum.include(tally, &group, times, self.accepted.micros() * i128::from(times));
        }
    }
}

impl Orphaned {
    /// Creates an empty set.
    pub(super) fn new(rows: &Cache<Orphan>) -> Self {
        Self { rows: rows.clone(), changes: rows.row_changes(), of: BTreeMap::new(), known: HashMap::new() }
    }

    /// Returns the orphans of the request at a key.
    pub(super) fn of_request(&self, request: &Key) -> impl Iterator<Item = &Key> {
        self.of.get(request).into_iter().flatten()
    }

    /// Returns the orphans of the requests of a workspace.
    pub(super) fn within(&self, cluster: &ClusterId) -> impl Iterator<Item = &Key> {
        let there = self.of.range(Key::cluster_scoped(cluster, "")..).take_while(move |(request, _)| request.cluster == *cluster);
        there.flat_map(|(_, orphans)| orphans)
    }

    /// Returns the sum of all orphans that count for a cap.
    pub(super) fn sum(&self, tally: &Tally) -> Sum {
        Self::add_up(tally, self.known.values())
    }

    fn add_up<'k>(tally: &Tally, orphans: impl Iterator<Item = &'k Known>) -> Sum {
        let mut sum = Sum::default();
        orphans.filter_map(|known| known.counts.as_ref()).for_each(|left| left.add(tally, &mut sum, 1));
        sum
    }

    fn forget(&mut self, key: &Key) -> Option<Left> {
        let Known { request, counts } = self.known.remove(key)?;
        if let Some(orphans) = self.of.get_mut(&request) {
            orphans.remove(key);
            if orphans.is_empty() {
                self.of.remove(&request);
            }
        }
        counts
    }

    fn note(&mut self, key: &Key, known: Known) {
        self.of.entry(known.request.clone()).or_default().insert(key.clone());
        self.known.insert(key.clone(), known);
    }
}

impl Totals {
    /// Returns the sum of all orphans that count for a cap. They are part of no other sum.
    pub(in crate::usage) fn orphaned(&mut self, tally: &Tally) -> Sum {
        let Reach::Workspace { cluster } = &tally.reach else { return self.kept(tally).1 };
        let Ok(cluster) = ClusterId::parse(cluster) else { return Sum::default() };
        Orphaned::add_up(tally, self.orphaned.within(&cluster).filter_map(|key| self.orphaned.known.get(key)))
    }

    /// Counts an orphan as the caches show it now.
    pub(super) fn take_in_orphan(&mut self, key: &Key) {
        let before = self.orphaned.forget(key);
        let now = self.orphaned.rows.get(key);
        let counts = now.as_ref().filter(|orphan| !self.is_there(orphan)).map(|orphan| Left {
            // If its workspace is gone, it counts where that workspace was.
            place: place(&self.tree, &orphan.request.cluster).unwrap_or_else(|| Place::from(&**orphan)),
            accepted: orphan.accepted.clone(),
        });
        for kept in self.kept.values_mut() {
            before.iter().for_each(|left| left.add(&kept.tally, &mut kept.orphaned, -1));
            counts.iter().for_each(|left| left.add(&kept.tally, &mut kept.orphaned, 1));
        }
        if let Some(orphan) = now {
            self.orphaned.note(key, Known { request: orphan.request.clone(), counts });
        }
    }

    fn is_there(&self, orphan: &Orphan) -> bool {
        self.requests.get(&orphan.request).is_some_and(|request| request.metadata.uid.as_deref() == Some(orphan.uid.as_str()))
    }
}
