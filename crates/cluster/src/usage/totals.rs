//! Sums of what is accepted, kept up to date: the cost of judging one request doesn't grow with the number of requests.
//!
//! Accepted requests of a workspace that count alike form one group, with their number and the sum of their prices. A limit of one
//! workspace adds up its groups. Limits that reach further are summed up once, and follow every change from then on.

mod orphaned;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Add;
use std::sync::Arc;

use promise::policy::{Counted, Promises, Reach, Tally};

use self::orphaned::Orphaned;
use super::Accepted;
use crate::kinds::PromiseRequest;
use crate::orphans::Orphan;
use crate::projection::CachedRelease;
use crate::watch::{Cache, Key, RowChanges};
use crate::workspaces::{ClusterId, Tree};

/// Number of sums beyond one workspace that are kept. Beyond that number, the least recently used one is summed up from the groups again.
const KEPT: usize = 4096;

/// What is accepted, as the caches show it.
pub(crate) struct Totals {
    requests: Cache<PromiseRequest>,
    releases: Cache<CachedRelease>,
    request_changes: RowChanges<PromiseRequest>,
    release_changes: RowChanges<CachedRelease>,
    tree: Arc<Tree>,
    /// What counts of each request.
    shown: HashMap<Key, Accepted>,
    /// Requests by the release in force.
    in_force: HashMap<Key, BTreeSet<Key>>,
    workspaces: HashMap<ClusterId, Workspace>,
    orphaned: Orphaned,
    kept: HashMap<CapId, Kept>,
    /// Number of sums that were asked for so far.
    asked: u64,
}

/// The groups of a workspace.
struct Workspace {
    /// `None` while its place isn't proven: then nothing in it counts.
    place: Option<Place>,
    groups: HashMap<Group, Sum>,
}

/// The place of a workspace, as far as it matters for counting.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    path: String,
    labels: BTreeMap<String, String>,
    /// Ids from the root down to it.
    lineage: Vec<String>,
}

impl From<&Orphan> for Place {
    /// Returns the place that the workspace of an orphan had.
    fn from(orphan: &Orphan) -> Self {
        Self { path: orphan.workspace.clone(), labels: orphan.labels.clone(), lineage: orphan.lineage.clone() }
    }
}

/// What requests of one workspace that count alike have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Group {
    promise: String,
    home: Option<String>,
    /// Currency of their prices; `None` if these aren't known.
    currency: Option<String>,
}

impl Group {
    pub(super) fn of(accepted: &Accepted) -> Self {
        let currency = accepted.price.as_ref().map(|price| price.currency.clone());
        Self { promise: accepted.promise.clone(), home: accepted.home.clone(), currency }
    }
}

/// Number of requests, and their total cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sum {
    pub(super) count: i64,
    /// Number of these with a price in the currency that is counted.
    pub(super) priced: i64,
    /// Total cost of these.
    pub(super) micros: i128,
}

impl Add for Sum {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { count: self.count + other.count, priced: self.priced + other.priced, micros: self.micros + other.micros }
    }
}

impl Sum {
    /// Adds requests of a group that counts for a cap; a negative count removes them.
    pub(super) fn include(&mut self, tally: &Tally, group: &Group, count: i64, micros: i128) {
        self.count += count;
        if group.currency.is_some() && group.currency == tally.currency {
            self.priced += count;
            self.micros += micros;
        }
    }
}

/// Identifies a sum.
#[derive(Clone, PartialEq, Eq, Hash)]
struct CapId {
    rule: String,
    /// Name and home, if only one promise counts.
    promise: Option<(String, String)>,
    /// The topmost workspace, if there is one.
    top: Option<String>,
}

impl CapId {
    fn of(tally: &Tally) -> Self {
        let promise = match &tally.promises {
            Promises::One { name, home } => Some((name.clone(), home.clone())),
            Promises::Covered(_) => None,
        };
        let top = match &tally.reach {
            Reach::Workspace { cluster } | Reach::Subtree { cluster, .. } => Some(cluster.clone()),
            Reach::Covered(_) => None,
        };
        Self { rule: tally.rule.clone(), promise, top }
    }
}

