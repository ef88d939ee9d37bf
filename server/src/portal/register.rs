//! The register: all requests, counted by place, so that overviews add up counts without scanning every request.
//!
//! It is built from a snapshot of the portal's cache. Each reader first updates it: snapshots share what did not change, so an update costs
//! only as much as has changed since the last read. It counts for all users. The calling code adds up the places that a user can see.

mod counts;
mod entry;
mod spending;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::orphans::Orphan;
use cluster::watch::Key;
use cluster::{ClusterId, World};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use parking_lot::Mutex;

pub use counts::{Counts, Of, OfPromise, Outcome};
use entry::Entry;
pub(in crate::portal) use entry::monday;
use spending::Spent;
pub use spending::{Share, Spending};

use super::requests::listing::{Place, Sight};

/// When a request was created, newest first, and its key.
pub type Dated = (Reverse<i64>, Key);

/// Index of all requests.
#[derive(Default)]
pub struct Register {
    known: Mutex<Known>,
}

/// Requests by place and by requester.
#[derive(Default)]
pub struct Known {
    requests: OrdMap<Key, Arc<PromiseRequest>>,
    orphans: OrdMap<Key, Arc<Orphan>>,
    places: BTreeMap<(ClusterId, String), Counts>,
    spending: BTreeMap<(ClusterId, String), Spending>,
    marked: BTreeMap<(ClusterId, String), Marked>,
    people: HashMap<String, Asked>,
    /// Instances that run, by promise.
    instances: BTreeMap<Of, BTreeSet<Key>>,
}

/// Requests of one place that are looked up individually.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marked {
    /// Requests that fail.
    pub(crate) broken: BTreeSet<Dated>,
    /// Requests that run under different rules, or at a different price, than they would be accepted with today.
    pub(crate) outdated: BTreeSet<Key>,
    /// Requests that a policy denies.
    pub(crate) denied: BTreeSet<Key>,
    /// Requests that a policy allowed with a warning, or recorded.
    pub(crate) warned: BTreeSet<Key>,
}

impl Marked {
    fn is_empty(&self) -> bool {
        self.broken.is_empty() && self.outdated.is_empty() && self.denied.is_empty() && self.warned.is_empty()
    }

    fn file(&mut self, key: &Key, entry: &Entry<'_>, there: bool) {
        if entry.outcome == Outcome::Failed {
            put(&mut self.broken, entry.dated.clone(), there);
        }
        if entry.outdated {
            put(&mut self.outdated, key.clone(), there);
        }
        if entry.denied {
            put(&mut self.denied, key.clone(), there);
        }
        if entry.warned {
            put(&mut self.warned, key.clone(), there);
        }
    }
}

fn put<T: Ord>(set: &mut BTreeSet<T>, row: T, there: bool) {
    if there {
        set.insert(row);
    } else {
        set.remove(&row);
    }
}

/// The requests of one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Requests that need the user's attention.
    pub needy: BTreeSet<Dated>,
    /// Everything else.
    pub others: BTreeSet<Dated>,
}

impl Register {
    /// Reads the present state. `read` must not block.
    pub fn with<T>(&self, world: &World, read: impl FnOnce(&Known) -> T) -> T {
        let mut known = self.known.lock();
        known.follow(world.requests.snapshot());
        known.follow_orphans(world.orphans.snapshot());
        read(&known)
    }
}

impl Known {
    /// Returns the counts of a workspace, by namespace, as far as a sight covers them.
    fn of<'a, 'b>(&'a self, cluster: &'b ClusterId, sight: &'b Sight) -> impl Iterator<Item = &'a Counts> + use<'a, 'b> {
        let of = self.places.range((cluster.clone(), String::new())..).take_while(move |((known, _), _)| known == cluster);
        of.filter(|((_, namespace), _)| sight.covers(namespace)).map(|(_, counts)| counts)
    }

    /// Returns what is running in a workspace and its cost, by namespace, as far as a user can see it.
    pub(crate) fn spending<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = &'a Spending> {
        let cluster = &place.cluster;
        let of = self.spending.range((cluster.clone(), String::new())..).take_while(move |((known, _), _)| known == cluster);
        of.filter(|((_, namespace), _)| place.sight.covers(namespace)).map(|(_, spending)| spending)
    }

