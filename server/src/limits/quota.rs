//! Token buckets by key: a burst, refilled at a rate per second.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use jiff::Timestamp;
use parking_lot::Mutex;

use crate::clock::Clock;

/// Shortest interval between two searches of a full table for idle keys.
const SWEEP: Duration = Duration::from_secs(1);

/// Time since start, which never runs backwards. A machine whose clock is set back must not lock anyone out until it has caught up.
#[derive(Clone)]
pub(super) struct Ticks {
    clock: Arc<dyn Clock>,
    /// The last clock reading, and how much time had passed by then.
    last: Arc<Mutex<(Timestamp, Duration)>>,
}

impl Ticks {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        let now = clock.now();
        Self { clock, last: Arc::new(Mutex::new((now, Duration::ZERO))) }
    }
}

impl governor::clock::Clock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        let mut last = self.last.lock();
        let now = self.clock.now();
        // A step back is negative and counts as no time.
        let passed = Duration::try_from(now.duration_since(last.0)).unwrap_or_default();
        *last = (now, last.1.saturating_add(passed));
        last.1
    }
}

/// Rate and burst of each key.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLimit {
    /// Refill per second.
    pub(super) per_second: NonZeroU32,
    /// Burst size.
    pub(super) burst: NonZeroU32,
}

type Bucket = governor::RateLimiter<NotKeyed, InMemoryState, Ticks, NoOpMiddleware<Duration>>;

/// Usage of the limit by key. When the table is full, new keys share one limit until others are idle.
pub(super) struct Quota<K> {
    limit: Option<RateLimit>,
    most: usize,
    ticks: Ticks,
    kept: Mutex<Kept<K>>,
}

struct Kept<K> {
    of: HashMap<K, Used>,
    /// The limit shared by keys that don't fit in the table.
    shared: Option<Bucket>,
    swept: Duration,
}

struct Used {
    bucket: Bucket,
    last: Duration,
}

impl<K: Clone + Eq + Hash> Quota<K> {
    /// Creates a quota; without a rate limit nothing is limited.
    pub(super) fn new(limit: Option<RateLimit>, most: usize, ticks: Ticks) -> Self {
        Self { limit, most, ticks, kept: Mutex::new(Kept { of: HashMap::new(), shared: None, swept: Duration::ZERO }) }
    }

    /// Takes one unit.
    ///
    /// # Errors
    /// If nothing is left: the number of seconds, at least one, until the next unit is available.
    pub(super) fn take(&self, key: &K) -> Result<(), u64> {
        let Some(limit) = self.limit else { return Ok(()) };
        let now = self.ticks.now();
        let mut kept = self.kept.lock();
        let Kept { of, shared, swept } = &mut *kept;
        if of.len() >= self.most && !of.contains_key(key) && now >= swept.saturating_add(SWEEP) {
            *swept = now;
            // After this long without use the bucket is full again, so nothing is lost with the key.
            let whole = Duration::from_secs(u64::from(limit.burst.get().div_ceil(limit.per_second.get())));
            of.retain(|_, used| now < used.last.saturating_add(whole));
        }
        let full = of.len() >= self.most;
        let bucket = match of.get_mut(key) {
            Some(used) => {
                used.last = now;
                &used.bucket
            }
            None if full => &*shared.get_or_insert_with(|| self.bucket(limit)),
            None => &of.entry(key.clone()).or_insert(Used { bucket: self.bucket(limit), last: now }).bucket,
        };
        bucket.check().map_err(|refused| {
            let wait = refused.wait_time_from(now);
            (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
        })
    }

    fn bucket(&self, RateLimit { per_second, burst }: RateLimit) -> Bucket {
        let quota = governor::Quota::per_second(per_second).allow_burst(burst);
        governor::RateLimiter::direct_with_clock(quota, self.ticks.clone())
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.kept.lock().of.len()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    /// A clock that tests set, in milliseconds.
    #[derive(Default)]
    pub(in crate::limits) struct Manual(AtomicI64);

    impl Manual {
        pub(in crate::limits) fn set(&self, milliseconds: i64) {
            self.0.store(milliseconds, Ordering::Relaxed);
        }
    }

    impl Clock for Manual {
        fn now(&self) -> Timestamp {
            Timestamp::from_millisecond(1_700_000_000_000 + self.0.load(Ordering::Relaxed)).unwrap()
        }
    }

    fn quota(per_second: u32, burst: u32, most: usize) -> (Arc<Manual>, Quota<u32>) {
        let clock = Arc::new(Manual::default());
        let limit = RateLimit { per_second: per_second.try_into().unwrap(), burst: burst.try_into().unwrap() };
        (clock.clone(), Quota::new(Some(limit), most, Ticks::new(clock)))
    }

    #[test]
    fn a_burst_passes_and_comes_back_with_time() {
        let (clock, quota) = quota(2, 4, 10);
        assert_eq!((0..9).filter(|_| quota.take(&1).is_ok()).count(), 4);
        assert_eq!(quota.take(&1), Err(1));
        clock.set(500);
        assert_eq!((0..9).filter(|_| quota.take(&1).is_ok()).count(), 1, "half a second allows one of two");
        clock.set(60_000);
        assert_eq!((0..9).filter(|_| quota.take(&1).is_ok()).count(), 4, "never more than the burst");
    }

    #[test]
    fn a_clock_that_is_set_back_locks_no_one_out() {
        let (clock, quota) = quota(1, 2, 10);
        assert!(quota.take(&1).is_ok() && quota.take(&1).is_ok() && quota.take(&1).is_err());
        clock.set(-3_600_000);
        assert!(quota.take(&1).is_err(), "a step back gives nothing");
        clock.set(-3_599_000);
        assert!(quota.take(&1).is_ok(), "and takes nothing: a second later there is one again");
    }

    #[test]
    fn keys_are_bounded_and_idle_ones_make_room() {
        let (clock, quota) = quota(1, 2, 3);
        let accepted = (0..1000).filter(|key| quota.take(key).is_ok()).count();
        assert_eq!((accepted, quota.len()), (5, 3), "three have their own, all others share one burst");
        assert!(quota.take(&0).is_ok(), "a key that has a place keeps its limit");
        clock.set(10_000);
        assert!(quota.take(&2000).is_ok());
        assert_eq!(quota.len(), 1, "those that were idle made room");
    }
}
