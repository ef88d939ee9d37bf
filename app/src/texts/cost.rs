//! Texts of cost.

use crate::view::CostBy;
use promise::price::Money;
use promise::wording::counted;

pub(crate) const COST: &str = "Cost";
pub(crate) const INSTANCE: &str = "Instance";
pub(crate) const PROMISE: &str = "Promise";
pub(crate) const WORKSPACES: &str = "Workspaces";
pub(crate) const ESTIMATE: &str = "Estimate";
pub(crate) const TO_DATE: &str = "To date";
pub(crate) const FORECAST: &str = "Forecast";
/// In the place of a forecast, of a month that is over.
pub(crate) const TOTAL: &str = "Total";
pub(crate) const BUDGET: &str = "Budget";

pub(crate) fn part_of(part: usize, all: usize) -> String {
    format!("{part} of {all}")
}

// Head of the page.
pub(crate) const INCLUDES_CHILD_WORKSPACES: &str = "Includes child workspaces";
pub(crate) const SHOW_ALL_WORKSPACES: &str = "Show all workspaces";
pub(crate) const PREVIOUS_MONTH: &str = "Previous month";
pub(crate) const NEXT_MONTH: &str = "Next month";
pub(crate) const EXPORT: &str = "Export";
pub(crate) const SPREADSHEET: &str = "Spreadsheet (CSV)";
pub(crate) const FOCUS: &str = "FOCUS 1.2 (CSV)";
pub(crate) const SOME_PRICES_UNKNOWN: &str = "Some prices are unknown";
pub(crate) const SOME_TIME_UNOBSERVED: &str = "Some time wasn't observed";
pub(crate) const LEDGER_AHEAD: &str = "The ledger is ahead of the clock";
pub(crate) const MONTH_UNSHOWN: &str = "That month can't be shown";
pub(crate) const COMPARED_MONTH_UNSHOWN: &str = "Amounts can't be compared with that month";
pub(crate) const NO_ACCESS: &str = "You can't see the cost of any workspace";
pub(crate) const NO_ACCESS_TEXT: &str = "You see the cost of workspaces whose requests you can see. Ask a workspace owner for access.";
pub(crate) const NO_COST: &str = "No cost";

/// What the page shows in the place of a month that doesn't exist or is in the future.
pub(crate) fn shows_present_month(month: &str) -> String {
    format!("This is the current month, {month}. Choose it or an earlier one, such as 2026-01.")
}

/// What amounts are compared with in the place of a month that isn't earlier, or has no recorded costs.
pub(crate) fn compared_with(month: Option<&str>) -> String {
    match month {
        Some(month) => format!("They're compared with {month} instead. Choose an earlier month with recorded costs."),
        None => "No costs were recorded before this month.".to_owned(),
    }
}

pub(crate) fn all_workspaces(month: &str) -> String {
    format!("{month} · All workspaces you can see")
}

