//! The cost of a month as data, for programs.

use app::view::{CostBudget, CostBy, CostQuery, CostRow, CostSum};
use promise::price::Money;
use promise::rest::{Amount, CostBudgetItem, CostReport, CostRowItem, CostTotal};
use promise::{Error, Problem, Result};

use super::{page, report_scope, sums};
use crate::portal::Caller;
use crate::portal::slices::{self, Extent, Slice};

impl Caller {
    /// Returns the cost of a workspace and everything below it, with a part of the rows.
    ///
    /// # Errors
    /// If the workspace isn't open to the user, grouping or month are invalid, or the control plane or the database doesn't respond.
    pub(crate) async fn cost_report(&self, query: &CostQuery, slice: &Slice) -> Result<CostReport> {
        let by = CostBy::ALL.into_iter().find(|by| by.word() == query.by || query.by.is_empty());
        let by = by.ok_or_else(|| {
            let words: Vec<&str> = CostBy::ALL.into_iter().map(CostBy::word).collect();
            invalid(format!("Choose one of these for `by`: {}.", words.join(", ")))
        })?;
        if !query.month.is_empty() && promise::ledger::Month::parse(&query.month).is_none() {
            return Err(invalid("Write the month as YYYY-MM, such as 2026-11.".to_owned()));
        }
        let after = slice.position::<2>()?;
        let scope = report_scope::scope(self, &CostQuery { by: by.word().to_owned(), ..query.clone() }).await?;
        let mut month = sums::month(self, &scope, by).await?;
        let totals = sums::totals(self, &scope, &month, None);
        let mut rows = page::table(self, &scope, by, None, std::mem::take(&mut month.sums));
        rows.sort_by(|a, b| (&a.value, &a.to_date.currency).cmp(&(&b.value, &b.to_date.currency)));
        let extent = Extent { total: rows.len(), unread: Vec::new(), as_of: self.portal().lists_as_of() };
        let rest = rows.into_iter().filter_map(|row| {
            let position = [row.value.clone(), row.to_date.currency.clone()];
            let is_after = after.is_none_or(|after| [position[0].as_str(), position[1].as_str()] > after);
            is_after.then(|| (position.to_vec(), item(row)))
        });
        Ok(CostReport {
            workspace: query.workspace.clone(),
            month: scope.month.to_string(),
            by: by.word().to_owned(),
            current: scope.is_current,
            up_to: scope.up_to(),
            workspaces: scope.places.len() as u64,
            totals: totals.into_iter().map(total).collect(),
            unpriced_seconds: month.unpriced,
            unpriced_instances: month.live.unpriced as u64,
            unobserved_seconds: month.unobserved,
            rows: slices::part(extent, slice.limit, rest),
        })
    }
}

fn invalid(message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
}

/// Returns an amount in the smallest unit of its currency: sums that accrue by the second have more digits.
fn amount(money: &Money) -> Amount {
    Amount::from(&money.rounded())
}

fn budget(budget: CostBudget) -> CostBudgetItem {
    CostBudgetItem { monthly: Amount::from(&budget.money), policy: budget.policy, complete: budget.whole }
}

fn total(sum: CostSum) -> CostTotal {
    CostTotal {
        to_date: amount(&sum.to_date),
        forecast: amount(&sum.forecast),
        estimate: sum.estimate.as_ref().map(amount),
        instances: sum.instances as u64,
        budget: sum.budget.map(budget),
    }
}

fn item(row: CostRow) -> CostRowItem {
    CostRowItem {
        to_date: amount(&row.to_date),
        forecast: amount(&row.forecast),
        estimate: row.estimate.as_ref().map(amount),
        instances: row.instances as u64,
        budget: row.budget.map(budget),
        value: row.value,
        title: row.label,
    }
}
