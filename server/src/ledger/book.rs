//! The two steps of keeping the ledger: writing down what a look says, and counting the hours that are complete.

use std::collections::HashMap;

use promise::ledger::{HOUR, Month, Open, Seen as State, Step, Stretch, hours, observe};
use promise::price::Money;
use store::{LedgerLine, LedgerSum, Observation, Rate, Result, Seen, Store, Subject};

use super::facts::Shown;

const DAY: i64 = 24 * HOUR;
/// How long, in seconds, single hours and stretches are kept. Their sums are kept for good.
pub const KEPT: i64 = 62 * DAY;

/// Writes down what is shown at `now` of all instances there are. A ledger that has not begun begins with the month.
///
/// # Errors
/// The database refuses; then nothing is written.
pub async fn look(store: &Store, shown: &[Shown], now: i64) -> Result<()> {
    let clock = match store.ledger_clock().await? {
        Some(clock) => clock,
        None => {
            store.begin_ledger(Month::of(now).start()).await?;
            let Some(clock) = store.ledger_clock().await? else { return Ok(()) };
            clock
        }
    };
    // A clock that went back: what is seen now counts when it comes to where the ledger is.
    if now <= clock.seen {
        return Ok(());
    }
    let mut open: HashMap<String, Observation> =
        store.open_observations().await?.into_iter().map(|open| (open.subject.uid.clone(), open)).collect();
    let mut said = Vec::new();
    for shown in shown {
        let known = open.remove(&shown.subject.uid);
        let step = observe(known.as_ref().map(opened).as_ref(), clock.seen, Some(&shown.fact), now);
        let moved = known.filter(|known| step.is_nothing() && known.subject != shown.subject);
        if let Some(known) = moved {
            // Somebody else bears the same from now on.
            said.push(Seen::Ended { uid: shown.subject.uid.clone(), until: now });
            said.push(stretch(shown, now, None, opened(&known).seen));
            continue;
        }
        say(&mut said, step, &shown.subject.uid, |from, to, state| stretch(shown, from, to, state));
    }
    for gone in open.values() {
        let step = observe(Some(&opened(gone)), clock.seen, None, now);
        let last = Shown {
            subject: gone.subject.clone(),
            basis: gone.basis.clone(),
            fact: promise::ledger::Fact { seen: None, since: now, created: gone.since },
        };
        say(&mut said, step, &gone.subject.uid, |from, to, state| stretch(&last, from, to, state));
    }
    store.look(clock.seen, now, &said).await?;
    Ok(())
}

/// Counts complete hours, of a day at most and of one month; whether there may be more.
///
/// # Errors
/// The database refuses; then nothing is counted.
pub async fn count(store: &Store) -> Result<bool> {
    let Some(clock) = store.ledger_clock().await? else { return Ok(false) };
    let complete = clock.seen.div_euclid(HOUR) * HOUR;
    let (from, to) = (clock.posted, complete.min(clock.posted + DAY).min(Month::of(clock.posted).end()));
    if to <= from {
        return Ok(false);
    }
    let seen = store.observations_between(from, to).await?;
    let keep = clock.seen - KEPT;
    let is_posted = store.post(from, to, &lines(seen, from, to), keep).await?;
    if from.div_euclid(DAY) != to.div_euclid(DAY) {
        // What is not counted yet is needed, however old it is.
        store.forget_hours(keep.min(to)).await?;
    }
    // Whoever else counted meanwhile may have known of fewer hours.
    Ok(!is_posted || to < complete)
}

/// The hours of each stretch between two moments.
pub fn lines(seen: Vec<Observation>, from: i64, to: i64) -> Vec<(Subject, Vec<LedgerLine>)> {
    let of = |observation: Observation| {
        let Open { since, seen } = opened(&observation);
        let stretch = Stretch { from: since, to: observation.until.unwrap_or(to), seen };
        let lines = hours(&[stretch], from, to).into_iter().map(|line| LedgerLine {
            hour: line.hour,
            day: line.hour.div_euclid(DAY) * DAY,
            month: Month::of(line.hour).start(),
            currency: line.currency.unwrap_or_default(),
            sum: LedgerSum { ready: line.ready, unobserved: line.unobserved, micros: line.micros },
            basis: observation.basis.clone(),
        });
        (observation.subject, lines.collect())
    };
    seen.into_iter().map(of).collect()
}

fn say(said: &mut Vec<Seen>, step: Step, uid: &str, stretch: impl Fn(i64, Option<i64>, State) -> Seen) {
    if let Some(until) = step.close {
        said.push(Seen::Ended { uid: uid.to_owned(), until });
    }
    if let Some(gap) = step.gap {
        said.push(stretch(gap.from, Some(gap.to), gap.seen));
    }
    if let Some(open) = step.open {
        said.push(stretch(open.since, None, open.seen));
    }
}

fn stretch(shown: &Shown, from: i64, to: Option<i64>, state: State) -> Seen {
    let (ready, price) = match state {
        State::Ready(price) => (true, price),
        State::Unobserved => (false, None),
    };
    Seen::Stretch(Box::new(Observation {
        subject: shown.subject.clone(),
        since: from,
        until: to,
        ready,
        rate: price.map(|price| Rate { micros: price.micros, currency: price.currency }),
        basis: shown.basis.clone(),
    }))
}

fn opened(observation: &Observation) -> Open {
    let price = observation.rate.as_ref().map(|rate| Money::new(rate.micros, rate.currency.clone()));
    Open { since: observation.since, seen: if observation.ready { State::Ready(price) } else { State::Unobserved } }
}

#[cfg(test)]
mod tests;
