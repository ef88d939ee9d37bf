use leptos::prelude::*;

use super::scale::{Scale, most, runs, tick};
use super::*;

fn figure() -> Figure {
    let values = |sizes: [Option<usize>; 3]| sizes.into_iter().map(|size| size.map(Amount::count)).collect();
    Figure {
        id: "made".into(),
        title: "Requests each week".into(),
        description: "Most of them work.".into(),
        unit: "requests".into(),
        along: "Week".into(),
        labels: ["1 Nov", "8 Nov", "15 Nov"].map(str::to_owned).into(),
        series: vec![
            Series { name: "Ready".into(), tone: 1, values: values([Some(9), None, Some(40)]), ..Series::default() },
            Series { name: "Failed".into(), tone: 4, values: values([Some(1), Some(0), Some(2)]), ..Series::default() },
        ],
        today: Some(1),
        line: Some(("Budget".into(), Amount { size: 50.0, text: "€50.00".into() })),
        ..Figure::default()
    }
}

fn heights(html: &str) -> Vec<f64> {
    let bars = html.split("<rect ").filter(|bar| bar.contains("<title>"));
    bars.filter_map(|bar| bar.split(" height=\"").nth(1)?.split('"').next()?.parse().ok()).collect()
}

#[test]
fn a_chart_says_in_words_and_numbers_what_it_draws() {
    for html in [
        view! { <StackedBars figure=figure()/> }.to_html(),
        view! { <Bars figure=figure()/> }.to_html(),
        view! { <Lines figure=figure()/> }.to_html(),
    ] {
        for part in [
            "<title id=\"made-title\">",
            "<desc id=\"made-about\">",
            "aria-labelledby=\"made-title made-about\"",
            "View as table",
            "Unknown",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        for (label, text) in [("Ready", "40"), ("Failed", "2"), ("Budget", "€50.00")] {
            assert!(html.contains(label) && html.contains(text), "{label} {text}");
        }
        assert!(!html.contains("style="), "{html}");
        assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
    }
}

/// Counts the cells of a series in the table that have words in them.
fn cells(html: &str, series: &str) -> usize {
    let label = format!("data-label=\"{series}\"");
    let cells = html.split(label.as_str()).skip(1).filter_map(|rest| rest.split_once('>'));
    cells.filter(|(_, rest)| rest.starts_with(char::is_alphanumeric)).count()
}

#[test]
fn a_forecast_looks_and_reads_like_one_and_says_nothing_about_what_has_passed() {
    let forecast = Series { name: "Expected".into(), forecast: true, from: 2, values: vec![Some(Amount::count(7))], ..Series::default() };
    let mut figure = figure();
    figure.series[0].values.truncate(2);
    figure.series.push(forecast);
    assert_eq!(runs(&figure.series[2], 3), [vec![2]]);
    for html in [view! { <StackedBars figure=figure.clone()/> }.to_html(), view! { <Bars figure=figure.clone()/> }.to_html()] {
        assert_eq!(html.matches("chart-0 chart-ahead").count(), 2, "one bar and its key in the legend: {html}");
        assert!(html.contains("15 Nov, Expected: 7"), "{html}");
        assert_eq!((cells(&html, "Expected"), cells(&html, "Ready"), cells(&html, "Failed")), (1, 2, 3), "{html}");
        assert_eq!(html.matches("Unknown").count(), 1, "what is not there is not unknown: {html}");
    }
    // A line of two points.
    figure.series[2] = Series { from: 1, values: [7, 9].map(|count| Some(Amount::count(count))).into(), ..figure.series[2].clone() };
    let html = view! { <Lines figure=figure/> }.to_html();
    assert_eq!(html.matches("chart-dashed").count(), 1, "{html}");
}

#[test]
fn bars_are_as_high_as_their_numbers() {
    let html = view! { <StackedBars figure=figure()/> }.to_html();
    let heights = heights(&html);
    assert_eq!(heights.len(), 4, "what is 0 or not known has no bar: {html}");
    // Drawn in the order of places: 9 and 1, then 40 and 2.
    assert!((heights[2] / heights[0] - 40.0 / 9.0).abs() < 0.02, "{heights:?}");
    assert!((heights[2] / heights[3] - 20.0).abs() < 0.5, "{heights:?}");
}

#[test]
fn bars_link_by_series_place_or_number_and_a_table_can_be_elsewhere() {
    let mut by_place =
        Figure { links: Links::Places(["/1", "/2", "/3"].map(str::to_owned).into()), table: ChartTable::At("/table".into()), ..figure() };
    by_place.series[1].total = Some("3 in all".into());
    let html = view! { <StackedBars figure=by_place/> }.to_html().replace("<!>", "");
    assert!(html.contains("<a href=\"/1\" aria-label=\"1 Nov\"><rect") && html.contains("role=\"group\""), "{html}");
    assert!(!html.contains("href=\"/2\""), "nothing is drawn of the second week: {html}");
    assert!(html.contains("href=\"/table\"") && !html.contains("<table") && html.contains("<b>3 in all</b>"), "{html}");
    let by_series = Figure { links: Links::Series(vec![Some("/ready".into()), None]), ..figure() };
    let html = view! { <StackedBars figure=by_series/> }.to_html();
    assert_eq!((html.matches("href=\"/ready\"").count(), heights(&html).len()), (1, 4), "{html}");
    let numbers = ["/a", "/b"].map(|series| (0..3).map(|place| format!("{series}{place}")).collect()).into();
    let html = view! { <StackedBars figure=Figure { links: Links::Numbers(numbers), ..figure() }/> }.to_html();
    assert_eq!(html.matches("href=\"/a0\"").count(), 2, "the bar and its number in the table: {html}");
    assert!(!html.contains("href=\"/a1\"") && !html.contains("href=\"/b1\""), "nothing to list: {html}");
    let open = view! { <StackedBars figure=Figure { table: ChartTable::Open, ..figure() }/> }.to_html();
    assert!(open.contains("<details open") && open.contains("role=\"img\""), "{open}");
}

#[test]
fn scales_end_at_round_numbers_above_everything() {
    for (most, ticks) in [(0.0, 2), (1.0, 2), (3.0, 4), (23.0, 4), (50.0, 4), (1_234.5, 4), (0.02, 5)] {
        let scale = Scale::new(most, 3);
        assert_eq!(scale.ticks.len(), ticks, "{most}: {:?}", scale.ticks);
        assert!(scale.ticks.last().is_some_and(|top| *top >= most), "{most}: {:?}", scale.ticks);
    }
    assert_eq!(most(&figure(), true), 50.0, "the line counts");
    let empty = Figure { id: "none".into(), ..Figure::default() };
    assert!(view! { <Lines figure=empty/> }.to_html().contains("No data yet"));
}

#[test]
fn a_line_far_above_everything_is_told_and_does_not_flatten_the_rest() {
    let budget = |size: f64| Figure { line: Some(("Budget".into(), Amount { size, text: "much".into() })), ..figure() };
    for (size, drawn) in [(42.0, true), (210.0, true), (211.0, false), (50_000.0, false)] {
        let figure = budget(size);
        assert_eq!(most(&figure, true), if drawn { size } else { 42.0 }, "{size}");
        let html = view! { <StackedBars figure=figure/> }.to_html();
        // One key in the legend, and the line itself.
        assert_eq!(html.matches("chart-level").count(), if drawn { 2 } else { 1 }, "{html}");
        assert_eq!(html.contains("Budget much (above the chart)"), !drawn, "{html}");
    }
    let nothing = Figure { series: Vec::new(), ..budget(9.0) };
    assert_eq!(most(&nothing, true), 9.0, "alone it is to be seen");
}

#[test]
fn narrow_drawings_write_some_labels_of_wide_ones() {
    for places in 1..=60 {
        let scale = Scale::new(9.0, places);
        let labelled: Vec<(bool, bool)> = (0..places).map(|place| scale.labelled(place)).collect();
        let wide = labelled.iter().filter(|(wide, _)| *wide).count();
        let narrow = labelled.iter().filter(|(wide, narrow)| *wide && *narrow).count();
        assert!(wide <= 12 && narrow <= 4, "{places}: {wide} and {narrow}");
        assert!(narrow >= places.min(2), "{places}: {narrow}");
    }
}

#[test]
fn the_axis_has_room_for_its_words() {
    for (most, left) in [(9.0, 48.0), (12_500.0, 60.0), (0.013, 73.0)] {
        let scale = Scale::new(most, 3);
        assert_eq!(scale.across().0, left, "{most}: {:?}", scale.ticks);
    }
}

#[test]
fn what_is_not_known_parts_a_line() {
    let figure = figure();
    assert_eq!(runs(&figure.series[0], 3), [vec![0], vec![2]]);
    assert_eq!(runs(&figure.series[1], 3), [vec![0, 1, 2]]);
}

#[test]
fn numbers_of_the_axis_are_short() {
    for (number, step, text) in [
        (0.0, 2.5, "0"),
        (2.5, 2.5, "2.5"),
        (100.0, 20.0, "100"),
        (5_000.0, 2_500.0, "5000"),
        (12_500.0, 2_500.0, "12.5k"),
        (2_000_000.0, 500_000.0, "2M"),
    ] {
        assert_eq!(tick(number, step), text);
    }
}

#[test]
fn numbers_of_an_axis_differ_from_one_another() {
    let words = |most: f64| {
        let scale = Scale::new(most, 3);
        scale.ticks.iter().map(|number| tick(*number, scale.step)).collect::<Vec<_>>()
    };
    assert_eq!(words(0.013), ["0", "0.005", "0.01", "0.015"], "what a first day costs");
    assert_eq!(words(0.09), ["0", "0.025", "0.05", "0.075", "0.1"]);
    assert_eq!(words(9e-8), ["0", "0.000000025", "0.00000005", "0.000000075", "0.0000001"]);
}