/// What the totals leave out for lack of a price. `without_price` is how long instances were ready without one.
pub(crate) fn unknown_prices(instances: usize, without_price: Option<&str>) -> String {
    let running = match instances {
        0 => None,
        1 => Some("1 running instance has an unknown price.".to_owned()),
        count => Some(format!("{count} running instances have an unknown price.")),
    };
    let passed = without_price.map(|time| format!("Time at an unknown price this month: {time}."));
    let excluded = Some("Time at an unknown price isn't included in the totals below.".to_owned());
    [running, passed, excluded].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

pub(crate) fn unobserved(time: &str) -> String {
    format!(
        "Not included in any amount: {time}. The portal didn't check or the cluster couldn't report status, \
         and nothing proves what was ready then."
    )
}

pub(crate) fn ledger_ahead(until: &str) -> String {
    format!(
        "When the ledger was written, the clock was later than it is now, up to {until}. Nothing is metered until then. \
         What has already been metered stays."
    )
}

pub(crate) fn no_cost_in(month: &str) -> String {
    format!("Nothing with a price ran in {month}.")
}

// Figures.
pub(crate) const MONTH_FORECAST: &str = "Forecast for the month";
pub(crate) const MONTH_TOTAL: &str = "Total for the month";
pub(crate) const MONTH_SHOWN: &str = "Month";
pub(crate) const COMPARE_WITH: &str = "Compare with";
pub(crate) const MONTH_BEFORE: &str = "The month before";
pub(crate) const SHOW: &str = "Show";
pub(crate) const METERING_NOT_STARTED: &str = "metering hasn't started";
pub(crate) const AT_CURRENT_USAGE: &str = "at current usage";
pub(crate) const MONTH_IS_OVER: &str = "the month is over";
pub(crate) const WAITING_FOR_APPROVAL: &str = "Waiting for approval";
pub(crate) const NONE_METERED: &str = "None metered";
pub(crate) const LESS_THAN_A_MINUTE: &str = "Less than a minute";

pub(crate) fn metered_until(moment: &str) -> String {
    format!("metered until {moment}")
}

/// How an amount differs from an earlier one: `€12.00 more than in all of October 2026 (+8%)`.
pub(crate) fn against_whole(difference: &Money, percent: Option<i64>, month: &str) -> String {
    match difference.micros {
        0 => format!("The same as in all of {month}"),
        _ => format!("{} than in all of {month}{}", more_or_less(difference), in_percent(percent)),
    }
}

/// How the complete days of this month differ from the same days of another: `Days 1 to 20: €12.00 more than in October 2026 (+8%)`.
pub(crate) fn against_same_days(days: i64, difference: &Money, percent: Option<i64>, month: &str) -> String {
    let days = first_days(days);
    match difference.micros {
        0 => format!("{days}: the same as in {month}"),
        _ => format!("{days}: {} than in {month}{}", more_or_less(difference), in_percent(percent)),
    }
}

/// The first days of a month.
pub(crate) fn first_days(days: i64) -> String {
    if days == 1 { "Day 1".to_owned() } else { format!("Days 1 to {days}") }
}

fn more_or_less(difference: &Money) -> String {
    let size = Money::new(difference.micros.saturating_abs(), difference.currency.clone());
    format!("{size} {}", if difference.micros < 0 { LESS } else { MORE })
}

fn in_percent(percent: Option<i64>) -> String {
    percent.map(|percent| format!(" ({})", percent_difference(percent))).unwrap_or_default()
}

/// How the cost so far differs from the estimate for the same instances and the same time.
pub(crate) fn to_date_against_estimate(percent: i64) -> String {
    match percent {
        0 => "To date: as estimated".to_owned(),
        1.. => format!("To date: {percent}% above the estimate for the same time"),
        _ => format!("To date: {}% below the estimate for the same time", percent.unsigned_abs()),
    }
}

pub(crate) fn full_month(instances: usize) -> String {
    format!("{}, full month", counted(instances as u64, "instance"))
}

pub(crate) fn over_budget(over: &Money, policy: &str) -> String {
    format!("{over} over budget, set by {policy}")
}

pub(crate) fn left_of_budget(left: &Money, policy: &str, is_current: bool) -> String {
    let after = if is_current { " after the forecast" } else { "" };
    format!("{left} left{after}, set by {policy}")
}

pub(crate) fn partly_visible_budget(policy: &str) -> String {
    format!("also covers spending you can't see, set by {policy}")
}

pub(crate) fn not_in_forecast(requests: usize) -> String {
    format!("a month for {}, not in the forecast", counted(requests as u64, "request"))
}

// Table of sums.
pub(crate) const GROUP_BY: &str = "Group by";
pub(crate) const WITH_CHILD_WORKSPACES: &str = "Workspace, with child workspaces";
pub(crate) const AGAINST_ESTIMATE: &str = "Against estimate";
pub(crate) const SHARE_OF_BUDGET: &str = "Forecast vs. budget";
pub(crate) const TOTAL_OF_BUDGET: &str = "Total vs. budget";
pub(crate) const PAGES_OF_ROWS: &str = "Pages of rows";

/// What rows are grouped by.
pub(crate) fn group(by: CostBy) -> &'static str {
    match by {
        CostBy::Workspace => "Workspace",
        CostBy::Team => "Team",
        CostBy::Promise => PROMISE,
        CostBy::Project => "Project",
        CostBy::Owner => "Requester",
    }
}

