//! The forecast of the days of the month that are not metered yet.

use crate::view::{CostPage, CostSum};
use promise::price::Money;

use crate::texts::cost as texts;
use crate::ui::chart::{Amount, Series};

const DAY: i64 = 86_400;

/// What the rest of the present month costs at current usage.
#[derive(Debug, PartialEq)]
pub(super) struct Forecast {
    /// Index of the first day of the forecast: the first that isn't fully metered.
    pub(super) from: usize,
    /// An amount for each day from there to the end of the month.
    days: Vec<Amount>,
    /// Their sum, rounded as it is shown.
    rest: Money,
}

impl Forecast {
    /// Returns the forecast of a sum; `None` for past months, before metering has started, and where no more cost is expected.
    pub(super) fn of(found: &CostPage, sum: &CostSum) -> Option<Self> {
        let counted = found.counted.filter(|_| found.is_current)?;
        let left = found.days_in_month * DAY - counted;
        let rest = sum.forecast.minus(&sum.to_date).filter(|rest| rest.micros > 0 && left > 0)?;
        let first = counted.div_euclid(DAY);
        // The amount of a day is the difference between the totals at its end and at the end of the day before. So days add up to the
        // forecast despite rounding, both as drawn (to the millionth) and as text (to the cent); the last day takes the remainder.
        let at_end = |day: i64| {
            let passed = i128::from((day + 1) * DAY - counted);
            let more = i128::from(rest.micros) * passed / i128::from(left);
            // A part of an amount that fits into i64 does too.
            Money::new(sum.to_date.micros + i64::try_from(more).unwrap_or(rest.micros), rest.currency.clone())
        };
        let mut before = sum.to_date.clone();
        let days = (first..found.days_in_month).map(|day| {
            let after = at_end(day);
            let shown = Money::new(after.rounded().micros - before.rounded().micros, rest.currency.clone());
            let amount = Amount { size: (after.micros - before.micros) as f64 / 1e6, text: shown.to_string() };
            before = after;
            amount
        });
        let days = days.collect();
        Some(Self { from: usize::try_from(first).ok()?, days, rest: sum.forecast.rounded().minus(&sum.to_date.rounded())? })
    }

    /// Describes what the chart shows of it, as a sentence.
    pub(super) fn sentence(&self, sum: &CostSum) -> String {
        texts::forecast_from(self.from + 1, &self.rest, &sum.to_date.rounded(), &sum.forecast.rounded())
    }

    /// Returns it as a series of the chart.
    pub(super) fn series(self) -> Series {
        Series {
            name: texts::FORECAST.to_owned(),
            tone: 0,
            forecast: true,
            from: self.from,
            values: self.days.into_iter().map(Some).collect(),
            total: Some(self.rest.to_string()),
        }
    }
}

/// Returns how many days have begun after this many seconds of a month.
pub(super) fn begun(counted: i64) -> i64 {
    counted.div_euclid(DAY) + i64::from(counted.rem_euclid(DAY) > 0)
}
