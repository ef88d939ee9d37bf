//! The instances of one workspace, with their costs in a month.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use app::view::{CostInstance, InstanceStanding, PriceSource};
use cluster::kinds::PromiseRequest;
use cluster::orphans::Orphan;
use ledger::{price, project};
use promise::Result;
use promise::identity::username_of;
use promise::price::Money;
use store::MonthLine;

use super::report_scope::ReportScope;
use super::unread;
use crate::portal::Caller;
use crate::portal::requests::listing::Place;
use crate::portal::requests::rows;

/// Instances per page.
const PAGE: usize = 15;

/// One page of instances.
#[derive(Default)]
pub(super) struct Instances {
    pub(super) shown: Vec<CostInstance>,
    /// Number of instances on all pages.
    pub(super) total: usize,
    pub(super) pages: usize,
    /// Number of this page, starting at 1.
    pub(super) page: usize,
}

/// Returns the instances of the selected workspace. Empty if all workspaces are selected.
pub(super) async fn page(caller: &Caller, scope: &ReportScope, page: usize) -> Result<Instances> {
    let place = scope.top.as_ref().and_then(|top| scope.places.iter().find(|place| place.path == *top));
    let found = match place {
        Some(place) => all(caller, scope, place).await?,
        None => Vec::new(),
    };
    let total = found.len();
    let pages = total.div_ceil(PAGE).max(1);
    let page = page.clamp(1, pages);
    Ok(Instances { shown: found.into_iter().skip((page - 1) * PAGE).take(PAGE).collect(), total, pages, page })
}

async fn all(caller: &Caller, scope: &ReportScope, place: &Place) -> Result<Vec<CostInstance>> {
    let portal = caller.portal();
    let mut lines = portal.store.month_lines(scope.month.start(), &place.cluster.to_string()).await.map_err(unread)?;
    lines.retain(|line| place.sight.covers(&line.namespace));
    let there: HashMap<String, Arc<PromiseRequest>> = portal
        .requests_of(&place.cluster)
        .into_iter()
        .filter(|(key, _)| place.sight.covers(&key.namespace))
        .filter_map(|(_, request)| Some((request.metadata.uid.clone()?, request)))
        .collect();
    let left: HashMap<String, Arc<Orphan>> =
        portal.register.with(&portal.world, |known| known.orphans(place).map(|orphan| (orphan.uid.clone(), orphan.clone())).collect());
    let standing = |uid: &str| match (there.contains_key(uid), left.get(uid)) {
        (_, Some(orphan)) => orphaned(caller, orphan),
        (true, None) => InstanceStanding::Requested,
        (false, None) => InstanceStanding::Gone,
    };
    let titles = scope.titles(caller);
    let counted: HashSet<String> = lines.iter().map(|line| line.uid.clone()).collect();
    let mut found: Vec<CostInstance> = Vec::new();
    for line in joined(lines) {
        let request = there.get(&line.uid);
        found.push(CostInstance {
            workspace: place.path.to_string(),
            standing: standing(&line.uid),
            promise: request.map_or_else(|| titles.title(&line.promise), |request| rows::presentation(caller, &place.cluster, request).0),
            to_date: (!line.currency.is_empty()).then(|| Money::new(line.micros, line.currency.clone())),
            estimate: left
                .get(&line.uid)
                .map_or_else(|| request.and_then(|request| price(request)), |orphan| orphan.accepted.price.clone())
                .filter(|price| line.currency.is_empty() || price.currency == line.currency),
            namespace: line.namespace,
            name: line.name,
            owner: username_of(&line.owner).to_owned(),
            project: line.project,
            ready: line.ready,
            unobserved: line.unobserved,
            basis: PriceSource::of_status(&line.basis),
        });
    }
    // Instances that are running but have no costs yet.
    let new = there.iter().filter(|(uid, request)| {
        scope.is_current
            && !counted.contains(*uid)
            && !left.contains_key(*uid)
            && request.status.as_ref().is_some_and(|status| status.current.is_some())
    });
    for (_, request) in new {
        let cost = request.status.as_ref().and_then(|status| status.cost.as_ref());
        let estimate = price(request);
        found.push(CostInstance {
            workspace: place.path.to_string(),
            namespace: request.metadata.namespace.clone().unwrap_or_default(),
            name: request.metadata.name.clone().unwrap_or_default(),
            standing: InstanceStanding::Requested,
            promise: rows::presentation(caller, &place.cluster, request).0,
            owner: rows::requester(request),
            project: project(request),
            to_date: estimate.as_ref().map(|price| Money::new(0, price.currency.clone())),
            estimate,
            ready: 0,
            unobserved: 0,
            basis: PriceSource::of_status(cost.and_then(|cost| cost.basis.as_deref()).unwrap_or_default()),
        });
    }
    for orphan in left.values().filter(|orphan| scope.is_current && !counted.contains(&orphan.uid)) {
        let estimate = orphan.accepted.price.clone();
        found.push(CostInstance {
            workspace: place.path.to_string(),
            namespace: orphan.request.namespace.clone(),
            name: orphan.request.name.clone(),
            standing: orphaned(caller, orphan),
            promise: titles.title(&orphan.accepted.promise),
            owner: username_of(&orphan.account.requester).to_owned(),
            project: orphan.account.project.clone(),
            to_date: estimate.as_ref().map(|price| Money::new(0, price.currency.clone())),
            estimate,
            ready: 0,
            unobserved: 0,
            basis: PriceSource::of_status(&orphan.account.basis),
        });
    }
    found.sort_by(|a, b| (&a.name, &a.namespace).cmp(&(&b.name, &b.namespace)));
    Ok(found)
}

