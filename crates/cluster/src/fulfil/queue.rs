//! Who is next: each key at most once at a time, soonest first, with pauses after failures.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// First pause after a failure or before another look; each in a row is twice as long.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest pause after failures in a row.
const LONGEST: Duration = Duration::from_secs(60);
/// Longest pause before another look at what nobody announces.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// What to do with a key after it was worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Nothing until something changes.
    Done,
    /// Again after a growing pause.
    Failed,
    /// Again when something changes; and after a growing pause, because what it waits for may come unannounced.
    Waits,
    /// Again at this moment from now, whatever happens.
    Later(Duration),
}

/// A queue of keys.
pub struct Queue<K> {
    state: Mutex<State<K>>,
    wake: Notify,
}

struct State<K> {
    ready: VecDeque<K>,
    later: BTreeMap<(Instant, u64), K>,
    entries: HashMap<K, Entry>,
    counter: u64,
}

#[derive(Default)]
struct Entry {
    queued: bool,
    running: bool,
    /// What came while it was being worked on.
    came: Came,
    /// Attempts that failed, since one did not.
    failures: u32,
    /// Looks that found it waiting, since one did not; failures between them count for themselves.
    waits: u32,
    due: Option<(Instant, u64)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    #[default]
    Nothing,
    Echo,
    Change,
}

impl<K> Default for Queue<K> {
    fn default() -> Self {
        let state = State { ready: VecDeque::new(), later: BTreeMap::new(), entries: HashMap::new(), counter: 0 };
        Self { state: Mutex::new(state), wake: Notify::new() }
    }
}

impl<K: Clone + Eq + Hash> Queue<K> {
    /// Puts a key in line, unless it is there. A key that is being worked on comes back afterwards.
    pub fn add(&self, key: K) {
        self.state.lock().add(key, Came::Change);
        self.wake.notify_one();
    }

    /// The same for a change that may be nothing but the echo of the work itself: it does not cut a pause after a failure short.
    pub fn echo(&self, key: K) {
        self.state.lock().add(key, Came::Echo);
        self.wake.notify_one();
    }

