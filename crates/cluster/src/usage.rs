//! Usage: how much is already accepted, which limits and budgets are checked against, counted from the caches.
//!
//! Nothing is counted again for each request: [`totals`] updates the sums with every change.

mod totals;

use std::collections::HashMap;

use promise::api::{CandidateState, PromiseReleaseSpec};
use promise::policy::{Spent, Tally, Usage};
use promise::price::{Estimate, Money};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

pub(crate) use self::totals::Totals;
use self::totals::{Group, Sum, includes};
use crate::kinds::PromiseRequest;
use crate::projection::CachedRelease;
use crate::watch::{Cache, Freshness, Key};
use crate::world::World;

/// What counts of an accepted request.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// Name of the release in force.
    pub release: String,
    /// Name of its promise.
    pub promise: String,
    /// Logical cluster id of the promise's home; `None` if the release can't be seen.
    pub home: Option<String>,
    /// Price per month; `None` if it isn't known.
    pub price: Option<Money>,
}

impl Accepted {
    /// Returns what counts of a release of a promise.
    pub fn of(name: &str, promise: &str, release: &PromiseReleaseSpec) -> Self {
        let price = Estimate::recorded_sum(release).and_then(|sum| sum.money().cloned());
        Self { release: name.to_owned(), promise: promise.to_owned(), home: Some(release.revision.cluster.clone()), price }
    }

    /// Returns what the caches show of a request; `None` while none of its releases is accepted.
    fn shown(releases: &Cache<CachedRelease>, key: &Key, request: &PromiseRequest) -> Option<Self> {
        let name = in_force(request)?;
        let release = releases.get(&key.beside(name));
        // A release that can't be seen counts all the same, and its price is unknown.
        let home = release.as_ref().map(|release| release.revision.cluster.clone());
        let price = release.and_then(|release| release.price.clone());
        Some(Self { release: name.to_owned(), promise: request.spec.promise.name.clone(), home, price })
    }
}

/// Returns the name of the accepted release: the one being rolled out, otherwise the one that runs.
pub fn in_force(request: &PromiseRequest) -> Option<&str> {
    let status = request.status.as_ref()?;
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Accepted);
    candidate.map(|candidate| candidate.release.as_str()).or_else(|| Some(status.current.as_ref()?.release.as_str()))
}

/// Everything that is accepted at one moment, except the request that is judged.
pub struct Census<'a> {
    world: &'a World,
    fresh: Option<&'a HashMap<Key, Accepted>>,
    except: Option<&'a Key>,
}

impl<'a> Census<'a> {
    /// Returns what the caches show. `except` is the request that is judged, if it already exists.
    pub fn shown(world: &'a World, except: Option<&'a Key>) -> Self {
        Self { world, fresh: None, except }
    }

    /// Like [`Self::shown`], with what was accepted since.
    pub(crate) fn with(world: &'a World, fresh: &'a HashMap<Key, Accepted>, except: &'a Key) -> Self {
        Self { world, fresh: Some(fresh), except: Some(except) }
    }

    /// Returns the usage. While the caches might be behind nothing is known, and what isn't known doesn't pass where a policy blocks.
    pub fn usage(&self, tallies: &[Tally]) -> Usage {
        if self.world.is_counted() { self.last_known(tallies) } else { Usage::default() }
    }

    /// Returns the usage as the caches last showed it, even while they might be behind: for pages, which say when that was.
    pub fn last_known(&self, tallies: &[Tally]) -> Usage {
        if tallies.is_empty() {
            return Usage::default();
        }
        let count = |totals: &mut Totals| tallies.iter().map(|tally| (self.sum(totals, tally), totals.orphaned(tally))).collect();
        let sums: Vec<(Sum, Sum)> = self.world.totals(count);
        let mut usage = Usage::default();
        for (tally, (sum, orphaned)) in tallies.iter().zip(sums) {
            if orphaned.count > 0 {
                usage.orphaned.insert(tally.rule.clone(), orphaned.count());
            }
            let sum = sum + orphaned;
            match &tally.currency {
                Some(_) => drop(usage.spent.insert(tally.rule.clone(), sum.spent())),
                None => drop(usage.counts.insert(tally.rule.clone(), sum.count())),
            }
        }
        usage
    }

