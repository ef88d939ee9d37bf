//! Totals in one currency, summed up along the workspace tree.

use std::collections::BTreeMap;

/// Monthly figures in one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Cost so far, in micro-units.
    pub to_date: i64,
    /// Cost so far, plus everything that is ready now until the end of the month.
    pub forecast: i64,
    /// Cost of everything that is running, for a whole month.
    pub estimate: i64,
    /// Number of instances.
    pub instances: usize,
    /// What instances would have cost so far in addition if they had been ready all the time, see [`super::shortfall`].
    pub shortfall: i64,
    /// Cost of the first days of the month, those that are compared with another month.
    pub days: i64,
    /// Cost of the same days of that month.
    pub same_days: i64,
    /// Cost of that whole month.
    pub before: i64,
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.to_date = self.to_date.saturating_add(other.to_date);
        self.forecast = self.forecast.saturating_add(other.forecast);
        self.estimate = self.estimate.saturating_add(other.estimate);
        self.instances += other.instances;
        self.shortfall = self.shortfall.saturating_add(other.shortfall);
        self.days = self.days.saturating_add(other.days);
        self.same_days = self.same_days.saturating_add(other.same_days);
        self.before = self.before.saturating_add(other.before);
    }
}

/// Returns totals of workspaces by path, each including everything below it, from `top` down. An empty `top` means all.
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
