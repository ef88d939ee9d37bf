//! Calendar months in UTC, which prices refer to.

use std::fmt;

use crate::wording::MONTHS;

/// Seconds in an hour.
pub const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// A month in UTC, from 1970 to 9998. Months are ordered chronologically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: i64,
    /// Month number, starting at 1.
    number: i64,
}

impl Month {
    /// Parses `YYYY-MM`. Returns nothing if there is no such month.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let shape =
            bytes.len() == 7 && bytes.iter().enumerate().all(|(at, byte)| if at == 4 { *byte == b'-' } else { byte.is_ascii_digit() });
        let (year, number) = (text.get(..4)?.parse().ok()?, text.get(5..)?.parse().ok()?);
        (shape && (1970..=9998).contains(&year) && (1..=12).contains(&number)).then_some(Self { year, number })
    }

    /// Returns the month of a time, or the first or last month for times out of range.
    pub fn of(second: i64) -> Self {
        let mut year = (1970 + second.div_euclid(DAY * 366)).clamp(1970, 9998);
        while year < 9998 && first_day(year + 1, 1) * DAY <= second {
            year += 1;
        }
        let number = (2..=12).rev().find(|number| first_day(year, *number) * DAY <= second).unwrap_or(1);
        Self { year, number }
    }

    /// Returns its first second.
    pub fn start(self) -> i64 {
        first_day(self.year, self.number) * DAY
    }

    /// Returns the second after its last one.
    pub fn end(self) -> i64 {
        self.next().start()
    }

    /// Returns the number of seconds in it.
    pub fn seconds(self) -> i64 {
        self.end() - self.start()
    }

    /// Returns the number of days in it.
    pub fn days(self) -> i64 {
        self.seconds() / DAY
    }

    /// Returns the next month.
    #[must_use]
    pub fn next(self) -> Self {
        if self.number == 12 { Self { year: self.year + 1, number: 1 } } else { Self { number: self.number + 1, ..self } }
    }

    /// Returns the previous month. The first month has none.
    pub fn previous(self) -> Option<Self> {
        let before = if self.number == 1 { Self { year: self.year - 1, number: 12 } } else { Self { number: self.number - 1, ..self } };
        (before.year >= 1970).then_some(before)
    }

    /// Returns the display name, such as `November 2026`.
    pub fn title(self) -> String {
        let name = usize::try_from(self.number - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default();
        format!("{name} {}", self.year)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.number)
    }
}

/// Returns the days from 1970-01-01 to the first day of a month. Years are counted from March, so that the leap day comes last.
fn first_day(year: i64, number: i64) -> i64 {
    let (year, number) = if number > 2 { (year, number - 3) } else { (year - 1, number + 9) };
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (number * 153 + 2) / 5 - 719_468
}
