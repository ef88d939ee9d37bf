//! Cost of a month.

use serde::{Deserialize, Serialize};

use super::page::{Amount, Page};

/// The cost of a workspace and everything below it in a month, as far as the caller can list requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    /// Path of the workspace.
    pub workspace: String,
    /// Month as `YYYY-MM`.
    pub month: String,
    /// Grouping of the rows: `workspace`, `team`, `promise`, `project` or `owner`.
    pub by: String,
    /// Whether the month isn't over yet.
    pub current: bool,
    /// RFC 3339 time until which hours are recorded. Absent before recording started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<String>,
    /// Number of workspaces included.
    pub workspaces: u64,
    /// Totals, one for each currency.
    pub totals: Vec<CostTotal>,
    /// Seconds in which an instance was ready at an unknown price. They aren't included in the amounts.
    pub unpriced_seconds: i64,
    /// Number of instances whose present price is unknown.
    pub unpriced_instances: u64,
    /// Seconds in which the controller made no observations.
    pub unobserved_seconds: i64,
    /// The rows.
    pub rows: Page<CostRowItem>,
}

/// Total in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostTotal {
    /// Cost so far.
    pub to_date: Amount,
    /// Forecast for the end of the month, if everything that is ready stays ready.
    pub forecast: Amount,
    /// Cost of everything that is running, for a whole month. Absent for past months.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Amount>,
    /// Number of instances.
    pub instances: u64,
    /// Budget of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<CostBudgetItem>,
}

/// A row, in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostRowItem {
    /// Path, team, promise, project or username. Empty for no team or project.
    pub value: String,
    /// Display label.
    pub title: String,
    /// Number of instances.
    pub instances: u64,
    /// Cost so far.
    pub to_date: Amount,
    /// Forecast for the end of the month.
    pub forecast: Amount,
    /// Cost of everything that is running, for a whole month. Absent for past months.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Amount>,
    /// Budget, if a policy sets one for exactly this scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<CostBudgetItem>,
}

/// A budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostBudgetItem {
    /// Monthly amount.
    pub monthly: Amount,
    /// Title of the policy that defines it.
    pub policy: String,
    /// Whether the amounts include everything that counts toward it.
    pub complete: bool,
}
