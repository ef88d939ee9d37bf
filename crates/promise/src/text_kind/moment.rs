//! Dates and moments in words, with the day of the week.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil::Weekday};

use crate::wording::MONTHS;

/// Returns a date in words.
pub(super) fn date(text: &str) -> Option<String> {
    // Other forms of dates aren't valid here.
    if text.len() != 10 {
        return None;
    }
    text.parse().ok().map(day)
}

/// Returns a moment in words, in UTC.
pub(super) fn moment(text: &str) -> Option<String> {
    let time = text.parse::<Timestamp>().ok()?.to_zoned(TimeZone::UTC);
    let seconds = if time.second() == 0 { String::new() } else { format!(":{:02}", time.second()) };
    Some(format!("{}, {:02}:{:02}{seconds} UTC", day(time.date()), time.hour(), time.minute()))
}

fn day(date: Date) -> String {
    let weekday = match date.weekday() {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    };
    let month = MONTHS.get(usize::try_from(date.month() - 1).unwrap_or_default()).copied().unwrap_or_default();
    format!("{weekday}, {} {month} {}", date.day(), date.year())
}

#[cfg(test)]
mod tests {
    use super::{date, moment};

    #[test]
    fn days_have_a_weekday_and_moments_a_time_in_utc() {
        for (text, words) in [
            ("2026-11-26T10:00:00Z", Some("Thursday, 26 November 2026, 10:00 UTC")),
            ("2026-11-26T01:30:05+02:00", Some("Wednesday, 25 November 2026, 23:30:05 UTC")),
            ("2026-11-26", None),
            ("2026-11-26T10:00:00", None),
            ("soon", None),
        ] {
            assert_eq!(moment(text).as_deref(), words, "{text}");
        }
        assert_eq!(date("2028-02-29").as_deref(), Some("Tuesday, 29 February 2028"));
        for text in ["2027-02-29", "2026-11-26T10:00:00Z", "20261126", ""] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
