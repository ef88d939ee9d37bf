//! Durations in words: `90m` is 1 hour 30 minutes.

use crate::wording::counted;

/// Units with their length in nanoseconds. Prometheus counts a year as 365 days.
const UNITS: [(&str, u128); 11] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
    ("d", 86_400 * SECOND),
    ("w", 604_800 * SECOND),
    ("y", 31_536_000 * SECOND),
];
const SECOND: u128 = 1_000_000_000;
/// Names of the units in words, the longest first.
const WORDS: [(&str, u128); 7] = [
    ("day", 86_400 * SECOND),
    ("hour", 3_600 * SECOND),
    ("minute", 60 * SECOND),
    ("second", SECOND),
    ("millisecond", 1_000_000),
    ("microsecond", 1_000),
    ("nanosecond", 1),
];
/// Maximum number of digits of one number, so that nothing overflows.
const DIGITS: usize = 15;

/// Returns a duration in words.
pub(super) fn said(text: &str) -> Option<String> {
    in_words(nanoseconds(text)?)
}

fn in_words(mut left: u128) -> Option<String> {
    if left == 0 {
        return Some("0 seconds".to_owned());
    }
    let mut parts = Vec::new();
    for (noun, length) in WORDS {
        let count = u64::try_from(left / length).ok()?;
        left %= length;
        if count > 0 {
            parts.push(counted(count, noun));
        }
    }
    Some(parts.join(" "))
}

fn nanoseconds(text: &str) -> Option<u128> {
    if text == "0" {
        return Some(0);
    }
    let mut total = 0;
    let mut rest = text;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?);
        let end = after.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total += of_number(number, *length)?;
        rest = next;
    }
    Some(total)
}

/// Returns a decimal number of units in nanoseconds.
fn of_number(number: &str, length: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() > DIGITS || whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    Some(digits * length / 10_u128.pow(u32::try_from(fraction.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn durations_read_as_people_say_them() {
        for (text, words) in [
            ("1h30m", Some("1 hour 30 minutes")),
            ("90m", Some("1 hour 30 minutes")),
            ("1.5h", Some("1 hour 30 minutes")),
            ("720h", Some("30 days")),
            ("1w2d", Some("9 days")),
            ("1y", Some("365 days")),
            ("1s", Some("1 second")),
            ("250ms", Some("250 milliseconds")),
            ("0.5ms", Some("500 microseconds")),
            ("0", Some("0 seconds")),
            ("0s", Some("0 seconds")),
            ("", None),
            ("h", None),
            ("5", None),
            ("5 m", None),
            ("-5m", None),
            ("1..5h", None),
            ("5x", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(said(text).as_deref(), words, "{text}");
        }
    }
}
