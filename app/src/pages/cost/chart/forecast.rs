//! What is expected of the month from what is counted on, day by day.

use promise::price::Money;
use promise::view::{CostPage, CostSum};

use crate::ui::chart::{Amount, Series};

const DAY: i64 = 86_400;

/// What the present month still comes to if what is ready stays so.
#[derive(Debug, PartialEq)]
pub(super) struct Forecast {
    /// Place of the first day that it is about: the one of which a part is counted, or none yet.
    pub(super) from: usize,
    /// An amount for each day from there to the end of the month.
    days: Vec<Amount>,
    /// What these come to together, as they are told.
    rest: Money,
}

impl Forecast {
    /// The forecast of a sum; nothing of months that are over, before anything is counted, and where nothing more comes.
    pub(super) fn of(found: &CostPage, sum: &CostSum) -> Option<Self> {
        let counted = found.counted.filter(|_| found.is_current)?;
        let left = found.days_in_month * DAY - counted;
        let rest = sum.forecast.minus(&sum.to_date).filter(|rest| rest.micros > 0 && left > 0)?;
        let first = counted.div_euclid(DAY);
        // A day comes to the difference between what there is at its end and at the end of the day before. So days add up to the forecast
        // whatever is rounded, drawn to the millionth and told to the cent, and the last one takes what rounding leaves.
        let at_end = |day: i64| {
            let passed = i128::from((day + 1) * DAY - counted);
            let more = i128::from(rest.micros) * passed / i128::from(left);
            // A part of what fits fits.
            Money::new(sum.to_date.micros + i64::try_from(more).unwrap_or(rest.micros), rest.currency.clone())
        };
        let mut before = sum.to_date.clone();
        let days = (first..found.days_in_month).map(|day| {
            let after = at_end(day);
            let told = Money::new(after.rounded().micros - before.rounded().micros, rest.currency.clone());
            let amount = Amount { size: (after.micros - before.micros) as f64 / 1e6, text: told.to_string() };
            before = after;
            amount
        });
        let days = days.collect();
        Some(Self { from: usize::try_from(first).ok()?, days, rest: sum.forecast.rounded().minus(&sum.to_date.rounded())? })
    }

    /// What the drawing shows of it, in words that follow others.
    pub(super) fn sentence(&self, sum: &CostSum) -> String {
        format!(
            " Grey with dashed edges is the forecast from day {} on if what is ready stays so: {} more, which makes {} with {} to date.",
            self.from + 1,
            self.rest,
            sum.forecast.rounded(),
            sum.to_date.rounded()
        )
    }

    /// As a series of the chart.
    pub(super) fn series(self) -> Series {
        Series { name: "Forecast".to_owned(), tone: 0, forecast: true, from: self.from, values: self.days.into_iter().map(Some).collect() }
    }
}

/// How many days have begun after so many seconds of a month.
pub(super) fn begun(counted: i64) -> i64 {
    counted.div_euclid(DAY) + i64::from(counted.rem_euclid(DAY) > 0)
}
