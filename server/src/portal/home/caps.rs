//! Limits and budgets that bind where a person may list requests, with what is taken of them.

use std::collections::{BTreeMap, BTreeSet};

use cluster::kinds::Policy;
use cluster::watch::Key;
use cluster::workspaces::{Node, Tree};
use cluster::{ClusterId, WorkspacePath};
use promise::api::{Budget, Limit};
use promise::policy::Per;
use promise::price::{Money, decimal_micros};
use promise::view::{CapLine, CapRoom};
use promise::{glob, wording};

use crate::auth::Caller;
use crate::portal::register::{Known, Of, OfPromise};
use crate::portal::requests::listing::Place;
use crate::portal::titles::Titles;

/// Lines that are shown.
const SHOWN: usize = 5;

/// The fullest, and how many there are.
pub(super) fn of(caller: &Caller, known: &Known, places: &[Place]) -> (Vec<CapLine>, usize) {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let lineages: Vec<Vec<Node>> = places.iter().filter_map(|place| tree.lineage(&place.cluster)).collect();
    let trusted: BTreeSet<ClusterId> = portal.trusted_homes.iter().filter_map(|home| tree.cluster(home)).collect();
    let mut homes: BTreeSet<ClusterId> = lineages.iter().flatten().map(|node| node.cluster.clone()).collect();
    homes.extend(trusted.iter().cloned());
    let policies = portal.world.policies.snapshot();
    let titles = Titles::known(caller, known, lineages.iter().filter_map(|way| way.last()).map(|node| &node.cluster));
    let mut lines = Vec::new();
    for home in &homes {
        let Some(path) = tree.path(home) else { continue };
        let of_home = policies.range(Key::cluster_scoped(home, "")..).take_while(|(key, _)| key.cluster == *home);
        for (key, policy) in
            of_home.filter(|(_, policy)| policy.spec.rules.iter().any(|rule| rule.limit.is_some() || rule.budget.is_some()))
        {
            let within: Vec<&Node> =
                lineages.iter().filter(|lineage| binds(policy, home, &trusted, lineage)).filter_map(|way| way.last()).collect();
            if !within.is_empty() {
                let above = lineages.iter().flatten().any(|node| node.cluster == *home);
                let set = Set { name: &key.name, policy, home, path: &path, reaches_beyond: trusted.contains(home) && !above };
                set.lines(known, &tree, &within, &titles, &mut lines);
            }
        }
    }
    lines.sort_by_cached_key(|line: &CapLine| {
        (std::cmp::Reverse(line.room.percent()), line.workspace.clone(), line.title.clone(), line.promises.clone())
    });
    let total = lines.len();
    lines.truncate(SHOWN);
    (lines, total)
}

/// Whether a policy binds at the end of a way from the root: it is set on the way, or in a trusted home, and its range covers the place.
fn binds(policy: &Policy, home: &ClusterId, trusted: &BTreeSet<ClusterId>, lineage: &[Node]) -> bool {
    let Some(node) = lineage.last() else { return false };
    let range = &policy.spec.applies_to;
    let covered = range.workspaces.is_empty() || glob::any_path_matches(&range.workspaces, node.path.as_str());
    let labelled = range.workspace_labels.iter().all(|(name, value)| node.labels.get(name) == Some(value));
    let reaches = lineage.iter().any(|above| above.cluster == *home) || trusted.contains(home);
    covered && labelled && reaches
}

/// A policy in its home.
struct Set<'a> {
    name: &'a str,
    policy: &'a Policy,
    home: &'a ClusterId,
    path: &'a WorkspacePath,
    /// Whether its range lies beside its home instead of below.
    reaches_beyond: bool,
}