    /// Waits for the next key. Whoever takes it has to give it back to [`Queue::done`].
    pub async fn next(&self) -> K {
        loop {
            let due = {
                let mut state = self.state.lock();
                state.ripen(Instant::now());
                if let Some(key) = state.take() {
                    // More may be waiting than wakes were stored.
                    if !state.ready.is_empty() {
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

    /// Ends work on a key.
    pub fn done(&self, key: &K, after: After) {
        self.state.lock().done(key, after, Instant::now());
        self.wake.notify_one();
    }
}

impl<K: Clone + Eq + Hash> State<K> {
    fn add(&mut self, key: K, came: Came) {
        let entry = self.entries.entry(key.clone()).or_default();
        if entry.running {
            entry.came = entry.came.max(came);
        } else if !entry.queued && (came == Came::Change || (entry.failures, entry.waits) == (0, 0) || entry.due.is_none()) {
            entry.queued = true;
            if let Some(due) = entry.due.take() {
                self.later.remove(&due);
            }
            self.ready.push_back(key);
        }
    }

    fn ripen(&mut self, now: Instant) {
        while let Some(first) = self.later.first_entry().filter(|first| first.key().0 <= now) {
            let key = first.remove();
            if let Some(entry) = self.entries.get_mut(&key) {
                entry.due = None;
            }
            self.add(key, Came::Change);
        }
    }

    fn take(&mut self) -> Option<K> {
        let key = self.ready.pop_front()?;
        let entry = self.entries.entry(key.clone()).or_default();
        entry.queued = false;
        entry.running = true;
        Some(key)
    }

    fn done(&mut self, key: &K, after: After, now: Instant) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        entry.running = false;
        (entry.failures, entry.waits) = match after {
            After::Failed => (entry.failures.saturating_add(1), entry.waits),
            After::Waits => (0, entry.waits.saturating_add(1)),
            After::Later(_) | After::Done => (0, 0),
        };
        let came = std::mem::take(&mut entry.came);
        let (pause, at_once) = match after {
            // A change during a failing attempt waits as well: otherwise a broken object that changes often keeps everybody busy.
            After::Failed => (Some(pause(entry.failures).min(LONGEST)), false),
            After::Waits => (Some(pause(entry.waits).min(LONGEST_WAIT)), came == Came::Change),
            After::Later(pause) => (Some(pause), came != Came::Nothing),
            After::Done => (None, came != Came::Nothing),
        };
        if at_once {
            self.add(key.clone(), Came::Change);
        } else if let Some(pause) = pause {
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

    use super::{After, Queue};

    #[tokio::test(start_paused = true)]
    async fn a_key_is_worked_on_once_at_a_time_and_comes_back_when_it_changed_meanwhile() {
        let queue = Queue::default();
        queue.add("a");
        queue.add("a");
        queue.add("b");
        assert_eq!(queue.next().await, "a");
        queue.add("a");
        assert_eq!(queue.next().await, "b");
        let third = tokio::time::timeout(Duration::from_secs(1), queue.next()).await;
        assert!(third.is_err(), "a is still being worked on");
        queue.done(&"a", After::Done);
        assert_eq!(queue.next().await, "a");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_make_growing_pauses_until_success() {
        let queue = Queue::default();
        queue.add("a");
        let mut pauses = Vec::new();
        for _ in 0..3 {
            let start = Instant::now();
            let key = queue.next().await;
            pauses.push(start.elapsed().as_millis());
            queue.done(&key, After::Failed);
        }
        assert_eq!(pauses[0], 0);
        assert!(pauses[1] >= 50 && pauses[2] >= 100, "{pauses:?}");
        let key = queue.next().await;
        queue.done(&key, After::Done);
        queue.add("a");
        let start = Instant::now();
        queue.next().await;
        assert_eq!(start.elapsed().as_millis(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_overtakes_a_pause() {
        let queue = Queue::default();
        queue.add("a");
        let key = queue.next().await;
        queue.done(&key, After::Later(Duration::from_secs(600)));
        let start = Instant::now();
        queue.add("a");
        queue.next().await;
        assert!(start.elapsed() < Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_echo_of_the_work_leaves_the_pause_as_it_is() {
        let queue = Queue::default();
        for after in [After::Failed, After::Waits] {
            queue.add("a");
            let key = queue.next().await;
            queue.echo("a");
            queue.done(&key, after);
            queue.echo("a");
            let start = Instant::now();
            let key = queue.next().await;
            assert!(start.elapsed() >= Duration::from_millis(50), "{after:?}: {:?}", start.elapsed());
            queue.done(&key, After::Done);
        }
        queue.echo("a");
        let key = queue.next().await;
        queue.echo("a");
        queue.done(&key, After::Later(Duration::from_secs(600)));
        let start = Instant::now();
        queue.next().await;
        assert!(start.elapsed() < Duration::from_secs(1), "whatever changes what works is looked at");
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_hears_of_changes_at_once_and_looks_less_and_less_often() {
        let queue = Queue::default();
        queue.add("a");
        let key = queue.next().await;
        queue.add("a");
        queue.done(&key, After::Waits);
        let start = Instant::now();
        queue.next().await;
        assert_eq!(start.elapsed().as_millis(), 0);
        let mut longest = Duration::ZERO;
        for _ in 0..20 {
            queue.done(&key, After::Waits);
            let start = Instant::now();
            queue.next().await;
            longest = longest.max(start.elapsed());
        }
        assert_eq!(longest.as_secs(), 20);
        queue.done(&"a", After::Failed);
        let start = Instant::now();
        queue.next().await;
        assert!(start.elapsed() < Duration::from_secs(1), "one failure is not the last of many");
    }
}
