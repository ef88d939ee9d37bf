//! The cost page.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use promise::price::Money;

/// Query of the cost page, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CostQuery {
    /// Path of a workspace, including everything below it. Empty for all workspaces.
    pub workspace: String,
    /// Grouping, see [`CostBy::parse`].
    pub by: String,
    /// Month as `YYYY-MM`. Any other value means the present month.
    pub month: String,
    /// Month that it is compared with, as `YYYY-MM`. Any value that isn't an earlier month means the month before.
    pub against: String,
    /// Whether the days are shown as a table instead of a chart.
    #[serde(deserialize_with = "flag")]
    pub table: bool,
    /// Page of the instances, starting at 1.
    pub page: usize,
    /// Page of the rows, starting at 1.
    pub rows: usize,
}

impl CostQuery {
    /// Returns the same query with both tables on their first page.
    pub fn anew(&self) -> Self {
        Self { page: 0, rows: 0, ..self.clone() }
    }
}

/// The cost of a month as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostFile {
    /// Month as `YYYY-MM`.
    pub month: String,
    /// Contents as comma-separated values.
    pub text: String,
}

/// Grouping of costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CostBy {
    /// By workspace, each including the workspaces below it.
    #[default]
    Workspace,
    /// By the team that owns the workspace now.
    Team,
    /// By promise.
    Promise,
    /// By the project named in requests.
    Project,
    /// By requester.
    Owner,
}

impl CostBy {
    /// All groupings, in the order offered.
    pub const ALL: [Self; 5] = [Self::Workspace, Self::Team, Self::Promise, Self::Project, Self::Owner];

    /// Parses a URL value. Unknown values mean [`CostBy::Workspace`].
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|by| by.word() == word).unwrap_or_default()
    }

    /// Returns the value used in URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Team => "team",
            Self::Promise => "promise",
            Self::Project => "project",
            Self::Owner => "owner",
        }
    }
}

/// The cost of a month.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostPage {
    /// The normalized query.
    pub query: CostQuery,
    /// Months of the query that the page doesn't show, because there is no such month, or no cost was recorded in it.
    pub unshown: Vec<UnshownMonth>,
    /// Grouping of the rows.
    pub by: CostBy,
    /// Display name of the month.
    pub month: String,
    /// Number of days in the month.
    pub days_in_month: i64,
    /// Whether it is the present month.
    pub is_current: bool,
    /// The previous month. Absent if nothing had been recorded by then.
    pub previous: Option<String>,
    /// The next month. Absent if it is in the future.
    pub next: Option<String>,
    /// Months with a page, newest first, up to the display limit: as `YYYY-MM`, and the display name.
    pub choices: Vec<(String, String)>,
    /// The month that amounts are compared with. Absent if nothing had been recorded before this month.
    pub against: Option<ComparedMonth>,
    /// Number of workspaces included: those in which the user can list requests.
    pub workspaces: usize,
    /// RFC 3339 time until which hours are recorded. Absent before the ledger has started.
    pub up_to: Option<String>,
    /// Seconds of the month until that time.
    pub counted: Option<i64>,
    /// Time since when the plane has been unreachable. Absent if it is reachable.
    pub as_of: Option<String>,
    /// RFC 3339 time until which the ledger is written, if that is in the future. Nothing is recorded until then.
    pub ahead: Option<String>,
    /// One entry for each currency.
    pub sums: Vec<CostSum>,
    /// Seconds in which an instance was ready at an unknown price.
    pub unpriced: i64,
    /// Number of instances whose present price is unknown.
    pub unpriced_instances: usize,
    /// Seconds in which the controller made no observations.
    pub unobserved: i64,
    /// Rows of one page of the table.
    pub rows: Vec<CostRow>,
    /// Number of rows on all pages.
    pub rows_total: usize,
    /// Number of pages of rows.
    pub rows_pages: usize,
    /// Display labels of the values of rows and days, on all pages, where they differ from the values.
    pub labels: BTreeMap<String, String>,
    /// All days, grouped like the rows.
    pub days: Vec<CostDay>,
    /// One page of the workspace's own instances.
    pub instances: Vec<CostInstance>,
    /// Number of instances on all pages.
    pub instances_total: usize,
    /// Number of pages of instances.
    pub pages: usize,
    /// Totals of up to eleven previous months, oldest first, and of this month.
    pub months: Vec<CostMonth>,
    /// Largest changes since the previous month. Absent if nothing had been recorded by then.
    pub movers: Option<CostMovers>,
    /// Possible savings. Absent for past months.
    pub savings: Option<CostSavings>,
}

