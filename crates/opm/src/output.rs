//! Formats of results: tables for people, JSON and YAML for programs, names for scripts.

use anstyle::Style;
use jiff::Timestamp;
use promise::rest::{Actor, Amount, AvailabilityState, PromiseSummary, RequestState};
use serde::Serialize;

use crate::terminal::{BAD, FAINT, GOOD, HEADING, WAITING, styled};

/// Space between columns.
const GAP: usize = 3;
/// Longest text of a cell in a table that isn't wide.
const LONGEST: usize = 80;

/// Format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Output {
    /// A table or text for people.
    #[default]
    Table,
    /// The same with more columns.
    Wide,
    /// JSON as the portal returns it.
    Json,
    /// The same as YAML.
    Yaml,
    /// Only names, one a line.
    Name,
}

/// One cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell with a style.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// Adds a text.
    pub fn with(self, more: &str) -> Self {
        Self { text: self.text + more, ..self }
    }

    /// Returns the text with its style, and its width without.
    pub fn measured(&self) -> (String, usize) {
        let text = one_line(&self.text, usize::MAX);
        (styled(self.style, &text), text.chars().count())
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), style: Style::new() }
    }
}

/// A table under construction.
#[derive(Debug)]
pub struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
    wide: bool,
    indent: usize,
}

impl Table {
    /// Creates a table with these columns.
    pub fn new(output: Output, head: &[&'static str]) -> Self {
        Self { head: head.to_vec(), rows: Vec::new(), wide: output == Output::Wide, indent: 0 }
    }

    /// Indents all lines, below the heading of a section.
    pub fn indented(self) -> Self {
        Self { indent: 2, ..self }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Renders head and rows, with columns as wide as their longest cell.
    pub fn render(&self) -> String {
        let head: Vec<Cell> = self.head.iter().map(|title| Cell::new(*title, HEADING)).collect();
        self.lines(std::iter::once(&head).chain(&self.rows))
    }

    /// Renders the rows alone.
    pub fn rows(&self) -> String {
        self.lines(self.rows.iter())
    }

    fn lines<'r>(&self, rows: impl Iterator<Item = &'r Vec<Cell>> + Clone) -> String {
        let shown = |cell: &Cell| if self.wide { one_line(&cell.text, usize::MAX) } else { one_line(&cell.text, LONGEST) };
        let width =
            |at: usize| rows.clone().filter_map(|row| row.get(at)).map(|cell| shown(cell).chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |row: &Vec<Cell>| {
            let last = row.len().saturating_sub(1);
            let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
                let text = shown(cell);
                let space = if at == last { 0 } else { width + GAP - text.chars().count() };
                format!("{}{}", styled(cell.style, &text), " ".repeat(space))
            });
            format!("{}{}\n", " ".repeat(self.indent), cells.collect::<String>().trim_end())
        };
        rows.clone().map(line).collect()
    }
}

