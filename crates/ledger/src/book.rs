//! The two steps of the ledger: recording observations, and posting complete hours.

use std::collections::HashMap;

use promise::ledger::{HOUR, Month, Open, Seen as State, Step, Stretch, hours, observe};
use promise::price::Money;
use store::{LedgerLine, LedgerSum, Observation, Rate, Result, Seen, Store, Subject};

use super::facts::Shown;

const DAY: i64 = 24 * HOUR;
/// How long single hours and stretches are kept, in seconds. Their sums are kept forever.
pub const KEPT: i64 = 62 * DAY;

/// Records what all existing instances show at `now`. A new ledger starts at the beginning of the month.
///
/// # Errors
/// If the database fails; then nothing is written.
pub async fn look(store: &Store, shown: &[Shown], now: i64) -> Result<()> {
    let clock = match store.ledger_clock().await? {
        Some(clock) => clock,
        None => {
            store.begin_ledger(Month::of(now).start()).await?;
            let Some(clock) = store.ledger_clock().await? else { return Ok(()) };
            clock
        }
    };
    // The clock went back: new observations count once it has caught up with the ledger.
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
            // From now on, someone else bears the cost of the same instance.
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

/// Posts complete hours, at most one day's and all in one month. Returns whether there might be more.
///
/// # Errors
/// If the database fails; then nothing is posted.
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
        // Hours that aren't posted yet are needed, however old they are.
        store.forget_hours(keep.min(to)).await?;
    }
    // Another replica that posted in the meantime might have known of fewer hours.
    Ok(!is_posted || to < complete)
}

/// Returns the hours of each stretch between two times.
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
