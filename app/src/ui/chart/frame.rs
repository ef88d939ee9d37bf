//! The frame of every chart: title, legend, axes, and the numbers as a table.

use leptos::prelude::*;

use super::scale::{GAP, HEIGHT, Scale, WIDTH, at, tick};
use super::{ChartTable, Figure, Series};
use crate::ui::texts;

/// A figure around a drawing.
pub(super) fn framed(figure: Figure, scale: &Scale, marks: AnyView) -> impl IntoView + use<> {
    let (title, about) = (format!("{}-title", figure.id), format!("{}-about", figure.id));
    let named = format!("{title} {about}");
    // What is inside an image is invisible to screen readers, and links must not be.
    let role = if figure.is_linked() { "group" } else { "img" };
    let empty = figure.series.iter().all(|series| series.values.iter().all(Option::is_none));
    view! {
        <figure class="chart-figure">
            <figcaption><b>{figure.title.clone()}</b>{(!figure.unit.is_empty()).then(|| view! { <span class="subtle">{format!(" ({})", figure.unit)}</span> })}</figcaption>
            {legend(&figure, scale)}
            <svg class="chart" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role=role aria-labelledby=named>
                <title id=title>{figure.title.clone()}</title>
                <desc id=about>{if empty { texts::NO_DATA.to_owned() } else { figure.description.clone() }}</desc>
                {axis(&figure, scale)}
                {marks}
                {level(&figure, scale)}
            </svg>
            {(!figure.description.is_empty()).then(|| view! { <p class="basis">{figure.description.clone()}</p> })}
            {numbers(&figure)}
        </figure>
    }
}

/// The numbers of the drawing as a table, or a link to it.
fn numbers(figure: &Figure) -> AnyView {
    let of = view! { <span class="vh">{format!(": {}", figure.title)}</span> };
    match &figure.table {
        ChartTable::At(href) => view! { <a class="small inline-block py-0.5" href=href.clone()>{texts::AS_A_TABLE}{of}</a> }.into_any(),
        shown => {
            let open = *shown == ChartTable::Open;
            view! { <details class="chart-table" open=open><summary>{texts::AS_A_TABLE}{of}</summary>{table(figure)}</details> }.into_any()
        }
    }
}

/// Every series in words beside its colour.
fn legend(figure: &Figure, scale: &Scale) -> impl IntoView + use<> {
    let entries = figure.series.iter().map(|series| {
        let total = series.total.clone().map(|total| view! { " "<b>{total}</b> });
        view! { <li><svg class="chart-key" viewBox="0 0 10 10" aria-hidden="true"><rect class=series.class() width="10" height="10" rx="2"></rect></svg>{series.name.clone()}{total}</li> }
    });
    let line = figure.line.as_ref().map(|(name, amount)| {
        let words = texts::level(name, &amount.text, scale.holds(amount.size));
        view! { <li><svg class="chart-key" viewBox="0 0 10 10" aria-hidden="true"><path class="chart-level" d="M0 5h10"></path></svg>{words}</li> }
    });
    view! { <ul class="legend">{entries.collect_view()}{line}</ul> }
}

fn axis(figure: &Figure, scale: &Scale) -> impl IntoView + use<> {
    let (left, right) = scale.across();
    let ticks = scale.ticks.iter().map(|number| {
        let y = scale.y(*number);
        view! { <path class="chart-grid" d=format!("M{} {}H{}", at(left), at(y), at(right))></path><text class="chart-tick" x=at(left - GAP) y=at(y + 4.0)>{tick(*number, scale.step)}</text> }
    });
    let labels = figure.labels.iter().enumerate().filter_map(|(place, label)| {
        let (wide, narrow) = scale.labelled(place);
        let class = if narrow { "chart-label" } else { "chart-label chart-label-wide" };
        wide.then(|| view! { <text class=class x=at(scale.x(place)) y=at(HEIGHT - 8.0)>{label.clone()}</text> })
    });
    let today = figure.today.filter(|today| *today < figure.labels.len()).map(|today| {
        let x = at(scale.x(today));
        view! { <path class="chart-today" d=format!("M{x} {}V{}", at(scale.y(f64::INFINITY)), at(scale.y(0.0)))></path> }
    });
    view! { {ticks.collect_view()}{labels.collect_view()}{today} }
}

fn level(figure: &Figure, scale: &Scale) -> Option<impl IntoView + use<>> {
    let (left, right) = scale.across();
    figure.line.as_ref().filter(|(_, amount)| scale.holds(amount.size)).map(|(_, amount)| {
        view! { <path class="chart-level" d=format!("M{} {}H{}", at(left), at(scale.y(amount.size)), at(right))></path> }
    })
}

/// The numbers of the drawing, and nothing else.
fn table(figure: &Figure) -> impl IntoView + use<> {
    let heads = figure.series.iter().map(|series| view! { <th scope="col" class="num">{series.name.clone()}</th> }).collect_view();
    // An empty cell is left out on narrow screens.
    let cell = |series: &Series, place: usize| match series.at(place) {
        Some(amount) => Some(amount.text.clone()),
        None => series.covers(place).then(|| texts::UNKNOWN.to_owned()),
    };
    let rows = figure.labels.iter().enumerate().map(|(place, label)| {
        let cells = figure.series.iter().enumerate().map(|(index, series)| {
            let number = match figure.link_of(index, place) {
                Some(href) => {
                    view! { <a href=href.clone() aria-label=format!("{label}, {}: {}", series.name, cell(series, place).unwrap_or_default())>{cell(series, place)}</a> }
                        .into_any()
                }
                None => cell(series, place).into_any(),
            };
            view! { <td class="num" data-label=series.name.clone()>{number}</td> }
        });
        view! { <tr><th scope="row">{label.clone()}</th>{cells.collect_view()}</tr> }
    });
    let along = figure.along.clone();
    view! { <table class="table" aria-label=figure.title.clone()><thead><tr><th scope="col">{along}</th>{heads}</tr></thead><tbody>{rows.collect_view()}</tbody></table> }
}
