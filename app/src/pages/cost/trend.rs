//! Cost of several months: one chart for each currency.

use std::collections::BTreeSet;

use crate::view::{CostMonth, CostPage, CostQuery};
use leptos::prelude::*;
use promise::price::Money;

use super::address;
use crate::texts::cost as texts;
use crate::ui::chart::{Amount, Figure, Links, Series, StackedBars};

/// The charts; none if there is only one month.
pub(super) fn trend(found: &CostPage) -> Option<impl IntoView + use<>> {
    if found.months.len() < 2 {
        return None;
    }
    // Currencies of earlier months count too, even if nothing is priced in them now.
    let all = found.months.iter().flat_map(|month| &month.sums).map(|money| money.currency.as_str());
    let currencies: BTreeSet<&str> = all.chain(found.sums.iter().map(|sum| sum.currency.as_str())).collect();
    let charts = currencies.into_iter().map(|currency| view! { <StackedBars figure=figure(found, currency)/> }).collect_view();
    let title = texts::monthly_cost(found.months.len());
    Some(view! { <section class="[&+&]:mt-8" aria-labelledby="months"><h2 id="months">{title}</h2>{charts}</section> })
}

fn figure(found: &CostPage, currency: &str) -> Figure {
    let sum = found.sums.iter().find(|sum| sum.currency == currency);
    let amount = |money: &Money| Amount { size: money.micros as f64 / 1e6, text: money.rounded().to_string() };
    let came_to = |month: &CostMonth| {
        let nothing = Money::new(0, currency);
        Some(amount(month.sums.iter().find(|money| money.currency == currency).unwrap_or(&nothing)))
    };
    let last = found.months.len() - 1;
    let rest = sum.and_then(|sum| sum.forecast.rounded().minus(&sum.to_date.rounded()));
    let rest = rest.filter(|rest| found.is_current && rest.micros > 0);
    let first = found.months.first().map(|month| month.title.as_str()).unwrap_or_default();
    let shown = texts::cost_per_month_of(first, &found.month, currency);
    let ahead = rest.as_ref().map(|rest| texts::rest_of_month(&found.month, rest));
    let metered =
        Series { name: texts::METERED.to_owned(), tone: 1, values: found.months.iter().map(came_to).collect(), ..Series::default() };
    let forecast = rest.map(|rest| Series {
        name: texts::FORECAST.to_owned(),
        tone: 0,
        forecast: true,
        from: last,
        values: vec![Some(amount(&rest))],
        ..Series::default()
    });
    let links = found.months.iter().map(|month| address(&CostQuery { month: month.month.clone(), ..found.query.anew() }));
    Figure {
        id: format!("months-{}", currency.to_lowercase()),
        title: texts::COST_PER_MONTH.to_owned(),
        description: [Some(shown), ahead].into_iter().flatten().collect::<Vec<_>>().join(" "),
        unit: currency.to_owned(),
        along: texts::MONTH.to_owned(),
        // Within a year, no two months have the same name.
        labels: found.months.iter().map(|month| month.title.chars().take(3).collect()).collect(),
        series: [metered].into_iter().chain(forecast).collect(),
        today: found.is_current.then_some(last),
        line: sum
            .and_then(|sum| sum.budget.as_ref())
            .filter(|budget| budget.whole)
            .map(|budget| (texts::BUDGET.to_owned(), amount(&budget.money))),
        links: Links::Places(links.collect()),
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::view::CostSum;

    use super::*;

    fn euro(micros: i64) -> Money {
        Money::new(micros, "EUR")
    }

    fn page(is_current: bool) -> CostPage {
        let month = |title: &str, sums: Vec<Money>| CostMonth { month: String::new(), title: title.into(), sums };
        CostPage {
            month: "November 2026".into(),
            is_current,
            sums: vec![CostSum {
                currency: "EUR".into(),
                to_date: euro(30_004_000),
                forecast: euro(40_009_000),
                estimate: None,
                instances: 1,
                waiting: None,
                budget: None,
                expected: None,
                compared: None,
            }],
            months: vec![
                month("September 2026", vec![euro(12_340_000), Money::new(1_000_000, "USD")]),
                month("October 2026", Vec::new()),
                month("November 2026", vec![euro(30_004_000)]),
            ],
            ..CostPage::default()
        }
    }

    #[test]
    fn months_stand_beside_one_another_and_the_present_one_with_what_is_expected() {
        let html = trend(&page(true)).map(|shown| shown.to_html()).expect("a chart");
        for part in ["Sep, Metered: €12.34", "Nov, Metered: €30.00", "Nov, Forecast: €10.01", "from September 2026 to November 2026"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(html.contains("id=\"months-usd-title\"") && html.contains("Sep, Metered: $1.00"), "what is spent stays spent: {html}");
        assert_eq!(html.matches("Nov, Forecast").count(), 1, "in dollars nothing is expected: {html}");
        assert!(!html.contains("not known"), "a month without anything came to nothing: {html}");
        let over = trend(&page(false)).map(|shown| shown.to_html()).expect("a chart");
        assert!(!over.contains("Forecast"), "{over}");
    }

    #[test]
    fn one_month_alone_is_no_trend() {
        let mut page = page(true);
        page.months.drain(..2);
        assert!(trend(&page).is_none());
    }
}
