//! The cost page.

use std::collections::{BTreeMap, HashSet};

use app::view::{CostBy, CostPage, CostQuery, CostRow, UnshownMonth};
use cluster::WorkspacePath;
use jiff::Timestamp;
use promise::Result;
use promise::identity::PersonId;
use promise::ledger::{Figures, Month, roll_up};
use promise::price::Money;

use super::budget::Budgets;
use super::comparison::Former;
use super::report_scope::{self, ReportScope};
use super::sums::{self, Sums};
use super::{comparison, instances, movers, savings, shortfalls, trend, unread};
use crate::portal::Caller;
use crate::portal::titles::Titles;

/// Rows per page: as many as fit into the first view's budget together with the charts.
const ROWS: usize = 15;

/// Returns the page.
pub(super) async fn page(caller: &Caller, query: &CostQuery) -> Result<CostPage> {
    let by = CostBy::parse(&query.by);
    let portal = caller.portal();
    let scope = report_scope::scope(caller, query).await?;
    let began = portal.store.first_month().await.map_err(unread)?;
    let former = Former::of(&scope, &query.against, began);
    let mut month = sums::month(caller, &scope, by).await?;
    let movers = movers::of(caller, &scope, &month, former.as_ref()).await?;
    shortfalls::add(caller, &scope, by, &mut month).await?;
    if let Some(former) = &former {
        comparison::add(caller, &scope, by, former, &mut month).await?;
    }
    let savings = if scope.is_current { Some(savings::of(caller, &scope, &month.live).await) } else { None };

    let days = sums::days(caller, &scope, by).await?;
    let instances = instances::page(caller, &scope, query.page).await?;
    let totals = sums::totals(caller, &scope, &month, former.as_ref());
    let months = trend::months(caller, &scope, &totals).await?;
    let rows = table(caller, &scope, by, former.as_ref(), month.sums);
    let (rows_total, rows_pages) = (rows.len(), rows.len().div_ceil(ROWS).max(1));
    let of_rows = query.rows.clamp(1, rows_pages);
    let labels = rows.iter().filter(|row| row.label != row.value).map(|row| (row.value.clone(), row.label.clone())).collect();
    Ok(CostPage {
        unshown: unshown(query, scope.month, former.as_ref()),
        query: CostQuery {
            workspace: scope.top.as_ref().map(ToString::to_string).unwrap_or_default(),
            by: by.word().to_owned(),
            month: scope.month.to_string(),
            against: former
                .filter(|former| Some(former.month) != scope.month.previous())
                .map(|former| former.month.to_string())
                .unwrap_or_default(),
            table: query.table,
            page: instances.page,
            rows: of_rows,
        },
        by,
        month: scope.month.title(),
        days_in_month: scope.month.days(),
        is_current: scope.is_current,
        previous: scope.month.previous().filter(|month| began.is_some_and(|began| month.start() >= began)).map(|month| month.to_string()),
        next: (!scope.is_current).then(|| scope.month.next().to_string()),
        choices: comparison::choices(Month::of(portal.clock.now().as_second()), began),
        against: former.as_ref().map(Former::shown),
        workspaces: scope.places.len(),
        up_to: scope.up_to(),
        counted: scope.posted.map(|_| scope.counted() - scope.month.start()),
        as_of: portal.lists_as_of(),
        ahead: scope.ahead.and_then(|seen| Timestamp::from_second(seen).ok()).map(|seen| seen.to_string()),
        sums: totals,
        unpriced: month.unpriced,
        unpriced_instances: month.live.unpriced,
        unobserved: month.unobserved,
        rows: rows.into_iter().skip((of_rows - 1) * ROWS).take(ROWS).collect(),
        rows_total,
        rows_pages,
        labels,
        days,
        instances: instances.shown,
        instances_total: instances.total,
        pages: instances.pages,
        months,
        movers,
        savings,
    })
}

/// Returns the months of the query that the page doesn't show.
fn unshown(query: &CostQuery, shown: Month, former: Option<&Former>) -> Vec<UnshownMonth> {
    let is_other = |asked: &str, shown: Option<Month>| !asked.is_empty() && Month::parse(asked).is_none_or(|asked| Some(asked) != shown);
    let page = is_other(&query.month, Some(shown)).then_some(UnshownMonth::Page);
    let compared = is_other(&query.against, former.map(|former| former.month)).then_some(UnshownMonth::Compared);
    page.into_iter().chain(compared).collect()
}