/// A text on one line, without characters that change how a terminal shows the rest, and with an ellipsis if it is too long.
pub fn one_line(text: &str, longest: usize) -> String {
    let plain: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = printable(&plain);
    if plain.chars().count() <= longest {
        return plain;
    }
    let cut: String = plain.chars().take(longest.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// Removes control characters: names and messages are written by other people, and a terminal obeys escape sequences.
pub fn printable(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect()
}

/// Renders data for programs. `None` for formats for people and for names.
pub fn data<T: Serialize>(output: Output, value: &T) -> Option<String> {
    match output {
        Output::Json => serde_json::to_string_pretty(value).ok().map(|text| format!("{text}\n")),
        Output::Yaml => {
            let plain = serde_json::to_value(value).ok()?;
            let text = promise::form::yaml::write(&plain);
            Some(if text.ends_with('\n') { text } else { format!("{text}\n") })
        }
        Output::Table | Output::Wide | Output::Name => None,
    }
}

/// Time since a moment, as `kubectl` writes it: `35s`, `12m`, `3h`, `9d`.
pub fn age(at: &str, now: Timestamp) -> String {
    let Ok(at) = at.parse::<Timestamp>() else { return at.to_owned() };
    let seconds = now.duration_since(at).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// An amount a month for people; a dash if it is unknown.
pub fn monthly(amount: Option<&Amount>) -> String {
    amount.and_then(Amount::money).map_or_else(|| "–".to_owned(), |money| format!("{money}/month"))
}

/// An amount for people.
pub fn money(amount: &Amount) -> String {
    amount.money().map_or_else(|| format!("{} {}", amount.amount, amount.currency), |money| money.to_string())
}

/// The state of a request, in its colour.
pub fn state(state: RequestState) -> Cell {
    let style = match state {
        RequestState::Ready => GOOD,
        RequestState::Degraded | RequestState::Failed | RequestState::Rejected | RequestState::Expired => BAD,
        RequestState::Deleting | RequestState::Withdrawn => FAINT,
        RequestState::Pending
        | RequestState::AwaitingApproval
        | RequestState::ChangesRequested
        | RequestState::Provisioning
        | RequestState::Updating => WAITING,
    };
    Cell::new(state.label(), style)
}

/// Who has to act next, in a few words.
pub fn actor(actor: Actor) -> &'static str {
    match actor {
        Actor::NoOne => "–",
        Actor::Requester => "requester",
        Actor::Approvers => "approvers",
        Actor::PromiseTeam => "promise team",
        Actor::PlatformTeam => "platform team",
        Actor::Platform => "platform",
        Actor::Capacity => "capacity",
    }
}

/// The lowest price of a promise, for people.
pub fn price(promise: &PromiseSummary) -> String {
    match &promise.price {
        None => "–".to_owned(),
        Some(price) => price.from.as_ref().map_or_else(|| "unknown".to_owned(), |from| format!("from {}/month", money(from))),
    }
}

/// Whether a promise can be requested, in a word.
pub fn available(promise: &PromiseSummary) -> Cell {
    match promise.availability.state {
        AvailabilityState::Available => Cell::new("yes", GOOD),
        AvailabilityState::Disabled => Cell::new("not enabled", WAITING),
        AvailabilityState::Denied => Cell::new("not allowed", WAITING),
        AvailabilityState::Closed => Cell::new("not offered", FAINT),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_are_aligned_and_styles_take_no_space() {
        let mut table = Table::new(Output::Table, &["NAME", "STATE"]);
        table.row(vec!["orders".into(), state(RequestState::Ready)]);
        table.row(vec!["a".into(), Cell::new("Failed", BAD)]);
        let text = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(text, "NAME     STATE\norders   Ready\na        Failed\n");
        assert!(table.render().contains("\u{1b}[32mReady"));
    }

    #[test]
    fn what_others_wrote_cannot_control_the_terminal() {
        assert_eq!(one_line("a\u{1b}[2J\nb\t c", 80), "a[2J b c");
        assert_eq!(printable("a\u{9b}31m\u{7}\nb"), "a31m\nb");
        assert_eq!(one_line(&"x".repeat(100), 10), format!("{}…", "x".repeat(9)));
    }

    #[test]
    fn ages_have_one_unit() {
        let now: Timestamp = "2026-11-26T12:00:00Z".parse().unwrap();
        for (at, shown) in [
            ("2026-11-26T11:59:25Z", "35s"),
            ("2026-11-26T11:48:00Z", "12m"),
            ("2026-11-26T09:00:00Z", "3h"),
            ("2026-11-17T09:00:00Z", "9d"),
            ("2026-11-26T12:00:05Z", "0s"),
            ("soon", "soon"),
        ] {
            assert_eq!(age(at, now), shown, "{at}");
        }
    }

    #[test]
    fn money_and_data_have_their_formats() {
        let amount = Amount { amount: "1234.50".into(), currency: "EUR".into() };
        assert_eq!((monthly(Some(&amount)).as_str(), monthly(None).as_str()), ("€1,234.50/month", "–"));
        assert_eq!(data(Output::Yaml, &json!({"a": [1]})).unwrap(), "a:\n- 1\n");
        assert_eq!(data(Output::Json, &json!({"a": 1})).unwrap(), "{\n  \"a\": 1\n}\n");
        assert_eq!(data(Output::Name, &json!({})), None);
    }
}
