//! What could be saved: instances that were to end by now, choices that cost less, and what nobody has changed for long.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use jiff::Timestamp;
use promise::price::Money;
use promise::view::{CostSaving, CostSavings, SavingWhy};

use super::live::Live;
use super::sights::Scope;
use crate::auth::Caller;
use crate::ledger::since;
use crate::portal::place::Workspace;
use crate::portal::requests::cheaper::cheaper;
use crate::portal::requests::listing::Place;
use crate::portal::requests::rows;
use crate::portal::rights::Right;

/// How many of the dearest instances have other choices priced.
const PRICED: usize = 5;
/// Suggestions that are shown, and how many of one sort.
const SHOWN: usize = 6;
const OF_A_SORT: usize = 3;

/// What could be saved of what runs.
pub(super) async fn of(caller: &Caller, scope: &Scope, live: &Live) -> CostSavings {
    let places: HashMap<&ClusterId, &Place> = scope.places.iter().map(|place| (&place.cluster, place)).collect();
    let portal = caller.portal();
    let now = portal.clock.now().as_second();
    let find = |key: &Key| Some((*places.get(&key.cluster)?, portal.world.requests.get(key)?));
    let mut lines: Vec<CostSaving> = Vec::new();
    for (price, key) in live.expired.list().take(SHOWN) {
        let Some((place, request)) = find(key) else { continue };
        let ended = request.spec.expires_at.clone().unwrap_or_default();
        lines.push(line(caller, place, key, &request, SavingWhy::Expired(ended), price).await);
    }
    let mut priced = 0;
    let mut choices: Vec<CostSaving> = Vec::new();
    for (_, key) in live.dearest.list().take(PRICED) {
        let Some((place, request)) = find(key) else { continue };
        priced += 1;
        let Some((choice, saves)) = choice(caller, place, &request).await else { continue };
        choices.push(line(caller, place, key, &request, SavingWhy::Cheaper(choice), saves).await);
    }
    choices.sort_by_key(|line| Reverse(line.saves.micros));
    choices.truncate(OF_A_SORT);
    lines.extend(choices);
    for (price, key) in live.untouched.list().take(OF_A_SORT) {
        let Some((place, request)) = find(key) else { continue };
        let at = Timestamp::from_second(since(&request, now)).map(|at| at.to_string()).unwrap_or_default();
        lines.push(line(caller, place, key, &request, SavingWhy::Untouched(at), price).await);
    }
    lines.truncate(SHOWN);
    CostSavings { lines, instances: live.running, priced }
}

/// A choice that costs less; nothing also where that cannot be found out now: a suggestion is not worth an error.
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

async fn line(caller: &Caller, place: &Place, key: &Key, request: &Arc<PromiseRequest>, why: SavingWhy, saves: Money) -> CostSaving {
    let verb = match &why {
        SavingWhy::Expired(_) => "delete",
        SavingWhy::Untouched(_) => "get",
        SavingWhy::Cheaper(_) => "patch",
    };
    // A plane that does not answer takes a button away, and not the page.
    let allowed = caller.may(&key.cluster, Right::request(verb, &key.namespace, &key.name)).await.unwrap_or_default();
    CostSaving {
        allowed,
        why,
        workspace: place.path.to_string(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        promise: rows::presentation(caller, &place.cluster, request).0,
        saves,
    }
}