/// Returns the rows, each workspace with everything below it.
pub(super) fn table(caller: &Caller, scope: &ReportScope, by: CostBy, former: Option<&Former>, sums: Sums) -> Vec<CostRow> {
    let titles = match by {
        CostBy::Promise => scope.titles(caller),
        CostBy::Workspace | CostBy::Team | CostBy::Project | CostBy::Owner => Titles::default(),
    };
    let row = |value: String, currency: &str, figures: Figures| {
        let money = |micros| Money::new(micros, currency);
        CostRow {
            label: label(caller, &titles, by, &value),
            depth: 0,
            instances: figures.instances,
            to_date: money(figures.to_date),
            forecast: money(figures.forecast),
            estimate: scope.is_current.then(|| money(figures.estimate)),
            budget: None,
            expected: scope.is_current.then(|| money(figures.to_date.saturating_add(figures.shortfall))),
            compared: former.map(|former| former.compared(&figures, currency)),
            value,
        }
    };
    if by != CostBy::Workspace {
        let mut rows: Vec<CostRow> = sums.into_iter().map(|((value, currency), figures)| row(value, &currency, figures)).collect();
        rows.sort_by(|a, b| b.forecast.micros.cmp(&a.forecast.micros).then_with(|| a.value.cmp(&b.value)));
        return rows;
    }
    let mut currencies: BTreeMap<String, BTreeMap<String, Figures>> = BTreeMap::new();
    for ((path, currency), figures) in sums {
        *currencies.entry(currency).or_default().entry(path).or_default() += figures;
    }
    let top = scope.top.as_ref().map(ToString::to_string).unwrap_or_default();
    let budgets = Budgets::of(caller.portal(), scope);
    let counted: HashSet<&str> = scope.places.iter().map(|place| place.path.as_str()).collect();
    // Paths with something below them.
    let above: HashSet<&str> =
        counted.iter().copied().flat_map(|path| path.match_indices(':').filter_map(move |(at, _)| path.get(..at))).collect();
    let mut rows = Vec::new();
    for (currency, own) in &currencies {
        let sums = roll_up(own, &top);
        let mut shown: Vec<(String, Figures)> = sums.into_iter().filter(|(path, _)| counted.contains(path.as_str())).collect();
        // A colon sorts after a hyphen. Comparing segment by segment keeps siblings and children together.
        shown.sort_by(|a, b| a.0.split(':').cmp(b.0.split(':')));
        let first = shown.iter().map(|(path, _)| path.matches(':').count()).min().unwrap_or_default();
        for (path, figures) in shown {
            let depth = path.matches(':').count() - first;
            let is_leaf = !above.contains(path.as_str());
            let budget = WorkspacePath::parse(&path).ok().and_then(|path| budgets.smallest(&path, is_leaf, currency));
            rows.push(CostRow { depth, budget, ..row(path, currency, figures) });
        }
    }
    rows
}

fn label(caller: &Caller, titles: &Titles, by: CostBy, value: &str) -> String {
    match by {
        CostBy::Workspace => value.to_owned(),
        CostBy::Team if value.is_empty() => "No team".to_owned(),
        CostBy::Team => value.to_owned(),
        CostBy::Project if value.is_empty() => "No project".to_owned(),
        CostBy::Owner => caller.portal().named(&PersonId::named(value, "")),
        CostBy::Promise => titles.title(value),
        CostBy::Project => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_that_is_not_shown_is_named() {
        let month = |text: &str| Month::parse(text).unwrap();
        let former = Former { month: month("2026-09"), days: 0 };
        for (shown, compared, expected) in [
            ("", "", vec![]),
            ("2026-10", "2026-09", vec![]),
            ("abc", "", vec![UnshownMonth::Page]),
            ("2027-01", "2026-11", vec![UnshownMonth::Page, UnshownMonth::Compared]),
        ] {
            let query = CostQuery { month: shown.to_owned(), against: compared.to_owned(), ..CostQuery::default() };
            assert_eq!(unshown(&query, month("2026-10"), Some(&former)), expected, "{shown} {compared}");
        }
    }
}
