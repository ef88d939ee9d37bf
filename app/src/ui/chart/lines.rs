//! Lines through the middle of each place.

use leptos::prelude::*;

use super::Figure;
use super::frame::framed;
use super::scale::{Scale, at, most, runs};

/// A line for each series. Unknown numbers interrupt it; a forecast is dashed.
#[component]
pub fn Lines(figure: Figure) -> impl IntoView {
    let scale = Scale::new(most(&figure, false), figure.labels.len());
    let places = figure.labels.len();
    let marks = figure.series.iter().flat_map(|series| {
        let point = |place: &usize| series.at(*place).map(|amount| format!("{} {}", at(scale.x(*place)), at(scale.y(amount.size))));
        let class = if series.forecast { "chart-line chart-dashed" } else { "chart-line" };
        let lines = runs(series, places).into_iter().filter(|run| run.len() > 1).map(|run| {
            let points: Vec<String> = run.iter().filter_map(point).collect();
            view! { <path class=format!("{class} {}", series.class()) d=format!("M{}", points.join("L"))></path> }
        });
        let dots = (0..places).filter_map(|place| {
            let amount = series.at(place)?;
            let label = figure.labels.get(place).cloned().unwrap_or_default();
            Some(view! { <circle class=series.class() cx=at(scale.x(place)) cy=at(scale.y(amount.size)) r="3"><title>{format!("{label}, {}: {}", series.name, amount.text)}</title></circle> })
        });
        let (lines, dots): (Vec<_>, Vec<_>) = (lines.collect(), dots.collect());
        [lines.into_any(), dots.into_any()]
    });
    let marks = marks.collect::<Vec<_>>().into_any();
    framed(figure, &scale, marks)
}
