//! Dates and times as people write them. Machine formats (CSV, YAML, REST, `datetime`) stay RFC 3339.

use std::sync::Arc;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};

use crate::wording::MONTHS;

/// Names of UTC; the first is the time zone of readers whose own isn't known.
const UTC: [&str; 2] = ["UTC", "Etc/UTC"];

/// The time zone in which a reader sees times.
#[derive(Clone, Debug)]
pub struct Zone {
    name: Arc<str>,
    zone: TimeZone,
}

impl Default for Zone {
    fn default() -> Self {
        Self { name: Arc::from(UTC[0]), zone: TimeZone::UTC }
    }
}

impl Zone {
    /// Creates the zone with a name from the IANA database.
    pub fn new(name: &str, zone: TimeZone) -> Self {
        Self { name: Arc::from(name), zone }
    }

    /// Returns its IANA name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks whether it is UTC, which times then say: readers whose zone isn't known might expect another one.
    pub fn is_utc(&self) -> bool {
        UTC.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }

    /// Returns the date in this zone at an RFC 3339 time: `2026-11-26`. Other text stays as it is.
    pub fn date(&self, at: &str) -> String {
        date_time(at, self).map_or_else(|| at.to_owned(), |moment| moment.date().to_string())
    }
}

/// How English writes dates and times. Pages are in English, so only the region matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateStyle {
    /// `26 Nov`, `18:04`.
    #[default]
    DayFirst,
    /// `Nov 26`, `6:04 PM`, as in the United States.
    MonthFirst,
}

impl DateStyle {
    /// Returns the style for the first language of an `Accept-Language` header: others are only what the reader also understands.
    pub fn of_languages(header: &str) -> Self {
        let first = header.split([',', ';']).next().unwrap_or_default().trim();
        let is_american = first.split('-').skip(1).any(|part| part.eq_ignore_ascii_case("US"));
        if is_american { Self::MonthFirst } else { Self::DayFirst }
    }

    /// Formats the day of an RFC 3339 time or date in UTC: `26 Nov`, with the year if it isn't that of `now`. Other text stays as it is.
    pub fn day(self, at: &str, now: &str) -> String {
        self.day_in(&Zone::default(), at, now)
    }

    /// Formats a time in UTC: `26 Nov, 18:04`, with the year if it isn't that of `now`. Other text stays as it is.
    pub fn moment(self, at: &str, now: &str) -> String {
        self.moment_in(&Zone::default(), at, now)
    }

    /// Formats the day of an RFC 3339 time in a zone, or a date, which is the same in all of them.
    pub fn day_in(self, zone: &Zone, at: &str, now: &str) -> String {
        let Some(date) = date(at, zone) else { return at.to_owned() };
        let year = date_time(now, zone).map(|now| now.year());
        self.of_date(date, year != Some(date.year()))
    }

    /// Formats a time in a zone: `26 Nov, 18:04`, with the year if it isn't that of `now`. Other text stays as it is.
    pub fn moment_in(self, zone: &Zone, at: &str, now: &str) -> String {
        match date_time(at, zone) {
            Some(moment) => format!("{}, {}", self.day_in(zone, at, now), self.time(moment.time())),
            None => at.to_owned(),
        }
    }

    /// Formats a date without its year: `26 Nov`. Other text stays as it is.
    pub fn day_in_year(self, date: &str) -> String {
        date.parse().map_or_else(|_| date.to_owned(), |date| self.of_date(date, false))
    }

    fn of_date(self, date: Date, with_year: bool) -> String {
        let month = MONTHS.get(usize::try_from(date.month() - 1).unwrap_or_default()).and_then(|name| name.get(..3)).unwrap_or_default();
        match (self, with_year) {
            (Self::DayFirst, false) => format!("{}\u{a0}{month}", date.day()),
            (Self::DayFirst, true) => format!("{}\u{a0}{month}\u{a0}{}", date.day(), date.year()),
            (Self::MonthFirst, false) => format!("{month}\u{a0}{}", date.day()),
            (Self::MonthFirst, true) => format!("{month}\u{a0}{}, {}", date.day(), date.year()),
        }
    }

    fn time(self, time: civil::Time) -> String {
        match self {
            Self::DayFirst => format!("{:02}:{:02}", time.hour(), time.minute()),
            Self::MonthFirst => {
                let half = if time.hour() < 12 { "AM" } else { "PM" };
                let hour = if time.hour() % 12 == 0 { 12 } else { time.hour() % 12 };
                format!("{hour}:{:02}\u{a0}{half}", time.minute())
            }
        }
    }
}

