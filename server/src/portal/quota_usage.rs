//! Limits and budgets that apply where a user can list requests, with their usage.
//!
//! Usage is counted as the rules count it, for all requesters. Limits are shown only for promises of which the user can list a request. What
//! counts toward a budget comes from [`spent`] on every page: Home, the page of a workspace and the cost page.

use std::collections::{BTreeMap, BTreeSet};

use app::view::{CapLine, CapRoom};
use cluster::kinds::Policy;
use cluster::usage::Census;
use cluster::watch::Key;
use cluster::workspaces::{Node, Tree};
use cluster::{ClusterId, WorkspacePath, World};
use promise::api::{AppliesTo, Budget, Limit, Rule};
use promise::policy::{Origin, Per, Promises, Provenance, Reach, Spent, Tally};
use promise::price::{Money, decimal_micros};
use promise::{glob, wording};

use crate::portal::Caller;
use crate::portal::platform::list;
use crate::portal::register::{Known, Of, OfPromise};
use crate::portal::requests::listing::Place;
use crate::portal::titles::Titles;

/// A limit or budget, and what has to be counted for a budget.
pub(super) struct Cap {
    line: CapLine,
    tally: Option<Tally>,
}

/// Returns those with the highest usage, at most `most`, and how many there are.
pub(super) fn most_used(caller: &Caller, caps: Vec<Cap>, most: usize) -> (Vec<CapLine>, usize) {
    let world = &caller.portal().world;
    let line = |Cap { mut line, tally }: Cap| {
        if let (CapRoom::Spent { used, unknown, .. }, Some(tally)) = (&mut line.room, &tally) {
            let spent = spent(world, tally);
            used.micros = spent.micros;
            *unknown = usize::try_from(spent.unknown).unwrap_or(usize::MAX);
        }
        line
    };
    let mut lines: Vec<CapLine> = caps.into_iter().map(line).collect();
    lines.sort_by_cached_key(|line: &CapLine| {
        (std::cmp::Reverse(line.room.percent()), line.workspace.clone(), line.title.clone(), line.promises.clone())
    });
    let total = lines.len();
    lines.truncate(most);
    (lines, total)
}

/// Returns what has to be counted for a budget of a policy. `of` are the names of the policy and the rule, `promises` those that the policy
/// applies to.
pub(super) fn tally(home: &ClusterId, of: (&str, &str), promises: &[String], currency: &str, reach: Reach) -> Tally {
    Tally {
        rule: Provenance::id_of_policy(home.as_str(), of.0, of.1),
        promises: Promises::Covered(promises.to_vec()),
        reach,
        currency: Some(currency.to_owned()),
    }
}

/// Returns what counts toward a budget, as it is counted when a request is judged.
pub(super) fn spent(world: &World, tally: &Tally) -> Spent {
    let usage = Census::shown(world, None).last_known(std::slice::from_ref(tally));
    usage.spent.get(&tally.rule).copied().unwrap_or_default()
}

/// Returns the limits and budgets that apply in places, in no order.
pub(super) fn caps(caller: &Caller, known: &Known, places: &[Place]) -> Vec<Cap> {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let stands: Vec<Stand<'_>> = places.iter().filter_map(|place| Some(Stand { place, way: tree.lineage(&place.cluster)? })).collect();
    let trusted: BTreeSet<ClusterId> = portal.trusted_homes.iter().filter_map(|home| tree.cluster(home)).collect();
    let mut homes: BTreeSet<ClusterId> = stands.iter().flat_map(|stand| &stand.way).map(|node| node.cluster.clone()).collect();
    homes.extend(trusted.iter().cloned());
    let policies = portal.world.policies.snapshot();
    let titles = Titles::known(caller, known, stands.iter().map(|stand| &stand.place.cluster));
    let mut caps = Vec::new();
    for home in &homes {
        let Some(path) = tree.path(home) else { continue };
        let of_home = policies.range(Key::cluster_scoped(home, "")..).take_while(|(key, _)| key.cluster == *home);
        for (key, policy) in of_home.filter(|(_, policy)| policy.spec.rules.iter().any(|rule| per(rule).is_some())) {
            let within: Vec<&Stand<'_>> = stands.iter().filter(|stand| stand.is_bound(policy, home, &trusted)).collect();
            if !within.is_empty() {
                Set { name: &key.name, policy, home, path: &path }.add(known, &tree, &within, &titles, &mut caps);
            }
        }
    }
    caps
}

