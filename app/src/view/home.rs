//! The home page: what waits for the user, the user's requests, and what the user is responsible for. The user's permissions determine
//! which parts are shown.

use super::{CostGlance, InboxRow, RequestRow, Total, WeekLine};
use promise::price::Money;
use promise::state::{ChangeState, RequestState};

/// The home page.
#[derive(Clone, Debug, PartialEq)]
pub struct Home {
    /// What a newcomer can try first, on the embedded plane. Empty once the user has dismissed it.
    pub tour: Vec<TourLine>,
    /// Number of requests that need this user's attention, as lists of requests count them: those in `waiting` and `decisions`, and all
    /// that fail. At least that many if `decisions` couldn't be read.
    pub attention: Total,
    /// Requests that wait for this user, newest first, up to the display limit.
    pub waiting: Vec<RequestRow>,
    /// Total number of requests that wait for this user.
    pub waiting_total: Total,
    /// Approvals that this user can decide now. The error is the message if they can't be read. Absent for users who aren't approvers.
    pub decisions: Option<Result<HomeDecisions, String>>,
    /// The newest of the user's other requests.
    pub recent: Vec<RequestRow>,
    /// Total number of the user's other requests.
    pub recent_total: Total,
    /// The user's newest drafts.
    pub drafts: Vec<super::DraftLine>,
    /// Path of the workspace for the user's next request: that of the last request, or else a workspace in which the user can create
    /// requests. Absent if there is neither.
    pub asks_in: Option<String>,
    /// Unhealthy requests that the user can list, except those in `waiting`.
    pub broken: Vec<RequestRow>,
    /// Total number of unhealthy requests.
    pub broken_total: Total,
    /// Number of requests that the user can list.
    pub requests: Total,
    /// These requests by state. States without requests are omitted.
    pub states: Vec<(RequestState, usize)>,
    /// Changes of running instances that aren't accepted, by state.
    pub pending: Vec<(ChangeState, usize)>,
    /// New versions and deprecations of promises with running instances that the user can list, up to the display limit.
    pub changes: Vec<ChangeLine>,
    /// Statistics for platform teams. The error is the message if the user's permission can't be determined.
    pub platform: Option<Result<PlatformGlance, String>>,
    /// Cost of this month. The error is the message if it can't be read. Absent for users who can't list requests.
    pub cost: Option<Result<CostGlance, String>>,
    /// Limits and budgets, fullest first, up to the display limit.
    pub caps: Vec<CapLine>,
    /// Total number of limits and budgets.
    pub caps_total: usize,
    /// Workspaces that the user can enter, with a summary, up to the display limit.
    pub places: Vec<PlaceLine>,
    /// Total number of workspaces.
    pub places_total: usize,
    /// Workspaces that didn't respond, in words. Their data isn't included.
    pub unseen: Vec<String>,
    /// RFC 3339 time of the last update. Absent while everything is up to date.
    pub as_of: Option<String>,
    /// Identifies the data that the page was rendered from, for the change stream.
    pub seen: String,
}

/// Something for a newcomer to try.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TourLine {
    /// What to do.
    pub title: String,
    /// What there is to see.
    pub text: String,
    /// Address in the portal.
    pub href: String,
}

/// Approvals that wait for the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HomeDecisions {
    /// Rows, those that expire first on top, up to the display limit.
    pub rows: Vec<InboxRow>,
    /// Total number of waiting approvals.
    pub total: usize,
}

/// A promise whose running instances might have to be upgraded or moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeLine {
    /// Path of a workspace that uses it.
    pub workspace: String,
    /// Name of the promise.
    pub promise: String,
    /// Display name of the promise.
    pub title: String,
    /// Icon of the promise.
    pub icon: String,
    /// The version offered now.
    pub newest: String,
    /// Number of instances on other versions.
    pub older: usize,
    /// Number of all instances.
    pub all: usize,
    /// Why it is deprecated and until when it can be used, in words. Absent if it isn't deprecated.
    pub deprecated: Option<String>,
}

/// Statistics about requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlatformGlance {
    /// Outcomes of requests in recent weeks.
    pub weeks: Vec<WeekLine>,
    /// Number of requests that wait for approval.
    pub waiting: usize,
    /// RFC 3339 time since when the oldest of them is waiting.
    pub waiting_since: Option<String>,
    /// Number of instances for which the newest version is known, and how many of them run it.
    pub versions: (usize, usize),
}

/// A limit or budget with its usage.
#[derive(Clone, Debug, PartialEq)]
pub struct CapLine {
    /// Title of the policy.
    pub title: String,
    /// Path of the workspace that defines the policy.
    pub source: String,
    /// Name of the policy.
    pub policy: String,
    /// Path of the workspace that it applies to, including everything below it if the policy says so. Several workspaces are given in
    /// words.
    pub workspace: String,
    /// Path of one of the user's workspaces that it applies to. The policy is read from there.
    pub seen_from: String,
    /// Whether workspaces below count too.
    pub below: bool,
    /// Promises that it applies to. Empty for all.
    pub promises: String,
    /// Usage of the limit or budget.
    pub room: CapRoom,
}

/// Usage of a limit or budget.
#[derive(Clone, Debug, PartialEq)]
pub enum CapRoom {
    /// A number of instances.
    Count {
        /// Amount used.
        used: usize,
        /// Maximum.
        most: u64,
    },
    /// A monthly amount.
    Spent {
        /// Amount used.
        used: Money,
        /// Maximum.
        most: Money,
        /// Number of instances whose price is unknown.
        unknown: usize,
    },
}

impl CapRoom {
    /// Returns the usage in percent of the maximum.
    pub fn percent(&self) -> u64 {
        let (used, most) = match self {
            Self::Count { used, most } => (*used as u128, u128::from(*most)),
            Self::Spent { used, most, .. } => (non_negative(used), non_negative(most)),
        };
        match used.saturating_mul(100).checked_div(most) {
            Some(percent) => u64::try_from(percent).unwrap_or(u64::MAX),
            None if used == 0 => 0,
            None => 100,
        }
    }
}

fn non_negative(money: &Money) -> u128 {
    u128::try_from(money.micros).unwrap_or_default()
}

/// A workspace with a summary of its contents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceLine {
    /// Path.
    pub path: String,
    /// Number of requests that the user can list there. Absent if the user can't list requests.
    pub requests: Option<usize>,
    /// Number of them that are unhealthy.
    pub broken: usize,
    /// Forecast for the end of the month, by currency.
    pub forecast: Vec<Money>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_said_in_hundredths() {
        let money = |micros| Money::new(micros, "EUR");
        let spent = |used, most| CapRoom::Spent { used: money(used), most: money(most), unknown: 0 }.percent();
        assert_eq!((CapRoom::Count { used: 1, most: 3 }.percent(), CapRoom::Count { used: 1, most: 0 }.percent()), (33, 100));
        assert_eq!((spent(0, 0), spent(150, 100), spent(i64::MAX, 1), spent(-5, 10)), (0, 150, u64::MAX, 0));
    }
}
