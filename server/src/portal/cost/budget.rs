//! Budgets that policies set for exactly one workspace, or for one with everything below it, compared with the costs that a user can see.

use std::collections::HashSet;
use std::sync::Arc;

use app::view::CostBudget;
use cluster::workspaces::{Node, Tree};
use cluster::{ClusterId, WorkspacePath, World};
use promise::api::AppliesTo;
use promise::policy::{Origin, Per, Reach};
use promise::price::Money;

use super::report_scope::ReportScope;
use crate::portal::Portal;
use crate::portal::place::Namespaces;
use crate::portal::quota_usage;
use crate::portal::requests::listing::{Place, Sight};

/// All budgets of whole workspaces. Budgets for individual promises say nothing about the whole workspace and are left out.
pub(super) struct Budgets<'a> {
    sets: Vec<Set>,
    world: &'a World,
    tree: Arc<Tree>,
    /// Whether the report is about the present month: usage is known as of now.
    is_current: bool,
    /// Workspaces of which the user sees everything.
    seen: HashSet<&'a ClusterId>,
}

/// A budget and where it is set.
struct Set {
    home: WorkspacePath,
    cluster: ClusterId,
    /// Names of the policy and the rule.
    of: (String, String),
    /// Whether it applies beyond what is below its home.
    trusted: bool,
    range: AppliesTo,
    /// Title of the policy.
    title: String,
    per: String,
    money: Money,
}

impl<'a> Budgets<'a> {
    /// Reads the budgets from the present policies.
    pub(super) fn of(portal: &'a Portal, scope: &'a ReportScope) -> Self {
        let tree = portal.world.tree();
        let policies = portal.world.policies.snapshot();
        let whole = policies.iter().filter(|(_, policy)| policy.spec.applies_to.promises.is_empty());
        let set = whole.flat_map(|(key, policy)| {
            let budgets = policy.spec.rules.iter().filter_map(|rule| Some((rule, rule.budget.as_ref()?)));
            let tree = &tree;
            budgets.filter_map(move |(rule, budget)| {
                let home = tree.path(&key.cluster)?;
                Some(Set {
                    trusted: portal.trusted_homes.contains(&home),
                    home,
                    cluster: key.cluster.clone(),
                    of: (key.name.clone(), rule.name.clone()),
                    range: policy.spec.applies_to.clone(),
                    title: policy.spec.title.clone().unwrap_or_else(|| key.name.clone()),
                    per: budget.per.clone(),
                    money: quota_usage::amount(budget)?,
                })
            })
        });
        let sets = set.collect();
        let seen = scope.places.iter().filter(|place| sees_all(place)).map(|place| &place.cluster).collect();
        Self { sets, world: &portal.world, tree, is_current: scope.is_current, seen }
    }

    /// Returns the smallest budget of a workspace in a currency. `is_alone` means that the sum includes nothing else.
    pub(super) fn smallest(&self, path: &WorkspacePath, is_alone: bool, currency: &str) -> Option<CostBudget> {
        let lineage = self.tree.lineage(&self.tree.cluster(path)?)?;
        let node = lineage.last()?;
        let found = self.sets.iter().filter(|set| set.money.currency == currency && set.is_for(node, is_alone, &self.tree));
        let set = found.min_by_key(|set| set.money.micros)?;
        let counts = |other: &&Node| if set.is_subtree() { path.contains(&other.path) } else { other.cluster == node.cluster };
        Some(CostBudget {
            money: set.money.clone(),
            used: self.is_current.then(|| set.used(self.world, node)),
            policy: set.title.clone(),
            whole: self.tree.all().iter().filter(counts).all(|node| has_none(&node.cluster) || self.seen.contains(&node.cluster)),
        })
    }
}

/// Checks whether the user sees every request of a place.
fn sees_all(place: &Place) -> bool {
    match Namespaces::of(&place.cluster) {
        Namespaces::Any => place.sight == Sight::Everywhere,
        Namespaces::One(only) => place.sight.covers(&only),
        Namespaces::None => true,
    }
}

/// Checks whether it can't contain any requests.
fn has_none(cluster: &ClusterId) -> bool {
    matches!(Namespaces::of(cluster), Namespaces::None)
}

impl Set {
    fn is_subtree(&self) -> bool {
        self.per == "subtree"
    }

    fn is_for(&self, node: &Node, is_alone: bool, tree: &Tree) -> bool {
        if self.is_subtree() {
            // A budget that covers only part of the workspaces below, or workspaces elsewhere as for a trusted home, can't be compared with
            // the sum.
            let mut below = tree.all().iter().filter(|other| self.home.contains(&other.path) && !has_none(&other.cluster));
            return node.path == self.home && !self.trusted && below.all(|other| self.covers(other));
        }
        self.per == "workspace" && is_alone && self.covers(node) && (self.trusted || self.home.contains(&node.path))
    }

    /// Returns what counts toward it for requests in a workspace, as other pages show it.
    fn used(&self, world: &World, node: &Node) -> Money {
        let per = if self.is_subtree() { Per::Subtree } else { Per::Workspace };
        // That of a trusted home is shown only if it counts each workspace alone.
        let reach = Reach::of(per, Origin::Ancestor { distance: 0 }, self.cluster.as_str(), node.cluster.as_str(), &self.range);
        let tally = quota_usage::tally(&self.cluster, (&self.of.0, &self.of.1), &[], &self.money.currency, reach);
        Money::new(quota_usage::spent(world, &tally).micros, self.money.currency.clone())
    }

    fn covers(&self, node: &Node) -> bool {
        self.range.covers_workspace(node.path.as_str(), &node.labels)
    }
}