/// Returns the scope of a rule's cap. `None` if it has no cap, or one that can't be applied.
fn per(rule: &Rule) -> Option<Per> {
    match (&rule.limit, &rule.budget) {
        (Some(limit), None) => Per::parse(&limit.per),
        (None, Some(budget)) => Per::parse(&budget.per).filter(|per| *per != Per::Promise),
        _ => None,
    }
}

/// A workspace of the user, with the path from the root to it.
struct Stand<'a> {
    place: &'a Place,
    way: Vec<Node>,
}

impl Stand<'_> {
    /// Checks whether a policy applies here: it is set on the path or in a trusted home, and its scope covers the workspace.
    fn is_bound(&self, policy: &Policy, home: &ClusterId, trusted: &BTreeSet<ClusterId>) -> bool {
        let Some(node) = self.way.last() else { return false };
        let reaches = self.way.iter().any(|above| above.cluster == *home) || trusted.contains(home);
        reaches && policy.spec.applies_to.covers_workspace(node.path.as_str(), &node.labels)
    }

    /// Returns the origin through which a policy of a home applies here.
    fn origin(&self, home: &ClusterId) -> Origin {
        let distance = self.way.iter().rev().position(|above| above.cluster == *home);
        distance.map_or(Origin::TrustedHome, |distance| Origin::Ancestor { distance: u32::try_from(distance).unwrap_or(u32::MAX) })
    }
}

/// A policy in its home.
struct Set<'a> {
    name: &'a str,
    policy: &'a Policy,
    home: &'a ClusterId,
    path: &'a WorkspacePath,
}

