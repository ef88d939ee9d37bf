//! Whether policies fit the promises that they apply to.
//!
//! A result is kept for each pair until the policy or what the promise offers changes. What changed is the difference of two snapshots, so
//! an event costs what it affects, however many policies and promises there are: checking a pair parses nothing but the schema of the
//! promise, and that is parsed once for all policies that have to be checked against it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use promise::Problem;
use promise::api::{AppliesTo, PolicySpec, PromiseSpec, Rule};
use promise::policy::{Reading, covers_promise, has_to_fit, problems};

use crate::guard::guarded;
use crate::kinds::{Policy, Promise, PromiseRevision};
use crate::watch::Key;
use crate::workspaces::{ClusterId, Tree, WorkspacePath};
use crate::world::World;

/// How many problems of a policy are reported.
const MOST_REPORTED: usize = 10;
/// Number of promises that are checked in one step. Between two steps, evaluations of requests get their turn.
const STEP: usize = 16;

/// Everything that results depend on, at one moment.
#[derive(Clone)]
pub struct View {
    pub policies: OrdMap<Key, Arc<Policy>>,
    promises: OrdMap<Key, Arc<Promise>>,
    revisions: OrdMap<Key, Arc<PromiseRevision>>,
    tree: Arc<Tree>,
    /// Homes that can offer promises across the tree.
    trusted: Vec<WorkspacePath>,
}

/// How pairs are checked.
pub struct Judge<R, C> {
    /// Parses a promise, for all policies.
    pub read: R,
    /// Returns the mismatches between a policy and a parsed promise of a given name.
    pub check: C,
}

/// Results of all policies.
#[derive(Default)]
pub struct PolicyChecks {
    /// What the results were last brought up to date with.
    seen: Option<View>,
    offers: BTreeMap<Key, Offer>,
    policies: HashMap<Key, Kept>,
}

/// What a promise offers.
struct Offer {
    /// Path of its home.
    home: String,
    trusted: bool,
    revision: Arc<PromiseRevision>,
}

/// Results of one policy.
struct Kept {
    /// Path of its workspace; empty if it isn't proven.
    place: String,
    trusted: bool,
    reading: Arc<Reading>,
    /// Problems of the policy itself. If there are any, it isn't checked against promises.
    invalid: Vec<Problem>,
    /// Promises that it wasn't checked against yet.
    pending: BTreeSet<Key>,
    /// Mismatches by promise, up to the last one that is reported.
    unfit: BTreeMap<Key, Vec<Problem>>,
}

impl View {
    /// Reads the caches.
    pub fn of(world: &World, trusted: &[WorkspacePath]) -> Self {
        Self {
            policies: world.policies.snapshot(),
            promises: world.promises.snapshot(),
            revisions: world.revisions.snapshot(),
            tree: world.tree(),
            trusted: trusted.to_vec(),
        }
    }

    /// Returns what a promise offers, once it is published.
    fn offer(&self, key: &Key) -> Option<Offer> {
        let promise = self.promises.get(key)?;
        let home = self.tree.path(&key.cluster)?;
        let named = promise.status.as_ref()?.revision.as_ref()?;
        let revision = self.revisions.get(&Key::cluster_scoped(&key.cluster, named))?.clone();
        Some(Offer { trusted: self.trusted.contains(&home), home: home.to_string(), revision })
    }

    /// Returns the path of a workspace, and whether it is a trusted home.
    fn place(&self, cluster: &ClusterId) -> (String, bool) {
        let place = self.tree.path(cluster);
        let trusted = place.as_ref().is_some_and(|place| self.trusted.contains(place));
        (place.map(|place| place.to_string()).unwrap_or_default(), trusted)
    }
}

impl Offer {
    fn is_same(&self, other: &Self) -> bool {
        (&self.home, self.trusted, &self.revision.spec.hash) == (&other.home, other.trusted, &other.revision.spec.hash)
    }
}

