//! Bars, stacked or side by side.

use leptos::prelude::*;

use super::frame::framed;
use super::scale::{Scale, at, most};
use super::{Figure, Links, Series};

/// Share of a place's width that its bars fill.
const FILLED: f64 = 0.7;
/// Maximum width of a bar: wider, a few bars look like walls.
const WIDEST: f64 = 56.0;
/// Number of places from which heights are whole units.
const DENSE: usize = 14;
/// Minimum height of a bar above 0, so that it is visibly not 0.
const LEAST: f64 = 1.5;

/// Series stacked at each place. Its links group the bars: those at a place, those of a series, or each on its own.
#[component]
pub fn StackedBars(figure: Figure) -> impl IntoView {
    let scale = Scale::new(most(&figure, true), figure.labels.len());
    let marks: Vec<AnyView> = match &figure.links {
        Links::Numbers(_) => (0..figure.labels.len()).map(|place| each(&figure, &scale, place)).collect(),
        Links::Series(addresses) => {
            let of = |(index, series): (usize, &Series)| {
                let bars = (0..figure.labels.len()).filter_map(|place| stacked(&figure, &scale, index, place)).collect::<Vec<_>>();
                linked(addresses.get(index).and_then(Option::as_ref), &series.name, bars.into_any())
            };
            figure.series.iter().enumerate().map(of).collect()
        }
        Links::Places(_) | Links::None => {
            let of = |(place, label): (usize, &String)| {
                let bars = (0..figure.series.len()).filter_map(|index| stacked(&figure, &scale, index, place)).collect::<Vec<_>>();
                let address = if let Links::Places(addresses) = &figure.links { addresses.get(place) } else { None };
                linked(address.filter(|_| !bars.is_empty()), label, bars.into_any())
            };
            figure.labels.iter().enumerate().map(of).collect()
        }
    };
    framed(figure, &scale, marks.into_any())
}

/// The bars at a place, each with its own link. The same links are in the table, for keyboards and screen readers.
fn each(figure: &Figure, scale: &Scale, place: usize) -> AnyView {
    let bars = (0..figure.series.len()).filter_map(|index| {
        let bar = stacked(figure, scale, index, place)?;
        Some(match figure.link_of(index, place) {
            Some(href) => view! { <a href=href.clone() tabindex="-1" aria-hidden="true">{bar}</a> }.into_any(),
            None => bar.into_any(),
        })
    });
    bars.collect::<Vec<_>>().into_any()
}

/// The bar of a series at a place, on top of the series before it.
fn stacked(figure: &Figure, scale: &Scale, index: usize, place: usize) -> Option<impl IntoView + use<>> {
    let series = figure.series.get(index)?;
    let amount = series.at(place).filter(|amount| amount.size > 0.0)?;
    let below: f64 = figure.series.iter().take(index).filter_map(|series| series.at(place)).map(|amount| amount.size.max(0.0)).sum();
    let width = (scale.pitch() * FILLED).min(WIDEST);
    let (low, high) = (scale.y(below), scale.y(below + amount.size));
    // Among many narrow bars, a part of a unit isn't visible, but every digit has a weight.
    let heights = if figure.labels.len() > DENSE { (low.round(), high.round()) } else { (low, high) };
    Some(bar(figure, series, place, (scale.x(place) - width / 2.0, width), heights))
}

/// Bars as a link with a name, if they lead anywhere.
fn linked(href: Option<&String>, name: &str, bars: AnyView) -> AnyView {
    match href {
        Some(href) => view! { <a href=href.clone() aria-label=name.to_owned()>{bars}</a> }.into_any(),
        None => bars,
    }
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
