//! Bars, stacked or side by side.

use leptos::prelude::*;

use super::frame::{framed, linked};
use super::scale::{Scale, at, most};
use super::{Figure, Links, Series};

/// Share of a place's width that its bars fill.
const FILLED: f64 = 0.7;
/// Minimum height of a bar above 0, so that it is visibly not 0.
const LEAST: f64 = 1.5;

/// Series stacked at each place.
#[component]
pub fn StackedBars(figure: Figure, #[prop(optional)] links: Links) -> impl IntoView {
    let scale = Scale::new(most(&figure, true), figure.labels.len());
    let width = scale.pitch() * FILLED;
    let marks = (0..figure.labels.len()).flat_map(|place| {
        let mut below = 0.0;
        let scale = &scale;
        let (figure, links) = (&figure, &links);
        let drawn = figure.series.iter().enumerate().filter_map(move |(index, series)| {
            let amount = series.at(place).filter(|amount| amount.size > 0.0)?;
            let (low, high) = (scale.y(below), scale.y(below + amount.size));
            below += amount.size;
            let drawn = bar(figure, series, place, (scale.x(place) - width / 2.0, width), (low, high));
            Some(match links.of(figure, index, place) {
                // The same links are in the table, for keyboards and screen readers.
                Some(href) => view! { <a href=href tabindex="-1" aria-hidden="true">{drawn}</a> }.into_any(),
                None => drawn.into_any(),
            })
        });
        drawn.collect::<Vec<_>>()
    });
    let marks = marks.collect::<Vec<_>>().into_any();
    linked(figure, &scale, marks, &links)
}

/// Series side by side at each place.
#[component]
pub fn Bars(figure: Figure) -> impl IntoView {
    let scale = Scale::new(most(&figure, false), figure.labels.len());
    let count = figure.series.len().max(1);
    let width = scale.pitch() * FILLED / count as f64;
    let marks = figure.series.iter().enumerate().flat_map(|(index, series)| {
        let (scale, figure) = (&scale, &figure);
        let drawn = (0..figure.labels.len()).filter_map(move |place| {
            let amount = series.at(place).filter(|amount| amount.size > 0.0)?;
            let left = scale.x(place) - scale.pitch() * FILLED / 2.0 + width * index as f64;
            Some(bar(figure, series, place, (left, width), (scale.y(0.0), scale.y(amount.size))))
        });
        drawn.collect::<Vec<_>>()
    });
    let marks = marks.collect::<Vec<_>>().into_any();
    framed(figure, &scale, marks)
}

/// One bar, from `left` with its width, between two heights; hovering over it shows its number.
fn bar(figure: &Figure, series: &Series, place: usize, (left, width): (f64, f64), (low, high): (f64, f64)) -> impl IntoView + use<> {
    let height = (low - high).max(LEAST);
    let text = series.at(place).map(|amount| amount.text.clone()).unwrap_or_default();
    let label = figure.labels.get(place).cloned().unwrap_or_default();
    view! {
        <rect class=series.class() x=at(left) y=at(low - height) width=at(width) height=at(height)><title>{format!("{label}, {}: {text}", series.name)}</title></rect>
    }
}
