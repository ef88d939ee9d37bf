//! Objects that are written again and again within one release, because what their templates read keeps changing: an operator might change
//! what one object reports whenever another one is written.
//!
//! The first changes of an object follow immediately, because a template often waits for several values. Then each waits longer than the
//! former one, up to an hour, and the status says so. A new release doesn't wait.

/// Number of changes of an object within a release without a delay.
const AT_ONCE: u32 = 10;
/// First and maximum delay before another change, in seconds.
const PAUSE: (i64, i64) = (60, 3600);
/// Seconds without a change, after any delay, after which a series is over.
const CALM: i64 = 600;

/// Changes of one object within one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrites {
    count: u32,
    last: i64,
}

impl Rewrites {
    /// Adds a change, at a time in seconds since 1970, to the series so far.
    pub fn after(before: Option<Self>, now: i64) -> Self {
        let before = before.filter(|before| before.goes_on(now));
        Self { count: before.map_or(0, |before| before.count).saturating_add(1), last: now }
    }

    /// Returns the seconds until the object can be changed again. `None` if it can be changed now.
    pub fn wait(self, now: i64) -> Option<i64> {
        let left = self.last.saturating_add(self.pause()).saturating_sub(now);
        (self.goes_on(now) && left > 0).then_some(left)
    }

    /// Checks whether a change now would belong to the series. One from the future comes from a clock that has been corrected since.
    pub fn goes_on(self, now: i64) -> bool {
        now >= self.last && now - self.last <= self.pause() + CALM
    }

    fn pause(self) -> i64 {
        match self.count.checked_sub(AT_ONCE) {
            None => 0,
            Some(more) => PAUSE.0.saturating_mul(1 << more.min(10)).min(PAUSE.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rewrites;

    /// Returns the times of changes if the template gives something else five seconds after each.
    fn changes(until: i64) -> Vec<i64> {
        let (mut times, mut series, mut now) = (Vec::new(), None::<Rewrites>, 0);
        while now < until {
            match series.and_then(|series| series.wait(now)) {
                Some(left) => now += left,
                None => {
                    series = Some(Rewrites::after(series, now));
                    times.push(now);
                    now += 5;
                }
            }
        }
        times
    }

    #[test]
    fn a_template_that_never_settles_is_applied_less_and_less_often() {
        let times = changes(24 * 3600);
        assert_eq!(times[..12], [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 105, 225]);
        assert!(times.len() <= 10 + 7 + 24, "at most once an hour in the end: {times:?}");
    }

    #[test]
    fn a_series_ends_when_it_is_calm_for_a_while_or_a_clock_is_corrected() {
        let restless = (0..10).fold(None, |series, _| Some(Rewrites::after(series, 1000)));
        let restless = restless.unwrap();
        assert_eq!((restless.wait(1000), restless.wait(1059), restless.wait(1060)), (Some(60), Some(1), None));
        assert!(restless.goes_on(1660) && !restless.goes_on(1661) && !restless.goes_on(999));
        assert_eq!((Rewrites::after(Some(restless), 1661).wait(1661), restless.wait(999)), (None, None));
    }
}
