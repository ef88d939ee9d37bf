//! The page of one workspace: what is in it, what applies to it, and who can do what there.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use app::view::{ChildLine, CostGlance, RequestRow, Whole, WorkspacePage, WorkspaceRequests};
use cluster::WorkspacePath;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use promise::price::Money;
use promise::{Error, Result};

use super::{members, policies};
use crate::portal::Caller;
use crate::portal::cost;
use crate::portal::place::{Namespaces, Workspace};
use crate::portal::quota_usage;
use crate::portal::register::Known;
use crate::portal::requests::listing::{Place, Sight};
use crate::portal::requests::rows;
use crate::portal::resources;
use crate::portal::rights::Right;
use crate::portal::topic::{self, Topic};

/// Requests that are named.
const NEWEST: usize = 5;
/// Policies that are named.
const POLICIES: usize = 50;
/// Limits and budgets that are shown.
const CAPS: usize = 20;
/// Workspaces directly below that are named. The others are found on the page of all workspaces.
const CHILDREN: usize = 12;

/// Returns the page.
pub(super) async fn page(caller: &Caller, path: &str) -> Result<WorkspacePage> {
    let portal = caller.portal();
    let workspace = caller.enter(path).await?;
    // Taken before anything is read: the event stream reports what changes in between.
    let seen = topic::seen(caller, &Topic::requests(workspace.cluster.clone())).await?;
    let sight = match caller.listing(&workspace).await {
        Ok(sight) => Ok(sight),
        // A plain Kubernetes cluster has requests in its namespaces only.
        Err(Error::Denied { .. }) if workspace.namespaces == Namespaces::None => Ok(Sight::Within([].into())),
        Err(Error::Denied { reason }) => Err(reason.to_string()),
        Err(error) => return Err(error),
    };
    let walk = caller.walk(caller.nodes_within(Some(&workspace.path))).await;
    let here = sight.as_ref().ok().filter(|sight| !sight.is_nothing()).map(|sight| Place {
        cluster: workspace.cluster.clone(),
        path: workspace.path.clone(),
        sight: sight.clone(),
    });
    let below: Vec<Place> = walk.open.into_iter().filter(|place| place.cluster != workspace.cluster).collect();
    let listed: Vec<Place> = here.iter().chain(&below).filter(|place| !place.sight.is_nothing()).cloned().collect();
    let cost = match listed.is_empty() {
        true => None,
        false => Some(cost::glance(caller, listed).await.map_err(|error| error.to_string())),
    };
    let forecasts = cost.as_ref().and_then(|cost| cost.as_ref().ok());
    let (mut children, count, caps) = portal.register.with(&portal.world, |known| {
        let children = Children::of(known, &workspace.path, &below, forecasts);
        let count: usize = below.iter().map(|place| known.requests(place)).sum();
        (children, count, quota_usage::caps(caller, known, here.as_slice()))
    });
    let (caps, caps_total) = quota_usage::most_used(caller, caps, CAPS);
    let children_total = children.len();
    children.truncate(CHILDREN);
    let members = match members::of(caller, &workspace).await {
        Ok(members) => Ok(members),
        Err(Error::Denied { reason }) => Err(reason.to_string()),
        Err(error) => Err(format!("Members couldn't be loaded: {error}.")),
    };
    let policies_unknown = caller.proven(&workspace).err().map(|error| error.to_string());
    let mut policies = policies::effective(caller, &workspace).await?;
    let policies_total = policies.len();
    policies.truncate(POLICIES);
    Ok(WorkspacePage {
        path: workspace.path.to_string(),
        owner: workspace.owner.clone().unwrap_or_default(),
        above: above(caller, &workspace).await?,
        requests: sight.map(|sight| requests(caller, &workspace, &sight)),
        below: Whole::new(vec![count], portal.lists_as_of(), walk.unseen).total_by(|count| *count),
        policies,
        policies_total,
        policies_unknown,
        caps,
        caps_total,
        members,
        cost,
        children,
        children_total,
        as_of: portal.lists_as_of(),
        seen,
    })
}

/// Returns the workspaces above that the user can enter.
async fn above(caller: &Caller, workspace: &Workspace) -> Result<Vec<String>> {
    let tree = caller.portal().world.tree();
    let mut above = Vec::new();
    for node in tree.lineage(&workspace.cluster).unwrap_or_default() {
        if node.cluster != workspace.cluster && caller.may(&node.cluster, Right::Enter).await? {
            above.push(node.path.to_string());
        }
    }
    Ok(above)
}

