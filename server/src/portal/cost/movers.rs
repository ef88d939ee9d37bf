//! What costs more or less than in an earlier month: instances for one workspace, promises by workspace for several.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use app::view::{CostMover, CostMovers};
use ledger::price;
use promise::Result;
use promise::ledger::Month as Calendar;
use promise::price::Money;

use super::comparison::Former;
use super::live::rest;
use super::report_scope::ReportScope;
use super::sums::{self, Month};
use super::unread;
use crate::portal::Caller;
use crate::portal::requests::listing::Place;

/// Number of differences to show, per currency.
const SHOWN: usize = 5;

/// Returns the largest differences from another month. `None` if there is none to compare with.
pub(super) async fn of(caller: &Caller, scope: &ReportScope, month: &Month, former: Option<&Former>) -> Result<Option<CostMovers>> {
    let Some(before) = former.map(|former| former.month) else { return Ok(None) };
    let found = match scope.places.as_slice() {
        [only] if scope.top.as_ref() == Some(&only.path) => instances(caller, scope, only, before).await?,
        _ => promises(caller, scope, month, before).await?,
    };
    Ok(Some(CostMovers { before: before.title(), lines: largest(found) }))
}

/// Returns the costs of promises in each workspace.
async fn promises(caller: &Caller, scope: &ReportScope, month: &Month, before: Calendar) -> Result<Vec<CostMover>> {
    let former = sums::of_promises(caller, scope, before).await?;
    let mut after = month.promises.clone();
    for (of, rest) in &month.live.rests {
        let sum = after.entry(of.clone()).or_default();
        *sum = sum.saturating_add(*rest);
    }
    let places: HashMap<String, &Place> = scope.places.iter().map(|place| (place.cluster.to_string(), place)).collect();
    let titles = scope.titles(caller);
    let all: BTreeSet<_> = former.keys().chain(after.keys()).collect();
    let of = |of: &(String, String, String)| {
        let (cluster, promise, currency) = of;
        let amount = |sums: &sums::OfPromises| Money::new(sums.get(of).copied().unwrap_or_default(), currency.clone());
        Some(CostMover {
            label: titles.title(promise),
            workspace: places.get(cluster)?.path.to_string(),
            namespace: String::new(),
            promise: promise.clone(),
            before: amount(&former),
            after: amount(&after),
        })
    };
    Ok(all.into_iter().filter_map(of).collect())
}

/// Returns the costs of the instances of one workspace.
async fn instances(caller: &Caller, scope: &ReportScope, place: &Place, before: Calendar) -> Result<Vec<CostMover>> {
    let portal = caller.portal();
    let now = portal.clock.now().as_second();
    let there: HashMap<String, _> = portal
        .requests_of(&place.cluster)
        .into_iter()
        .filter(|(key, _)| place.sight.covers(&key.namespace))
        .filter_map(|(key, request)| Some((request.metadata.uid.clone()?, (key, request))))
        .collect();
    let mut found: BTreeMap<(String, String), CostMover> = BTreeMap::new();
    let cluster = place.cluster.to_string();
    for (month, is_now) in [(before, false), (scope.month, true)] {
        let lines = portal.store.month_lines(month.start(), &cluster).await.map_err(unread)?;
        for line in lines.into_iter().filter(|line| !line.currency.is_empty() && place.sight.covers(&line.namespace)) {
            let of = found.entry((line.uid.clone(), line.currency.clone())).or_insert_with(|| CostMover {
                label: line.name.clone(),
                workspace: place.path.to_string(),
                namespace: if there.contains_key(&line.uid) { line.namespace.clone() } else { String::new() },
                promise: line.promise.clone(),
                before: Money::new(0, line.currency.clone()),
                after: Money::new(0, line.currency.clone()),
            });
            let sum = if is_now { &mut of.after } else { &mut of.before };
            sum.micros = sum.micros.saturating_add(line.micros);
        }
    }
    if scope.is_current {
        for (uid, (key, request)) in &there {
            let runs = request.status.as_ref().is_some_and(|status| status.current.is_some());
            let Some(price) = price(request).filter(|_| runs && request.metadata.deletion_timestamp.is_none()) else { continue };
            let of = found.entry((uid.clone(), price.currency.clone())).or_insert_with(|| CostMover {
                label: key.name.clone(),
                workspace: place.path.to_string(),
                namespace: key.namespace.clone(),
                promise: request.spec.promise.name.clone(),
                before: Money::new(0, price.currency.clone()),
                after: Money::new(0, price.currency.clone()),
            });
            of.after.micros = of.after.micros.saturating_add(rest(scope, request, &price, now));
        }
    }
    Ok(found.into_values().collect())
}

/// Returns the largest differences per currency. A difference that rounds to zero is left out.
fn largest(mut found: Vec<CostMover>) -> Vec<CostMover> {
    found.retain(|mover| mover.change().rounded().micros != 0);
    found.sort_by_cached_key(|mover| {
        (mover.after.currency.clone(), Reverse(mover.change().micros.saturating_abs()), mover.workspace.clone(), mover.label.clone())
    });
    let mut shown: HashMap<String, usize> = HashMap::new();
    found.retain(|mover| {
        let of = shown.entry(mover.after.currency.clone()).or_default();
        *of += 1;
        *of <= SHOWN
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mover(label: &str, before: i64, after: i64, currency: &str) -> CostMover {
        CostMover {
            label: label.into(),
            workspace: "root:acme".into(),
            namespace: String::new(),
            promise: String::new(),
            before: Money::new(before * 10_000, currency),
            after: Money::new(after * 10_000, currency),
        }
    }

    #[test]
    fn the_largest_differences_come_first_in_each_currency() {
        let mut all: Vec<CostMover> = (0..9).map(|number| mover(&format!("euro-{number}"), 100, 100 + number * 10, "EUR")).collect();
        all.extend([mover("shrank", 500, 1, "EUR"), mover("same", 7, 7, "EUR"), mover("dollar", 0, 1, "USD")]);
        all.push(CostMover { after: Money::new(1_000_001, "EUR"), before: Money::new(1_000_000, "EUR"), ..mover("a hair", 0, 0, "EUR") });
        let found: Vec<String> = largest(all).into_iter().map(|mover| mover.label).collect();
        assert_eq!(found, ["shrank", "euro-8", "euro-7", "euro-6", "euro-5", "dollar"]);
    }
}
