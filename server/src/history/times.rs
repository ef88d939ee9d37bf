//! Times in a text, moved.

use jiff::{SignedDuration, Timestamp};

/// Length of `2026-01-31T10:00:00`.
const LENGTH: usize = 19;

/// Moves every time of the form `2026-01-31T10:00:00Z`, with or without a fraction of a second, by a number of seconds. Everything else,
/// dates without a time included, stays.
pub(super) fn moved(text: &str, seconds: i64) -> String {
    let mut moved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('T') {
        let time = at.checked_sub(10).and_then(|start| Some((start, time(rest.get(start..)?)?)));
        match time {
            Some((start, (length, time))) => {
                moved.push_str(rest.get(..start).unwrap_or_default());
                moved.push_str(&shifted(rest.get(start..start + length).unwrap_or_default(), time, seconds));
                rest = rest.get(start + length..).unwrap_or_default();
            }
            None => {
                moved.push_str(rest.get(..=at).unwrap_or_default());
                rest = rest.get(at + 1..).unwrap_or_default();
            }
        }
    }
    moved + rest
}

/// Returns the time at the beginning of a text, and its length.
fn time(text: &str) -> Option<(usize, Timestamp)> {
    let bytes = text.as_bytes();
    let fits = |index: usize, byte: u8| match index {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    if bytes.len() <= LENGTH || !bytes.iter().take(LENGTH).enumerate().all(|(index, byte)| fits(index, *byte)) {
        return None;
    }
    let fraction = match bytes.get(LENGTH)? {
        b'.' => 1 + bytes.iter().skip(LENGTH + 1).take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let length = LENGTH + fraction + 1;
    let written = text.get(..length).filter(|written| written.ends_with('Z'))?;
    Some((length, written.parse().ok()?))
}

fn shifted(written: &str, time: Timestamp, seconds: i64) -> String {
    let Ok(time) = time.checked_add(SignedDuration::from_secs(seconds)) else { return written.to_owned() };
    format!("{}{}", time.strftime("%Y-%m-%dT%H:%M:%S"), written.get(LENGTH..).unwrap_or("Z"))
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn times_move_and_nothing_else_does() {
        let text = r#"{"at":"2026-01-31T23:59:59Z","micro":"2026-01-31T10:00:00.000123Z","from":"2026-01-01","T":"Trust T10:00:00Z","é":"éT2026-01-31T10:00:00"}"#;
        let wanted = r#"{"at":"2026-02-01T00:00:01Z","micro":"2026-01-31T10:00:02.000123Z","from":"2026-01-01","T":"Trust T10:00:00Z","é":"éT2026-01-31T10:00:00"}"#;
        assert_eq!(moved(text, 2), wanted);
        assert_eq!(moved(wanted, -2), text);
        assert_eq!(moved("until 2026-01-31T10:00:00Z.", 86_400), "until 2026-02-01T10:00:00Z.");
    }
}
