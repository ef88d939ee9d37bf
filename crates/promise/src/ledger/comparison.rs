//! Comparisons of like with like: the same days of two months, and an instance with its own estimate.

use super::month::Month;

const DAY: i64 = 86_400;

/// Returns how many of the first days of `month`, which is counted until `counted`, can be compared with the same days of `other`: days that
/// are complete and that both months have.
pub fn comparable_days(month: Month, counted: i64, other: Month) -> i64 {
    (counted - month.start()).div_euclid(DAY).clamp(0, month.days()).min(other.days())
}

/// Returns what an instance with a monthly price of `monthly` would have cost in addition between `since`, when its release took effect, and
/// `until` if it had been ready for the whole time.
///
/// `settled` are the seconds of the month that need no estimate: those in which it was ready, which are counted, and those in which it wasn't
/// observed, which nothing is known about. If they are more than the time since the release took effect, an earlier release was ready, too,
/// and nothing is missing for certain.
pub fn shortfall(monthly: i64, month: Month, since: i64, until: i64, settled: i64) -> i64 {
    let existed = until.min(month.end()) - since.max(month.start());
    let missing = existed.saturating_sub(settled).max(0);
    let share = i128::from(monthly) * i128::from(missing) / i128::from(month.seconds());
    // A part of a value that fits also fits.
    i64::try_from(share).unwrap_or(monthly)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month(text: &str) -> Month {
        Month::parse(text).unwrap()
    }

    #[test]
    fn complete_days_that_both_months_have_are_compared() {
        let (february, march) = (month("2026-02"), month("2026-03"));
        let days = |counted: i64| comparable_days(march, march.start() + counted, february);
        assert_eq!([days(-5), days(0), days(DAY - 1), days(DAY), days(20 * DAY + 5)], [0, 0, 0, 1, 20]);
        assert_eq!(days(31 * DAY), 28, "the last days of March have no counterpart");
        assert_eq!(comparable_days(february, february.end() + 40 * DAY, march), 28);
    }

    #[test]
    fn only_time_that_an_instance_existed_and_was_known_not_to_be_ready_is_missing() {
        let november = month("2026-11");
        let (price, at) = (30_000_000, |day: i64| november.start() + day * DAY);
        let missing = |since: i64, until: i64, settled: i64| shortfall(price, november, at(since), at(until), settled * DAY);
        assert_eq!(missing(-90, 20, 20), 0, "ready since the month began");
        assert_eq!(missing(10, 20, 10), 0, "it has existed for ten days only, and was ready in all of them");
        assert_eq!(missing(10, 20, 4), 6_000_000, "six of its ten days, at one unit a day");
        assert_eq!(missing(-90, 20, 0), 20_000_000, "never ready");
        assert_eq!(missing(15, 20, 20), 0, "an earlier release was ready, too");
        assert_eq!(missing(25, 20, 0), 0, "it took effect after the counted hours");
        assert_eq!(missing(-90, 99, 0), price, "a month is never more than its price");
    }
}
