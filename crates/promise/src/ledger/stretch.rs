//! Stretches of time, and the hours in which they are counted.

use std::collections::BTreeMap;

use super::accrual::accrued;
use super::month::HOUR;
use crate::price::Money;

/// Known state of an instance during a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Ready, at a monthly price. The price is absent if unknown, which is not 0.
    Ready(Option<Money>),
    /// Unobserved: there is no observation or proof.
    Unobserved,
}

/// A stretch of time with one state. Times without a stretch are times in which the instance wasn't ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// First second.
    pub from: i64,
    /// Second after the last one.
    pub to: i64,
    /// State during the stretch.
    pub seen: Seen,
}

/// Cost of one instance in one hour and one currency. Without a currency: seconds without an amount, at an unknown price or unobserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HourLine {
    /// First second of the hour.
    pub hour: i64,
    /// ISO 4217 code.
    pub currency: Option<String>,
    /// Seconds in which it was ready.
    pub ready: i64,
    /// Seconds that were unobserved.
    pub unobserved: i64,
    /// Amount in micro-units.
    pub micros: i64,
}

/// Returns the hours of one instance between `from` and `to`, in order. Seconds that several stretches cover count once, for the stretch
/// that starts first, or else comes first in the list.
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
