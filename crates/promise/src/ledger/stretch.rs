//! Stretches of time, and the hours that they are counted in.

use std::collections::BTreeMap;

use super::accrual::accrued;
use super::month::HOUR;
use crate::price::Money;

/// What is known of an instance during a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It was ready, at a monthly price; none where the price is not known, which is not 0.
    Ready(Option<Money>),
    /// Nobody saw it, and nothing proves how it was.
    Unobserved,
}

/// A stretch of time in which one thing holds; times without one are times in which the instance was not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its first second.
    pub from: i64,
    /// The second after its last one.
    pub to: i64,
    /// What holds.
    pub seen: Seen,
}

/// What one hour of an instance comes to in one currency; without a currency, what has no amount: seconds at an unknown price, and seconds
/// that nobody saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HourLine {
    /// First second of the hour.
    pub hour: i64,
    /// ISO 4217 code.
    pub currency: Option<String>,
    /// Seconds in which it was ready.
    pub ready: i64,
    /// Seconds that nobody saw.
    pub unobserved: i64,
    /// Micro-units.
    pub micros: i64,
}

/// The hours between `from` and `to` of one instance, in order. Seconds that stretches share count once, for the stretch that
/// begins first, or stands first.
pub fn hours(stretches: &[Stretch], from: i64, to: i64) -> Vec<HourLine> {
    let mut ordered: Vec<&Stretch> = stretches.iter().collect();
    ordered.sort_by_key(|stretch| stretch.from);
    let mut lines: BTreeMap<(i64, Option<&str>), HourLine> = BTreeMap::new();
    let mut counted = from;
    for stretch in ordered {
        let end = stretch.to.min(to);
        let mut at = stretch.from.max(counted);
        while at < end {
            let hour = at.div_euclid(HOUR) * HOUR;
            let until = end.min(hour + HOUR);
            let price = match &stretch.seen {
                Seen::Ready(price) => price.as_ref(),
                Seen::Unobserved => None,
            };
            let currency = price.map(|price| price.currency.as_str());
            let line = lines.entry((hour, currency)).or_insert_with(|| HourLine {
                hour,
                currency: currency.map(str::to_owned),
                ready: 0,
                unobserved: 0,
                micros: 0,
            });
            match stretch.seen {
                Seen::Ready(_) => line.ready += until - at,
                Seen::Unobserved => line.unobserved += until - at,
            }
            line.micros += price.map_or(0, |price| accrued(price.micros, at, until));
            at = until;
        }
        counted = counted.max(end);
    }
    lines.into_values().collect()
}
