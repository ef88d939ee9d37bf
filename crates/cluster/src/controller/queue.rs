//! The work queue: each key is worked on at most once at a time, with pauses after failures.
//!
//! New keys go before changed ones, and those before keys that are only looked at again. Within each class tenants take turns, so that a
//! tenant with ten thousand keys in line doesn't keep the others waiting.
//!
//! A limited number of keys is worked on at the same Destination at the same time, so that one that is slow doesn't keep all workers. Where
//! a key is worked on is known from the last time, and otherwise once its worker says so. Until then, a guess counts.

mod lane;
mod occupancy;

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use self::lane::Lane;
use self::occupancy::{DestinationNumber, Occupancy};
use super::object_version::ObjectVersion;
use crate::watch::Key;

/// First pause after a failure or before another look. Each consecutive one is twice as long.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest pause after consecutive failures.
const LONGEST: Duration = Duration::from_secs(60);
/// Longest pause before another look at something that triggers no event.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Number of shown versions that are compared for a key. More than that count as news.
const VERSIONS: usize = 16;

/// Of this many keys that are taken, one is the least urgent that waits, and one has changed: both get their turn, however many are new.
const TURN: u64 = 8;

/// Urgency of a key, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing is known to have changed, or something changed for many keys at once.
    Sweep,
    /// The object changed.
    Changed,
    /// A user waits for its first result.
    New,
}

/// A key that belongs to a tenant.
pub trait Tenanted {
    /// Returns the tenant. Tenants take turns.
    fn tenant(&self) -> &str;
}

/// When a key is worked on again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// Not until something changes.
    No,
    /// After a growing pause, because it failed.
    Backoff,
    /// When something changes, and after a growing pause, because what it waits for might appear without an event.
    Poll,
    /// After this duration, whatever happens.
    After(Duration),
    /// After this duration, and when something shows another version than these, which the work has read or written. Nothing else is left to
    /// do, so its own writes are no reason to come back when watches show them.
    Settled {
        /// The duration.
        pause: Duration,
        /// The versions.
        versions: Box<[ObjectVersion]>,
    },
    /// When fewer keys are worked on at its Destinations, because [`WorkQueue::enter`] refused it.
    InLine,
}

impl Requeue {
    /// Returns the outcome, as metrics name it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::No | Self::Settled { .. } => "done",
            Self::Backoff => "failed",
            Self::Poll => "waiting",
            Self::After(_) => "later",
            Self::InLine => "in line",
        }
    }
}

/// A work queue of keys.
pub struct WorkQueue<K> {
    state: Mutex<State<K>>,
    wake: Notify,
}

/// Guesses at which Destinations a key is going to be worked on that wasn't worked on before. Empty if there is no reason for a guess. It is
/// called while the queue is locked, so it must not call the queue.
pub type Guess<K> = Box<dyn Fn(&K) -> Arc<[Key]> + Send + Sync>;

struct State<K> {
    /// Lanes by class.
    ready: [Lane<K>; 3],
    /// Number of keys that were taken.
    taken: u64,
    later: BTreeMap<(Instant, u64), K>,
    entries: HashMap<K, Entry>,
    counter: u64,
    occupancy: Occupancy<K>,
    guess: Guess<K>,
}

#[derive(Default)]
struct Entry {
    /// Class with which it waits. A key that became more urgent is in both lanes.
    queued: Option<Class>,
    running: bool,
    /// Destination at which it waits.
    waits_at: Option<DestinationNumber>,
    /// Class with which it was taken.
    taken: Option<Class>,
    /// Destinations at which it was last worked on; `None` until that is known or guessed.
    destinations: Option<Box<[DestinationNumber]>>,
    /// Whether it counts as worked on there.
    inside: bool,
    /// What arrived while it was being worked on, and how urgent the most urgent of it is.
    arrival: Arrival,
    /// Versions that were shown meanwhile, and what they count as if the work didn't know them.
    shown: Vec<ObjectVersion>,
    shown_as: Arrival,
    /// Versions that the work knew, if it settled.
    versions: Box<[ObjectVersion]>,
    class: Option<Class>,
    /// Consecutive failed attempts.
    failures: u32,
    /// Consecutive looks that found it waiting. Failures between them are counted separately.
    waits: u32,
    due: Option<(Instant, u64)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Arrival {
    #[default]
    Nothing,
    Echo,
    Change,
}

impl<K: Clone + Eq + Hash + Tenanted> WorkQueue<K> {
    /// Creates a queue of which `limit` keys are worked on at the same Destination at the same time.
    pub fn new(limit: usize, guess: Guess<K>) -> Self {
        let ready = std::array::from_fn(|_| Lane::default());
        let (later, entries, occupancy) = (BTreeMap::new(), HashMap::new(), Occupancy::new(limit));
        Self { state: Mutex::new(State { ready, taken: 0, later, entries, counter: 0, occupancy, guess }), wake: Notify::new() }
    }

    /// Adds a key, unless it is already queued. A key that is being worked on is queued again afterwards.
    pub fn add(&self, key: K) {
        self.add_as(key, Class::Changed);
    }

