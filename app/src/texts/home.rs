//! Texts of Home and the list of workspaces.

use crate::view::Total;
use promise::price::Money;
use promise::wording::{all_of, counted};

pub(crate) const THREE_THINGS_TO_TRY: &str = "Three things to try";
pub(crate) const DISMISS: &str = "Dismiss";
pub(crate) const ALL_CAUGHT_UP: &str = "You're all caught up.";
pub(crate) const ATTENTION_UNKNOWN: &str = "We can't tell right now whether anything needs your attention.";
pub(crate) const NOT_EVERYTHING_LOADED: &str = "Some information couldn't be loaded";
pub(crate) const NEEDS_YOUR_ATTENTION: &str = "Needs your attention";
pub(crate) const AWAITING_YOUR_DECISION: &str = "Awaiting your decision";
pub(crate) const YOUR_LATEST_REQUESTS: &str = "Your latest requests";
pub(crate) const YOUR_OTHER_REQUESTS: &str = "Your other requests";
pub(crate) const NO_REQUESTS_YET: &str = "No requests yet";
pub(crate) const BROWSE_TO_REQUEST: &str = "Browse the catalog to request your first service.";
pub(crate) const NOTHING_HERE_YET: &str = "Nothing here yet";
pub(crate) const ASK_FOR_A_WORKSPACE: &str =
    "You can't create or view requests in any workspace yet. Ask your platform team or a workspace owner for access.";
pub(crate) const BROWSE_THE_CATALOG: &str = "Browse the catalog";
pub(crate) const NOT_WORKING: &str = "Not working";
pub(crate) const UPDATES_AND_DEPRECATIONS: &str = "Updates and deprecations";
pub(crate) const DEPRECATED: &str = "Deprecated";

pub(crate) const VIEW_OVERVIEW: &str = "View overview";
pub(crate) const OLDEST: &str = "Oldest:";
pub(crate) const NO_RECENT_REQUESTS: &str = "No requests in recent weeks.";
pub(crate) const NO_RECENT_REQUESTS_SEEN: &str = "No requests in recent weeks in the workspaces that responded.";

pub(crate) const AT_A_GLANCE: &str = "At a glance";
pub(crate) const VIEW_COST: &str = "View cost";
pub(crate) const TO_DATE: &str = "To date";
pub(crate) const FORECAST: &str = "Forecast";
pub(crate) const LIMITS_AND_BUDGETS: &str = "Limits and budgets";
pub(crate) const POLICY: &str = "Policy";
pub(crate) const REQUESTS_BY_STATUS: &str = "Requests by status";
pub(crate) const YOUR_WORKSPACES: &str = "Your workspaces";
pub(crate) const NO_WORKSPACES: &str = "You don't have access to any workspaces. Ask a workspace owner for access.";
pub(crate) const WORKSPACES_UNKNOWN: &str = "We can't tell right now which workspaces you have access to.";
/// After an amount.
pub(crate) const THIS_MONTH: &str = " this month";

pub(crate) const FIND_A_WORKSPACE: &str = "Find a workspace";
pub(crate) const FIND: &str = "Find";
pub(crate) const NO_MATCHING_WORKSPACES: &str = "No matching workspaces";
pub(crate) const SEARCH_FOR_A_PATH: &str = "Search for part of the path, such as shop.";
pub(crate) const SHOW_ALL: &str = "Show all";

pub(crate) fn hello(name: &str) -> String {
    format!("Hello, {name}")
}

pub(crate) fn need_attention(count: usize) -> String {
    match count {
        0 => ALL_CAUGHT_UP.to_owned(),
        1 => "1 request needs attention.".to_owned(),
        _ => format!("{count} requests need attention."),
    }
}

/// The same where not everything could be read.
pub(crate) fn at_least_need_attention(count: usize) -> String {
    match count {
        0 => ATTENTION_UNKNOWN.to_owned(),
        1 => "At least 1 request needs attention.".to_owned(),
        _ => format!("At least {count} requests need attention."),
    }
}

pub(crate) fn no_response_from(workspaces: &[String]) -> String {
    format!("No response from {}. Data from there isn't shown.", all_of(workspaces))
}

pub(crate) fn approvals_not_loaded(why: &str) -> String {
    format!("Your pending approvals couldn't be loaded: {why}.")
}

pub(crate) fn platform_access_unknown(why: &str) -> String {
    format!("Your access to the platform pages couldn't be checked: {why}.")
}

pub(crate) fn newest_of(shown: usize, total: &Total) -> String {
    format!("Newest {shown} of {total}")
}

pub(crate) fn view_approvals(count: usize) -> String {
    if count == 1 { "View 1 approval".to_owned() } else { format!("View all {count} approvals") }
}

