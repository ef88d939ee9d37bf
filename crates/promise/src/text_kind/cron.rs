//! Schedules of cron in words, as far as they are ordinary. Anything else has no words rather than wrong ones. Times are in UTC, as
//! Kubernetes reads them unless a time zone is set.
//!
//! What has words is a schedule for [`crate::cron`] as well, except for `@every`: operators accept it, but it names no times, so policies
//! can't use it.

use super::duration;
use crate::cron::expanded;
use crate::wording::{MONTHS, all_of};

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// Maximum number of entries of a list that are named.
const NAMED: usize = 4;

/// Returns a schedule in words.
pub(super) fn said(text: &str) -> Option<String> {
    match text.strip_prefix("@every ") {
        Some(length) => duration::said(length).map(|words| format!("Every {words}")),
        None => said_in(text, "UTC"),
    }
}

/// Returns a schedule of times in a time zone in words.
pub(crate) fn said_in(text: &str, zone: &str) -> Option<String> {
    let fields: Vec<&str> = expanded(text).split_ascii_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields.as_slice() else { return None };
    let days = days(day, month, weekday)?;
    if let (Some(minute), Some(hours)) = (number(minute, 0, 59), list(hour, 23)) {
        let times: Vec<String> = hours.iter().map(|hour| format!("{hour:02}:{minute:02}")).collect();
        return Some(format!("{days} at {} ({zone})", all_of(&times)));
    }
    let interval = interval(minute, hour)?;
    match days.as_str() {
        "Every day" => Some(interval),
        days => Some(format!("{interval}, {} ({zone})", lower_start(days))),
    }
}

/// Returns how often something happens during a day, unless it is at certain times.
fn interval(minute: &str, hour: &str) -> Option<String> {
    let step = |text: &str, of: u32| text.strip_prefix("*/").and_then(|text| number(text, 1, of)).filter(|step| of.is_multiple_of(*step));
    let every = |text: &str, of: u32| if text == "*" { Some(1) } else { step(text, of) };
    let Some(minute) = number(minute, 0, 59) else {
        let minutes = every(minute, 60).filter(|_| hour == "*")?;
        return Some(if minutes == 1 { "Every minute".to_owned() } else { format!("Every {minutes} minutes") });
    };
    let past = if minute == 0 { String::new() } else { format!(" at {minute} minutes past") };
    let hours = every(hour, 24)?;
    Some(if hours == 1 { format!("Every hour{past}") } else { format!("Every {hours} hours{past}") })
}

/// Returns the days as the start of a sentence.
fn days(day: &str, month: &str, weekday: &str) -> Option<String> {
    match (day, month, weekday) {
        ("*", "*", "*") => Some("Every day".to_owned()),
        ("*", "*", weekday) => weekdays(weekday),
        (day, "*", "*") => {
            let days = list(day, 31).filter(|days| !days.contains(&0))?;
            Some(format!("On {} {} of every month", if days.len() == 1 { "day" } else { "days" }, all_of(&texts(&days))))
        }
        (day, month, "*") => {
            let day = number(day, 1, 31)?;
            let month = MONTHS.get(usize::try_from(number(month, 1, 12)? - 1).ok()?)?;
            Some(format!("Every year on {day} {month}"))
        }
        _ => None,
    }
}

fn weekdays(text: &str) -> Option<String> {
    if let Some((first, last)) = text.split_once('-') {
        let (first, last) = (weekday(first)?, weekday(last)?);
        return (first < last).then(|| format!("{} to {}", DAYS[first], DAYS[last]));
    }
    let names: Vec<&str> = text.split(',').map(|text| weekday(text).map(|day| DAYS[day])).collect::<Option<_>>()?;
    Some(format!("Every {}", all_of(&names)))
}

/// Returns the number of a weekday, which can be written as a number or as three letters. Sunday is 0 and 7.
fn weekday(text: &str) -> Option<usize> {
    let named = DAYS.iter().position(|day| text.len() == 3 && day[..3].eq_ignore_ascii_case(text));
    named.or_else(|| number(text, 0, 7).and_then(|day| usize::try_from(day % 7).ok()))
}

fn list(text: &str, most: u32) -> Option<Vec<u32>> {
    let found: Vec<u32> = text.split(',').map(|text| number(text, 0, most)).collect::<Option<_>>()?;
    (found.len() <= NAMED && found.windows(2).all(|pair| pair[0] < pair[1])).then_some(found)
}

fn texts(numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(u32::to_string).collect()
}

fn number(text: &str, least: u32, most: u32) -> Option<u32> {
    let is_plain = !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && (least..=most).contains(number))
}

/// Returns a phrase for the middle of a sentence. Names of days keep their capital letter.
pub(crate) fn lower_start(phrase: &str) -> String {
    match phrase.split_once(' ') {
        Some((first @ ("Every" | "On"), rest)) => format!("{} {rest}", first.to_lowercase()),
        _ => phrase.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{said, said_in};
    use crate::cron::CronTimes;

    #[test]
    fn ordinary_schedules_have_words_and_others_have_none() {
        for (text, words) in [
            ("0 2 * * *", Some("Every day at 02:00 (UTC)")),
            ("30 6,18 * * *", Some("Every day at 06:30 and 18:30 (UTC)")),
            ("0 9 * * 1-5", Some("Monday to Friday at 09:00 (UTC)")),
            ("0 9 * * MON,thu", Some("Every Monday and Thursday at 09:00 (UTC)")),
            ("15 4 * * 7", Some("Every Sunday at 04:15 (UTC)")),
            ("0 0 1 * *", Some("On day 1 of every month at 00:00 (UTC)")),
            ("0 0 1,15 * *", Some("On days 1 and 15 of every month at 00:00 (UTC)")),
            ("0 12 24 12 *", Some("Every year on 24 December at 12:00 (UTC)")),
            ("* * * * *", Some("Every minute")),
            ("*/15 * * * *", Some("Every 15 minutes")),
            ("*/15 * * * 1-5", Some("Every 15 minutes, Monday to Friday (UTC)")),
            ("*/5 * 1 * *", Some("Every 5 minutes, on day 1 of every month (UTC)")),
            ("0 * * * *", Some("Every hour")),
            ("20 * * * *", Some("Every hour at 20 minutes past")),
            ("0 */6 * * *", Some("Every 6 hours")),
            ("@weekly", Some("Every Sunday at 00:00 (UTC)")),
            ("@hourly", Some("Every hour")),
            ("@every 1h30m", Some("Every 1 hour 30 minutes")),
            ("*/7 * * * *", None),
            ("0 */5 * * *", None),
            ("0 2 1 * 1", None),
            ("0 2 * 3 *", None),
            ("0 2 0 * *", None),
            ("0 24 * * *", None),
            ("60 2 * * *", None),
            ("0 9 * * 5-1", None),
            ("0 0 2 * * *", None),
            ("0 2 L * *", None),
            ("every day", None),
            ("@reboot", None),
            ("", None),
        ] {
            assert_eq!(said(text).as_deref(), words, "{text}");
            let is_schedule = CronTimes::parse(text).is_some();
            assert!(words.is_none() || is_schedule || text.starts_with("@every"), "{text}");
        }
        assert_eq!(said_in("0 2 * * *", "Europe/Berlin").as_deref(), Some("Every day at 02:00 (Europe/Berlin)"));
    }
}
