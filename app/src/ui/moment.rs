//! Times: how long ago, then the date; the exact time is in `title` and `datetime`.

use leptos::prelude::*;
use promise::date::exact;

use super::reading::Reading;
use super::texts;

/// A point in time in readable form.
#[component]
pub fn Moment(#[prop(into)] at: String, #[prop(into)] now: String) -> impl IntoView {
    let words = span(&at, &now);
    view! { <time datetime=at.clone() title=exact(&at)>{words}</time> }
}

/// Formats a time as `just now`, `4 min ago`, `2 h ago`, `3 days ago`, then the date. Other text stays as it is.
pub fn span(at: &str, now: &str) -> String {
    let (Some(then), Some(seconds_now)) = (seconds(at), seconds(now)) else { return at.to_owned() };
    match seconds_now.saturating_sub(then) {
        ..=9 => texts::JUST_NOW.to_owned(),
        passed @ 10..=59 => texts::seconds_ago(passed),
        passed @ 60..=3_599 => texts::minutes_ago(passed / 60),
        passed @ 3_600..=86_399 => texts::hours_ago(passed / 3_600),
        passed @ 86_400..=604_799 => texts::days_ago(passed / 86_400),
        _ => {
            let Reading { dates, zone, .. } = Reading::current();
            dates.day_in(&zone, at, now)
        }
    }
}

/// Formats the day of a time in the reader's zone: `26 Nov`, with the year if it isn't the current one.
pub fn day(at: &str) -> String {
    let Reading { dates, zone, now, .. } = Reading::current();
    dates.day_in(&zone, at, &now)
}

/// Formats a date without its year: `26 Nov`.
pub fn day_in_year(date: &str) -> String {
    Reading::current().dates.day_in_year(date)
}

/// Returns the date of a time in the reader's zone: `2026-11-26`.
pub fn date(at: &str) -> String {
    Reading::current().zone.date(at)
}

/// Formats a time in the reader's zone: `26 Nov, 18:04`, with the year if it isn't the current one. Readers whose zone isn't known see UTC,
/// and that it is: `26 Nov, 18:04 UTC`. Other text stays as it is.
pub fn day_and_time(at: &str) -> String {
    let Reading { dates, zone, now, .. } = Reading::current();
    let words = dates.moment_in(&zone, at, &now);
    if words == at || !zone.is_utc() { words } else { texts::in_utc(&words) }
}

/// Formats when something ends: `due in 52 min`, `due in 3 h`, `due in 2 days`, or `expired`. Other text is left out.
pub fn due(at: &str, now: &str) -> String {
    let (Some(then), Some(seconds_now)) = (seconds(at), seconds(now)) else { return String::new() };
    match then.saturating_sub(seconds_now) {
        ..=0 => texts::EXPIRED.to_owned(),
        left @ 1..=59 => texts::due_in_seconds(left),
        left @ 60..=3_599 => texts::due_in_minutes(left / 60),
        left @ 3_600..=172_799 => texts::due_in_hours(left / 3_600),
        left => texts::due_in_days(left / 86_400),
    }
}

/// Returns the seconds since an arbitrary day of an RFC 3339 time in UTC, as the control plane writes them.
fn seconds(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once('T')?;
    let time = rest.trim_end_matches('Z').split('.').next()?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let mut time = time.splitn(3, ':').map(str::parse::<i64>);
    let (hour, minute, second) = (time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?);
    // Days of a civil date, counted from March so that the leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 153 + 2) / 5 + day;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::{day_and_time, due, span};

    #[test]
    fn what_ends_is_said_ahead() {
        for (at, said) in [
            ("2026-02-28T00:00:00Z", "expired"),
            ("2026-03-01T00:52:30Z", "due in 52\u{a0}min"),
            ("2026-03-02T01:00:00Z", "due in 25\u{a0}h"),
            ("2026-03-04T01:00:00Z", "due in 3\u{a0}days"),
            ("soon", ""),
        ] {
            assert_eq!(due(at, "2026-03-01T00:00:00Z"), said, "{at}");
        }
    }

    #[test]
    fn times_name_their_zone() {
        // Without a visit, the current year isn't known.
        assert_eq!(day_and_time("2026-11-26T18:04:00Z"), "26\u{a0}Nov\u{a0}2026, 18:04 UTC");
        assert_eq!(day_and_time("never"), "never");
    }

    #[test]
    fn spans_are_said_as_people_say_them() {
        for (at, said) in [
            ("2026-03-01T00:00:00Z", "just now"),
            ("2026-02-28T23:59:30Z", "30\u{a0}s ago"),
            ("2026-02-28T23:30:00.123456Z", "30\u{a0}min ago"),
            ("2026-02-28T00:00:00Z", "1\u{a0}day ago"),
            ("2026-02-26T00:00:00Z", "3\u{a0}days ago"),
            ("2026-02-01T00:00:00Z", "1\u{a0}Feb"),
            ("2025-12-31T00:00:00Z", "31\u{a0}Dec\u{a0}2025"),
            ("yesterday", "yesterday"),
        ] {
            assert_eq!(span(at, "2026-03-01T00:00:00Z"), said, "{at}");
        }
    }
}