/// A month that was asked for and isn't shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnshownMonth {
    /// The month of the page: it shows the present month instead.
    Page,
    /// The month to compare with: the page compares with the month before instead, if it can.
    Compared,
}

/// A month that amounts are compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparedMonth {
    /// Month as `YYYY-MM`.
    pub month: String,
    /// Display name of the month.
    pub title: String,
    /// How many of the first days of both months are compared: those that are complete now. 0 if there is none, and for past months, which
    /// are compared as a whole.
    pub days: i64,
}

/// An amount beside another month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Cost of the compared days of this month.
    pub days: Money,
    /// Cost of the same days of the other month.
    pub same_days: Money,
    /// Cost of the whole other month.
    pub whole: Money,
}

/// Totals of one month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostMonth {
    /// Month as `YYYY-MM`.
    pub month: String,
    /// Name of the month, such as `November 2026`.
    pub title: String,
    /// One total for each currency with costs. For the present month, the total so far.
    pub sums: Vec<Money>,
}

/// Largest changes since the previous month.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostMovers {
    /// Name of the previous month.
    pub before: String,
    /// Changes, largest first, up to the display limit.
    pub lines: Vec<CostMover>,
}

/// An instance or promise whose cost changed since the previous month.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMover {
    /// Name of the instance, or display name of the promise.
    pub label: String,
    /// Path of the workspace.
    pub workspace: String,
    /// Namespace of an existing instance. Empty for a total of several, and for deleted instances.
    pub namespace: String,
    /// Name of the promise.
    pub promise: String,
    /// Cost in the previous month.
    pub before: Money,
    /// Forecast for this month, if everything that is ready stays ready.
    pub after: Money,
}

impl CostMover {
    /// Returns the increase over the previous month.
    pub fn change(&self) -> Money {
        Money::new(self.after.micros.saturating_sub(self.before.micros), self.after.currency.clone())
    }
}

/// Possible savings that the user is allowed to make.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostSavings {
    /// Savings, expired instances first, then by amount, up to the display limit.
    pub lines: Vec<CostSaving>,
    /// Number of running instances whose dates were checked.
    pub instances: usize,
    /// Number of instances, the most expensive ones, for which alternatives were priced.
    pub priced: usize,
}

/// A possible saving.
#[derive(Clone, Debug, PartialEq)]
pub struct CostSaving {
    /// Reason for the saving.
    pub why: SavingWhy,
    /// Path of the workspace.
    pub workspace: String,
    /// Namespace of the instance.
    pub namespace: String,
    /// Name of the instance.
    pub name: String,
    /// Display name of its promise.
    pub promise: String,
    /// Saving per month.
    pub saves: Money,
}

/// Reason for a possible saving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavingWhy {
    /// It should have ended by this RFC 3339 time.
    Expired(String),
    /// It hasn't been changed since this RFC 3339 time. The portal doesn't know whether it is in use.
    Untouched(String),
    /// An alternative that costs less, such as `the preset Trial`.
    Cheaper(String),
}

/// A summary of cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostGlance {
    /// Display name of the month.
    pub month: String,
    /// Number of workspaces included.
    pub workspaces: usize,
    /// RFC 3339 time until which hours are recorded. Absent before the ledger has started.
    pub up_to: Option<String>,
    /// One entry for each currency.
    pub sums: Vec<CostSum>,
    /// Number of instances whose present price is unknown.
    pub unpriced_instances: usize,
    /// Largest changes since the previous month.
    pub movers: Option<CostMovers>,
    /// Forecast of each workspace, by path. One entry for each currency.
    pub forecasts: BTreeMap<String, Vec<Money>>,
}

