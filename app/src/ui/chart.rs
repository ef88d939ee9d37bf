//! Charts: numbers turned into drawings, on the server. Each has a title and a description for screen readers, a legend in words, and the
//! same numbers as a table. Sizes are attributes and colours are classes, so that no inline styles are needed.
//!
//! A number comes with its text: a chart never formats an amount, and never calculates with drawn sizes.

mod bars;
mod frame;
mod lines;
mod meter;
mod scale;

pub use bars::{Bars, StackedBars};
pub use lines::Lines;
pub use meter::Meter;

/// A number in a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// Size, for the drawing only.
    pub size: f64,
    /// Text, for people.
    pub text: String,
}

impl Amount {
    /// Returns the amount of a count.
    pub fn count(count: usize) -> Self {
        // A drawing is a few hundred units high; the precision lost beyond 2^53 isn't visible.
        Self { size: count as f64, text: count.to_string() }
    }
}

/// Numbers of one kind, one for each label that the series covers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour, 1 to 6; 0 is grey.
    pub tone: u8,
    /// Whether the whole series is a forecast.
    pub forecast: bool,
    /// The first place that it covers.
    pub from: usize,
    /// Numbers from there on, in the order of the labels; `None` if a number is unknown, which is not 0.
    pub values: Vec<Option<Amount>>,
    /// Its total, for the legend.
    pub total: Option<String>,
}

/// Where the numbers of a chart are shown as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ChartTable {
    /// Below the chart, folded.
    #[default]
    Folded,
    /// Below the chart.
    Open,
    /// At this address of the page: a large table isn't worth its weight to everyone who only looks at the chart.
    At(String),
}

impl Series {
    /// Returns its CSS class.
    fn class(&self) -> String {
        let ahead = if self.forecast { " chart-ahead" } else { "" };
        format!("chart-{}{ahead}", self.tone.min(6))
    }

    fn at(&self, place: usize) -> Option<&Amount> {
        self.values.get(place.checked_sub(self.from)?)?.as_ref()
    }

    /// Whether it covers a place. Before and after its values it says nothing, not even that a number is unknown.
    fn covers(&self, place: usize) -> bool {
        place.checked_sub(self.from).is_some_and(|index| index < self.values.len())
    }
}

/// What a chart shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Unique on the page; prefix of the ids of its parts.
    pub id: String,
    /// Title.
    pub title: String,
    /// Description, in a sentence or two.
    pub description: String,
    /// Unit of the numbers, such as `€` or `requests`.
    pub unit: String,
    /// Meaning of the labels, as a column heading: `Week`.
    pub along: String,
    /// Labels, one for each place, in order.
    pub labels: Vec<String>,
    /// What is drawn.
    pub series: Vec<Series>,
    /// The place of today.
    pub today: Option<usize>,
    /// A level to compare with, such as a budget, with its name.
    pub line: Option<(String, Amount)>,
    /// Where its bars lead.
    pub links: Links,
    /// Where its numbers are shown as a table.
    pub table: ChartTable,
}

/// Where the bars of a figure lead: to the lists of what they count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// Nowhere.
    #[default]
    None,
    /// One address for each place, in the order of the labels.
    Places(Vec<String>),
    /// One address for each series, in their order; `None` for a series without a list.
    Series(Vec<Option<String>>),
    /// One address for each number: for each series, one for each place.
    Numbers(Vec<Vec<String>>),
}

impl Figure {
    /// Whether any bar is a link.
    fn is_linked(&self) -> bool {
        match &self.links {
            Links::None => false,
            Links::Places(places) => !places.is_empty(),
            Links::Series(series) => series.iter().any(Option::is_some),
            Links::Numbers(numbers) => !numbers.is_empty(),
        }
    }

    /// The address for a number of a series, unless there is nothing to list.
    fn link_of(&self, series: usize, place: usize) -> Option<&String> {
        let Links::Numbers(numbers) = &self.links else { return None };
        let counts = self.series.get(series)?.at(place).is_some_and(|amount| amount.size > 0.0);
        numbers.get(series)?.get(place).filter(|_| counts)
    }
}

#[cfg(test)]
mod tests;