    /// Like [`WorkQueue::add`], with a class. A key that already waits keeps the more urgent of both classes.
    pub fn add_as(&self, key: K, class: Class) {
        self.state.lock().add(key, Arrival::Change, class);
        self.wake.notify_one();
    }

    /// Like [`WorkQueue::add`], for a change that might be only an echo of the work itself: it doesn't shorten a pause after a failure.
    pub fn echo(&self, key: K) {
        self.state.lock().add(key, Arrival::Echo, Class::Changed);
        self.wake.notify_one();
    }

    /// Says that a watch showed a version of what a key stands for. If the last work on it settled, and knew that version, nothing follows.
    /// Otherwise it is an [`WorkQueue::echo`].
    pub fn shown(&self, key: K, version: ObjectVersion) {
        self.state.lock().shown(key, version, Arrival::Echo);
        self.wake.notify_one();
    }

    /// Like [`WorkQueue::shown`], for an object that belongs to what the key stands for. If its version isn't known, the key is added.
    pub fn shown_of(&self, key: K, version: ObjectVersion) {
        self.state.lock().shown(key, version, Arrival::Change);
        self.wake.notify_one();
    }

    /// Waits for the next key. The caller has to give it back to [`WorkQueue::done`].
    pub async fn next(&self) -> K {
        loop {
            let due = {
                let mut state = self.state.lock();
                state.ripen(Instant::now());
                if let Some(key) = state.take() {
                    // More keys might be waiting than wake-ups were stored.
                    if state.ready.iter().any(|lane| !lane.is_empty()) {
                        self.wake.notify_one();
                    }
                    return key;
                }
                state.later.keys().next().map(|(at, _)| *at)
            };
            match due {
                Some(at) => tokio::select! {
                    () = self.wake.notified() => {}
                    () = tokio::time::sleep_until(at) => {}
                },
                None => self.wake.notified().await,
            }
        }
    }

    /// Says at which Destinations a key that is being worked on is going to be worked on. If there is no room at one of them, this answers
    /// `false`: the worker goes no further and gives the key back with [`Requeue::InLine`].
    pub fn enter(&self, key: &K, destinations: &[Key]) -> bool {
        let entered = self.state.lock().enter(key, destinations);
        self.wake.notify_one();
        entered
    }

    /// Returns how many keys of each class wait for a worker. A key that became more urgent counts in both classes for a moment.
    pub fn waiting(&self) -> [(&'static str, usize); 3] {
        let state = self.state.lock();
        [("sweep", Class::Sweep), ("changed", Class::Changed), ("new", Class::New)]
            .map(|(word, class)| (word, state.ready[class as usize].len() + state.occupancy.waiting(class)))
    }

    /// Ends the work on a key.
    pub fn done(&self, key: &K, after: Requeue) {
        self.state.lock().done(key, after, Instant::now());
        self.wake.notify_one();
    }
}

impl<K: Clone + Eq + Hash + Tenanted> State<K> {
    fn add(&mut self, key: K, arrival: Arrival, class: Class) {
        let entry = self.entries.entry(key.clone()).or_default();
        if entry.running {
            entry.arrival = entry.arrival.max(arrival);
            entry.class = entry.class.max(Some(class));
            return;
        }
        let is_due = arrival == Arrival::Change || (entry.failures, entry.waits) == (0, 0) || entry.due.is_none();
        if entry.queued < Some(class) && (entry.queued.is_some() || is_due) {
            entry.queued = Some(class);
            if let Some(due) = entry.due.take() {
                self.later.remove(&due);
            }
            self.ready[class as usize].push(key);
        }
    }

    fn shown(&mut self, key: K, version: ObjectVersion, arrival: Arrival) {
        if let Some(entry) = self.entries.get_mut(&key) {
            if entry.running && entry.shown.len() < VERSIONS {
                entry.shown.push(version);
                entry.shown_as = entry.shown_as.max(arrival);
                return;
            }
            if !entry.running && entry.versions.contains(&version) {
                return;
            }
        }
        self.add(key, arrival, Class::Changed);
    }

    fn ripen(&mut self, now: Instant) {
        while let Some(first) = self.later.first_entry().filter(|first| first.key().0 <= now) {
            let key = first.remove();
            let class = self.entries.get_mut(&key).and_then(|entry| {
                entry.due = None;
                entry.class.take()
            });
            self.add(key, Arrival::Change, class.unwrap_or(Class::Sweep));
        }
    }

    fn take(&mut self) -> Option<K> {
        let classes = match self.taken % TURN {
            last if last == TURN - 1 => [Class::Sweep, Class::Changed, Class::New],
            middle if middle == TURN / 2 - 1 => [Class::Changed, Class::New, Class::Sweep],
            _ => [Class::New, Class::Changed, Class::Sweep],
        };
        // Keys that wait at a Destination might make room for more urgent ones elsewhere.
        while self.ready.iter().any(|lane| !lane.is_empty()) {
            for class in classes {
                if let Some(key) = self.take_of(class) {
                    return Some(key);
                }
            }
        }
        None
    }

