use std::sync::Arc;

use cluster::WorkspacePath;
use cluster::kinds::{PromiseRequestKind, object};
use jiff::Timestamp;
use promise::api::{Condition, ConditionStatus, CostStatus, CurrentStatus, Phase, PromiseRef, PromiseRequestSpec, Requester};
use promise::ledger::Month;
use promise::names;

use super::*;
use crate::portal::requests::listing::Sight;

const NOW: &str = "2026-11-21T11:06:40Z";
const COUNTED: &str = "2026-11-21T11:00:00Z";

fn second(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_second()
}

fn text(second: i64) -> String {
    Timestamp::from_second(second).unwrap().to_string()
}

fn place(name: &str) -> Place {
    let sight = if name == "lab" { Sight::Within(["default".to_owned()].into()) } else { Sight::Everywhere };
    Place { cluster: ClusterId::parse(name).unwrap(), path: WorkspacePath::parse(&format!("root:{name}")).unwrap(), sight }
}

fn scope() -> ReportScope {
    let month = Month::of(second(NOW));
    ReportScope {
        top: None,
        places: ["data", "lab", "shop"].map(place).into(),
        month,
        is_current: true,
        posted: Some(second(COUNTED)),
        ahead: None,
        teams: [(ClusterId::parse("shop").unwrap(), "shop-team".to_owned())].into(),
    }
}

/// Returns requests of every kind: with and without price, ready for a long time, for a moment, and since an unknown time.
fn requests() -> Vec<(Key, Arc<PromiseRequest>)> {
    let request = |number: usize| {
        let namespace = if number.is_multiple_of(11) { "other" } else { "default" };
        let cluster = ClusterId::parse(["data", "lab", "shop"][number % 3]).unwrap();
        let key = Key::new(cluster, namespace, format!("request-{number:03}"));
        let promise = PromiseRef { name: ["redis", "postgresql"][number % 2].into(), ..PromiseRef::default() };
        let requester = Some(Requester { username: format!("person-{}", number % 5), groups: Vec::new(), cluster: None });
        let expires_at = number.is_multiple_of(13).then(|| text(second(NOW) + if number.is_multiple_of(2) { -60 } else { 60 }));
        let spec = PromiseRequestSpec { promise, requester, expires_at, ..PromiseRequestSpec::default() };
        let mut request = object::<PromiseRequestKind>(&key.name, Some(namespace), spec);
        if number.is_multiple_of(7) {
            request.metadata.labels = Some([(names::PROJECT_LABEL.to_owned(), "apollo".to_owned())].into());
        }
        let back = [86_400 * 200, 86_400 * 3, 7_200, 1_000, 400, 399, 30][number % 7];
        let turned = (!number.is_multiple_of(17)).then(|| text(second(NOW) - back));
        let healthy = Condition {
            r#type: "Healthy".into(),
            status: if number % 4 == 3 { ConditionStatus::False } else { ConditionStatus::True },
            last_transition_time: turned,
            ..Condition::default()
        };
        let released = Some(text(second(NOW) - back - 20 + i64::from(number.is_multiple_of(9)) * 40));
        let current = CurrentStatus { release: "r".into(), since: released, ..CurrentStatus::default() };
        let price = ["24.80", "118.00", "0.333333", "7.00"][number % 4];
        let currency = if number.is_multiple_of(10) { "USD" } else { "EUR" };
        let cost = CostStatus { monthly: (number % 8 != 5).then(|| price.to_owned()), currency: Some(currency.into()), basis: None };
        request.status = Some(PromiseRequestStatus {
            phase: Phase::Ready,
            current: (number % 6 != 1).then_some(current),
            conditions: vec![healthy],
            cost: Some(cost),
            ..PromiseRequestStatus::default()
        });
        (key, Arc::new(request))
    };
    (0..300).map(request).collect()
}

/// Computes the same by scanning every request.
fn one_by_one(scope: &ReportScope, by: CostBy, now: i64) -> Live {
    let mut live = Live::default();
    for (key, request) in requests() {
        let place = scope.places.iter().find(|place| place.cluster == key.cluster && place.sight.covers(&key.namespace));
        let Some(place) = place.filter(|_| request.status.as_ref().is_some_and(|status| status.current.is_some())) else { continue };
        live.running += 1;
        let Some(price) = price(&request) else {
            live.unpriced += 1;
            continue;
        };
        let (forecast, estimate) = (rest(scope, &request, &price, now), price.micros);
        let figures = Figures { forecast, estimate, instances: 1, ..Figures::default() };
        live.add(scope, by, place, &Share::of(&request, &price), figures);
        live.dearest.take(&price.currency, price.micros, &key);
    }
    live
}

#[test]
fn the_register_says_the_same_as_looking_at_every_request() {
    let mut known = Known::default();
    known.follow(requests().into_iter().collect());
    let (scope, now) = (scope(), second(NOW));
    for by in CostBy::ALL {
        let (found, wanted) = (running(&known, &scope, by, now), one_by_one(&scope, by, now));
        assert_eq!(found.sums, wanted.sums, "{by:?}");
        assert_eq!(found.rests, wanted.rests, "{by:?}");
        assert_eq!((found.running, found.unpriced), (wanted.running, wanted.unpriced));
        let prices = |dearest: &Dearest| dearest.list().map(|(money, _)| money).collect::<Vec<_>>();
        assert_eq!(prices(&found.dearest), prices(&wanted.dearest));
    }
    let found = running(&known, &scope, CostBy::Workspace, now);
    assert!(found.running > 100 && found.unpriced > 0 && found.sums.values().any(|sum| sum.forecast > 0), "there is something to count");
    for (_, key) in found.expired.list() {
        assert!(known.request(key).is_some_and(|request| second(request.spec.expires_at.as_deref().unwrap()) <= now), "{key}");
    }
    for (_, key) in found.untouched.list() {
        assert!(known.request(key).is_some_and(|request| since(request, now) <= now - UNTOUCHED), "{key}");
    }
    assert!(found.expired.list().count() > 0 && found.untouched.list().count() > 0);
}

#[test]
fn only_what_waits_for_approvers_waits_for_approval() {
    for (state, expected) in [
        (CandidateState::AwaitingApproval, true),
        (CandidateState::ChangesRequested, false),
        (CandidateState::AwaitingWindow, false),
        (CandidateState::Accepted, false),
    ] {
        let candidate = Some(CandidateStatus { state, ..CandidateStatus::default() });
        let status = PromiseRequestStatus { candidate, ..PromiseRequestStatus::default() };
        assert_eq!(awaiting_approval(&status).is_some(), expected, "{state:?}");
    }
}

#[test]
fn the_dearest_are_kept_by_currency() {
    let mut dearest = Dearest::default();
    for number in 0..50_i64 {
        let key = Key::new(ClusterId::root(), "default", format!("request-{number}"));
        dearest.take("EUR", number * 37 % 50, &key);
    }
    dearest.take("USD", 1, &Key::cluster_scoped(&ClusterId::root(), "other"));
    let found: Vec<(i64, String)> = dearest.list().map(|(money, _)| (money.micros, money.currency)).collect();
    let wanted = [49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38]
        .map(|micros| (micros, "EUR".to_owned()))
        .into_iter()
        .chain([(1, "USD".to_owned())]);
    assert_eq!(found, wanted.collect::<Vec<_>>());
}
