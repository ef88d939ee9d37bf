//! The work queue: each key is worked on at most once at a time, with pauses after failures.
//!
//! New keys go before changed ones, and those before keys that are only looked at again. Within each class tenants take turns, so that a
//! tenant with ten thousand keys in line doesn't keep the others waiting.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// First pause after a failure or before another look. Each consecutive one is twice as long.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest pause after consecutive failures.
const LONGEST: Duration = Duration::from_secs(60);
/// Longest pause before another look at something that triggers no event.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// Not until something changes.
    No,
    /// After a growing pause, because it failed.
    Backoff,
    /// When something changes, and after a growing pause, because what it waits for might appear without an event.
    Poll,
    /// After this duration, whatever happens.
    After(Duration),
}

impl Requeue {
    /// Returns the outcome, as metrics name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::No => "done",
            Self::Backoff => "failed",
            Self::Poll => "waiting",
            Self::After(_) => "later",
        }
    }
}

/// A work queue of keys.
pub struct WorkQueue<K> {
    state: Mutex<State<K>>,
    wake: Notify,
}

struct State<K> {
    /// Lanes by class.
    ready: [Lane<K>; 3],
    /// Number of keys that were taken.
    taken: u64,
    later: BTreeMap<(Instant, u64), K>,
    entries: HashMap<K, Entry>,
    counter: u64,
}

/// Keys that wait, by tenant.
struct Lane<K> {
    /// Tenants in the order of their turns.
    turns: VecDeque<String>,
    waiting: HashMap<String, VecDeque<K>>,
}

impl<K> Default for Lane<K> {
    fn default() -> Self {
        Self { turns: VecDeque::new(), waiting: HashMap::new() }
    }
}

impl<K: Tenanted> Lane<K> {
    fn push(&mut self, key: K) {
        let tenant = key.tenant();
        if let Some(waiting) = self.waiting.get_mut(tenant) {
            waiting.push_back(key);
            return;
        }
        let tenant = tenant.to_owned();
        self.turns.push_back(tenant.clone());
        self.waiting.insert(tenant, VecDeque::from([key]));
    }

    /// Takes the next key of the tenant whose turn it is.
    fn pop(&mut self) -> Option<K> {
        let tenant = self.turns.pop_front()?;
        let waiting = self.waiting.get_mut(&tenant)?;
        let key = waiting.pop_front();
        if waiting.is_empty() {
            self.waiting.remove(&tenant);
        } else {
            self.turns.push_back(tenant);
        }
        key
    }

    fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    fn len(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }
}

#[derive(Default)]
struct Entry {
    /// Class with which it waits. A key that became more urgent is in both lanes.
    queued: Option<Class>,
    running: bool,
    /// What arrived while it was being worked on, and how urgent the most urgent of it is.
    arrival: Arrival,
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

impl<K> Default for WorkQueue<K> {
    fn default() -> Self {
        let ready = std::array::from_fn(|_| Lane::default());
        let state = State { ready, taken: 0, later: BTreeMap::new(), entries: HashMap::new(), counter: 0 };
        Self { state: Mutex::new(state), wake: Notify::new() }
    }
}

impl<K: Clone + Eq + Hash + Tenanted> WorkQueue<K> {
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