pub(crate) fn by(by: CostBy) -> &'static str {
    match by {
        CostBy::Workspace => "By workspace",
        CostBy::Team => "By team",
        CostBy::Promise => "By promise",
        CostBy::Project => "By project",
        CostBy::Owner => "By requester",
    }
}

pub(crate) fn instances(count: usize) -> String {
    counted(count as u64, "instance")
}

/// Link to the rows after the last one that is shown.
pub(crate) fn and_more(count: usize) -> String {
    format!("and {count} more")
}

/// Column of the change since the same days of another month: `Days 1 to 20 vs. October 2026`.
pub(crate) fn same_days_of(days: i64, month: &str) -> String {
    format!("{} vs. {month}", first_days(days))
}

pub(crate) fn rows_shown(shown: usize, total: usize) -> String {
    format!("{shown} of {total} rows. Exports contain all rows.")
}

pub(crate) fn percent_difference(percent: i64) -> String {
    match percent {
        0 => "0%".to_owned(),
        1.. => format!("+{percent}%"),
        _ => format!("−{}%", percent.unsigned_abs()),
    }
}

pub(crate) fn percent_of(percent: i64, budget: &Money) -> String {
    format!("{percent}% of {budget}")
}

pub(crate) fn part_of_budget(budget: &Money) -> String {
    format!("part of {budget}")
}

/// What the numbers of the page are based on.
pub(crate) fn basis(until: Option<&str>, workspaces: usize) -> String {
    let workspaces = counted(workspaces as u64, "workspace");
    match until {
        Some(moment) => format!("Metered until {moment} · {workspaces} you can see · Full hours only, without deleted workspaces and tax"),
        None => format!("Metering hasn't started · {workspaces} you can see · Full hours only, without deleted workspaces and tax"),
    }
}

pub(crate) const BASIS_OF_ESTIMATE: &str = "Against estimate: cost to date compared with the price of the same instances for the same time";
pub(crate) const BASIS_OF_TEAMS: &str = "Teams are the present owners of workspaces";

// Instances of a workspace.
pub(crate) const INSTANCES_HERE: &str = "Instances of this workspace";
pub(crate) const PAGES_OF_INSTANCES: &str = "Pages of instances";
pub(crate) const PER_MONTH: &str = "Per month";
pub(crate) const TIME_READY: &str = "Time ready";
pub(crate) const PRICE_SOURCE: &str = "Price source";
pub(crate) const DELETED: &str = "Deleted";
pub(crate) const NO_AMOUNT: &str = "No amount";
pub(crate) const UNKNOWN: &str = "Unknown";

pub(crate) fn orphaned(released_with: &str) -> String {
    format!("Orphaned; cost is counted until the platform team deletes the {released_with}")
}

pub(crate) fn requested_by(owner: &str, project: &str) -> String {
    match project {
        "" => format!("Requested by {owner}"),
        project => format!("Requested by {owner}, project {project}"),
    }
}

pub(crate) fn not_observed(time: &str) -> String {
    format!("{time} not observed")
}

// Charts.
pub(crate) const ALL_OTHERS: &str = "All others";
pub(crate) const DAY: &str = "Day";
pub(crate) const MONTH: &str = "Month";
pub(crate) const METERED: &str = "Metered";
pub(crate) const COST_PER_MONTH: &str = "Cost per month";

pub(crate) fn daily_cost(by: CostBy) -> &'static str {
    match by {
        CostBy::Workspace => "Daily cost by workspace",
        CostBy::Team => "Daily cost by team",
        CostBy::Promise => "Daily cost by promise",
        CostBy::Project => "Daily cost by project",
        CostBy::Owner => "Daily cost by requester",
    }
}