impl Kept {
    /// Parses a policy and checks it by itself.
    fn of(spec: &PolicySpec, (place, trusted): (String, bool), offers: &BTreeMap<Key, Offer>) -> Self {
        let reading = Arc::new(Reading::of(spec.clone(), trusted));
        let invalid = problems(&reading);
        let mut kept = Self { place, trusted, reading, invalid, pending: BTreeSet::new(), unfit: BTreeMap::new() };
        kept.begin(offers);
        kept
    }

    /// Forgets all results.
    fn begin(&mut self, offers: &BTreeMap<Key, Offer>) {
        self.unfit.clear();
        self.pending = offers.iter().filter(|(key, offer)| self.meets(key, offer)).map(|(key, _)| key.clone()).collect();
    }

    /// Checks whether the policy has to fit a promise. If its place isn't proven, it has to fit those of trusted homes, which can be offered
    /// anywhere.
    fn meets(&self, key: &Key, offer: &Offer) -> bool {
        self.invalid.is_empty()
            && covers_promise(&self.reading.spec.applies_to, &key.name)
            && has_to_fit(&self.place, (&offer.home, offer.trusted))
    }

    /// Returns the promise with the last problem that is reported, if there are as many as are reported.
    fn last(&self) -> Option<&Key> {
        let mut reported = 0;
        self.unfit.iter().find_map(|(key, problems)| {
            reported += problems.len();
            (reported >= MOST_REPORTED).then_some(key)
        })
    }

    /// Checks whether the result for a promise is needed and missing.
    fn needs(&self, promise: &Key) -> bool {
        self.pending.contains(promise) && self.last().is_none_or(|last| promise < last)
    }

    /// Returns the first promise for which the result is needed and missing.
    fn next(&self) -> Option<&Key> {
        self.pending.first().filter(|first| self.needs(first))
    }

    fn judged(&mut self, promise: &Key, found: Vec<Problem>) {
        self.pending.remove(promise);
        if found.is_empty() {
            return;
        }
        self.unfit.insert(promise.clone(), found);
        // What isn't reported isn't kept. It is checked again once something before it is fixed.
        if let Some(last) = self.last().cloned() {
            let after = self.unfit.keys().filter(|key| **key > last).cloned().collect::<Vec<_>>();
            after.iter().for_each(|key| drop(self.unfit.remove(key)));
            self.pending.extend(after);
        }
    }

    fn problems(&self) -> Vec<Problem> {
        if !self.invalid.is_empty() {
            return self.invalid.clone();
        }
        let reported = self.unfit.iter().flat_map(|(key, problems)| {
            problems
                .iter()
                .map(|problem| Problem { message: format!("For the promise {}: {}", key.name, problem.message), ..problem.clone() })
        });
        reported.take(MOST_REPORTED).collect()
    }
}

impl PolicyChecks {
    /// Brings the results up to date and returns the problems of a policy: those of the policy itself, otherwise its mismatches with the
    /// promises that it applies to. `None` if there is more to check, in another step. A policy that doesn't exist has no problems.
    pub fn step<S, R, C>(&mut self, key: &Key, view: &View, judge: &Judge<R, C>) -> Option<Vec<Problem>>
    where
        R: Fn(&PromiseSpec) -> S,
        C: Fn(&Reading, &str, &S) -> Vec<Problem>,
    {
        self.follow(view);
        if let (None, Some(policy)) = (self.policies.get(key), view.policies.get(key)) {
            self.policies.insert(key.clone(), Kept::of(&policy.spec, view.place(&key.cluster), &self.offers));
        }
        for _ in 0..STEP {
            let Some(kept) = self.policies.get(key) else { return Some(Vec::new()) };
            let Some(promise) = kept.next().cloned() else { return Some(kept.problems()) };
            let Some(offer) = self.offers.get(&promise) else { return Some(kept.problems()) };
            let read = (judge.read)(&offer.revision.spec.spec);
            let own = (judge.check)(&kept.reading, &promise.name, &read);
            for (at, kept) in self.policies.iter_mut().filter(|(_, kept)| kept.needs(&promise)) {
                // A panic over another policy must not keep this one from its result.
                let found = if at == key { Some(own.clone()) } else { guarded(at, || (judge.check)(&kept.reading, &promise.name, &read)) };
                if let Some(found) = found {
                    kept.judged(&promise, found);
                }
            }
        }
        None
    }

