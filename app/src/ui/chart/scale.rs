//! From numbers to coordinates in a drawing.

use super::{Figure, Series};

/// Width of a drawing, in its own units.
pub(super) const WIDTH: f64 = 640.0;
/// Height of a drawing.
pub(super) const HEIGHT: f64 = 240.0;
/// Minimum space left of the first place, for the texts of the axis.
const LEFT: f64 = 48.0;
/// Space for one character of these texts, at the size used in narrow drawings.
const CHARACTER: f64 = 13.0;
/// Gap between these texts and what they label.
pub(super) const GAP: f64 = 8.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 20.0;
/// Space for the labels, including the gap to the lowest number of the axis.
const BOTTOM: f64 = 40.0;
/// Number of labels that fit in a wide drawing, and in a narrow one.
const LABELS: (usize, usize) = (12, 4);
/// A line this many times as high as all others is named but not drawn, because it would flatten them.
const FAR: f64 = 5.0;
/// Maximum number of decimals; anything smaller isn't visible.
const DECIMALS: usize = 9;

/// The axis of numbers, from 0 to a round number, and the places along the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    /// Numbers with a grid line.
    pub(super) ticks: Vec<f64>,
    /// Distance between two of these.
    pub(super) step: f64,
    top: f64,
    places: usize,
    left: f64,
}

impl Scale {
    /// Returns a scale that fits numbers up to `most` at `places`.
    pub(super) fn new(most: f64, places: usize) -> Self {
        let step = round_up(most / 4.0);
        let count = if most > 0.0 { (most / step).ceil().clamp(1.0, 5.0) } else { 1.0 };
        let ticks: Vec<f64> = (0u8..=5).map(f64::from).take_while(|tick| *tick <= count).map(|tick| tick * step).collect();
        let longest = ticks.iter().map(|number| tick(*number, step).len()).max().unwrap_or_default();
        let left = LEFT.max(longest as f64 * CHARACTER + GAP);
        Self { ticks, step, top: count * step, places: places.max(1), left }
    }

    /// Returns the height at which a number is drawn.
    pub(super) fn y(&self, number: f64) -> f64 {
        let part = (number / self.top).clamp(0.0, 1.0);
        HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP)
    }

    /// Whether a number is within the drawing.
    pub(super) fn holds(&self, number: f64) -> bool {
        number <= self.top
    }

    /// Returns the middle of a place.
    pub(super) fn x(&self, place: usize) -> f64 {
        self.left + self.pitch() * (place as f64 + 0.5)
    }

    /// Returns the distance between two places.
    pub(super) fn pitch(&self) -> f64 {
        (WIDTH - self.left - RIGHT) / self.places as f64
    }

    /// Returns where horizontal lines start and end.
    pub(super) fn across(&self) -> (f64, f64) {
        (self.left, WIDTH - RIGHT)
    }

    /// Whether the label of a place is shown: in wide drawings, and in narrow ones.
    pub(super) fn labelled(&self, place: usize) -> (bool, bool) {
        let wide = self.places.div_ceil(LABELS.0);
        // A narrow drawing shows only labels that a wide one shows too.
        let narrow = wide * self.places.div_ceil(wide * LABELS.1);
        (place.is_multiple_of(wide), place.is_multiple_of(narrow))
    }
}

/// Rounds up to the next number of 1, 2, 2.5, 5 and 10 times a power of ten; counts are whole, so nothing is below 1 unless everything is.
fn round_up(number: f64) -> f64 {
    if number <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(number.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0].into_iter().map(|factor| factor * power).find(|step| *step >= number).unwrap_or(10.0 * power);
    if number >= 0.25 { step.max(1.0) } else { step }
}

/// Returns the highest number: of each place alone or of the stack at a place, and of the line as long as that leaves the rest visible.
pub(super) fn most(figure: &Figure, stacked: bool) -> f64 {
    let at = |place: usize| {
        let sizes = figure.series.iter().filter_map(|series| series.at(place)).map(|amount| amount.size.max(0.0));
        if stacked { sizes.sum() } else { sizes.fold(0.0, f64::max) }
    };
    let drawn = (0..figure.labels.len()).map(at).fold(0.0, f64::max);
    let line = figure.line.as_ref().map_or(0.0, |(_, amount)| amount.size);
    if drawn > 0.0 && line > FAR * drawn { drawn } else { line.max(drawn) }
}

/// Formats a number of an axis that has one at every `step`, shortened: `1.5k`. It has as many decimals as distinguish it from the next.
pub(super) fn tick(number: f64, step: f64) -> String {
    let (size, unit) = match number {
        _ if number >= 1_000_000.0 => (1_000_000.0, "M"),
        _ if number >= 10_000.0 => (1_000.0, "k"),
        _ => (1.0, ""),
    };
    let decimals = decimals(step / size);
    let text = format!("{:.decimals$}", number / size);
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { text.as_str() };
    format!("{text}{unit}")
}

/// Returns how many decimals a step has.
fn decimals(step: f64) -> usize {
    let mut grown = step;
    let is_whole = |grown: f64| (grown - grown.round()).abs() < grown * 1e-6;
    let mut decimals = 0;
    while decimals < DECIMALS && !is_whole(grown) {
        grown *= 10.0;
        decimals += 1;
    }
    decimals
}

/// Formats a length in a drawing as an attribute: a tenth of a unit is enough.
pub(super) fn at(length: f64) -> String {
    let text = format!("{length:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns the points of a series in runs without gaps: unknown numbers interrupt a line.
pub(super) fn runs(series: &Series, places: usize) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut open = false;
    for place in 0..places {
        let known = series.at(place).is_some();
        match runs.last_mut() {
            Some(run) if known && open => run.push(place),
            _ if known => runs.push(vec![place]),
            _ => {}
        }
        open = known;
    }
    runs
}
