//! Every day of the month, by what rows add up: one chart for each currency.

use std::collections::BTreeMap;

use leptos::prelude::*;
use promise::price::Money;
use promise::view::{CostPage, CostSum};

use crate::ui::chart::{Amount, Figure, Series, StackedBars};

/// Series that are told apart; what is more is one series.
const SERIES: usize = 5;

/// The charts; none before a day has come to anything.
pub(super) fn charts(found: &CostPage) -> impl IntoView + use<> {
    let charts: Vec<_> = found.sums.iter().filter_map(|sum| figure(found, sum)).collect();
    let charts = charts.into_iter().map(|figure| view! { <StackedBars figure=figure/> }).collect_view();
    view! { {charts} }
}

fn figure(found: &CostPage, sum: &CostSum) -> Option<Figure> {
    let days: Vec<_> = found.days.iter().filter(|day| day.money.currency == sum.currency).collect();
    let last = days.iter().map(|day| day.day).max()?;
    let mut totals: BTreeMap<&str, i64> = BTreeMap::new();
    for day in &days {
        let total = totals.entry(&day.value).or_default();
        *total = total.saturating_add(day.money.micros);
    }
    let mut order: Vec<(&str, i64)> = totals.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let place = |value: &str| order.iter().position(|(known, _)| *known == value).unwrap_or(SERIES).min(SERIES);
    let mut cells: BTreeMap<(usize, i64), i64> = BTreeMap::new();
    for day in &days {
        let cell = cells.entry((place(&day.value), day.day)).or_default();
        *cell = cell.saturating_add(day.money.micros);
    }
    let name = |at: usize| match order.get(at) {
        Some((value, _)) if at < SERIES => found.labels.get(*value).map_or(*value, String::as_str).to_owned(),
        _ => "All others".to_owned(),
    };
    let amount = |micros: i64| {
        // Only the drawing is coarse: the text is exact to the coin.
        Amount { size: micros as f64 / 1e6, text: Money::new(micros, sum.currency.clone()).rounded().to_string() }
    };
    let series = (0..order.len().min(SERIES + 1)).map(|at| Series {
        name: name(at),
        tone: u8::try_from(at + 1).unwrap_or(6),
        values: (1..=last).map(|day| Some(amount(cells.get(&(at, day)).copied().unwrap_or_default()))).collect(),
    });
    Some(Figure {
        id: format!("days-{}", sum.currency.to_lowercase()),
        title: format!("Each day, by {}", found.by.word()),
        description: format!("What each day of {} came to in {}, in UTC.", found.month, sum.currency),
        unit: sum.currency.clone(),
        along: "Day".to_owned(),
        labels: (1..=last).map(|day| day.to_string()).collect(),
        series: series.collect(),
        today: found.is_current.then(|| usize::try_from(last - 1).ok()).flatten(),
        forecast_from: None,
        line: sum.budget.as_ref().filter(|budget| budget.whole).map(|budget| {
            let even = budget.money.micros / found.days_in_month.max(1);
            (format!("{} evenly spread", budget.money), amount(even))
        }),
    })
}
