//! The cost of a stretch of time.

use super::month::Month;

/// Returns the cost at a monthly price of `monthly` micro-units from the second `from` until before the second `to`.
///
/// With N seconds in the calendar month, the seconds a to b of it cost floor(m·b/N) − floor(m·a/N). A whole month costs exactly the price,
/// and the parts of a stretch add up to it however it is cut.
pub fn accrued(monthly: i64, from: i64, to: i64) -> i64 {
    let mut sum = 0_i64;
    let mut at = from;
    while at < to {
        let month = Month::of(at);
        let end = month.end().min(to);
        // Before the first month and after the last one, nothing is counted.
        if end <= at {
            break;
        }
        sum = sum.saturating_add(share(month, monthly, end) - share(month, monthly, at));
        at = end;
    }
    sum
}

/// Returns the cost at a monthly price from `from` until the end of that month.
pub fn remaining(monthly: i64, from: i64) -> i64 {
    accrued(monthly, from, Month::of(from).end())
}

/// Returns the cost from the start of the month until a time in it.
fn share(month: Month, monthly: i64, at: i64) -> i64 {
    let passed = i128::from((at - month.start()).clamp(0, month.seconds()));
    let share = (i128::from(monthly) * passed).div_euclid(i128::from(month.seconds()));
    // A part of a value that fits also fits.
    i64::try_from(share).unwrap_or(monthly)
}
