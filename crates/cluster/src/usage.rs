//! How much is accepted already: what limits and budgets are judged by, counted from the caches.
//!
//! The cache of requests is sorted by workspace, so what counts in one workspace, or in those below one, is found without looking at the others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use promise::api::{CandidateState, PromiseReleaseSpec};
use promise::policy::{Counted, Promises, Reach, Spent, Tally, Usage};
use promise::price::{Estimate, Money};

use crate::kinds::PromiseRequest;
use crate::orphans;
use crate::watch::{Freshness, Key};
use crate::workspaces::{ClusterId, Tree};
use crate::world::World;

/// What counts of a request that is accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// Name of the release in force.
    pub release: String,
    /// Name of its promise.
    pub promise: String,
    /// Logical cluster id of the promise's home; nothing where the release cannot be seen.
    pub home: Option<String>,
    /// What a month costs; nothing where that is not known.
    pub price: Option<Money>,
}

impl Accepted {
    /// A release of a promise.
    pub fn of(name: &str, promise: &str, release: &PromiseReleaseSpec) -> Self {
        let price = Estimate::kept_sum(release).and_then(|sum| sum.money().cloned());
        Self { release: name.to_owned(), promise: promise.to_owned(), home: Some(release.revision.cluster.clone()), price }
    }

    /// What the caches show of a request; nothing while none of its releases is accepted.
    fn shown(world: &World, key: &Key, request: &PromiseRequest) -> Option<Self> {
        let name = in_force(request)?;
        let promise = &request.spec.promise.name;
        let release = world.releases.get(&Key { name: name.to_owned(), ..key.clone() });
        // One that cannot be seen counts all the same, and nobody knows what it costs.
        let unseen = || Self { release: name.to_owned(), promise: promise.clone(), home: None, price: None };
        Some(release.map_or_else(unseen, |release| Self::of(name, promise, &release.spec)))
    }
}

/// Name of the release that is accepted: the one being rolled out, else the one that runs.
pub fn in_force(request: &PromiseRequest) -> Option<&str> {
    let status = request.status.as_ref()?;
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Accepted);
    candidate.map(|candidate| candidate.release.as_str()).or_else(|| Some(status.current.as_ref()?.release.as_str()))
}

/// Everything that is accepted at one moment, but for one request: the one that is judged.
pub struct Census<'a> {
    world: &'a World,
    fresh: Option<&'a HashMap<Key, Accepted>>,
    except: Option<&'a Key>,
}

impl<'a> Census<'a> {
    /// What the caches show. `except` is the request that is judged, if it is there already.
    pub fn shown(world: &'a World, except: Option<&'a Key>) -> Self {
        Self { world, fresh: None, except }
    }

    /// The same, with what was accepted since.
    pub(crate) fn with(world: &'a World, fresh: &'a HashMap<Key, Accepted>, except: &'a Key) -> Self {
        Self { world, fresh: Some(fresh), except: Some(except) }
    }

    /// Counts. While the caches may be behind nothing is known, and what is not known does not pass where a policy blocks.
    pub fn usage(&self, tallies: &[Tally]) -> Usage {
        let current = |freshness: Freshness| freshness == Freshness::Synced;
        let shown = [self.world.requests.freshness(), self.world.releases.freshness(), self.world.orphans.freshness()];
        if !shown.into_iter().all(current) {
            return Usage::default();
        }
        let tree = self.world.tree();
        let mut usage = Usage::default();
        for tally in tallies {
            let (mut count, mut spent) = (0, Spent::default());
            let mut take = |accepted: &Accepted| {
                count += 1;
                let price = accepted.price.as_ref().filter(|price| Some(&price.currency) == tally.currency.as_ref());
                match price.and_then(|price| spent.micros.checked_add(price.micros)) {
                    Some(sum) => spent.micros = sum,
                    None => spent.unknown += 1,
                }
            };
            self.each(&tree, tally, &mut take);
            let mut orphaned = 0;
            orphans::each(self.world, &tree, tally, |orphan| {
                orphaned += 1;
                take(orphan);
            });
            if orphaned > 0 {
                usage.orphaned.insert(tally.rule.clone(), orphaned);
            }
            match &tally.currency {
                Some(_) => drop(usage.spent.insert(tally.rule.clone(), spent)),
                None => drop(usage.counts.insert(tally.rule.clone(), count)),
            }
        }
        usage
    }

    /// Calls `found` for every accepted request that counts.
    fn each(&self, tree: &Tree, tally: &Tally, mut found: impl FnMut(&Accepted)) {
        let rows = self.world.requests.snapshot();
        let mut places: BTreeMap<ClusterId, Option<Place>> = BTreeMap::new();
        let mut take = |key: &Key, request: &PromiseRequest| {
            let fresh = self.fresh.and_then(|fresh| fresh.get(key)).cloned();
            let Some(accepted) = fresh.or_else(|| Accepted::shown(self.world, key, request)) else { return };
            let place = places.entry(key.cluster.clone()).or_insert_with(|| place(tree, &key.cluster));
            let Some(Place { path, labels, lineage }) = place else { return };
            // Of a promise whose home cannot be told it counts that the name is the same.
            let home = match (&accepted.home, &tally.promises) {
                (Some(home), _) => home.as_str(),
                (None, Promises::One { home, .. }) => home.as_str(),
                (None, Promises::Covered(_)) => "",
            };
            if tally.includes(&Counted { promise: &accepted.promise, home, workspace: path, labels, lineage }) {
                found(&accepted);
            }
        };
        let within = match &tally.reach {
            Reach::Workspace { cluster } => ClusterId::parse(cluster).ok().map(|cluster| BTreeSet::from([cluster])),
            Reach::Subtree { cluster, .. } => ClusterId::parse(cluster).ok().map(|cluster| tree.subtree(&cluster)),
            Reach::Covered(_) => None,
        };
        let mut take_other = |key: &Key, request: &PromiseRequest| {
            if self.except != Some(key) {
                take(key, request);
            }
        };
        match within {
            None => rows.iter().for_each(|(key, request)| take_other(key, request)),
            Some(clusters) => {
                for cluster in clusters {
                    let of = rows.range(Key::cluster_scoped(&cluster, "")..).take_while(|(key, _)| key.cluster == cluster);
                    of.for_each(|(key, request)| take_other(key, request));
                }
            }
        }
    }
}

/// A workspace, as far as it matters for counting.
struct Place {
    path: String,
    labels: BTreeMap<String, String>,
    /// Ids from the root down to it.
    lineage: Vec<String>,
}

fn place(tree: &Tree, cluster: &ClusterId) -> Option<Place> {
    let lineage = tree.lineage(cluster)?;
    let own = lineage.last()?;
    let (path, labels) = (own.path.to_string(), own.labels.clone());
    Some(Place { path, labels, lineage: lineage.into_iter().map(|node| node.cluster.to_string()).collect() })
}