impl Set<'_> {
    /// Its caps: one for each workspace where it says so, else one for all that count together.
    fn lines(&self, known: &Known, tree: &Tree, within: &[&Node], titles: &Titles, lines: &mut Vec<CapLine>) {
        for rule in &self.policy.spec.rules {
            let per = rule.limit.as_ref().map(|limit| &limit.per).or(rule.budget.as_ref().map(|budget| &budget.per));
            let Some(per) = per.and_then(|per| Per::parse(per)) else { continue };
            let reaches: Vec<(String, bool, Vec<ClusterId>)> = match per {
                Per::Workspace => within.iter().map(|node| (node.path.to_string(), false, vec![node.cluster.clone()])).collect(),
                Per::Subtree if !self.reaches_beyond => vec![(self.path.to_string(), true, below(tree, self.home))],
                // Of a home whose policies reach beyond it: everything that its range covers.
                Per::Subtree | Per::Promise => vec![("everywhere".to_owned(), false, self.covered(tree))],
            };
            for (workspace, below, clusters) in reaches {
                let line = |promises: String, room: CapRoom| CapLine {
                    title: self.policy.spec.title.clone().unwrap_or_else(|| self.name.to_owned()),
                    source: self.path.to_string(),
                    policy: self.name.to_owned(),
                    workspace: workspace.clone(),
                    seen_from: within.last().map(|node| node.path.to_string()).unwrap_or_default(),
                    below,
                    promises,
                    room,
                };
                if let Some(limit) = &rule.limit {
                    lines.extend(self.counted(known, &clusters, limit, titles).into_iter().map(|(promise, room)| line(promise, room)));
                }
                if let Some(room) = rule.budget.as_ref().and_then(|budget| self.spent(known, &clusters, budget)) {
                    lines.push(line(self.promises(titles), room));
                }
            }
        }
    }

    /// Workspaces that the range covers, wherever they are; all without one.
    fn covered(&self, tree: &Tree) -> Vec<ClusterId> {
        let range = &self.policy.spec.applies_to.workspaces;
        let covered = |node: &&Node| range.is_empty() || glob::any_path_matches(range, node.path.as_str());
        tree.all().iter().filter(covered).map(|node| node.cluster.clone()).collect()
    }

    /// Which promises it is about; empty for all.
    fn promises(&self, titles: &Titles) -> String {
        let names: Vec<String> = self.policy.spec.applies_to.promises.iter().map(|name| titles.title(name)).collect();
        wording::all_of(&names)
    }

    fn covers(&self, of: &Of) -> bool {
        let names = &self.policy.spec.applies_to.promises;
        names.is_empty() || glob::any_name_matches(names, &of.name)
    }

    /// A limit is for each promise by itself; of promises that nobody uses nothing is said.
    fn counted(&self, known: &Known, clusters: &[ClusterId], limit: &Limit, titles: &Titles) -> Vec<(String, CapRoom)> {
        let mut taken: BTreeMap<&Of, usize> = BTreeMap::new();
        for (of, counts) in counts(known, clusters).filter(|(of, counts)| self.covers(of) && counts.accepted > 0) {
            *taken.entry(of).or_default() += counts.accepted;
        }
        let room = |(of, used): (&Of, usize)| (titles.title(&of.name), CapRoom::Count { used, most: limit.count });
        taken.into_iter().map(room).collect()
    }

    /// What a budget is about, added up; nothing for a budget that cannot be read.
    fn spent(&self, known: &Known, clusters: &[ClusterId], budget: &Budget) -> Option<CapRoom> {
        let most = Money::new(decimal_micros(&budget.monthly).ok()?, budget.currency.clone());
        let (mut micros, mut unknown) = (0_i64, 0);
        for (_, counts) in counts(known, clusters).filter(|(of, _)| self.covers(of)) {
            let (spent, priced) = counts.monthly.get(&budget.currency).copied().unwrap_or_default();
            micros = micros.saturating_add(spent);
            // What costs nothing in this currency is as unknown here as what has no price.
            unknown += counts.accepted.saturating_sub(priced);
        }
        Some(CapRoom::Spent { used: Money::new(micros, budget.currency.clone()), most, unknown })
    }
}

/// Requests by promise in workspaces, whoever may see them: as the rules count them.
fn counts<'a>(known: &'a Known, clusters: &'a [ClusterId]) -> impl Iterator<Item = (&'a Of, &'a OfPromise)> {
    clusters.iter().flat_map(|cluster| known.each(cluster)).flat_map(|counts| &counts.promises)
}

/// A workspace and all below it.
fn below(tree: &Tree, top: &ClusterId) -> Vec<ClusterId> {
    let mut all = vec![top.clone()];
    let mut at = 0;
    while let Some(cluster) = all.get(at).cloned() {
        all.extend(tree.children(&cluster).map(|(_, child)| child.clone()));
        at += 1;
    }
    all
}
