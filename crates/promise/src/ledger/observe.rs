//! Turns periodic observations into stretches of time.

use super::stretch::{Seen, Stretch};

/// Maximum seconds between two observations for the time between them to count as observed.
pub const PATIENCE: i64 = 180;

/// What the cluster shows about an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Whether it is ready and at which price, or unobserved. Absent if it isn't ready.
    pub seen: Option<Seen>,
    /// Time since when all of that has been true without interruption, proven by the cluster's own times.
    pub since: i64,
    /// Time of creation.
    pub created: i64,
}

/// An open stretch in which an instance is ready or unobserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Start of the stretch.
    pub since: i64,
    /// State during the stretch.
    pub seen: Seen,
}

/// Changes to record for an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// End of the open stretch.
    pub close: Option<i64>,
    /// Seconds without an observation or proof.
    pub gap: Option<Stretch>,
    /// A new open stretch.
    pub open: Option<Open>,
}

impl Step {
    /// Whether there is nothing to record.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Evaluates an observation at `now` of an instance that was last observed at `seen`. `open` is its open stretch. `fact` is what the
/// cluster shows, or nothing if the instance no longer exists.
///
/// After a short time, everything in between counts as observed, and a change happened when the cluster says, or at the latest in between.
/// After a longer time ([`PATIENCE`]) only what the cluster's times prove counts: a state that has lasted since before continues; otherwise
/// the state is known from the proven time on, and the time before is a gap. If the cluster itself can't tell the state of an instance that
/// was ready, that time is unobserved too, until it can. For an instance that wasn't ready, it doesn't matter. If the clock went back,
/// nothing is recorded until it reaches `seen` again.
pub fn observe(open: Option<&Open>, seen: i64, fact: Option<&Fact>, now: i64) -> Step {
    if now <= seen {
        return Step::default();
    }
    let watched = now - seen <= PATIENCE;
    let gap = |from: i64, to: i64| (!watched && from < to).then_some(Stretch { from, to, seen: Seen::Unobserved });
    match (open, fact) {
        (None, None) => Step::default(),
        (Some(_), None) => Step { close: Some(seen), gap: gap(seen, now), open: None },
        (open, Some(fact)) => {
            let holds = fact.seen.as_ref().filter(|seen| open.is_some() || **seen != Seen::Unobserved);
            let goes_on = open.map(|open| &open.seen) == holds;
            if goes_on && (watched || fact.since <= seen) {
                return Step::default();
            }
            let earliest = seen.max(fact.created.min(now));
            let since = fact.since.clamp(earliest, now);
            let begins = holds.map(|seen| Open { since, seen: seen.clone() });
            Step { close: open.map(|_| if watched { since } else { seen }), gap: gap(earliest, since), open: begins }
        }
    }
}
