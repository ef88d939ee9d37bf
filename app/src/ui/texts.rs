//! Texts of the design system, which has no product terms.

pub(crate) const AS_A_TABLE: &str = "View as table";
pub(crate) const BREADCRUMB: &str = "Breadcrumb";
pub(crate) const CREATES_OR_IS_LOCATED_IN: &str = "creates, or is located in";
pub(crate) const FIT: &str = "Fit";
pub(crate) const NEXT: &str = "Next";
pub(crate) const NO_DATA: &str = "No data yet";
pub(crate) const PAGES: &str = "Pages";
pub(crate) const PREVIOUS: &str = "Previous";
pub(crate) const REFRESH: &str = "Refresh";
pub(crate) const UNKNOWN: &str = "Unknown";
pub(crate) const ZOOM: &str = "Zoom";
pub(crate) const ZOOM_IN: &str = "Zoom in";
pub(crate) const ZOOM_OUT: &str = "Zoom out";

pub(crate) const JUST_NOW: &str = "just now";
pub(crate) const EXPIRED: &str = "expired";

pub(crate) fn seconds_ago(count: i64) -> String {
    format!("{count}\u{a0}s ago")
}

pub(crate) fn minutes_ago(count: i64) -> String {
    format!("{count}\u{a0}min ago")
}

pub(crate) fn hours_ago(count: i64) -> String {
    format!("{count}\u{a0}h ago")
}

pub(crate) fn days_ago(count: i64) -> String {
    if count == 1 { "1\u{a0}day ago".to_owned() } else { format!("{count}\u{a0}days ago") }
}

pub(crate) fn due_in_seconds(count: i64) -> String {
    format!("due in {count}\u{a0}s")
}

pub(crate) fn due_in_minutes(count: i64) -> String {
    format!("due in {count}\u{a0}min")
}

pub(crate) fn due_in_hours(count: i64) -> String {
    format!("due in {count}\u{a0}h")
}

pub(crate) fn due_in_days(count: i64) -> String {
    format!("due in {count}\u{a0}days")
}

pub(crate) fn in_utc(time: &str) -> String {
    format!("{time} UTC")
}

pub(crate) fn copy(what: &str) -> String {
    format!("Copy {what}")
}

pub(crate) fn page_of(page: usize, pages: usize) -> String {
    format!("Page {page} of {pages}")
}

/// A level in the legend of a chart; a level far above the rest is not drawn.
pub(crate) fn level(name: &str, amount: &str, is_drawn: bool) -> String {
    if is_drawn { format!("{name} {amount}") } else { format!("{name} {amount} (above the chart)") }
}