    /// Returns how many keys of each class wait for a worker. A key that became more urgent counts in both classes for a moment.
    pub fn waiting(&self) -> [(&'static str, usize); 3] {
        let state = self.state.lock();
        [("sweep", Class::Sweep), ("changed", Class::Changed), ("new", Class::New)]
            .map(|(word, class)| (word, state.ready[class as usize].len()))
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
        for class in classes {
            while let Some(key) = self.ready[class as usize].pop() {
                // A key that became more urgent was already taken from the other lane.
                let Some(entry) = self.entries.get_mut(&key).filter(|entry| entry.queued == Some(class)) else { continue };
                entry.queued = None;
                entry.running = true;
                self.taken += 1;
                return Some(key);
            }
        }
        None
    }

    fn done(&mut self, key: &K, after: Requeue, now: Instant) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        entry.running = false;
        (entry.failures, entry.waits) = match after {
            Requeue::Backoff => (entry.failures.saturating_add(1), entry.waits),
            Requeue::Poll => (0, entry.waits.saturating_add(1)),
            Requeue::After(_) | Requeue::No => (0, 0),
        };
        let (arrival, class) = (std::mem::take(&mut entry.arrival), entry.class.take());
        let (pause, at_once) = match after {
            // A change during a failing attempt waits as well: otherwise a broken object that changes often keeps all workers busy.
            Requeue::Backoff => (Some(pause(entry.failures).min(LONGEST)), false),
            Requeue::Poll => (Some(pause(entry.waits).min(LONGEST_WAIT)), arrival == Arrival::Change),
            Requeue::After(pause) => (Some(pause), arrival != Arrival::Nothing),
            Requeue::No => (None, arrival != Arrival::Nothing),
        };
        if at_once {
            self.add(key.clone(), Arrival::Change, class.unwrap_or(Class::Changed));
        } else if let Some(pause) = pause {
            // Keys that failed, wait or have more to do continue as changed.
            let goes_on = !matches!(after, Requeue::After(pause) if !pause.is_zero());
            entry.class = if goes_on { Some(Class::Changed) } else { class };
            self.counter += 1;
            let due = (now + pause, self.counter);
            entry.due = Some(due);
            self.later.insert(due, key.clone());
        } else {
            self.entries.remove(key);
        }
    }
}

fn pause(attempts: u32) -> Duration {
    PAUSE.saturating_mul(1 << attempts.saturating_sub(1).min(16))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{Class, Requeue, TURN, Tenanted, WorkQueue};

    /// The tenant is the part before the slash.
    impl Tenanted for &str {
        fn tenant(&self) -> &str {
            self.split('/').next().unwrap_or_default()
        }
    }

    /// Takes every key that is ready, and gives each back at once.
    async fn taken(queue: &WorkQueue<&'static str>, count: usize) -> Vec<&'static str> {
        let mut taken = Vec::new();
        for _ in 0..count {
            let key = queue.next().await;
            queue.done(&key, Requeue::No);
            taken.push(key);
        }
        taken
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_new_goes_before_what_changed_and_that_before_a_sweep() {
        let queue = WorkQueue::default();
        for key in ["a/1", "a/2", "a/3"] {
            queue.add_as(key, Class::Sweep);
        }
        queue.add("b/changed");
        queue.add_as("c/new", Class::New);
        queue.add_as("a/3", Class::New);
        queue.add_as("c/new", Class::Sweep);
        assert_eq!(queue.waiting(), [("sweep", 3), ("changed", 1), ("new", 2)]);
        assert_eq!(taken(&queue, 5).await, ["c/new", "a/3", "b/changed", "a/1", "a/2"]);
        let rest = tokio::time::timeout(Duration::from_secs(1), queue.next()).await;
        assert!(rest.is_err(), "what became more urgent is worked on once");
        assert_eq!(queue.waiting().map(|(_, count)| count), [0; 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_came_during_the_work_keeps_its_class() {
        let queue = WorkQueue::default();
        queue.add_as("a/1", Class::Sweep);
        let key = queue.next().await;
        queue.add_as("a/1", Class::New);
        queue.add("b/1");
        queue.done(&key, Requeue::No);
        assert_eq!(taken(&queue, 2).await, ["a/1", "b/1"]);
    }

    #[tokio::test(start_paused = true)]
    async fn tenants_take_turns() {
        let queue = WorkQueue::default();
        for key in ["a/1", "a/2", "a/3", "a/4"] {
            queue.add(key);
        }
        queue.add("b/1");
        queue.add("c/1");
        queue.add("b/2");
        assert_eq!(taken(&queue, 7).await, ["a/1", "b/1", "c/1", "a/2", "b/2", "a/3", "a/4"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tenant_who_floods_the_queue_delays_the_others_by_one_key_each() {
        let names: Vec<String> = (0..10_000).map(|number| format!("flood/{number}")).collect();
        let queue = WorkQueue::default();
        for name in &names {
            queue.add_as(name.as_str(), Class::New);
        }
        queue.add_as("shop/1", Class::New);
        queue.add_as("shop/2", Class::New);
        let mut order = Vec::new();
        for _ in 0..4 {
            let key = queue.next().await;
            queue.done(&key, Requeue::No);
            order.push(key.split('/').next().unwrap_or_default());
        }
        assert_eq!(order, ["flood", "shop", "flood", "shop"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_sweep_and_a_change_get_their_turns_however_much_is_new_and_swept() {
        let queue = WorkQueue::default();
        queue.add_as("sweep", Class::Sweep);
        queue.add("changed");
        let mut seen = Vec::new();
        for _ in 0..TURN {
            // One tenant keeps the queue full of new keys and of keys that are looked at again.
            queue.add_as("flood/new", Class::New);
            queue.add_as("flood/sweep", Class::Sweep);
            seen.extend(taken(&queue, 1).await);
        }
        assert!(seen.contains(&"sweep") && seen.contains(&"changed"), "one of them starves: {seen:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_worked_on_once_at_a_time_and_comes_back_when_it_changed_meanwhile() {
        let queue = WorkQueue::default();
        queue.add("a");
        queue.add("a");
        queue.add("b");
        assert_eq!(queue.next().await, "a");
        queue.add("a");
        assert_eq!(queue.next().await, "b");
        let third = tokio::time::timeout(Duration::from_secs(1), queue.next()).await;
        assert!(third.is_err(), "a is still being worked on");
        queue.done(&"a", Requeue::No);
        assert_eq!(queue.next().await, "a");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_make_growing_pauses_until_success() {
        let queue = WorkQueue::default();
        queue.add("a");
        let mut pauses = Vec::new();
        for _ in 0..3 {
            let start = Instant::now();
            let key = queue.next().await;
            pauses.push(start.elapsed().as_millis());
            queue.done(&key, Requeue::Backoff);
        }
        assert_eq!(pauses[0], 0);
        assert!(pauses[1] >= 50 && pauses[2] >= 100, "{pauses:?}");
        let key = queue.next().await;
        queue.done(&key, Requeue::No);
        queue.add("a");
        let start = Instant::now();
        queue.next().await;
        assert_eq!(start.elapsed().as_millis(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_overtakes_a_pause() {
        let queue = WorkQueue::default();
        queue.add("a");
        let key = queue.next().await;
        queue.done(&key, Requeue::After(Duration::from_secs(600)));
        let start = Instant::now();
        queue.add("a");
        queue.next().await;
        assert!(start.elapsed() < Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_echo_of_the_work_leaves_the_pause_as_it_is() {
        let queue = WorkQueue::default();
        for after in [Requeue::Backoff, Requeue::Poll] {
            queue.add("a");
            let key = queue.next().await;
            queue.echo("a");
            queue.done(&key, after);
            queue.echo("a");
            let start = Instant::now();
            let key = queue.next().await;
            assert!(start.elapsed() >= Duration::from_millis(50), "{after:?}: {:?}", start.elapsed());
            queue.done(&key, Requeue::No);
        }
        queue.echo("a");
        let key = queue.next().await;
        queue.echo("a");
        queue.done(&key, Requeue::After(Duration::from_secs(600)));
        let start = Instant::now();
        queue.next().await;
        assert!(start.elapsed() < Duration::from_secs(1), "whatever changes what works is looked at");
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_hears_of_changes_at_once_and_looks_less_and_less_often() {
        let queue = WorkQueue::default();
        queue.add("a");
        let key = queue.next().await;
        queue.add("a");
        queue.done(&key, Requeue::Poll);
        let start = Instant::now();
        queue.next().await;
        assert_eq!(start.elapsed().as_millis(), 0);
        let mut longest = Duration::ZERO;
        for _ in 0..20 {
            queue.done(&key, Requeue::Poll);
            let start = Instant::now();
            queue.next().await;
            longest = longest.max(start.elapsed());
        }
        assert_eq!(longest.as_secs(), 20);
        queue.done(&"a", Requeue::Backoff);
        let start = Instant::now();
        queue.next().await;
        assert!(start.elapsed() < Duration::from_secs(1), "one failure is not the last of many");
    }
}