    /// Returns what counts for one cap: everything that the caches show, except the request that is judged, and for other requests with
    /// what they were given since.
    fn sum(&self, totals: &mut Totals, tally: &Tally) -> Sum {
        let mut sum = totals.of(tally);
        for key in self.except.into_iter().chain(self.fresh.iter().flat_map(|fresh| fresh.keys()).filter(|key| Some(*key) != self.except)) {
            if let Some(shown) = totals.shown(key) {
                self.add(&mut sum, totals, tally, (key, shown), -1);
            }
        }
        for (key, accepted) in self.fresh.into_iter().flatten().filter(|(key, _)| Some(*key) != self.except) {
            if self.world.requests.get(key).is_some() {
                self.add(&mut sum, totals, tally, (key, accepted), 1);
            }
        }
        sum
    }

    fn add(&self, sum: &mut Sum, totals: &Totals, tally: &Tally, (key, accepted): (&Key, &Accepted), times: i64) {
        let group = Group::of(accepted);
        if totals.place(&key.cluster).is_some_and(|place| includes(tally, &group, &place)) {
            sum.include(tally, &group, times, accepted.micros() * i128::from(times));
        }
    }
}

impl World {
    /// Checks whether everything that limits and budgets count is up to date.
    pub(crate) fn is_counted(&self) -> bool {
        let shown = [self.requests.freshness(), self.releases.freshness(), self.orphans.freshness()];
        shown.into_iter().all(|freshness| freshness == Freshness::Synced)
    }

    /// Calls `ask` with what is accepted, as these caches show it now. The first call counts everything; from then on only changes are
    /// counted.
    pub(crate) fn totals<T>(&self, ask: impl FnOnce(&mut Totals) -> T) -> T {
        let mut kept = self.totals.lock();
        let totals = kept.get_or_insert_with(|| Totals::new(&self.requests, &self.releases, &self.orphans, self.tree()));
        totals.catch_up(&self.tree());
        ask(totals)
    }

    /// Calls `ask` with a function that returns the name of the release that is in force for a request. Where totals are kept it is the one
    /// that they count, so that a sum that is asked for afterwards includes it.
    pub(crate) fn in_force(&self, ask: impl FnOnce(&dyn Fn(&Key) -> Option<String>)) {
        match &mut *self.totals.lock() {
            Some(totals) => {
                totals.catch_up(&self.tree());
                ask(&|key| totals.in_force(key).map(str::to_owned));
            }
            None => ask(&|key| self.requests.get(key).and_then(|request| in_force(&request).map(str::to_owned))),
        }
    }

    /// Keeps the totals up to date. Otherwise they would hold on to old rows, and the next caller would wait for a comparison.
    pub(crate) async fn keep_totals(self, shutdown: CancellationToken) {
        let (mut requests, mut releases, mut orphans) = (self.requests.changes(), self.releases.changes(), self.orphans.changes());
        loop {
            let next = tokio::select! {
                () = shutdown.cancelled() => return,
                next = requests.recv() => next,
                next = releases.recv() => next,
                next = orphans.recv() => next,
            };
            if matches!(next, Err(RecvError::Closed)) {
                return;
            }
            while requests.try_recv().is_ok() {}
            while releases.try_recv().is_ok() {}
            while orphans.try_recv().is_ok() {}
            if let Some(totals) = &mut *self.totals.lock() {
                totals.catch_up(&self.tree());
            }
        }
    }
}

impl Accepted {
    fn micros(&self) -> i128 {
        self.price.as_ref().map_or(0, |price| i128::from(price.micros))
    }
}

impl Sum {
    fn count(&self) -> u64 {
        u64::try_from(self.count).unwrap_or_default()
    }

    fn spent(&self) -> Spent {
        let unknown = u64::try_from(self.count - self.priced).unwrap_or_default();
        match i64::try_from(self.micros) {
            Ok(micros) => Spent { micros, unknown },
            // More than can be counted counts as unknown.
            Err(_) => Spent { micros: i64::MAX, unknown: unknown + 1 },
        }
    }
}