/// Returns the requests of the workspace itself, and what was created for them.
fn requests(caller: &Caller, workspace: &Workspace, sight: &Sight) -> WorkspaceRequests {
    let portal = caller.portal();
    let place = Place { cluster: workspace.cluster.clone(), path: workspace.path.clone(), sight: sight.clone() };
    let counts = portal.register.with(&portal.world, |known| known.within(&place).into_owned());
    let resources = resources::summary(caller, &place);
    WorkspaceRequests {
        total: counts.requests,
        states: counts.states.into_iter().collect(),
        pending: counts.pending.into_iter().collect(),
        newest: newest(caller, workspace, sight),
        resources: resources.all,
        healthy: resources.healthy,
        broken: resources.broken,
    }
}

/// Returns the newest requests of the workspace itself.
fn newest(caller: &Caller, workspace: &Workspace, sight: &Sight) -> Vec<RequestRow> {
    let all = caller.portal().world.requests.snapshot();
    let here = all.range(Key::cluster_scoped(&workspace.cluster, "")..).take_while(|(key, _)| key.cluster == workspace.cluster);
    let mut found: Vec<(&Key, &PromiseRequest)> =
        here.filter(|(key, _)| sight.covers(&key.namespace)).map(|(key, request)| (key, &**request)).collect();
    let order = |(key, request): &(&Key, &PromiseRequest)| {
        let created = request.metadata.creation_timestamp.as_ref().map(|time| time.0.as_second());
        (Reverse(created), (*key).clone())
    };
    if found.len() > NEWEST {
        found.select_nth_unstable_by_key(NEWEST, order);
        found.truncate(NEWEST);
    }
    found.sort_unstable_by_key(order);
    found.into_iter().map(|(_, request)| rows::row(caller, workspace, request)).collect()
}

/// The workspaces directly below one.
struct Children;

impl Children {
    /// Adds up the workspaces below, in the order of their names.
    fn of(known: &Known, top: &WorkspacePath, below: &[Place], cost: Option<&CostGlance>) -> Vec<ChildLine> {
        let mut children: BTreeMap<String, ChildLine> = BTreeMap::new();
        for place in below {
            let Some(rest) = place.path.as_str().strip_prefix(top.as_str()).and_then(|rest| rest.strip_prefix(':')) else { continue };
            let name = rest.split(':').next().unwrap_or(rest);
            let child =
                children.entry(name.to_owned()).or_insert_with(|| ChildLine { path: format!("{top}:{name}"), ..ChildLine::default() });
            if name == rest {
                child.open = true;
            } else {
                child.workspaces += 1;
            }
            child.requests += known.requests(place);
            child.broken += known.marked(place).map(|marked| marked.broken.len()).sum::<usize>();
            for money in cost.and_then(|cost| cost.forecasts.get(place.path.as_str())).into_iter().flatten() {
                add(&mut child.forecast, money);
            }
        }
        children.into_values().collect()
    }
}

/// Adds an amount to the sum of its currency.
fn add(sums: &mut Vec<Money>, money: &Money) {
    match sums.iter_mut().find(|sum| sum.currency == money.currency) {
        Some(sum) => sum.micros = sum.micros.saturating_add(money.micros),
        None => sums.push(money.clone()),
    }
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;

    use super::*;

    #[test]
    fn workspaces_below_are_added_up_at_the_level_of_the_children() {
        let place = |path: &str| Place {
            cluster: ClusterId::parse(path.rsplit(':').next().unwrap()).unwrap(),
            path: WorkspacePath::parse(path).unwrap(),
            sight: Sight::Everywhere,
        };
        let below = ["root:acme:data", "root:acme:shop:web", "root:acme:data:lab", "root:acme-labs:x"].map(place);
        let euro = |micros| Money::new(micros, "EUR");
        let forecasts = [("root:acme:data".to_owned(), vec![euro(1)]), ("root:acme:data:lab".to_owned(), vec![euro(2)])];
        let cost = CostGlance { forecasts: forecasts.into(), ..CostGlance::default() };
        let children = Children::of(&Known::default(), &WorkspacePath::parse("root:acme").unwrap(), &below, Some(&cost));
        let shown: Vec<_> =
            children.iter().map(|child| (child.path.as_str(), child.open, child.workspaces, child.forecast.as_slice())).collect();
        assert_eq!(shown, [("root:acme:data", true, 1, [euro(3)].as_slice()), ("root:acme:shop", false, 1, [].as_slice())]);
    }
}
