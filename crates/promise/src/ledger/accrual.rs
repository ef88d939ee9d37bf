//! Money of a stretch of time.

use super::month::Month;

/// What a monthly price of `monthly` micro-units comes to from the second `from` up to the second `to`.
///
/// With N seconds in the calendar month, the seconds a to b of it cost floor(m·b/N) − floor(m·a/N): a whole month is exactly the price,
/// and however a stretch is cut into parts, the parts add up to it.
pub fn accrued(monthly: i64, from: i64, to: i64) -> i64 {
    let mut sum = 0_i64;
    let mut at = from;
    while at < to {
        let month = Month::of(at);
        let end = month.end().min(to);
        // Before the first month and after the last there is nothing to count.
        if end <= at {
            break;
        }
        sum = sum.saturating_add(share(month, monthly, end) - share(month, monthly, at));
        at = end;
    }
    sum
}

/// What a monthly price comes to from `from` until the month ends in which that is.
pub fn remaining(monthly: i64, from: i64) -> i64 {
    accrued(monthly, from, Month::of(from).end())
}

/// From the start of the month to a moment of it.
fn share(month: Month, monthly: i64, at: i64) -> i64 {
    let passed = i128::from((at - month.start()).clamp(0, month.seconds()));
    let share = (i128::from(monthly) * passed).div_euclid(i128::from(month.seconds()));
    // A part of what fits fits.
    i64::try_from(share).unwrap_or(monthly)
}