struct Kept {
    tally: Tally,
    sum: Sum,
    /// Sum of the orphans, which `sum` doesn't include.
    orphaned: Sum,
    /// When it was last asked for.
    asked: u64,
}

impl Totals {
    /// Counts everything that the caches show at this moment.
    pub(crate) fn new(requests: &Cache<PromiseRequest>, releases: &Cache<CachedRelease>, orphans: &Cache<Orphan>, tree: Arc<Tree>) -> Self {
        let mut totals = Self {
            requests: requests.clone(),
            releases: releases.clone(),
            // From before anything is counted, so that no change is missed.
            request_changes: requests.row_changes(),
            release_changes: releases.row_changes(),
            tree,
            shown: HashMap::new(),
            in_force: HashMap::new(),
            workspaces: HashMap::new(),
            orphaned: Orphaned::new(orphans),
            kept: HashMap::new(),
            asked: 0,
        };
        requests.snapshot().keys().for_each(|key| totals.take_in(key));
        orphans.snapshot().keys().for_each(|key| totals.take_in_orphan(key));
        totals
    }

    /// Applies the changes since the last call.
    pub(crate) fn catch_up(&mut self, tree: &Arc<Tree>) {
        if !Arc::ptr_eq(&self.tree, tree) {
            let before = std::mem::replace(&mut self.tree, tree.clone());
            tree.moved_since(&before).iter().for_each(|cluster| self.move_workspace(cluster));
        }
        let (changed, released) = (keys(&mut self.request_changes), keys(&mut self.release_changes));
        let orphans = keys(&mut self.orphaned.changes);
        let named: Vec<Key> = released.iter().filter_map(|release| self.in_force.get(release)).flatten().cloned().collect();
        changed.iter().chain(&named).for_each(|key| self.take_in(key));
        // An orphan whose request exists counts as that request.
        let of_requests: Vec<Key> = changed.iter().flat_map(|request| self.orphaned.of_request(request)).cloned().collect();
        orphans.iter().chain(&of_requests).for_each(|key| self.take_in_orphan(key));
    }

    /// Returns what the caches show of a request.
    pub(super) fn shown(&self, key: &Key) -> Option<&Accepted> {
        self.shown.get(key)
    }

    /// Returns the name of the release in force, as it is counted.
    pub(crate) fn in_force(&self, key: &Key) -> Option<&str> {
        self.shown.get(key).map(|shown| shown.release.as_str())
    }

    /// Returns the sum of all requests that count for a cap.
    pub(super) fn of(&mut self, tally: &Tally) -> Sum {
        if let Reach::Workspace { cluster } = &tally.reach {
            let workspace = ClusterId::parse(cluster).ok().and_then(|cluster| self.workspaces.get(&cluster));
            return workspace.map(|workspace| workspace.sum(tally)).unwrap_or_default();
        }
        self.kept(tally).0
    }

