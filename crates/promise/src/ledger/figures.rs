//! Sums of one currency, and how they add up along the tree of workspaces.

use std::collections::BTreeMap;

/// What something comes to in a month, in one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Counted until now, micro-units.
    pub to_date: i64,
    /// Counted, and what is ready now until the month ends.
    pub forecast: i64,
    /// A whole month of what runs.
    pub estimate: i64,
    /// Instances in it.
    pub instances: usize,
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.to_date = self.to_date.saturating_add(other.to_date);
        self.forecast = self.forecast.saturating_add(other.forecast);
        self.estimate = self.estimate.saturating_add(other.estimate);
        self.instances += other.instances;
    }
}

/// Sums of workspaces by path, with those of everything below, from `top` down; all for an empty `top`.
pub fn roll_up(own: &BTreeMap<String, Figures>, top: &str) -> BTreeMap<String, Figures> {
    let within = |path: &str| top.is_empty() || path == top || path.strip_prefix(top).is_some_and(|below| below.starts_with(':'));
    let mut sums: BTreeMap<String, Figures> = BTreeMap::new();
    for (path, figures) in own.iter().filter(|(path, _)| within(path)) {
        let ends = path.match_indices(':').map(|(at, _)| at).chain([path.len()]);
        for above in ends.filter_map(|end| path.get(..end)).filter(|above| within(above)) {
            *sums.entry(above.to_owned()).or_default() += *figures;
        }
    }
    sums
}
