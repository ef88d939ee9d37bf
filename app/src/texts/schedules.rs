//! Texts of the schedules of a request.

use promise::wording::counted;

pub(crate) const SCHEDULES: &str = "Schedules";
pub(crate) const ACTION: &str = "Action";
pub(crate) const POLICY: &str = "Policy";
pub(crate) const NEXT_RUN: &str = "Next run";
pub(crate) const LAST_RUN: &str = "Last run";
/// Instead of the next run.
pub(crate) const PAUSED: &str = "Paused with the request";
/// Instead of the last run.
pub(crate) const NONE_YET: &str = "None yet";

pub(crate) fn missed(count: u32) -> String {
    format!("{} missed", counted(u64::from(count), "run"))
}