pub(crate) fn cost_per_day_of(month: &str, currency: &str) -> String {
    format!("Cost per day of {month} in {currency}. Days are in UTC.")
}

/// What costs the most.
pub(crate) fn largest_share(name: &str, amount: &str, total: &Money) -> String {
    format!("{name} has the largest share: {amount} of {total}.")
}

pub(crate) fn highest_day(day: i64, month: &str, amount: &str) -> String {
    format!("The highest day was {day} {month}, with {amount}.")
}

pub(crate) fn forecast_from(day: usize, more: &Money, to_date: &Money, total: &Money) -> String {
    format!(
        "Grey bars with dashed edges are the forecast from day {day} at current usage: \
         {more} on top of {to_date} to date, {total} in total."
    )
}

pub(crate) fn daily_share(budget: &Money) -> String {
    format!("Daily share of the budget of {budget}:")
}

pub(crate) fn monthly_cost(months: usize) -> String {
    format!("Monthly cost, {}", counted(months as u64, "month"))
}

pub(crate) fn cost_per_month_of(first: &str, last: &str, currency: &str) -> String {
    format!("Cost per month from {first} to {last} in {currency}, for the workspaces shown here. Months are in UTC.")
}

pub(crate) fn rest_of_month(month: &str, rest: &Money) -> String {
    format!("The grey bar with a dashed edge is the forecast for the rest of {month} at current usage: {rest} more.")
}

// Changes since the month before.
pub(crate) const TOTALS_OF_BOTH: &str = "Totals of both months";
pub(crate) const NO_CHANGES: &str = "No cost has changed.";
pub(crate) const MORE: &str = "more";
pub(crate) const LESS: &str = "less";

/// Which amounts are compared.
pub(crate) fn total_and_forecast(month: &str) -> String {
    format!("Total of {month} and this month's forecast")
}

pub(crate) fn biggest_changes(month: &str) -> String {
    format!("Biggest changes since {month}")
}

pub(crate) fn before_and_now(before: &Money, now: &Money) -> String {
    match (before.micros, now.micros) {
        (0, 0) => "nothing before, nothing now".to_owned(),
        (0, _) => format!("nothing before, {} now", now.rounded()),
        (_, 0) => format!("{} before, nothing now", before.rounded()),
        _ => format!("{} before, {} now", before.rounded(), now.rounded()),
    }
}

// Savings.
pub(crate) const SAVINGS: &str = "Savings";
pub(crate) const NO_SAVINGS: &str =
    "None of the instances that you can change has expired or gone unchanged for 90 days, and no cheaper option is available.";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const REVIEW: &str = "Review";
pub(crate) const CHANGE: &str = "Change";

pub(crate) fn savings_basis(instances: usize, priced: usize) -> String {
    let instances = counted(instances as u64, "instance");
    match priced {
        0 => format!("Based on the dates of {instances}, not on usage"),
        1 => format!("Based on the dates of {instances} and the price of the most expensive one you can change, not on usage"),
        priced => {
            format!("Based on the dates of {instances} and the prices of the {priced} most expensive ones you can change, not on usage")
        }
    }
}

pub(crate) fn was_due(name: &str, day: &str) -> String {
    format!("{name} was due to expire on {day}")
}

pub(crate) fn deleting_saves(saves: &Money) -> String {
    format!("Still running. Deleting it saves {saves} a month")
}

pub(crate) fn unchanged_since(name: &str, day: &str) -> String {
    format!("{name} hasn't changed since {day}")
}

pub(crate) fn deleting_unneeded_saves(saves: &Money) -> String {
    format!("If no one needs it, deleting it saves {saves} a month")
}

pub(crate) fn cheaper_choice(name: &str, choice: &str) -> String {
    format!("{name}: {choice}")
}

pub(crate) fn changing_saves(saves: &Money) -> String {
    format!("Saves {saves} a month, if the change meets your needs")
}
