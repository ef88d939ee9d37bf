//! Schedules of cron with five fields, as Kubernetes reads them: numbers, names, `*`, lists, ranges and steps, or a name such as `@daily`.
//!
//! The times are those that a clock on a wall shows. Which moments they are depends on a time zone, which is up to the caller.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{DateTime, date};

/// Names of schedules, and their fields.
const NAMES: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Returns the five fields that a name such as `@daily` stands for. Any other text stays as it is.
pub fn expanded(text: &str) -> &str {
    NAMES.iter().find(|(name, _)| *name == text).map_or(text, |(_, fields)| fields)
}

/// A parsed schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct CronTimes(Cron);

impl CronTimes {
    /// Parses a schedule. Returns nothing if it isn't one, or never happens, such as one for 30 February.
    pub fn parse(text: &str) -> Option<Self> {
        let fields = expanded(text.trim());
        if !is_plain(fields) {
            return None;
        }
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let times = Self(parser.parse(fields).ok()?);
        times.next(start()).map(|_| times)
    }

    /// Returns the first time after another one.
    pub fn next(&self, after: DateTime) -> Option<DateTime> {
        self.0.find_next_occurrence(&after, false).ok()
    }

    /// Whether two times can be less than so many minutes apart.
    pub fn is_denser_than(&self, minutes: i64) -> bool {
        // All days on which it happens have the same times, so one day and the step to a next one show every distance.
        let Some(first) = self.next(start()) else { return false };
        let mut before = first;
        while let Some(next) = self.next(before).filter(|next| next.date() == first.date()) {
            if minutes_between(before, next) < minutes {
                return true;
            }
            before = next;
        }
        let begins_again = first.date().tomorrow().map(|next| next.to_datetime(first.time()));
        begins_again.is_ok_and(|next| minutes_between(before, next) < minutes)
    }
}

/// The last moment before the first day of a leap year.
fn start() -> DateTime {
    date(2023, 12, 31).at(23, 59, 59, 0)
}

fn minutes_between(before: DateTime, after: DateTime) -> i64 {
    after.duration_since(before).as_secs() / 60
}

/// Whether a text has five fields, with names only where they belong, and without the characters with which some programs extend cron, such
/// as `L` and `#`.
fn is_plain(text: &str) -> bool {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let is_known = |(at, field): (usize, &&str)| {
        let names: &[&str] = match at {
            3 => &MONTHS,
            4 => &WEEKDAYS,
            _ => &[],
        };
        let mut words = field.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty());
        words.all(|word| names.iter().any(|name| name.eq_ignore_ascii_case(word)))
            && field.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*,-/".contains(&byte))
    };
    fields.len() == 5 && fields.iter().enumerate().all(is_known)
}

#[cfg(test)]
mod tests {
    use jiff::civil::DateTime;

    use super::CronTimes;

    fn next(text: &str, after: &str) -> Option<String> {
        let after: DateTime = after.parse().unwrap();
        CronTimes::parse(text)?.next(after).map(|time| time.to_string())
    }

    #[test]
    fn times_follow_the_five_fields() {
        for (text, after, expected) in [
            ("0 2 * * *", "2026-11-27T02:00:00", "2026-11-28T02:00:00"),
            ("0 2 * * *", "2026-11-27T01:59:59", "2026-11-27T02:00:00"),
            ("*/15 8-17 * * mon-fri", "2026-11-27T17:45:00", "2026-11-30T08:00:00"),
            ("30 4 29 2 *", "2026-01-01T00:00:00", "2028-02-29T04:30:00"),
            ("0 0 * * 7", "2026-11-27T00:00:00", "2026-11-29T00:00:00"),
            ("0 0 1,15 * *", "2026-11-02T00:00:00", "2026-11-15T00:00:00"),
            // If both are restricted, either day counts, as in every cron.
            ("0 0 13 * FRI", "2026-11-07T00:00:00", "2026-11-13T00:00:00"),
            ("0 0 13 * FRI", "2026-11-13T00:00:00", "2026-11-20T00:00:00"),
            ("@weekly", "2026-11-27T00:00:00", "2026-11-29T00:00:00"),
            (" @hourly ", "2026-11-27T00:10:00", "2026-11-27T01:00:00"),
        ] {
            assert_eq!(next(text, after).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_schedule_or_never_happens_is_refused() {
        for text in [
            "",
            "2",
            "0 2 * *",
            "0 0 2 * * *",
            "0 24 * * *",
            "60 2 * * *",
            "0 2 0 * *",
            "0 2 30 2 *",
            "0 2 L * *",
            "0 2 15W * *",
            "0 2 * * 5#2",
            "0 2 * * 5L",
            "0 2 ? * *",
            "0 2 1 * +1",
            "mon 2 * * *",
            "0 2 * mon *",
            "0 2 * * jan",
            "0 2 * * lundi",
            "@every 1h",
            "@reboot",
            "a b c d e",
            "0 2 * * 🌙",
        ] {
            assert_eq!(CronTimes::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_shortest_distance_is_found_within_a_day_and_over_midnight() {
        for (text, is_dense) in [
            ("* * * * *", true),
            ("*/5 * * * *", false),
            ("*/4 * 1 1 *", true),
            ("0,3 2 * * 1", true),
            ("0,5 2 * * 1", false),
            ("58 23 * * *", false),
            ("1,58 0,23 * * *", true),
            ("0 0 1 1 *", false),
        ] {
            assert_eq!(CronTimes::parse(text).unwrap().is_denser_than(5), is_dense, "{text}");
        }
    }
}