/// Formats an RFC 3339 time for texts that aren't made for one reader: `26 Nov 2026, 18:04 UTC`. Other text stays as it is.
pub fn utc(at: &str) -> String {
    date_time(at, &Zone::default()).map_or_else(
        || at.to_owned(),
        |moment| format!("{}, {} UTC", DateStyle::DayFirst.of_date(moment.date(), true), DateStyle::DayFirst.time(moment.time())),
    )
}

/// Formats an RFC 3339 time to the second, for titles: `26 Nov 2026, 18:04:09 UTC`. Other text stays as it is.
pub fn exact(at: &str) -> String {
    date_time(at, &Zone::default()).map_or_else(
        || at.to_owned(),
        |moment| format!("{}, {} UTC", DateStyle::DayFirst.of_date(moment.date(), true), moment.time().strftime("%H:%M:%S")),
    )
}

fn date_time(at: &str, zone: &Zone) -> Option<DateTime> {
    at.parse::<Timestamp>().ok().map(|time| zone.zone.to_datetime(time))
}

fn date(at: &str, zone: &Zone) -> Option<Date> {
    date_time(at, zone).map(DateTime::date).or_else(|| at.parse().ok())
}

#[cfg(test)]
mod tests {
    use jiff::tz::{TimeZone, offset};

    use super::{DateStyle, Zone, exact, utc};

    const NOW: &str = "2026-11-27T10:00:00Z";

    #[test]
    fn the_year_is_told_where_it_is_another_one() {
        for (at, european, american) in [
            ("2026-11-26T18:04:09Z", "26\u{a0}Nov, 18:04", "Nov\u{a0}26, 6:04\u{a0}PM"),
            ("2026-01-02T00:30:00.25Z", "2\u{a0}Jan, 00:30", "Jan\u{a0}2, 12:30\u{a0}AM"),
            ("2025-12-31T23:30:00+01:00", "31\u{a0}Dec\u{a0}2025, 22:30", "Dec\u{a0}31, 2025, 10:30\u{a0}PM"),
            ("soon", "soon", "soon"),
        ] {
            assert_eq!(DateStyle::DayFirst.moment(at, NOW), european);
            assert_eq!(DateStyle::MonthFirst.moment(at, NOW), american);
        }
        assert_eq!(DateStyle::DayFirst.day("2026-03-01", NOW), "1\u{a0}Mar");
        assert_eq!(DateStyle::DayFirst.day("2027-03-01", NOW), "1\u{a0}Mar\u{a0}2027");
        assert_eq!(DateStyle::DayFirst.day("2026-13-01", NOW), "2026-13-01");
    }

    #[test]
    fn readers_see_times_of_their_zone() {
        let east = Zone::new("Etc/GMT-9", TimeZone::fixed(offset(9)));
        let style = DateStyle::DayFirst;
        assert_eq!(style.moment_in(&east, "2026-11-26T18:04:09Z", NOW), "27\u{a0}Nov, 03:04");
        assert_eq!(
            style.moment_in(&east, "2026-12-31T18:04:09Z", "2026-12-31T20:00:00Z"),
            "1\u{a0}Jan, 03:04",
            "now is in the new year, too"
        );
        assert_eq!(style.day_in(&east, "2026-11-26", NOW), "26\u{a0}Nov", "a date has no zone");
        assert_eq!((east.date("2026-11-26T18:04:09Z"), east.date("soon")), ("2026-11-27".to_owned(), "soon".to_owned()));
        assert!(Zone::default().is_utc() && !east.is_utc());
        assert_eq!((style.day_in_year("2026-11-16"), DateStyle::MonthFirst.day_in_year("x")), ("16\u{a0}Nov".to_owned(), "x".to_owned()));
    }

    #[test]
    fn texts_for_several_readers_say_year_and_zone() {
        assert_eq!(utc("2026-11-26T18:04:09Z"), "26\u{a0}Nov\u{a0}2026, 18:04 UTC");
        assert_eq!(exact("2026-11-26T18:04:09.5Z"), "26\u{a0}Nov\u{a0}2026, 18:04:09 UTC");
        assert_eq!((utc("never"), exact("")), ("never".to_owned(), String::new()));
    }

    #[test]
    fn the_first_language_decides() {
        for (header, american) in [
            ("en-US,en;q=0.9", true),
            ("en-us", true),
            ("en-Latn-US;q=1", true),
            ("en-GB,en-US;q=0.9", false),
            ("de-DE,de;q=0.9,en-US;q=0.8", false),
            ("en", false),
            ("*", false),
            ("", false),
        ] {
            assert_eq!(DateStyle::of_languages(header) == DateStyle::MonthFirst, american, "{header}");
        }
    }
}
