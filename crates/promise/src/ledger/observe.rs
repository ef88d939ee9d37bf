//! From a look now and then to stretches of time.

use super::stretch::{Seen, Stretch};

/// How long, in seconds, nobody may have looked without it being a time in which nobody looked.
pub const PATIENCE: i64 = 180;

/// What the cluster shows of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Whether it is ready and at which price, or that nobody can tell; none where it is not ready.
    pub seen: Option<Seen>,
    /// Since when all of that holds without a break, as the cluster's own times prove.
    pub since: i64,
    /// Since when it exists.
    pub created: i64,
}

/// A stretch in which an instance was ready, or in which nobody can tell, and that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Since when.
    pub since: i64,
    /// What holds.
    pub seen: Seen,
}

/// What is to be written about an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The open stretch ended then.
    pub close: Option<i64>,
    /// Nobody saw these seconds, and nothing proves them.
    pub gap: Option<Stretch>,
    /// Another stretch began.
    pub open: Option<Open>,
}

impl Step {
    /// Whether there is nothing to write.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// What a look at `now` says about an instance that was last looked at `seen`; `open` is its open stretch, `fact` what is there, nothing
/// if it is gone.
///
/// Whoever looks again soon saw everything in between, and a change happened when the cluster says, or in between at the latest.
/// After a longer time ([`PATIENCE`]) only that counts which the cluster's times prove: what has been so since before stays so; otherwise it is
/// known from the proof on, and the time before is a gap. Where the cluster itself cannot tell how something is that was ready, that time is
/// unobserved, too, until it can; of what was not ready nobody needs to know. A clock that went back says nothing: wait until it comes to
/// `seen` again.
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
