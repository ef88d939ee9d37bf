//! Messages about runs that schedules start.

use crate::text_kind::cron;

/// Returns when a schedule runs.
pub(super) fn when(text: &str, zone: &str) -> String {
    cron::said_in(text, zone).unwrap_or_else(|| format!("On the schedule {text} ({zone})"))
}

/// Returns what a run waits for until the status of its request names it.
pub(super) fn unrecorded() -> String {
    "Waiting for its schedule to record that it started this run".to_owned()
}
