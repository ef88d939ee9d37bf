//! Calendar days, as written in price lists.

use std::fmt;

use crate::wording::MONTHS;

/// A day in UTC. Days are ordered chronologically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    year: u16,
    month: u8,
    day: u8,
}

impl Day {
    /// Parses `YYYY-MM-DD`. Returns nothing if there is no such day.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let shape = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
        if !shape {
            return None;
        }
        let (year, month, day) = (text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?);
        (day >= 1 && day <= days_of(year, month)?).then_some(Self { year, month, day })
    }

    /// Returns its year.
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the display name, such as `1 January 2027`.
    pub fn title(self) -> String {
        let month = MONTHS.get(usize::from(self.month.saturating_sub(1))).copied().unwrap_or_default();
        format!("{} {month} {}", self.day, self.year)
    }

    /// Returns the day of a time in seconds since 1970.
    pub fn of_unix(seconds: i64) -> Self {
        let mut left = seconds.div_euclid(86_400).clamp(0, 2_932_896);
        let mut year = 1970_u16;
        while left >= days_in(year) {
            left -= days_in(year);
            year += 1;
        }
        let mut month = 1_u8;
        while let Some(days) = days_of(year, month).map(i64::from).filter(|days| left >= *days) {
            left -= days;
            month += 1;
        }
        Self { year, month, day: u8::try_from(left + 1).unwrap_or(1) }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn days_in(year: u16) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_of(year: u16, month: u8) -> Option<u8> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if is_leap(year) { 29 } else { 28 }),
        _ => None,
    }
}