    fn take_of(&mut self, class: Class) -> Option<K> {
        while let Some(key) = self.ready[class as usize].pop() {
            // A key that became more urgent was already taken from the other lane.
            let Some(entry) = self.entries.get_mut(&key).filter(|entry| entry.queued == Some(class)) else { continue };
            let destinations = entry.destinations.get_or_insert_with(|| self.occupancy.numbers(&(self.guess)(&key)));
            if let Some(full) = self.occupancy.full(destinations) {
                let destinations = destinations.clone();
                entry.waits_at = Some(full);
                self.occupancy.wait(full, key, class);
                // It doesn't use the room that another key might have left for it elsewhere.
                self.admit(&destinations);
                continue;
            }
            self.occupancy.enter(destinations);
            (entry.inside, entry.running) = (true, true);
            (entry.queued, entry.waits_at, entry.taken) = (None, None, Some(class));
            entry.versions = Box::default();
            self.taken += 1;
            return Some(key);
        }
        None
    }

    fn enter(&mut self, key: &K, destinations: &[Key]) -> bool {
        let Some(entry) = self.entries.get_mut(key) else { return true };
        let numbers = self.occupancy.numbers(destinations);
        if entry.inside && entry.destinations.as_ref() == Some(&numbers) {
            return true;
        }
        let former = entry.destinations.take().unwrap_or_default();
        if entry.inside {
            self.occupancy.leave(&former);
        }
        entry.inside = self.occupancy.full(&numbers).is_none();
        if entry.inside {
            self.occupancy.enter(&numbers);
        }
        entry.destinations = Some(numbers);
        let entered = entry.inside;
        self.admit(&former);
        entered
    }

    /// Lets one more key be taken at each of these Destinations where there is room.
    fn admit(&mut self, destinations: &[DestinationNumber]) {
        for number in destinations.iter().copied() {
            if self.occupancy.full(&[number]).is_some() {
                continue;
            }
            while let Some((key, class)) = self.occupancy.next(number) {
                // A key that became more urgent waits in another lane, and one that moved at another Destination.
                let waits = |entry: &Entry| entry.queued == Some(class) && entry.waits_at == Some(number);
                if self.entries.get(&key).is_some_and(waits) {
                    self.ready[class as usize].push(key);
                    break;
                }
            }
        }
    }

    fn done(&mut self, key: &K, after: Requeue, now: Instant) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        entry.running = false;
        let left = entry.destinations.clone().filter(|_| std::mem::take(&mut entry.inside)).unwrap_or_default();
        self.occupancy.leave(&left);
        (entry.failures, entry.waits) = match after {
            Requeue::Backoff => (entry.failures.saturating_add(1), entry.waits),
            Requeue::Poll => (0, entry.waits.saturating_add(1)),
            Requeue::After(_) | Requeue::Settled { .. } | Requeue::No => (0, 0),
            Requeue::InLine => (entry.failures, entry.waits),
        };
        let (shown, shown_as) = (std::mem::take(&mut entry.shown), std::mem::take(&mut entry.shown_as));
        let (arrival, class, taken) = (std::mem::take(&mut entry.arrival), entry.class.take(), entry.taken.take());
        let (is_in_line, is_known) = match &after {
            Requeue::Settled { versions, .. } => (false, shown.iter().all(|version| versions.contains(version))),
            after => (*after == Requeue::InLine, shown.is_empty()),
        };
        let (arrival, class) = if is_known { (arrival, class) } else { (arrival.max(shown_as), class.max(Some(Class::Changed))) };
        let class = if is_in_line { class.max(taken) } else { class };
        let (pause, at_once) = match &after {
            // A change during a failing attempt waits as well: otherwise a broken object that changes often keeps all workers busy.
            Requeue::Backoff => (Some(pause(entry.failures).min(LONGEST)), false),
            Requeue::Poll => (Some(pause(entry.waits).min(LONGEST_WAIT)), arrival == Arrival::Change),
            Requeue::After(pause) | Requeue::Settled { pause, .. } => (Some(*pause), arrival != Arrival::Nothing),
            Requeue::No => (None, arrival != Arrival::Nothing),
            Requeue::InLine => (None, true),
        };
        let goes_on = !matches!(&after, Requeue::After(pause) | Requeue::Settled { pause, .. } if !pause.is_zero());
        if let Requeue::Settled { versions, .. } = after {
            entry.versions = versions;
        }
        if at_once {
            self.add(key.clone(), Arrival::Change, class.unwrap_or(Class::Changed));
        } else if let Some(pause) = pause {
            // Keys that failed, wait or have more to do continue as changed.
            entry.class = if goes_on { Some(Class::Changed) } else { class };
            self.counter += 1;
            let due = (now + pause, self.counter);
            entry.due = Some(due);
            self.later.insert(due, key.clone());
        } else {
            self.entries.remove(key);
        }
        self.admit(&left);
    }
}

fn pause(attempts: u32) -> Duration {
    PAUSE.saturating_mul(1 << attempts.saturating_sub(1).min(16))
}

#[cfg(test)]
mod tests;
