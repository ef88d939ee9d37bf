//! What things cost, as the page of cost shows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::price::Money;

/// What the address of the page says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CostQuery {
    /// Path of the workspace, with everything below it; empty for everything.
    pub workspace: String,
    /// See [`CostBy::parse`].
    pub by: String,
    /// `YYYY-MM`; another text stands for the present month.
    pub month: String,
    /// Page of the instances, from 1.
    pub page: usize,
    /// Page of the rows, from 1.
    pub rows: usize,
}

impl CostQuery {
    /// The same, from the first pages.
    pub fn anew(&self) -> Self {
        Self { page: 0, rows: 0, ..self.clone() }
    }
}

/// A month of cost as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostFile {
    /// `YYYY-MM`.
    pub month: String,
    /// Comma-separated values.
    pub text: String,
}

/// By what cost is added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CostBy {
    /// By workspace, each with those below it.
    #[default]
    Workspace,
    /// By promise.
    Promise,
    /// By the project that requests name.
    Project,
    /// By who asked for it.
    Owner,
}

impl CostBy {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Workspace, Self::Promise, Self::Project, Self::Owner];

    /// Reads the word of an address; workspace for any other.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|by| by.word() == word).unwrap_or_default()
    }

    /// The word of an address.
    pub fn word(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Promise => "promise",
            Self::Project => "project",
            Self::Owner => "owner",
        }
    }
}

/// A month of cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostPage {
    /// What was asked for, made proper.
    pub query: CostQuery,
    /// By what rows add up.
    pub by: CostBy,
    /// Name of the month.
    pub month: String,
    /// How many days it has.
    pub days_in_month: i64,
    /// Whether it is the present one.
    pub is_current: bool,
    /// The month before, unless nothing was counted by then.
    pub previous: Option<String>,
    /// The month after, unless it has not come.
    pub next: Option<String>,
    /// How many workspaces are counted: those in which the person may list requests.
    pub workspaces: usize,
    /// Until when hours are counted, RFC 3339; none before the ledger has begun.
    pub up_to: Option<String>,
    /// Seconds of the month up to that moment.
    pub counted: Option<i64>,
    /// Since when the plane was not heard; none while it is.
    pub as_of: Option<String>,
    /// Up to when the ledger was written, RFC 3339, where that is later than now; nothing is counted until then.
    pub ahead: Option<String>,
    /// One for each currency.
    pub sums: Vec<CostSum>,
    /// Seconds in which something was ready at an unknown price.
    pub unpriced: i64,
    /// Instances whose price is not known now.
    pub unpriced_instances: usize,
    /// Seconds that nobody saw.
    pub unobserved: i64,
    /// The table, of one page.
    pub rows: Vec<CostRow>,
    /// How many rows there are on all pages.
    pub rows_total: usize,
    /// Pages of rows.
    pub rows_pages: usize,
    /// How people call the values of rows and days, on all pages, where that differs.
    pub labels: BTreeMap<String, String>,
    /// Every day, by what rows add up.
    pub days: Vec<CostDay>,
    /// Instances of the workspace itself, of one page.
    pub instances: Vec<CostInstance>,
    /// How many there are on all pages.
    pub instances_total: usize,
    /// Pages of instances.
    pub pages: usize,
    /// What the months before came to, the oldest first and at most eleven of them, and this one.
    pub months: Vec<CostMonth>,
    /// What differs most from the month before; absent where nothing was counted by then.
    pub movers: Option<CostMovers>,
    /// What could be saved; absent for months that are over.
    pub savings: Option<CostSavings>,
}

/// What one of several months came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostMonth {
    /// Name of the month: `November 2026`.
    pub title: String,
    /// One for each currency in which it came to anything; of the present month, until now.
    pub sums: Vec<Money>,
}

/// What differs most from the month before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostMovers {
    /// Name of the month before.
    pub before: String,
    /// The largest differences first; at most as many as are shown.
    pub lines: Vec<CostMover>,
}

/// Something that costs more or less than in the month before.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMover {
    /// Name of an instance, or of a promise for people.
    pub label: String,
    /// Path of the workspace.
    pub workspace: String,
    /// Namespace of an instance that is there; empty for a sum of several, and for what is gone.
    pub namespace: String,
    /// Name of the promise.
    pub promise: String,
    /// What the month before came to.
    pub before: Money,
    /// What this month comes to: when it ends, if what is ready stays so.
    pub after: Money,
}

impl CostMover {
    /// How much more this month comes to.
    pub fn change(&self) -> Money {
        Money::new(self.after.micros.saturating_sub(self.before.micros), self.after.currency.clone())
    }
}

/// What could be saved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostSavings {
    /// What has expired first, then what saves most; at most as many as are shown.
    pub lines: Vec<CostSaving>,
    /// How many instances run, of which the dates were looked at.
    pub instances: usize,
    /// Of how many, the dearest, other choices were priced.
    pub priced: usize,
}

