//! What things cost, as the page of cost shows it.

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
    /// Of the instances, from 1.
    pub page: usize,
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
#[derive(Clone, Debug, PartialEq)]
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
    /// Since when the plane was not heard; none while it is.
    pub as_of: Option<String>,
    /// One for each currency.
    pub sums: Vec<CostSum>,
    /// Seconds in which something was ready at an unknown price.
    pub unpriced: i64,
    /// Instances whose price is not known now.
    pub unpriced_instances: usize,
    /// Seconds that nobody saw.
    pub unobserved: i64,
    /// The table.
    pub rows: Vec<CostRow>,
    /// Every day, by what rows add up.
    pub days: Vec<CostDay>,
    /// Instances of the workspace itself, of one page.
    pub instances: Vec<CostInstance>,
    /// How many there are on all pages.
    pub instances_total: usize,
    /// Pages of instances.
    pub pages: usize,
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
    /// The budget of the workspace and the title of its policy, where there is one.
    pub budget: Option<(Money, String)>,
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
    pub budget: Option<Money>,
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

/// An instance, in one currency.
#[derive(Clone, Debug, PartialEq)]
pub struct CostInstance {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Whether it is there, so that it has a page.
    pub is_there: bool,
    /// Name of its promise for people.
    pub promise: String,
    /// Who asked for it.
    pub owner: String,
    /// Its project; may be empty.
    pub project: String,
    /// Counted until now; none where nothing has an amount.
    pub to_date: Option<Money>,
    /// A month; none where it is not there, or the price is not known.
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

    /// How much of the budget the forecast takes, in percent.
    pub fn of_budget(&self) -> Option<i64> {
        percent(self.forecast.micros, self.budget.as_ref()?.micros)
    }
}

fn percent(part: i64, whole: i64) -> Option<i64> {
    let percent = (i128::from(part) * 100 + i128::from(whole) / 2).checked_div(i128::from(whole))?;
    i64::try_from(percent).ok()
}
