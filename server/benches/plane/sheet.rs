//! Figures, and the Markdown tables made of them.

use std::time::Duration;

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// Something per second: more is better.
    Rate,
    /// Seconds: less is better.
    Time,
    /// Bytes: less is better.
    Bytes,
}

/// What is wanted of ours divided by theirs.
#[derive(Clone, Copy)]
pub enum Goal {
    /// At least so many times theirs.
    AtLeast(f64),
    /// At most this share of theirs.
    AtMost(f64),
}

/// One measured value.
#[derive(Clone)]
pub struct Figure {
    value: f64,
    unit: Unit,
    detail: String,
    goal: Option<Goal>,
}

impl Figure {
    fn of(value: f64, unit: Unit) -> Self {
        Self { value, unit, detail: String::new(), goal: None }
    }

    /// Something per second.
    pub fn rate(value: f64) -> Self {
        Self::of(value, Unit::Rate)
    }

    /// A time.
    pub fn time(time: Duration) -> Self {
        Self::of(time.as_secs_f64(), Unit::Time)
    }

    /// Memory.
    pub fn bytes(bytes: u64) -> Self {
        Self::of(bytes as f64, Unit::Bytes)
    }

    /// With more about it.
    pub fn with(self, detail: String) -> Self {
        Self { detail, ..self }
    }

    /// With what is wanted.
    pub fn goal(self, goal: Goal) -> Self {
        Self { goal: Some(goal), ..self }
    }

    /// With what is wanted at this size.
    pub fn goal_if(self, applies: bool, goal: Goal) -> Self {
        if applies { self.goal(goal) } else { self }
    }

    fn shown(&self) -> String {
        let value = match self.unit {
            Unit::Rate if self.value >= 100.0 => format!("{:.0}/s", self.value),
            Unit::Rate => format!("{:.2}/s", self.value),
            Unit::Time => format!("{:.1} ms", self.value * 1e3),
            Unit::Bytes if self.value < 1e6 => format!("{:.0} kB", self.value / 1e3),
            Unit::Bytes => format!("{:.1} MB", self.value / 1e6),
        };
        if self.detail.is_empty() { value } else { format!("{value} ({})", self.detail) }
    }
}

/// The figures of one server, in the order in which they were taken.
#[derive(Default)]
pub struct Sheet(Vec<(String, Figure)>);

impl Sheet {
    /// Notes a figure; it is told at once, for those who wait.
    pub fn add(&mut self, name: &str, figure: Figure) {
        eprintln!("    {name}: {}", figure.shown());
        self.0.push((name.to_owned(), figure));
    }
}

/// Both servers beside each other.
pub fn side_by_side(ours: &Sheet, theirs: Option<&Sheet>) -> String {
    let Some(theirs) = theirs else { return alone(ours) };
    let mut table = "| | embedded plane | kube-apiserver + etcd | ratio | goal |\n|---|---|---|---|---|\n".to_owned();
    for ((name, own), (other, reference)) in ours.0.iter().zip(&theirs.0) {
        assert_eq!(name, other, "both are measured alike");
        let ratio = own.value / reference.value;
        let goal = match own.goal {
            None => String::new(),
            Some(Goal::AtLeast(times)) => format!("at least {times}: {}", met(ratio >= times)),
            Some(Goal::AtMost(share)) => format!("at most {share}: {}", met(ratio <= share)),
        };
        table.push_str(&format!("| {name} | {} | {} | {ratio:.3} | {goal} |\n", own.shown(), reference.shown()));
    }
    table
}

/// One server without another to compare with.
pub fn alone(sheet: &Sheet) -> String {
    let rows: String = sheet.0.iter().map(|(name, figure)| format!("| {name} | {} |\n", figure.shown())).collect();
    format!("| | embedded plane |\n|---|---|\n{rows}")
}

fn met(yes: bool) -> &'static str {
    if yes { "met" } else { "**missed**" }
}
