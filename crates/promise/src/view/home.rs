//! Home: what waits on a person, what they asked for, and what they look after. Which parts there are follows from what the person may do.

use super::{ChangeState, CostGlance, InboxRow, RequestRow, RequestState, Total, WeekLine};
use crate::price::Money;

/// The page.
#[derive(Clone, Debug, PartialEq)]
pub struct Home {
    /// Requests that need this person, newest first; at most as many as are shown.
    pub waiting: Vec<RequestRow>,
    /// How many need this person in all.
    pub waiting_total: Total,
    /// Decisions that this person may take now; the error is what to say where that cannot be read. Absent for those who have no part in
    /// decisions.
    pub decisions: Option<Result<HomeDecisions, String>>,
    /// The newest of the other requests that this person made.
    pub recent: Vec<RequestRow>,
    /// How many they are in all.
    pub recent_total: Total,
    /// Path of the workspace where the person asks for something next: where that happened last, else one of the named where it may. Nothing
    /// for those who never asked and may not.
    pub asks_in: Option<String>,
    /// What does not work of what the person may list, but for what waits for them anyway.
    pub broken: Vec<RequestRow>,
    /// How many they are in all.
    pub broken_total: Total,
    /// How many requests the person may list.
    pub requests: Total,
    /// The same by state; states that none is in are left out.
    pub states: Vec<(RequestState, usize)>,
    /// Changes of running instances that are not accepted, by state.
    pub pending: Vec<(ChangeState, usize)>,
    /// Newer versions and ends of promises of which something runs that the person may list; at most as many as are shown.
    pub changes: Vec<ChangeLine>,
    /// How requests go, for those who look after the platform; the error is what to say where nobody can tell whether the person does.
    pub platform: Option<Result<PlatformGlance, String>>,
    /// What this month costs; the error is what to say where that cannot be read. Absent for those who may list no requests.
    pub cost: Option<Result<CostGlance, String>>,
    /// Limits and budgets, the fullest first; at most as many as are shown.
    pub caps: Vec<CapLine>,
    /// How many there are in all.
    pub caps_total: usize,
    /// Workspaces that the person may enter, with what is in them; at most as many as are shown.
    pub places: Vec<PlaceLine>,
    /// How many they are in all.
    pub places_total: usize,
    /// Workspaces that did not answer, in words; what is shown is without them.
    pub unseen: Vec<String>,
    /// RFC 3339 time since when nothing new is known; absent while everything is up to date.
    pub as_of: Option<String>,
    /// Names what the page was made of, for the stream of its changes.
    pub seen: String,
}

/// What waits for decisions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HomeDecisions {
    /// What expires first on top; at most as many as are shown.
    pub rows: Vec<InboxRow>,
    /// How many wait in all.
    pub total: usize,
}

/// A promise of which something runs that may have to be moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeLine {
    /// Path of a workspace in which it is used.
    pub workspace: String,
    /// Name of the promise.
    pub promise: String,
    /// Its name for people.
    pub title: String,
    /// Its icon.
    pub icon: String,
    /// The version that is offered now.
    pub newest: String,
    /// Instances in other versions.
    pub older: usize,
    /// All instances.
    pub all: usize,
    /// Why it is deprecated and until when it may be used, in words; absent where it is not.
    pub deprecated: Option<String>,
}

/// How requests go, in short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlatformGlance {
    /// What became of the requests of the last weeks.
    pub weeks: Vec<WeekLine>,
    /// Requests that wait for a decision.
    pub waiting: usize,
    /// RFC 3339 time since when the first of them waits.
    pub waiting_since: Option<String>,
    /// Of how many instances the newest version is known, and how many of them run in it.
    pub versions: (usize, usize),
}

/// A limit or a budget with what is taken of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CapLine {
    /// Title of the policy.
    pub title: String,
    /// Path of the workspace where the policy is set.
    pub source: String,
    /// Name of the policy.
    pub policy: String,
    /// Path of the workspace that it is about, with everything below it where the policy says so; several in words.
    pub workspace: String,
    /// Path of a workspace of the person that it binds: from there the policy is read.
    pub seen_from: String,
    /// Whether everything below counts.
    pub below: bool,
    /// Which promises it is about; empty for all.
    pub promises: String,
    /// How much.
    pub room: CapRoom,
}

/// How much of a cap is taken.
#[derive(Clone, Debug, PartialEq)]
pub enum CapRoom {
    /// A number of instances.
    Count {
        /// Taken.
        used: usize,
        /// At most.
        most: u64,
    },
    /// An amount a month.
    Spent {
        /// Taken.
        used: Money,
        /// At most.
        most: Money,
        /// Instances whose price is not known.
        unknown: usize,
    },
}

impl CapRoom {
    /// What is taken, in hundredths of what there may be.
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

/// A workspace with what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceLine {
    /// Path.
    pub path: String,
    /// How many requests the person may list there; absent where none may be listed.
    pub requests: Option<usize>,
    /// How many of them do not work.
    pub broken: usize,
    /// What it comes to when the month ends, by currency.
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
