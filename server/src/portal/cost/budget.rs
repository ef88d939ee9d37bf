//! Budgets that policies set for exactly one workspace, or for one with everything below it.

use promise::api::Budget;
use promise::glob;
use promise::price::{Money, decimal_micros};

use cluster::WorkspacePath;

use crate::state::Portal;

/// The smallest budget of a workspace in a currency, and the title of its policy. `is_leaf` says that nothing below it counts.
///
/// A budget for some promises alone says nothing about the whole, and none of those is found here.
pub(super) fn of(portal: &Portal, path: &WorkspacePath, is_leaf: bool, currency: &str) -> Option<(Money, String)> {
    let tree = portal.world.tree();
    let policies = portal.world.policies.snapshot();
    let found = policies.iter().filter(|(_, policy)| policy.spec.applies_to.promises.is_empty()).flat_map(|(key, policy)| {
        let home = tree.path(&key.cluster);
        let title = policy.spec.title.clone().unwrap_or_else(|| key.name.clone());
        let budgets = policy.spec.rules.iter().filter_map(|rule| rule.budget.as_ref());
        budgets.filter_map(move |budget| {
            let range = &policy.spec.applies_to.workspaces;
            let fits = budget.currency == currency && is_for(budget, home.as_ref()?, range, path, is_leaf, portal);
            let money = fits.then(|| decimal_micros(&budget.monthly).ok()).flatten()?;
            Some((Money::new(money, currency), title.clone()))
        })
    });
    found.min_by_key(|(money, _)| money.micros)
}

fn is_for(budget: &Budget, home: &WorkspacePath, range: &[String], path: &WorkspacePath, is_leaf: bool, portal: &Portal) -> bool {
    let covered = range.is_empty() || glob::any_path_matches(range, path.as_str());
    let above = path == home || path.as_str().starts_with(&format!("{home}:"));
    let reaches = above || portal.trusted_homes.contains(home);
    match budget.per.as_str() {
        "subtree" => path == home && range.is_empty(),
        "workspace" => is_leaf && covered && reaches,
        _ => false,
    }
}
