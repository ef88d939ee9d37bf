//! Budgets that policies set for exactly one workspace, or for one with everything below it.

use cluster::WorkspacePath;
use promise::glob;
use promise::price::{Money, decimal_micros};

use crate::state::Portal;

/// All budgets of whole workspaces. One for some promises alone says nothing about the whole, and none of those is here.
pub(super) struct Budgets(Vec<Set>);

/// A budget where it is set.
struct Set {
    home: WorkspacePath,
    /// Whether it reaches beyond what is below its home.
    trusted: bool,
    range: Vec<String>,
    /// Title of the policy.
    title: String,
    per: String,
    money: Money,
}

impl Budgets {
    /// As policies say it now.
    pub(super) fn of(portal: &Portal) -> Self {
        let tree = portal.world.tree();
        let policies = portal.world.policies.snapshot();
        let whole = policies.iter().filter(|(_, policy)| policy.spec.applies_to.promises.is_empty());
        let set = whole.flat_map(|(key, policy)| {
            let budgets = policy.spec.rules.iter().filter_map(|rule| rule.budget.as_ref());
            let tree = &tree;
            budgets.filter_map(move |budget| {
                let home = tree.path(&key.cluster)?;
                Some(Set {
                    trusted: portal.trusted_homes.contains(&home),
                    home,
                    range: policy.spec.applies_to.workspaces.clone(),
                    title: policy.spec.title.clone().unwrap_or_else(|| key.name.clone()),
                    per: budget.per.clone(),
                    money: Money::new(decimal_micros(&budget.monthly).ok()?, budget.currency.clone()),
                })
            })
        });
        Self(set.collect())
    }

    /// The smallest budget of a workspace in a currency, and the title of its policy. `is_leaf` says that nothing below it counts.
    pub(super) fn smallest(&self, path: &WorkspacePath, is_leaf: bool, currency: &str) -> Option<(Money, String)> {
        let found = self.0.iter().filter(|set| set.money.currency == currency && set.is_for(path, is_leaf));
        found.min_by_key(|set| set.money.micros).map(|set| (set.money.clone(), set.title.clone()))
    }
}

impl Set {
    fn is_for(&self, path: &WorkspacePath, is_leaf: bool) -> bool {
        let covered = || self.range.is_empty() || glob::any_path_matches(&self.range, path.as_str());
        let below = || path.as_str().strip_prefix(self.home.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        match self.per.as_str() {
            "subtree" => *path == self.home && self.range.is_empty(),
            "workspace" => is_leaf && covered() && (self.trusted || below()),
            _ => false,
        }
    }
}