fn orphaned(caller: &Caller, orphan: &Orphan) -> InstanceStanding {
    InstanceStanding::Orphaned { released_with: orphan.released_with(&caller.portal().world.access().topology) }
}

/// Merges lines without an amount into the first line with an amount of the same instance and project, if there is one.
fn joined(lines: Vec<MonthLine>) -> Vec<MonthLine> {
    let (mut priced, bare): (Vec<MonthLine>, Vec<MonthLine>) = lines.into_iter().partition(|line| !line.currency.is_empty());
    let mut first: HashMap<(String, String), usize> = HashMap::new();
    for (at, line) in priced.iter().enumerate() {
        first.entry((line.uid.clone(), line.project.clone())).or_insert(at);
    }
    let mut alone = Vec::new();
    for line in bare {
        let at = first.get(&(line.uid.clone(), line.project.clone()));
        match at.and_then(|at| priced.get_mut(*at)) {
            Some(priced) => {
                priced.ready += line.ready;
                priced.unobserved += line.unobserved;
            }
            None => alone.push(line),
        }
    }
    priced.append(&mut alone);
    priced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(uid: &str, project: &str, currency: &str, ready: i64, unobserved: i64) -> MonthLine {
        MonthLine { uid: uid.into(), project: project.into(), currency: currency.into(), ready, unobserved, ..MonthLine::default() }
    }

    #[test]
    fn an_instance_has_one_line_for_each_project_and_currency() {
        let lines =
            [("a", "", "", 60, 30), ("a", "", "EUR", 3_600, 0), ("a", "", "USD", 5, 0), ("a", "web", "", 0, 9), ("b", "", "", 0, 7)];
        let found = joined(lines.map(|(uid, project, currency, ready, unobserved)| line(uid, project, currency, ready, unobserved)).into());
        let shown: Vec<_> = found.iter().map(|of| (&*of.uid, &*of.project, &*of.currency, of.ready, of.unobserved)).collect();
        assert_eq!(shown, [("a", "", "EUR", 3_660, 30), ("a", "", "USD", 5, 0), ("a", "web", "", 0, 9), ("b", "", "", 0, 7)]);
    }
}