/// Totals in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CostSum {
    /// ISO 4217 code.
    pub currency: String,
    /// Cost so far.
    pub to_date: Money,
    /// Forecast for the end of the month, if everything that is ready stays ready.
    pub forecast: Money,
    /// Cost of everything that is running, for a whole month. Absent for past months.
    pub estimate: Option<Money>,
    /// Number of instances.
    pub instances: usize,
    /// Cost and number of requests that wait for approval.
    pub waiting: Option<(Money, usize)>,
    /// Budget of the workspace, if it has one.
    pub budget: Option<CostBudget>,
    /// What the same instances were expected to cost in the counted time, at their prices. Absent for past months.
    pub expected: Option<Money>,
    /// The total beside another month.
    pub compared: Option<Compared>,
}

/// A budget shown next to a total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostBudget {
    /// Monthly amount.
    pub money: Money,
    /// What counts toward it now, for all requesters, as the policy counts it. Absent for past months.
    pub used: Option<Money>,
    /// Title of the policy that defines it.
    pub policy: String,
    /// Whether the total includes everything that counts toward the budget. Otherwise the user sees only a part, and the remainder isn't
    /// shown.
    pub whole: bool,
}

/// A row of the table, in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CostRow {
    /// Path, promise, project or user. Empty for no project.
    pub value: String,
    /// Display label.
    pub label: String,
    /// Depth below the first row.
    pub depth: usize,
    /// Number of instances.
    pub instances: usize,
    /// Cost so far.
    pub to_date: Money,
    /// Forecast for the end of the month.
    pub forecast: Money,
    /// Cost of everything that is running, for a whole month. Absent for past months.
    pub estimate: Option<Money>,
    /// Budget, if a policy sets one for exactly this scope.
    pub budget: Option<CostBudget>,
    /// What the same instances were expected to cost in the counted time, at their prices. Absent for past months.
    pub expected: Option<Money>,
    /// The row beside another month.
    pub compared: Option<Compared>,
}

/// Cost of one value on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostDay {
    /// Day of the month, starting at 1.
    pub day: i64,
    /// Value, as in [`CostRow`].
    pub value: String,
    /// Cost on that day.
    pub money: Money,
}

/// What remains of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceStanding {
    /// Its request exists and has a page.
    Requested,
    /// Its request was deleted and its objects were left in place.
    Orphaned {
        /// Object to delete to release it, such as `ConfigMap opm-system/orphaned-…`.
        released_with: String,
    },
    /// Nothing remains.
    Gone,
}

/// An instance, in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CostInstance {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace of the instance.
    pub namespace: String,
    /// Name of the instance.
    pub name: String,
    /// What remains of it.
    pub standing: InstanceStanding,
    /// Display name of its promise.
    pub promise: String,
    /// The requester.
    pub owner: String,
    /// Its project, or empty.
    pub project: String,
    /// Cost so far. Absent if nothing has a known price.
    pub to_date: Option<Money>,
    /// Monthly cost. Absent if nothing remains of it, or if the price is unknown.
    pub estimate: Option<Money>,
    /// Seconds in which it was ready.
    pub ready: i64,
    /// Seconds in which the controller made no observations.
    pub unobserved: i64,
    /// Source of the price, or the reason why there is none.
    pub basis: super::PriceSource,
}

impl CostRow {
    /// Returns the difference between the cost so far and the estimate for the same time in percent, or nothing without an estimate.
    pub fn against_estimate(&self) -> Option<i64> {
        difference(&self.to_date, self.expected.as_ref()?)
    }

    /// Returns the share of the budget that the forecast uses, in percent, or nothing if the total is only a part of what counts.
    pub fn of_budget(&self) -> Option<i64> {
        percent(self.forecast.micros, self.budget.as_ref().filter(|budget| budget.whole)?.money.micros)
    }
}

impl CostSum {
    /// Returns the difference between the cost so far and the estimate for the same time in percent, or nothing without an estimate.
    pub fn against_estimate(&self) -> Option<i64> {
        difference(&self.to_date, self.expected.as_ref()?)
    }
}

/// Returns by how many percent an amount differs from an earlier one. `None` if there was none before.
pub fn difference(now: &Money, before: &Money) -> Option<i64> {
    percent(now.micros, before.micros).map(|percent| percent - 100)
}

fn percent(part: i64, whole: i64) -> Option<i64> {
    let percent = (i128::from(part) * 100 + i128::from(whole) / 2).checked_div(i128::from(whole))?;
    i64::try_from(percent).ok()
}

/// Parses a flag: `true` is true, any other value is false.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(String::deserialize(deserializer)? == "true")
}
