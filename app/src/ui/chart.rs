//! Charts: from numbers to drawings, on the server. Each has a title and a description for screen readers, a legend in words, and the same
//! numbers as a table. Sizes are attributes and colours classes, so that nothing needs a style of its own.
//!
//! A number comes with its text: a chart never formats an amount, and never counts with what it draws.

mod bars;
mod frame;
mod lines;
mod meter;
mod scale;
mod sparkline;

pub use bars::{Bars, StackedBars};
pub use lines::Lines;
pub use meter::Meter;
pub use sparkline::Sparkline;

/// A number of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// For the drawing alone.
    pub size: f64,
    /// As people read it.
    pub text: String,
}

impl Amount {
    /// A count of things.
    pub fn count(count: usize) -> Self {
        // What is drawn is a few hundred units high; nobody sees what is lost beyond 2^53.
        Self { size: count as f64, text: count.to_string() }
    }
}

/// Numbers of one sort, one for each label of the chart that it is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour, 1 to 6; 0 is grey.
    pub tone: u8,
    /// Whether all of it is a forecast.
    pub forecast: bool,
    /// The first place that it is about.
    pub from: usize,
    /// Numbers from there on, in the order of the labels; none where it is not known, which is not 0.
    pub values: Vec<Option<Amount>>,
}

impl Series {
    /// Its class.
    fn class(&self) -> String {
        let ahead = if self.forecast { " chart-ahead" } else { "" };
        format!("chart-{}{ahead}", self.tone.min(6))
    }

    fn at(&self, place: usize) -> Option<&Amount> {
        self.values.get(place.checked_sub(self.from)?)?.as_ref()
    }

    /// Whether it is about a place. Before and after its values it says nothing, not even that something is not known.
    fn covers(&self, place: usize) -> bool {
        place.checked_sub(self.from).is_some_and(|index| index < self.values.len())
    }
}

/// What a chart shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Unique in the page; begins the ids of its parts.
    pub id: String,
    /// Title.
    pub title: String,
    /// What it says, in a sentence or two.
    pub description: String,
    /// In what the numbers are counted, such as `€` or `requests`.
    pub unit: String,
    /// What the labels are, as the head of a column: `Week`.
    pub along: String,
    /// One for each place, in order.
    pub labels: Vec<String>,
    /// What is drawn.
    pub series: Vec<Series>,
    /// The place of today.
    pub today: Option<usize>,
    /// A level to compare with, such as a budget, with its name.
    pub line: Option<(String, Amount)>,
}

#[cfg(test)]
mod tests;
