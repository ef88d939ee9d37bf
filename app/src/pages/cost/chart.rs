//! Cost of each day of the month, grouped like the rows, and the forecast for the remaining days: one chart for each currency.

mod forecast;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::view::{CostBy, CostDay, CostPage, CostQuery, CostSum};
use leptos::prelude::*;
use promise::price::Money;

use super::address;
use crate::routes;
use crate::texts::cost as texts;
use crate::ui::chart::{Amount, ChartTable, Figure, Links, Series, StackedBars};
use forecast::Forecast;

/// Number of series with a name in all charts together; in each, all others are combined into one.
const SERIES: usize = 4;

/// The charts; none if no day has a cost and there is no forecast.
pub(super) fn charts(found: &CostPage) -> impl IntoView + use<> {
    let charts: Vec<_> = found.sums.iter().filter_map(|sum| figure(found, sum)).collect();
    let charts = charts.into_iter().map(|figure| view! { <StackedBars figure=figure/> }).collect_view();
    view! { {charts} }
}

fn figure(found: &CostPage, sum: &CostSum) -> Option<Figure> {
    let days: Vec<_> = found.days.iter().filter(|day| day.money.currency == sum.currency).collect();
    let forecast = Forecast::of(found, sum);
    if days.is_empty() && forecast.is_none() {
        return None;
    }
    // In the current month, the cost of every day that has begun is known, even if it is zero.
    let begun = found.counted.filter(|_| found.is_current).map_or(0, forecast::begun);
    let last = days.iter().map(|day| day.day).fold(begun, i64::max);
    let labels = if forecast.is_some() { found.days_in_month } else { last };
    let today = forecast.as_ref().map(|forecast| forecast.from).or_else(|| usize::try_from(last - 1).ok());
    let mut totals: BTreeMap<&str, i64> = BTreeMap::new();
    for day in &days {
        let total = totals.entry(&day.value).or_default();
        *total = total.saturating_add(day.money.micros);
    }
    let mut order: Vec<(&str, i64)> = totals.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let named = (SERIES / found.sums.len().max(1)).max(1);
    // One value alone needs no others.
    let named = if order.len() == named + 1 { order.len() } else { named };
    let place = |value: &str| order.iter().position(|(known, _)| *known == value).unwrap_or(named).min(named);
    let mut cells: BTreeMap<(usize, i64), i64> = BTreeMap::new();
    for day in &days {
        let cell = cells.entry((place(&day.value), day.day)).or_default();
        *cell = cell.saturating_add(day.money.micros);
    }
    let name = |at: usize| match order.get(at) {
        Some((value, _)) if at < named => found.labels.get(*value).map_or(*value, String::as_str).to_owned(),
        _ => texts::ALL_OTHERS.to_owned(),
    };
    let amount = |micros: i64| {
        // Only the drawing is approximate: the text is exact to the cent.
        Amount { size: micros as f64 / 1e6, text: Money::new(micros, sum.currency.clone()).rounded().to_string() }
    };
    let total = |at: usize| {
        let of = order.iter().enumerate().filter(|(place, _)| (*place).min(named) == at);
        of.map(|(_, (_, micros))| *micros).fold(0, i64::saturating_add)
    };
    let series = (0..order.len().min(named + 1)).map(|at| Series {
        name: name(at),
        tone: u8::try_from(at + 1).unwrap_or(6),
        values: (1..=last).map(|day| Some(amount(cells.get(&(at, day)).copied().unwrap_or_default()))).collect(),
        total: Some(amount(total(at)).text),
        ..Series::default()
    });
    let addresses = order.iter().take(named).map(|(value, _)| list(found, value));
    let shown = texts::cost_per_day_of(&found.month, &sum.currency);
    let most = order
        .first()
        .filter(|_| order.len() > 1)
        .map(|(_, micros)| texts::largest_share(&name(0), &amount(*micros).text, &sum.to_date.rounded()));
    let highest = highest(&days).map(|(day, micros)| texts::highest_day(day, &found.month, &amount(micros).text));
    let ahead = forecast.as_ref().map(|forecast| forecast.sentence(sum));
    Some(Figure {
        id: format!("days-{}", sum.currency.to_lowercase()),
        title: texts::daily_cost(found.by).to_owned(),
        description: [Some(shown), most, highest, ahead].into_iter().flatten().collect::<Vec<_>>().join(" "),
        unit: sum.currency.clone(),
        along: texts::DAY.to_owned(),
        labels: (1..=labels).map(|day| day.to_string()).collect(),
        series: series.chain(forecast.map(Forecast::series)).collect(),
        links: Links::Series(addresses.collect()),
        today: today.filter(|_| found.is_current),
        line: sum.budget.as_ref().filter(|budget| budget.whole).map(|budget| {
            let even = budget.money.micros / found.days_in_month.max(1);
            (texts::daily_share(&budget.money), amount(even))
        }),
        table: match found.query.table {
            true => ChartTable::Open,
            false => ChartTable::At(address(&CostQuery { table: true, ..found.query.clone() })),
        },
    })
}

/// Returns the day with the highest cost, and that cost.
fn highest(days: &[&CostDay]) -> Option<(i64, i64)> {
    let mut sums: BTreeMap<i64, i64> = BTreeMap::new();
    for day in days {
        let sum = sums.entry(day.day).or_default();
        *sum = sum.saturating_add(day.money.micros);
    }
    sums.into_iter().max_by_key(|(day, micros)| (*micros, Reverse(*day)))
}

/// Returns where the list of what a value counts is: the cost of a workspace, or the requests of a promise in the selected workspace.
pub(super) fn list(found: &CostPage, value: &str) -> Option<String> {
    let workspace = &found.query.workspace;
    match found.by {
        CostBy::Workspace if value == workspace => None,
        CostBy::Workspace => Some(address(&CostQuery { workspace: value.to_owned(), ..found.query.anew() })),
        CostBy::Promise if !workspace.is_empty() => {
            Some(routes::with_query(&routes::requests(workspace), &[("promise", value), ("below", "true")]))
        }
        CostBy::Promise | CostBy::Team | CostBy::Project | CostBy::Owner => None,
    }
}

#[cfg(test)]
mod tests;
