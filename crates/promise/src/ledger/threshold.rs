//! Budgets against what has accrued: which of their thresholds are reached.

use std::collections::BTreeMap;

use crate::api::{AppliesTo, Budget};
use crate::glob;
use crate::price::decimal_micros;

/// A budget that a policy sets.
#[derive(Clone, Copy, Debug)]
pub struct Cap<'a> {
    /// The budget.
    pub budget: &'a Budget,
    /// Range of its policy.
    pub range: &'a AppliesTo,
    /// Logical cluster id of the workspace where it is set.
    pub cluster: &'a str,
    /// Whether that is a trusted home, whose policies reach across the tree.
    pub trusted: bool,
}

/// A workspace in which something costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spender {
    /// Its path.
    pub path: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Logical cluster ids from the root down to it.
    pub lineage: Vec<String>,
}

/// What requests of one promise have cost in one workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spending<'a> {
    /// Where.
    pub by: &'a Spender,
    /// Name of the promise.
    pub promise: &'a str,
    /// ISO 4217.
    pub currency: &'a str,
    /// Millionths.
    pub micros: i64,
}

/// A threshold that is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Logical cluster id of the workspace that the amount is for, with everything below it where the budget says so.
    pub cluster: String,
    /// The largest percentage that is reached.
    pub threshold: u32,
    /// What has accrued, in millionths.
    pub spent: i64,
    /// The budget, in millionths.
    pub most: i64,
}

impl Cap<'_> {
    /// The largest threshold that is reached by each workspace that has this budget, of what has accrued in a month.
    pub fn reached<'s>(&self, spendings: impl IntoIterator<Item = Spending<'s>>) -> Vec<Reached> {
        let Ok(most) = decimal_micros(&self.budget.monthly) else { return Vec::new() };
        let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
        for spending in spendings {
            let counts = spending.currency == self.budget.currency
                && (self.range.promises.is_empty() || glob::any_name_matches(&self.range.promises, spending.promise));
            if let Some(cluster) = self.bearer(spending.by).filter(|_| counts) {
                let sum = sums.entry(cluster).or_default();
                *sum = sum.saturating_add(spending.micros);
            }
        }
        let thresholds = self.budget.thresholds();
        let reached = |(cluster, spent): (&str, i64)| {
            let is = |percent: &&u32| spent > 0 && i128::from(spent) * 100 >= i128::from(most) * i128::from(**percent);
            let threshold = *thresholds.iter().rev().find(is)?;
            Some(Reached { cluster: cluster.to_owned(), threshold, spent, most })
        };
        sums.into_iter().filter_map(reached).collect()
    }

    /// Whose budget it is that a workspace spends: its own, or that of the workspace where a budget for everything below is set. The same
    /// requests count as when one more is judged ([`crate::policy::Tally`]).
    fn bearer<'s>(&'s self, spender: &'s Spender) -> Option<&'s str> {
        let below = spender.lineage.iter().any(|cluster| cluster == self.cluster);
        let covered = (self.range.workspaces.is_empty() || glob::any_path_matches(&self.range.workspaces, &spender.path))
            && self.range.workspace_labels.iter().all(|(key, value)| spender.labels.get(key) == Some(value));
        let own = spender.lineage.last().map(String::as_str);
        match self.budget.per.as_str() {
            "workspace" => own.filter(|_| covered && (below || self.trusted)),
            "subtree" => (below || (self.trusted && covered)).then_some(self.cluster),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spender(path: &str) -> Spender {
        let lineage: Vec<String> = path.split(':').map(str::to_owned).collect();
        Spender { path: path.to_owned(), labels: BTreeMap::from([("org".to_owned(), "acme".to_owned())]), lineage }
    }

    fn reached(per: &str, range: &AppliesTo, trusted: bool, spendings: &[(&str, &str, &str, i64)]) -> Vec<(String, u32, i64)> {
        let budget = Budget {
            monthly: "10.00".into(),
            currency: "EUR".into(),
            per: per.into(),
            thresholds: Some(vec![100, 50]),
            ..Budget::default()
        };
        let spenders: Vec<Spender> = spendings.iter().map(|(path, ..)| spender(path)).collect();
        let cap = Cap { budget: &budget, range, cluster: "acme", trusted };
        let all = spendings.iter().zip(&spenders);
        let all = all.map(|((_, promise, currency, micros), by)| Spending { by, promise, currency, micros: *micros });
        cap.reached(all).into_iter().map(|reached| (reached.cluster, reached.threshold, reached.spent)).collect()
    }

    const ALL: fn() -> AppliesTo = AppliesTo::default;

    #[test]
    fn a_subtree_spends_together_and_workspaces_each_for_themselves() {
        let spent = [
            ("root:acme:shop", "redis", "EUR", 3_000_000),
            ("root:acme:data", "redis", "EUR", 2_000_000),
            ("root:globex", "redis", "EUR", 90_000_000),
        ];
        assert_eq!(reached("subtree", &ALL(), false, &spent), [("acme".to_owned(), 50, 5_000_000)]);
        assert_eq!(reached("workspace", &ALL(), false, &spent), []);
        let spent = [("root:acme:shop", "redis", "EUR", 10_000_000), ("root:acme:data", "redis", "EUR", 4_999_999)];
        assert_eq!(reached("workspace", &ALL(), false, &spent), [("shop".to_owned(), 100, 10_000_000)]);
    }

    #[test]
    fn other_currencies_promises_and_places_do_not_count() {
        let spent = [("root:acme:shop", "redis", "USD", 99_000_000), ("root:acme:shop", "postgresql", "EUR", 5_000_000)];
        assert_eq!(reached("subtree", &ALL(), false, &spent), [("acme".to_owned(), 50, 5_000_000)]);
        let redis = AppliesTo { promises: vec!["redis".into()], ..AppliesTo::default() };
        assert_eq!(reached("subtree", &redis, false, &spent), []);
        let elsewhere = AppliesTo { workspaces: vec!["root:globex:**".into()], ..AppliesTo::default() };
        let spent = [("root:globex:web", "redis", "EUR", 11_000_000)];
        assert_eq!(reached("subtree", &elsewhere, false, &spent), [], "only trusted homes reach across the tree");
        assert_eq!(reached("subtree", &elsewhere, true, &spent), [("acme".to_owned(), 100, 11_000_000)]);
        assert_eq!(reached("workspace", &elsewhere, true, &spent), [("web".to_owned(), 100, 11_000_000)]);
        let others = AppliesTo { workspace_labels: [("org".to_owned(), "globex".to_owned())].into(), ..AppliesTo::default() };
        assert_eq!(reached("workspace", &others, true, &spent), []);
    }

    #[test]
    fn nothing_reaches_nothing_and_sums_do_not_overflow() {
        assert_eq!(reached("subtree", &ALL(), false, &[("root:acme", "redis", "EUR", 0)]), []);
        let spent = [("root:acme", "redis", "EUR", i64::MAX), ("root:acme:shop", "redis", "EUR", i64::MAX)];
        assert_eq!(reached("subtree", &ALL(), false, &spent), [("acme".to_owned(), 100, i64::MAX)]);
        assert_eq!(reached("month", &ALL(), false, &spent), []);
    }
}