    /// Takes in what changed since the last view.
    fn follow(&mut self, view: &View) {
        let seen = self.seen.take().filter(|seen| Arc::ptr_eq(&seen.tree, &view.tree));
        let (promises, policies): (BTreeSet<Key>, BTreeSet<Key>) = match &seen {
            Some(seen) => {
                let offered = changed(&seen.promises, &view.promises).into_iter().map(|(key, _)| key.clone());
                // A revision affects the promise that it belongs to.
                let of = |(key, revision): (&Key, &Arc<PromiseRevision>)| Key::cluster_scoped(&key.cluster, &revision.spec.promise);
                let published = changed(&seen.revisions, &view.revisions).into_iter().map(of);
                let governed = changed(&seen.policies, &view.policies).into_iter().map(|(key, _)| key.clone());
                (offered.chain(published).collect(), governed.collect())
            }
            // In another tree, everything can have another place.
            None => (
                self.offers.keys().chain(view.promises.keys()).cloned().collect(),
                self.policies.keys().chain(view.policies.keys()).cloned().collect(),
            ),
        };
        for key in policies {
            self.policy(&key, view);
        }
        for key in promises {
            let offer = view.offer(&key);
            self.offer(key, offer);
        }
        self.seen = Some(view.clone());
    }

    /// Takes in a policy that might have changed. Its texts for people don't matter.
    fn policy(&mut self, key: &Key, view: &View) {
        let Some(policy) = view.policies.get(key) else {
            self.policies.remove(key);
            return;
        };
        let (place, trusted) = view.place(&key.cluster);
        match self.policies.get_mut(key) {
            Some(kept) if kept.trusted == trusted && decides(&kept.reading.spec) == decides(&policy.spec) => {
                if kept.place != place {
                    kept.place = place;
                    kept.begin(&self.offers);
                }
            }
            _ => {
                self.policies.remove(key);
                // After a panic it has no results, and is read again when it is its turn.
                if let Some(kept) = guarded(key, || Kept::of(&policy.spec, (place, trusted), &self.offers)) {
                    self.policies.insert(key.clone(), kept);
                }
            }
        }
    }

    /// Takes in what a promise offers, if that might have changed.
    fn offer(&mut self, key: Key, offer: Option<Offer>) {
        let is_same = match (self.offers.get(&key), &offer) {
            (Some(before), Some(now)) => before.is_same(now),
            (before, now) => before.is_none() && now.is_none(),
        };
        if !is_same {
            for kept in self.policies.values_mut() {
                kept.unfit.remove(&key);
                if offer.as_ref().is_some_and(|offer| kept.meets(&key, offer)) {
                    kept.pending.insert(key.clone());
                } else {
                    kept.pending.remove(&key);
                }
            }
        }
        match offer {
            Some(offer) => self.offers.insert(key, offer),
            None => self.offers.remove(&key),
        };
    }
}

/// Returns the rows that differ between two snapshots, as they were or as they are now.
fn changed<'m, V: Eq>(before: &'m OrdMap<Key, V>, now: &'m OrdMap<Key, V>) -> Vec<(&'m Key, &'m V)> {
    let rows = before.diff(now).flat_map(|item| match item {
        DiffItem::Add(key, row) | DiffItem::Remove(key, row) => [Some((key, row)), None],
        DiffItem::Update { old, new } => [Some(old), Some(new)],
    });
    rows.flatten().collect()
}

/// Returns the parts of a policy that determine whether it matches. Its texts for people don't.
fn decides(spec: &PolicySpec) -> (&AppliesTo, &[Rule]) {
    (&spec.applies_to, &spec.rules)
}

#[cfg(test)]
mod tests;
