//! Counts of the requests in one place, and how counts of several places add up.

use std::collections::BTreeMap;

use promise::api::PromiseRef;
use promise::state::{ChangeState, RequestState};

use super::entry::Entry;

/// The promise that requests belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Of {
    /// Path of its home.
    pub home: Option<String>,
    /// Its name.
    pub name: String,
}

impl Of {
    /// Returns the promise that a request names.
    pub fn named(named: &PromiseRef) -> Self {
        Self { home: named.workspace.clone(), name: named.name.clone() }
    }
}

/// Outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is ready.
    Ready,
    /// It is in progress or waiting.
    UnderWay,
    /// It was rejected.
    Rejected,
    /// No one decided in time, or the requester withdrew it.
    Lapsed,
    /// It failed.
    Failed,
}

impl Outcome {
    /// Returns the outcome of a state.
    pub fn of(state: RequestState) -> Self {
        match state {
            RequestState::Ready => Self::Ready,
            RequestState::Rejected => Self::Rejected,
            RequestState::Expired | RequestState::Withdrawn => Self::Lapsed,
            RequestState::Failed | RequestState::Degraded => Self::Failed,
            RequestState::Pending
            | RequestState::AwaitingApproval
            | RequestState::ChangesRequested
            | RequestState::Provisioning
            | RequestState::Updating
            | RequestState::Deleting => Self::UnderWay,
        }
    }

    /// Checks whether it can't continue or has failed.
    pub(super) fn fails(self) -> bool {
        matches!(self, Self::Rejected | Self::Failed)
    }
}

/// Counts of requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// All of them.
    pub requests: usize,
    /// By state.
    pub states: BTreeMap<RequestState, usize>,
    /// Changes of running instances that are not accepted, by state.
    pub pending: BTreeMap<ChangeState, usize>,
    /// By the Monday of the week in which they were created, in days since 1970, and their outcome.
    pub weeks: BTreeMap<i64, BTreeMap<Outcome, usize>>,
    /// By the reason why they don't continue or have failed.
    pub reasons: BTreeMap<String, usize>,
    /// By the second since which they have been waiting for a decision.
    pub waits: BTreeMap<i64, usize>,
    /// By promise.
    pub promises: BTreeMap<Of, OfPromise>,
    /// Those with objects at a Destination, by its home workspace and name.
    pub destinations: BTreeMap<(String, String), usize>,
    /// A number that differs for each state of all of them.
    pub stamp: u64,
}

/// Counts of the requests of one promise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfPromise {
    /// All of them.
    pub requests: usize,
    /// Those that can't continue or have failed.
    pub failed: usize,
    /// Those with an accepted release.
    pub accepted: usize,
    /// Those that were measured, by the seconds that they took.
    pub took: BTreeMap<i64, usize>,
    /// Those that are running, by version.
    pub versions: BTreeMap<String, usize>,
}

impl Counts {
    /// Counts one more or one less.
    pub(super) fn file(&mut self, entry: &Entry<'_>, there: bool) {
        let one = if there { Step::More } else { Step::Less };
        one.count(&mut self.requests);
        one.put(&mut self.states, entry.states.state);
        if let Some(change) = entry.states.change {
            one.put(&mut self.pending, change);
        }
        if let Some(week) = entry.week {
            let of = self.weeks.entry(week).or_default();
            one.put(of, entry.outcome);
            if of.is_empty() {
                self.weeks.remove(&week);
            }
        }
        if let Some(reason) = &entry.reason {
            one.put(&mut self.reasons, reason.clone());
        }
        if let Some(waits) = entry.waits {
            one.put(&mut self.waits, waits);
        }
        for destination in &entry.destinations {
            one.put(&mut self.destinations, destination.clone());
        }
        let of = self.promises.entry(entry.of.clone()).or_default();
        of.file(entry, one);
        if of.requests == 0 {
            self.promises.remove(&entry.of);
        }
        self.stamp = match one {
            Step::More => self.stamp.wrapping_add(entry.stamp),
            Step::Less => self.stamp.wrapping_sub(entry.stamp),
        };
    }

    /// Returns how many are running.
    pub fn running(&self) -> usize {
        self.promises.values().map(OfPromise::running).sum()
    }
}

impl OfPromise {
    fn file(&mut self, entry: &Entry<'_>, one: Step) {
        one.count(&mut self.requests);
        if entry.outcome.fails() {
            one.count(&mut self.failed);
        }
        if let Some(took) = entry.took {
            one.put(&mut self.took, took);
        }
        if let Some(version) = entry.version {
            one.put(&mut self.versions, version.to_owned());
        }
        if entry.accepted {
            one.count(&mut self.accepted);
        }
    }

    /// Returns how many are running.
    pub fn running(&self) -> usize {
        self.versions.values().sum()
    }

    /// Returns the smallest number of seconds within which `percent` of the measured ones were ready.
    pub fn within(&self, percent: usize) -> Option<i64> {
        let all: usize = self.took.values().sum();
        let rank = (all * percent).div_ceil(100).max(1);
        let mut passed = 0;
        self.took
            .iter()
            .find(|(_, count)| {
                passed += **count;
                passed >= rank
            })
            .map(|(took, _)| *took)
    }
}

/// One more or one less.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    More,
    Less,
}

impl Step {
    fn count(self, count: &mut usize) {
        match self {
            Self::More => *count += 1,
            Self::Less => *count = count.saturating_sub(1),
        }
    }

    fn put<K: Ord>(self, counts: &mut BTreeMap<K, usize>, key: K) {
        match self {
            Self::More => *counts.entry(key).or_default() += 1,
            Self::Less => {
                if let Some(count) = counts.get_mut(&key) {
                    *count -= 1;
                    if *count == 0 {
                        counts.remove(&key);
                    }
                }
            }
        }
    }
}

fn add<K: Ord + Clone>(sum: &mut BTreeMap<K, usize>, more: &BTreeMap<K, usize>) {
    for (key, count) in more {
        // Copies each key only once for all places.
        match sum.get_mut(key) {
            Some(known) => *known += count,
            None => {
                sum.insert(key.clone(), *count);
            }
        }
    }
}

impl std::ops::AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Self) {
        self.requests += other.requests;
        add(&mut self.states, &other.states);
        add(&mut self.pending, &other.pending);
        for (week, outcomes) in &other.weeks {
            add(self.weeks.entry(*week).or_default(), outcomes);
        }
        add(&mut self.reasons, &other.reasons);
        add(&mut self.waits, &other.waits);
        add(&mut self.destinations, &other.destinations);
        for (of, counts) in &other.promises {
            match self.promises.get_mut(of) {
                Some(known) => *known += counts,
                None => {
                    self.promises.insert(of.clone(), counts.clone());
                }
            }
        }
        self.stamp = self.stamp.wrapping_add(other.stamp);
    }
}

impl std::ops::AddAssign<&OfPromise> for OfPromise {
    fn add_assign(&mut self, other: &Self) {
        self.requests += other.requests;
        self.failed += other.failed;
        self.accepted += other.accepted;
        add(&mut self.took, &other.took);
        add(&mut self.versions, &other.versions);
    }
}