    /// Returns the sums of requests and of orphans, for a cap that reaches beyond one workspace.
    fn kept(&mut self, tally: &Tally) -> (Sum, Sum) {
        self.asked += 1;
        let (id, asked) = (CapId::of(tally), self.asked);
        if let Some(kept) = self.kept.get_mut(&id).filter(|kept| kept.tally == *tally) {
            kept.asked = asked;
            return (kept.sum, kept.orphaned);
        }
        let sum = self.workspaces.values().map(|workspace| workspace.sum(tally)).fold(Sum::default(), Add::add);
        let orphaned = self.orphaned.sum(tally);
        if self.kept.len() >= KEPT {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.asked).map(|(id, _)| id.clone());
            oldest.and_then(|oldest| self.kept.remove(&oldest));
        }
        self.kept.insert(id, Kept { tally: tally.clone(), sum, orphaned, asked });
        (sum, orphaned)
    }

    /// Returns the place of a workspace, if it is proven.
    pub(super) fn place(&self, cluster: &ClusterId) -> Option<Place> {
        match self.workspaces.get(cluster) {
            Some(workspace) => workspace.place.clone(),
            None => place(&self.tree, cluster),
        }
    }

    /// Counts a request as the caches show it now.
    fn take_in(&mut self, key: &Key) {
        let now = self.requests.get(key).and_then(|request| Accepted::shown(&self.releases, key, &request));
        if self.shown.get(key) == now.as_ref() {
            return;
        }
        let release = |accepted: &Accepted| key.beside(accepted.release.clone());
        if let Some(before) = self.shown.remove(key) {
            let at = release(&before);
            if let Some(named) = self.in_force.get_mut(&at) {
                named.remove(key);
                if named.is_empty() {
                    self.in_force.remove(&at);
                }
            }
            self.add(&key.cluster, &before, -1);
        }
        if let Some(now) = now {
            self.in_force.entry(release(&now)).or_default().insert(key.clone());
            self.add(&key.cluster, &now, 1);
            self.shown.insert(key.clone(), now);
        }
    }

    fn add(&mut self, cluster: &ClusterId, accepted: &Accepted, times: i64) {
        let (group, micros) = (Group::of(accepted), accepted.micros() * i128::from(times));
        let tree = &self.tree;
        let workspace =
            self.workspaces.entry(cluster.clone()).or_insert_with(|| Workspace { place: place(tree, cluster), groups: HashMap::new() });
        if let Some(place) = &workspace.place {
            for kept in self.kept.values_mut().filter(|kept| includes(&kept.tally, &group, place)) {
                kept.sum.include(&kept.tally, &group, times, micros);
            }
        }
        let sum = workspace.groups.entry(group.clone()).or_default();
        sum.count += times;
        sum.micros += micros;
        if sum.count == 0 {
            workspace.groups.remove(&group);
        }
        if workspace.groups.is_empty() {
            self.workspaces.remove(cluster);
        }
    }

    /// Counts a workspace at its current place.
    fn move_workspace(&mut self, cluster: &ClusterId) {
        let now = place(&self.tree, cluster);
        if let Some(workspace) = self.workspaces.get_mut(cluster).filter(|workspace| workspace.place != now) {
            let before = std::mem::replace(&mut workspace.place, now);
            for kept in self.kept.values_mut() {
                for (place, times) in [(&before, -1), (&workspace.place, 1)] {
                    let Some(place) = place else { continue };
                    for (group, sum) in workspace.groups.iter().filter(|(group, _)| includes(&kept.tally, group, place)) {
                        kept.sum.include(&kept.tally, group, sum.count * times, sum.micros * i128::from(times));
                    }
                }
            }
        }
        let orphans: Vec<Key> = self.orphaned.within(cluster).cloned().collect();
        orphans.iter().for_each(|key| self.take_in_orphan(key));
    }
}

impl Workspace {
    fn sum(&self, tally: &Tally) -> Sum {
        let mut all = Sum::default();
        let Some(place) = &self.place else { return all };
        for (group, sum) in self.groups.iter().filter(|(group, _)| includes(tally, group, place)) {
            all.include(tally, group, sum.count, sum.micros);
        }
        all
    }
}

/// Returns the keys that changed.
fn keys<V>(changes: &mut RowChanges<V>) -> BTreeSet<Key> {
    std::iter::from_fn(|| changes.try_next()).map(|change| change.key).collect()
}

/// Checks whether a group counts for a cap. For a promise whose home can't be determined, the same name is enough.
pub(super) fn includes(tally: &Tally, group: &Group, place: &Place) -> bool {
    #[cfg(test)]
    tests::LOOKED_AT.with(|looked_at| looked_at.set(looked_at.get() + 1));
    let home = match (&group.home, &tally.promises) {
        (Some(home), _) => home.as_str(),
        (None, Promises::One { home, .. }) => home.as_str(),
        (None, Promises::Covered(_)) => "",
    };
    let Place { path, labels, lineage } = place;
    tally.includes(&Counted { promise: &group.promise, home, workspace: path, labels, lineage })
}

fn place(tree: &Tree, cluster: &ClusterId) -> Option<Place> {
    #[cfg(test)]
    tests::PLACED.with(|placed| placed.set(placed.get() + 1));
    let lineage = tree.lineage(cluster)?;
    let own = lineage.last()?;
    let (path, labels) = (own.path.to_string(), own.labels.clone());
    Some(Place { path, labels, lineage: lineage.into_iter().map(|node| node.cluster.to_string()).collect() })
}