    /// Returns the requests of a workspace that are looked up individually, by namespace, as far as a user can see them.
    pub(crate) fn marked<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = &'a Marked> {
        let cluster = &place.cluster;
        let of = self.marked.range((cluster.clone(), String::new())..).take_while(move |((known, _), _)| known == cluster);
        of.filter(|((_, namespace), _)| place.sight.covers(namespace)).map(|(_, marked)| marked)
    }

    /// Returns the namespaces of a workspace that contain requests, regardless of who can see them.
    pub(crate) fn namespaces<'a>(&'a self, cluster: &'a ClusterId) -> impl Iterator<Item = &'a str> {
        let of = self.places.range((cluster.clone(), String::new())..).take_while(move |((known, _), _)| known == cluster);
        of.map(|((_, namespace), _)| namespace.as_str())
    }

    /// Returns a request.
    pub(crate) fn request(&self, key: &Key) -> Option<&Arc<PromiseRequest>> {
        self.requests.get(key)
    }

    /// Returns what deleted requests of a workspace left behind, as far as a user can see it.
    pub(crate) fn orphans<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = &'a Arc<Orphan>> {
        self.spending(place).flat_map(|spending| &spending.orphans).filter_map(|key| self.orphans.get(key))
    }

    /// Returns what a user can see in one workspace, added up.
    pub(crate) fn within<'a>(&'a self, place: &Place) -> Cow<'a, Counts> {
        let mut counts = self.of(&place.cluster, &place.sight);
        // Most workspaces have one namespace with requests.
        let mut sum = counts.next().map_or_else(Cow::default, Cow::Borrowed);
        counts.for_each(|more| *sum.to_mut() += more);
        sum
    }

    /// Returns the counts of a workspace, by namespace, regardless of who can see them: limits and budgets apply to these.
    pub(crate) fn each<'a>(&'a self, cluster: &'a ClusterId) -> impl Iterator<Item = &'a Counts> {
        self.of(cluster, &Sight::Everywhere)
    }

    /// Returns how many requests a user can see in one workspace.
    pub(crate) fn requests(&self, place: &Place) -> usize {
        self.of(&place.cluster, &place.sight).map(|counts| counts.requests).sum()
    }

    /// Returns a number that differs for each state of what a user can see in one workspace.
    pub(crate) fn stamp(&self, place: &Place) -> u64 {
        self.of(&place.cluster, &place.sight).fold(0, |sum, counts| sum.wrapping_add(counts.stamp))
    }

    /// Returns the instances of a promise in a workspace, in the order of their namespaces and names, as far as a user can see them.
    pub(crate) fn instances<'a>(&'a self, of: &Of, place: &'a Place) -> impl Iterator<Item = &'a Key> + use<'a> {
        let first = Key::cluster_scoped(&place.cluster, "");
        let of = self.instances.get(of).map(|all| all.range(first..));
        let of = of.into_iter().flatten().take_while(|key| key.cluster == place.cluster);
        of.filter(|key| place.sight.covers(&key.namespace))
    }

    /// Returns the requests of a user.
    pub fn asked(&self, person: &str) -> Option<&Asked> {
        self.people.get(person)
    }

    /// Switches to a new snapshot.
    pub(in crate::portal) fn follow(&mut self, requests: OrdMap<Key, Arc<PromiseRequest>>) {
        let before = std::mem::replace(&mut self.requests, requests.clone());
        for change in before.diff(&requests) {
            match change {
                DiffItem::Add(key, request) => self.file(key, request, true),
                DiffItem::Update { old: (key, former), new: (_, request) } => {
                    self.file(key, former, false);
                    self.file(key, request, true);
                }
                DiffItem::Remove(key, request) => self.file(key, request, false),
            }
        }
    }

    /// Switches to a new snapshot of orphans. None of them is counted twice: if their requests still exist, they are being deleted, and
    /// what is being deleted isn't included in sums of what is running.
    pub(in crate::portal) fn follow_orphans(&mut self, orphans: OrdMap<Key, Arc<Orphan>>) {
        let before = std::mem::replace(&mut self.orphans, orphans.clone());
        for change in before.diff(&orphans) {
            match change {
                DiffItem::Add(key, orphan) => self.file_orphan(key, orphan, true),
                DiffItem::Update { old: (key, former), new: (_, orphan) } => {
                    self.file_orphan(key, former, false);
                    self.file_orphan(key, orphan, true);
                }
                DiffItem::Remove(key, orphan) => self.file_orphan(key, orphan, false),
            }
        }
    }

    fn file_orphan(&mut self, key: &Key, orphan: &Orphan, there: bool) {
        let at = (orphan.request.cluster.clone(), orphan.request.namespace.clone());
        let spending = self.spending.entry(at.clone()).or_default();
        spending.file_orphan(key, orphan, there);
        if spending.running == 0 {
            self.spending.remove(&at);
        }
    }

    /// Adds a request to the counts, or removes it. The counts depend on the request alone, so adding and removing cancel out.
    fn file(&mut self, key: &Key, request: &PromiseRequest, there: bool) {
        let entry = Entry::of(key, request);
        let at = (key.cluster.clone(), key.namespace.clone());
        let counts = self.places.entry(at.clone()).or_default();
        counts.file(&entry, there);
        if counts.requests == 0 {
            self.places.remove(&at);
        }
        let marked = self.marked.entry(at.clone()).or_default();
        marked.file(key, &entry, there);
        if marked.is_empty() {
            self.marked.remove(&at);
        }
        if let Some(spent) = Spent::of(request) {
            let spending = self.spending.entry(at.clone()).or_default();
            spending.file(key, &spent, there);
            if spending.running == 0 {
                self.spending.remove(&at);
            }
        }
        if entry.version.is_some() {
            let instances = self.instances.entry(entry.of.clone()).or_default();
            put(instances, key.clone(), there);
            if instances.is_empty() {
                self.instances.remove(&entry.of);
            }
        }
        let asked = self.people.entry(entry.requester.clone()).or_default();
        put(if entry.needy { &mut asked.needy } else { &mut asked.others }, entry.dated.clone(), there);
        if asked.needy.is_empty() && asked.others.is_empty() {
            self.people.remove(&entry.requester);
        }
    }
}

#[cfg(test)]
mod tests;