/// Something that could be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct CostSaving {
    /// Why.
    pub why: SavingWhy,
    /// Path of the workspace.
    pub workspace: String,
    /// Namespace of the instance.
    pub namespace: String,
    /// Name of the instance.
    pub name: String,
    /// Name of its promise for people.
    pub promise: String,
    /// What a month of it is.
    pub saves: Money,
    /// Whether the person can do what is proposed.
    pub allowed: bool,
}

/// Why something could be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavingWhy {
    /// It was to end by then, an RFC 3339 time.
    Expired(String),
    /// Nobody has changed it since then, an RFC 3339 time. Whether it is used, nobody here knows.
    Untouched(String),
    /// Another choice costs less, such as `the preset Trial`.
    Cheaper(String),
}

/// What things cost, in short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostGlance {
    /// Name of the month.
    pub month: String,
    /// How many workspaces are counted.
    pub workspaces: usize,
    /// Until when hours are counted, RFC 3339; none before the ledger has begun.
    pub up_to: Option<String>,
    /// One for each currency.
    pub sums: Vec<CostSum>,
    /// Instances whose price is not known now.
    pub unpriced_instances: usize,
    /// What differs most from the month before.
    pub movers: Option<CostMovers>,
    /// What each workspace will have come to, by path; one for each currency.
    pub forecasts: BTreeMap<String, Vec<Money>>,
}

/// Everything of one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CostSum {
    /// ISO 4217 code.
    pub currency: String,
    /// Counted until now.
    pub to_date: Money,
    /// What it will have come to when the month ends, if what is ready stays so.
    pub forecast: Money,
    /// A whole month of what runs; none for months that are over.
    pub estimate: Option<Money>,
    /// Instances.
    pub instances: usize,
    /// What waits for approval and how many that are.
    pub waiting: Option<(Money, usize)>,
    /// The budget of the workspace, where there is one.
    pub budget: Option<CostBudget>,
}

/// A budget beside a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostBudget {
    /// For a month.
    pub money: Money,
    /// Title of the policy that sets it.
    pub policy: String,
    /// Whether everything that counts towards it is in the sum. Otherwise the person sees a part, and nothing says what is left.
    pub whole: bool,
}

/// A line of the table, in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CostRow {
    /// Path, promise, project or person; may be empty for no project.
    pub value: String,
    /// How people call it.
    pub label: String,
    /// How deep it is below the first row.
    pub depth: usize,
    /// Instances.
    pub instances: usize,
    /// Counted until now.
    pub to_date: Money,
    /// When the month ends.
    pub forecast: Money,
    /// A whole month of what runs; none for months that are over.
    pub estimate: Option<Money>,
    /// The budget, where a policy sets one for exactly this.
    pub budget: Option<CostBudget>,
}

/// What one value came to on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostDay {
    /// Day of the month, from 1.
    pub day: i64,
    /// As in [`CostRow`].
    pub value: String,
    /// What it came to.
    pub money: Money,
}

/// What is left of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceStanding {
    /// Its request is there, and has a page.
    Requested,
    /// Its request was deleted, and what it made was left in place.
    Orphaned {
        /// What has to be deleted to release it, such as `ConfigMap opm-system/orphaned-…`.
        released_with: String,
    },
    /// Nothing.
    Gone,
}

/// An instance, in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CostInstance {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// What is left of it.
    pub standing: InstanceStanding,
    /// Name of its promise for people.
    pub promise: String,
    /// Who asked for it.
    pub owner: String,
    /// Its project; may be empty.
    pub project: String,
    /// Counted until now; none where nothing has an amount.
    pub to_date: Option<Money>,
    /// A month; none where nothing is left of it, or the price is not known.
    pub estimate: Option<Money>,
    /// Seconds in which it was ready.
    pub ready: i64,
    /// Seconds that nobody saw.
    pub unobserved: i64,
    /// From where the price is, or why there is none.
    pub basis: String,
}

impl CostRow {
    /// How the forecast differs from the estimate, in percent; nothing without one.
    pub fn against_estimate(&self) -> Option<i64> {
        percent(self.forecast.micros, self.estimate.as_ref()?.micros).map(|percent| percent - 100)
    }

    /// How much of the budget the forecast takes, in percent; nothing where a part of what counts is not seen.
    pub fn of_budget(&self) -> Option<i64> {
        percent(self.forecast.micros, self.budget.as_ref().filter(|budget| budget.whole)?.money.micros)
    }
}

fn percent(part: i64, whole: i64) -> Option<i64> {
    let percent = (i128::from(part) * 100 + i128::from(whole) / 2).checked_div(i128::from(whole))?;
    i64::try_from(percent).ok()
}