impl Set<'_> {
    /// Adds its caps, each with those workspaces of the user whose requests count together.
    fn add(&self, known: &Known, tree: &Tree, within: &[&Stand<'_>], titles: &Titles, caps: &mut Vec<Cap>) {
        for rule in &self.policy.spec.rules {
            let Some(per) = per(rule) else { continue };
            for (reach, within) in self.reaches(per, within) {
                let seen_from = within.last().map(|stand| stand.place.path.to_string()).unwrap_or_default();
                let (workspace, below) = match &reach {
                    Reach::Workspace { .. } => (seen_from.clone(), false),
                    Reach::Subtree { range, .. } if range.covers_all_workspaces() => (self.path.to_string(), true),
                    Reach::Subtree { range, .. } => (list::of_range(range, &format!("{} and below", self.path)), false),
                    Reach::Covered(range) => (list::of_range(range, "everywhere"), false),
                };
                let line = |promises: String, room: CapRoom| CapLine {
                    title: self.policy.spec.title.clone().unwrap_or_else(|| self.name.to_owned()),
                    source: self.path.to_string(),
                    policy: self.name.to_owned(),
                    workspace: workspace.clone(),
                    seen_from: seen_from.clone(),
                    below,
                    promises,
                    room,
                };
                if let Some(limit) = &rule.limit {
                    let counted = self.counted(known, &reached(tree, &reach), &within, limit, titles);
                    caps.extend(counted.into_iter().map(|(promise, room)| Cap { line: line(promise, room), tally: None }));
                }
                if let Some((budget, most)) = rule.budget.as_ref().and_then(|budget| Some((budget, amount(budget)?))) {
                    let room = CapRoom::Spent { used: Money::new(0, budget.currency.clone()), most, unknown: 0 };
                    let line = line(self.promises(titles), room);
                    let promises = &self.policy.spec.applies_to.promises;
                    let tally = tally(self.home, (self.name, &rule.name), promises, &budget.currency, reach);
                    caps.push(Cap { line, tally: Some(tally) });
                }
            }
        }
    }

    /// Groups the workspaces by what counts together for requests in them.
    fn reaches<'s, 'p>(&self, per: Per, within: &[&'s Stand<'p>]) -> BTreeMap<Reach, Vec<&'s Stand<'p>>> {
        let mut reaches: BTreeMap<Reach, Vec<&'s Stand<'p>>> = BTreeMap::new();
        for stand in within.iter().copied() {
            let (origin, range) = (stand.origin(self.home), &self.policy.spec.applies_to);
            let reach = Reach::of(per, origin, self.home.as_str(), stand.place.cluster.as_str(), range);
            reaches.entry(reach).or_default().push(stand);
        }
        reaches
    }

    /// Describes which promises it applies to. Empty for all.
    fn promises(&self, titles: &Titles) -> String {
        let names: Vec<String> = self.policy.spec.applies_to.promises.iter().map(|name| titles.title(name)).collect();
        wording::all_of(&names)
    }

    fn covers(&self, of: &Of) -> bool {
        let names = &self.policy.spec.applies_to.promises;
        names.is_empty() || glob::any_name_matches(names, &of.name)
    }

    /// Counts a limit, which applies to each promise separately. Promises without requests, or with requests of others only, are left out.
    fn counted(
        &self,
        known: &Known,
        clusters: &[ClusterId],
        within: &[&Stand<'_>],
        limit: &Limit,
        titles: &Titles,
    ) -> Vec<(String, CapRoom)> {
        let mut own: BTreeSet<Of> = BTreeSet::new();
        for stand in within {
            own.extend(known.within(stand.place).promises.keys().filter(|of| self.covers(of)).cloned());
        }
        let mut taken: BTreeMap<&Of, usize> = BTreeMap::new();
        for (of, counts) in counts(known, clusters).filter(|(of, counts)| own.contains(*of) && counts.accepted > 0) {
            *taken.entry(of).or_default() += counts.accepted;
        }
        let room = |(of, used): (&Of, usize)| (titles.title(&of.name), CapRoom::Count { used, most: limit.count });
        taken.into_iter().map(room).collect()
    }
}

/// Returns the amount of a budget; `None` if it can't be read.
pub(super) fn amount(budget: &Budget) -> Option<Money> {
    Some(Money::new(decimal_micros(&budget.monthly).ok()?, budget.currency.clone()))
}

/// Returns the requests by promise in workspaces, regardless of who can see them: as the rules count them.
fn counts<'a>(known: &'a Known, clusters: &'a [ClusterId]) -> impl Iterator<Item = (&'a Of, &'a OfPromise)> {
    clusters.iter().flat_map(|cluster| known.each(cluster)).flat_map(|counts| &counts.promises)
}

/// Returns the workspaces in which requests count together.
fn reached(tree: &Tree, reach: &Reach) -> Vec<ClusterId> {
    let id = |node: &Node| node.cluster.clone();
    match reach {
        Reach::Workspace { cluster } => ClusterId::parse(cluster).into_iter().collect(),
        Reach::Subtree { cluster, range } => {
            let top = ClusterId::parse(cluster).ok().and_then(|cluster| tree.path(&cluster));
            top.map(|top| covered(tree, range).filter(|node| top.contains(&node.path)).map(id).collect()).unwrap_or_default()
        }
        Reach::Covered(range) => covered(tree, range).map(id).collect(),
    }
}

/// Returns the workspaces in a scope.
fn covered<'t>(tree: &'t Tree, range: &AppliesTo) -> impl Iterator<Item = &'t Node> {
    tree.all().iter().filter(|node| range.covers_workspace(node.path.as_str(), &node.labels))
}
