//! A line chart in a sentence or a cell, with its meaning in words.

use leptos::prelude::*;

use super::scale::at;

const WIDTH: f64 = 96.0;
const HEIGHT: f64 = 24.0;
const EDGE: f64 = 3.0;

/// Numbers in order; `words` say what the drawing shows.
#[component]
pub fn Sparkline(values: Vec<f64>, #[prop(into)] words: String) -> impl IntoView {
    let most = values.iter().copied().fold(0.0, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min).min(most);
    let span = if most > least { most - least } else { 1.0 };
    let step = (WIDTH - 2.0 * EDGE) / (values.len().max(2) - 1) as f64;
    let point = |(index, value): (usize, &f64)| {
        let (x, y) = (EDGE + step * index as f64, HEIGHT - EDGE - (value - least) / span * (HEIGHT - 2.0 * EDGE));
        format!("{} {}", at(x), at(y))
    };
    let points: Vec<String> = values.iter().enumerate().map(point).collect();
    view! {
        <span class="sparkline"><svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") aria-hidden="true">{(points.len() > 1).then(|| view! { <path class="chart-line chart-1" d=format!("M{}", points.join("L"))></path> })}</svg><span>{words}</span></span>
    }
}
