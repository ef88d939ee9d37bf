//! When a rule for certain times applies next, in words: for its author, before the policy is saved.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::schedule::ActionSchedule;
use super::window::ChangeWindow;
use crate::api::Rule;
use crate::wording::all_of;

/// Number of times that are named.
const NAMED: usize = 3;

/// Describes the next runs of a schedule, or the next opening of a window, as a sentence. Returns nothing for other rules, and for broken
/// ones.
pub fn upcoming(rule: &Rule, now: Timestamp) -> Option<String> {
    if let Some(schedule) = &rule.schedule {
        let schedule = ActionSchedule::parse(schedule).ok()?;
        let times = std::iter::successors(schedule.next(now), |last| schedule.next(*last)).take(NAMED);
        let times: Vec<String> = times.map(|time| time.to_zoned(schedule.zone().clone()).strftime("%a %-d %b %H:%M").to_string()).collect();
        return (!times.is_empty()).then(|| format!("Next: {} ({}).", all_of(&times), schedule.timezone));
    }
    let window = ChangeWindow::parse(rule.window.as_ref()?).ok()?;
    let (opens, closes) = window.next_span(now)?;
    let (zone, name) = (window.zone(), window.timezone());
    Some(if opens <= now {
        format!("Open now, until {} ({name}).", at(closes, zone))
    } else {
        format!("Opens next on {} ({name}).", at(opens, zone))
    })
}

fn at(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned(zone.clone()).strftime("%A, %-d %B at %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::upcoming;
    use crate::api::Rule;

    fn words(kind: &str, effect: Value, now: &str) -> Option<String> {
        let rule: Rule = serde_json::from_value(json!({"name": "r", kind: effect})).unwrap();
        upcoming(&rule, now.parse().unwrap())
    }

    #[test]
    fn a_schedule_names_its_next_three_times_where_it_is() {
        let nightly = json!({"action": "backup", "cron": "0 2 * * *", "timezone": "Europe/Berlin"});
        assert_eq!(
            words("schedule", nightly, "2026-11-27T12:00:00Z").as_deref(),
            Some("Next: Sat 28 Nov 02:00, Sun 29 Nov 02:00 and Mon 30 Nov 02:00 (Europe/Berlin).")
        );
        assert_eq!(words("schedule", json!({"action": "backup", "cron": "0 2 * *"}), "2026-11-27T12:00:00Z"), None);
    }

    #[test]
    fn a_window_names_its_next_opening_or_until_when_it_is_open() {
        let nights = json!({"days": ["fri"], "from": "22:00", "to": "06:00", "timezone": "Europe/Berlin"});
        let of = |now: &str| words("window", nights.clone(), now).unwrap();
        assert_eq!(of("2026-11-27T12:00:00Z"), "Opens next on Friday, 27 November at 22:00 (Europe/Berlin).");
        assert_eq!(of("2026-11-28T02:00:00Z"), "Open now, until Saturday, 28 November at 06:00 (Europe/Berlin).");
        assert_eq!(words("window", json!({"from": "1", "to": "2"}), "2026-11-27T12:00:00Z"), None);
        assert_eq!(words("limit", json!({"count": 1, "per": "workspace"}), "2026-11-27T12:00:00Z"), None);
    }
}