/// What a decision is about.
pub(crate) fn up_for_decision(promise: &str, version: &str, is_change: bool) -> String {
    if is_change { format!("{promise} {version}, change") } else { format!("{promise} {version}, new") }
}

/// How many requests don't work, of all.
pub(crate) fn newest_first_of(broken: &Total, requests: &Total) -> String {
    if requests.is_exact() {
        format!("{broken} of {}, newest first", counted(requests.counted() as u64, "request"))
    } else {
        format!("{broken} of {requests} requests, newest first")
    }
}

/// How many instances of a promise run in an older version.
pub(crate) fn behind_newest(older: usize, all: usize, newest: &str) -> String {
    let instances = counted(all as u64, "instance");
    match older {
        0 => format!("{instances} on the newest version, {newest}"),
        _ => format!("{older} of {instances} behind the newest version, {newest}"),
    }
}

pub(crate) fn on_newest_version(newest: usize, all: usize) -> String {
    format!("On the newest version: {newest} of {}.", counted(all as u64, "instance"))
}

pub(crate) fn waiting_for_decision(count: usize) -> String {
    match count {
        1 => "1 request is waiting for a decision.".to_owned(),
        _ => format!("{count} requests are waiting for a decision."),
    }
}

pub(crate) fn cost_not_loaded(why: &str) -> String {
    format!("Cost couldn't be loaded: {why}.")
}

pub(crate) fn no_cost_yet(workspaces: usize) -> String {
    format!("No cost yet this month in {}", counted(workspaces as u64, "workspace"))
}

/// Until when hours are counted, and where.
pub(crate) fn metered(until: Option<&str>, workspaces: usize) -> String {
    let workspaces = counted(workspaces as u64, "workspace");
    match until {
        Some(at) => format!("Metered until {at} · {workspaces}"),
        None => format!("Metering hasn't started · {workspaces}"),
    }
}

pub(crate) fn unpriced_not_included(instances: usize) -> String {
    format!("{} with an unknown price not included", counted(instances as u64, "instance"))
}

/// What a budget can't add up. It counts requests of everyone, so it isn't the number of unpriced instances on the same page.
pub(crate) fn not_in_budget(requests: usize, currency: &str) -> String {
    match requests {
        1 => format!("1 request without a price in {currency} isn't counted"),
        _ => format!("{requests} requests without a price in {currency} aren't counted"),
    }
}

pub(crate) fn biggest_changes_since(month: &str) -> String {
    format!("Biggest changes since {month}")
}

/// The difference between a forecast and a full month of the running instances.
pub(crate) fn against_full_month(more: &Money) -> String {
    if more.micros < 0 {
        format!("{} below a full month", Money::new(more.micros.saturating_neg(), more.currency.clone()))
    } else {
        format!("{more} above a full month")
    }
}

pub(crate) fn most_used(shown: usize, total: usize) -> String {
    if total > shown { format!("{shown} most used of {total}") } else { "Most used first".to_owned() }
}

pub(crate) fn count_of(used: usize, most: u64) -> String {
    format!("{used} of {most}")
}

pub(crate) fn spent_of(used: &Money, most: &Money) -> String {
    format!("{used} of {most}")
}

pub(crate) fn cap_title(title: &str, promises: &str) -> String {
    if promises.is_empty() { title.to_owned() } else { format!("{title}: {promises}") }
}

pub(crate) fn and_below(workspace: &str) -> String {
    format!("{workspace} and below")
}

pub(crate) fn in_total(requests: &Total) -> String {
    format!("{requests} in total")
}

pub(crate) fn view_all_workspaces(total: usize) -> String {
    format!("View all {total} workspaces")
}

pub(crate) fn not_working(count: usize) -> String {
    format!("{count} not working")
}

/// What a link shows, and where it leads; for screen readers.
pub(crate) fn in_workspace(what: &str, path: &str) -> String {
    format!("{what} in {path}")
}

/// The link to a catalog, for screen readers.
pub(crate) fn catalog_of(path: &str) -> String {
    format!("Catalog of {path}")
}

/// The link to requests, for screen readers.
pub(crate) fn requests_in(path: &str) -> String {
    format!("Requests in {path}")
}

pub(crate) fn workspaces_shown(shown: usize, total: usize) -> String {
    format!("{shown} of {total} shown. Search for part of a path to find the others.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0, 1, 2].map(need_attention), ["You're all caught up.", "1 request needs attention.", "2 requests need attention."]);
        assert_eq!(at_least_need_attention(1), "At least 1 request needs attention.");
        assert_eq!([1, 2].map(view_approvals), ["View 1 approval", "View all 2 approvals"]);
        assert_eq!(not_in_budget(1, "EUR"), "1 request without a price in EUR isn't counted");
        assert_eq!(not_in_budget(3, "EUR"), "3 requests without a price in EUR aren't counted");
    }
}
