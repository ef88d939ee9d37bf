use crate::view::{CostBudget, CostBy, CostDay, CostPage, CostQuery, CostSum};
use leptos::prelude::*;
use promise::price::Money;

use super::{charts, figure};
use crate::ui::chart::Series;

const DAY: i64 = 86_400;

/// A month of 30 days of which this many seconds are metered, with one sum.
fn page(counted: Option<i64>, sum: CostSum) -> CostPage {
    let day = |day: i64| CostDay { day, value: "root:acme".into(), money: Money::new(3_000_000, sum.currency.clone()) };
    let days = (1..=counted.unwrap_or_default() / DAY).map(day).collect();
    // With its numbers as a table.
    let query = CostQuery { table: true, ..CostQuery::default() };
    CostPage {
        query,
        month: "November 2026".into(),
        days_in_month: 30,
        is_current: true,
        counted,
        days,
        sums: vec![sum],
        ..CostPage::default()
    }
}

fn sum(currency: &str, to_date: i64, forecast: i64) -> CostSum {
    CostSum {
        currency: currency.into(),
        to_date: Money::new(to_date, currency),
        forecast: Money::new(forecast, currency),
        estimate: None,
        instances: 1,
        waiting: None,
        budget: None,
        expected: None,
        compared: None,
    }
}

/// The series of the forecast, if any is drawn.
fn forecast(page: &CostPage) -> Option<Series> {
    figure(page, &page.sums[0])?.series.into_iter().find(|series| series.forecast)
}

/// Parses a text such as `€1,250.00` to millionths.
fn read(text: &str) -> i64 {
    let number: String = text.chars().filter(|letter| letter.is_ascii_digit() || *letter == '.').collect();
    Money::parse(&number, "EUR").unwrap().micros
}

#[test]
fn the_days_of_the_forecast_add_up_to_what_is_told_beside_it() {
    for counted in [0, 3_600, 20 * DAY - 3_600, 20 * DAY, 20 * DAY + 11 * 3_600, 30 * DAY - 3_600] {
        for (to_date, total) in [(0, 1), (7, 170_000), (1_652_964_999, 2_438_715_001), (3_000_000, 3_000_001), (12, 9_999_999_999_999)] {
            for currency in ["EUR", "JPY", "KWD"] {
                let page = page(Some(counted), sum(currency, to_date, total));
                let series = forecast(&page).unwrap();
                assert_eq!((series.from + series.values.len(), series.from), (30, usize::try_from(counted / DAY).unwrap()));
                let days: Vec<_> = series.values.iter().flatten().collect();
                let drawn: i64 = days.iter().map(|day| (day.size * 1e6).round() as i64).sum();
                assert_eq!(to_date + drawn, total, "{currency} after {counted} s");
                let told: i64 = days.iter().map(|day| read(&day.text)).sum();
                let told_to_date = read(&page.sums[0].to_date.rounded().to_string());
                assert_eq!(told_to_date + told, read(&page.sums[0].forecast.rounded().to_string()), "{currency} after {counted} s");
                assert!(days.iter().all(|day| day.size >= 0.0));
            }
        }
    }
}

#[test]
fn nothing_is_drawn_of_a_forecast_that_is_not_known_or_has_passed() {
    let known = page(Some(20 * DAY), sum("EUR", 60_000_000, 90_000_000));
    assert!(forecast(&known).is_some());
    let over = CostPage { is_current: false, counted: Some(30 * DAY), ..known.clone() };
    let counted_whole = CostPage { counted: Some(30 * DAY), ..known.clone() };
    let not_begun = CostPage { counted: None, ..known.clone() };
    let nothing_more = CostPage { sums: vec![sum("EUR", 60_000_000, 60_000_000)], ..known.clone() };
    for page in [&over, &counted_whole, &not_begun, &nothing_more] {
        assert_eq!(forecast(page), None);
        let html = charts(page).into_any().to_html();
        assert!(html.contains("November 2026") && !html.contains("orecast") && !html.contains("chart-ahead"), "{html}");
    }
    let nobody_knows = page(None, sum("EUR", 0, 5_000_000));
    assert!(figure(&nobody_knows, &nobody_knows.sums[0]).is_none(), "there is nothing to draw");
}

#[test]
fn the_forecast_is_told_in_legend_description_and_table() {
    let budget = CostBudget { money: Money::new(300_000_000, "EUR"), used: None, policy: "Budget".into(), whole: true };
    let page = page(Some(20 * DAY + DAY / 2), CostSum { budget: Some(budget), ..sum("EUR", 60_000_000, 79_000_000) });
    let html = charts(&page).into_any().to_html().replace("<!>", "");
    for part in [
        "the forecast from day 21 at current usage: €19.00 on top of €60.00 to date, €79.00 in total.",
        "30, Forecast: €2.00",
        "21, Forecast: €1.00",
        "Daily share of the budget of €300.00: €10.00",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    // Ten bars, and the key of the legend.
    assert_eq!(html.matches("chart-0 chart-ahead").count(), 11, "{html}");
    let cells = |series: &str| {
        let label = format!("data-label=\"{series}\"");
        let cells = html.split(label.as_str()).skip(1).filter_map(|rest| rest.split_once('>'));
        cells.filter(|(_, rest)| rest.starts_with(|letter: char| letter.is_ascii_digit() || letter == '€')).count()
    };
    assert_eq!((cells("Forecast"), cells("root:acme")), (10, 21), "both tell of the day of which a part is counted: {html}");
    assert!(!html.contains("Unknown"), "{html}");
}

#[test]
fn bars_link_to_the_list_of_what_they_count_and_the_table_has_an_address() {
    let mut page = page(Some(20 * DAY), sum("EUR", 61_000_000, 91_000_000));
    page.days.push(CostDay { day: 2, value: "root:globex".into(), money: Money::new(1_000_000, "EUR") });
    page.query = CostQuery { month: "2026-11".into(), ..CostQuery::default() };
    let html = charts(&page).into_any().to_html().replace("<!>", "");
    assert!(html.contains("<a href=\"/cost?workspace=root:acme&amp;month=2026-11\" aria-label=\"root:acme\"><rect"), "{html}");
    assert!(html.contains("role=\"group\"") && !html.contains("role=\"img\""), "links are no part of an image: {html}");
    assert!(html.contains("href=\"/cost?month=2026-11&amp;table=true\"") && !html.contains("<table"), "{html}");
    for part in [
        "root:acme has the largest share: €60.00 of €61.00.",
        "The highest day was 2 November 2026, with €4.00.",
        "root:acme <b>€60.00</b>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    // The workspace that is shown needs no link to itself, and requesters have no list.
    let shown = CostPage { query: CostQuery { workspace: "root:acme".into(), ..page.query.clone() }, ..page.clone() };
    let owners = CostPage { by: CostBy::Owner, ..page };
    let html = charts(&shown).into_any().to_html();
    assert!(!html.contains("aria-label=\"root:acme\"") && html.contains("aria-label=\"root:globex\""), "{html}");
    let html = charts(&owners).into_any().to_html();
    assert!(html.contains("role=\"img\"") && !html.contains("<a href=\"/cost?workspace"), "{html}");
}
