//! Possible savings: instances past their expiry, choices that cost less, and instances that have not changed for a long time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use app::view::{CostSaving, CostSavings, SavingWhy};
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use jiff::Timestamp;
use ledger::since;
use promise::price::Money;
use promise::saving::Act;

use super::live::Live;
use super::report_scope::ReportScope;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::requests::cheaper::cheaper;
use crate::portal::requests::listing::Place;
use crate::portal::requests::rows;
use crate::portal::rights::Right;

/// Number of the most expensive instances for which other choices are priced.
const PRICED: usize = 5;
/// Number of suggestions to show, in total and of one kind.
const SHOWN: usize = 6;
const OF_A_SORT: usize = 3;

/// Returns possible savings among what is running, as far as the user is allowed to make them.
pub(super) async fn of(caller: &Caller, scope: &ReportScope, live: &Live) -> CostSavings {
    let places: HashMap<&ClusterId, &Place> = scope.places.iter().map(|place| (&place.cluster, place)).collect();
    let portal = caller.portal();
    let now = portal.clock.now().as_second();
    let find = |key: &Key| Some((*places.get(&key.cluster)?, portal.world.requests.get(key)?));
    let mut lines: Vec<CostSaving> = Vec::new();
    for (price, key) in live.expired.list() {
        let Some((place, request)) = find(key) else { continue };
        if lines.len() < SHOWN && is_allowed(caller, key, Act::Delete).await {
            let ended = request.spec.expires_at.clone().unwrap_or_default();
            lines.push(line(caller, place, key, &request, SavingWhy::Expired(ended), price));
        }
    }
    let mut priced = 0;
    let mut choices: Vec<CostSaving> = Vec::new();
    for (_, key) in live.dearest.list() {
        let Some((place, request)) = find(key) else { continue };
        if priced < PRICED && is_allowed(caller, key, Act::Change).await {
            priced += 1;
            let Some((choice, saves)) = choice(caller, place, &request).await else { continue };
            choices.push(line(caller, place, key, &request, SavingWhy::Cheaper(choice), saves));
        }
    }
    choices.sort_by_key(|line| Reverse(line.saves.micros));
    choices.truncate(OF_A_SORT);
    lines.extend(choices);
    let mut untouched = 0;
    for (price, key) in live.untouched.list() {
        let Some((place, request)) = find(key) else { continue };
        if untouched < OF_A_SORT && is_allowed(caller, key, Act::Delete).await {
            untouched += 1;
            let at = Timestamp::from_second(since(&request, now)).map(|at| at.to_string()).unwrap_or_default();
            lines.push(line(caller, place, key, &request, SavingWhy::Untouched(at), price));
        }
    }
    lines.truncate(SHOWN);
    CostSavings { lines, instances: live.running, priced }
}

/// Checks whether the user can do what saves something. If the control plane doesn't respond, only a proposal is missing, not the page.
async fn is_allowed(caller: &Caller, key: &Key, act: Act) -> bool {
    caller.may(&key.cluster, Right::request(act.verb(), &key.namespace, &key.name)).await.unwrap_or_default()
}

/// Returns a choice that costs less. Also `None` if that can't be determined now: a suggestion doesn't justify an error.
async fn choice(caller: &Caller, place: &Place, request: &PromiseRequest) -> Option<(String, Money)> {
    let workspace = Workspace::at(&caller.portal().world.tree(), place.cluster.clone())?;
    match cheaper(caller, &workspace, request).await {
        Ok(found) => found.map(|found| (found.choice, found.saves)),
        Err(error) => {
            tracing::debug!(%error, workspace = %place.path, "other choices could not be priced");
            None
        }
    }
}

fn line(caller: &Caller, place: &Place, key: &Key, request: &Arc<PromiseRequest>, why: SavingWhy, saves: Money) -> CostSaving {
    CostSaving {
        why,
        workspace: place.path.to_string(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        promise: rows::presentation(caller, &place.cluster, request).0,
        saves,
    }
}
