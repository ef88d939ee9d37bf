//! Ages as kubectl shows them (apimachinery `util/duration` HumanDuration).

use jiff::Timestamp;

/// The age of an RFC 3339 time: `5s`, `3m10s`, `2d`; `<unknown>` without one, `<invalid>` from the future.
pub fn of(time: &str, now: Timestamp) -> String {
    if time.is_empty() {
        return "<unknown>".into();
    }
    match time.parse::<Timestamp>() {
        Ok(time) => human(now.as_second() - time.as_second()),
        Err(_) => "<invalid>".into(),
    }
}

/// A span in its two largest units, as long as the smaller one matters.
fn human(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    let years = days / 365;
    let two = |large: i64, unit: &str, small: i64, smaller: &str| {
        if small == 0 { format!("{large}{unit}") } else { format!("{large}{unit}{small}{smaller}") }
    };
    match seconds {
        ..-1 => "<invalid>".into(),
        -1 => "0s".into(),
        _ if seconds < 120 => format!("{seconds}s"),
        _ if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => two(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 192 => two(days, "d", hours % 24, "h"),
        _ if days < 730 => format!("{days}d"),
        _ if days < 8 * 365 => two(years, "y", days % 365, "d"),
        _ => format!("{years}y"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_units_where_they_matter() {
        let shown: Vec<String> = [0, 119, 190, 600, 3600 * 4 + 60, 86400 * 3, 86400 * 400].into_iter().map(human).collect();
        assert_eq!(shown, ["0s", "119s", "3m10s", "10m", "4h1m", "3d", "400d"]);
    }
}
