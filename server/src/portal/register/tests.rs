use cluster::kinds::{PromiseRequestKind, object};
use cluster::orphans::Account;
use cluster::usage::Accepted;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use promise::api::{
    Condition, ConditionStatus, CostStatus, CurrentStatus, OutdatedStatus, Phase, PolicyOutcome, PolicyResult, PromiseRef,
    PromiseRequestSpec, PromiseRequestStatus, Requester,
};
use promise::price::Money;

use super::*;

const PHASES: [Phase; 6] = [Phase::Ready, Phase::Degraded, Phase::AwaitingApproval, Phase::Failed, Phase::Rejected, Phase::Provisioning];

fn cluster(name: &str) -> ClusterId {
    ClusterId::parse(name).unwrap()
}

fn key(number: usize) -> Key {
    let namespace = if number.is_multiple_of(5) { "other" } else { "default" };
    Key::new(cluster(["data", "shop"][number % 2]), namespace, format!("request-{number:03}"))
}

/// Returns a request that looks different in each state.
fn request(number: usize, state: usize) -> Arc<PromiseRequest> {
    let promise = PromiseRef { name: ["redis", "postgresql"][number % 2].into(), workspace: Some("root:platform".into()), version: None };
    let requester = Some(Requester { username: format!("person-{}", number % 3), groups: Vec::new(), cluster: None });
    let spec = PromiseRequestSpec { promise, requester, ..PromiseRequestSpec::default() };
    let mut request = object::<PromiseRequestKind>(&key(number).name, Some(&key(number).namespace), spec);
    request.metadata.uid = Some(format!("uid-{number}"));
    request.metadata.resource_version = Some(state.to_string());
    let made = 1_780_000_000 + i64::try_from(number).unwrap() * 86_400;
    request.metadata.creation_timestamp = Some(Time(Timestamp::from_second(made).unwrap()));
    let phase = PHASES[(number + state) % PHASES.len()];
    let runs = matches!(phase, Phase::Ready | Phase::Degraded);
    let current = CurrentStatus { version: format!("1.{}.0", state % 2), release: "r".into(), ..CurrentStatus::default() };
    let cost = CostStatus { monthly: Some(format!("{number}.50")), currency: Some("EUR".into()), basis: None };
    let result = [PolicyResult::Passed, PolicyResult::Warned, PolicyResult::Denied][(number + state) % 3];
    request.status = Some(PromiseRequestStatus {
        phase,
        current: runs.then_some(current),
        cost: Some(cost),
        policies: vec![PolicyOutcome { result, ..PolicyOutcome::default() }],
        outdated: (number + state).is_multiple_of(7).then(OutdatedStatus::default),
        ..PromiseRequestStatus::default()
    });
    Arc::new(request)
}

fn everything(known: &Known) -> (Counts, usize) {
    let mut sum = Counts::default();
    known.places.values().for_each(|counts| sum += counts);
    let asked = known.people.values().map(|asked| asked.needy.len() + asked.others.len()).sum();
    (sum, asked)
}

#[test]
fn following_changes_comes_to_the_same_as_counting_anew() {
    let mut followed = Known::default();
    let mut requests: OrdMap<Key, Arc<PromiseRequest>> = OrdMap::new();
    for round in 0..40_usize {
        for number in (0..30).filter(|number| (number + round).is_multiple_of(4)) {
            if (number + round).is_multiple_of(12) {
                requests.remove(&key(number));
            } else {
                requests.insert(key(number), request(number, round));
            }
        }
        followed.follow(requests.clone());
        let mut anew = Known::default();
        anew.follow(requests.clone());
        assert_eq!(followed.places, anew.places, "round {round}");
        assert_eq!(followed.people, anew.people, "round {round}");
        assert_eq!(followed.spending, anew.spending, "round {round}");
        assert_eq!(followed.marked, anew.marked, "round {round}");
        let (sum, asked) = everything(&followed);
        assert_eq!((sum.requests, asked), (requests.len(), requests.len()));
        assert_eq!(sum.states.values().sum::<usize>(), requests.len());
    }
    followed.follow(OrdMap::new());
    let empty = followed.places.is_empty() && followed.people.is_empty() && followed.spending.is_empty() && followed.marked.is_empty();
    assert!(empty, "nothing is kept of what is gone");
}

#[test]
fn a_sight_goes_as_far_as_its_namespaces() {
    let mut known = Known::default();
    known.follow((0..30).map(|number| (key(number), request(number, 0))).collect());
    let place = |sight| Place { cluster: cluster("data"), path: cluster::WorkspacePath::parse("root:data").unwrap(), sight };
    let all = known.within(&place(Sight::Everywhere));
    let some = known.within(&place(Sight::Within(["other".to_owned()].into())));
    assert_eq!((all.requests, some.requests), (15, 3));
    assert_eq!(*known.within(&place(Sight::Within(BTreeSet::new()))), Counts::default());
    assert_eq!(known.each(&cluster("data")).map(|counts| counts.requests).sum::<usize>(), 15);
}

#[test]
fn a_changed_request_has_another_stamp() {
    let mut known = Known::default();
    let stamps: Vec<u64> = (0..3)
        .map(|state| {
            known.follow(OrdMap::unit(key(1), request(1, state)));
            everything(&known).0.stamp
        })
        .collect();
    assert!(stamps[0] != stamps[1] && stamps[1] != stamps[2] && stamps[0] != stamps[2], "{stamps:?}");
}

#[test]
fn an_outage_is_no_part_of_the_time_to_ready() {
    let time = |text: &str| Some(text.to_owned());
    let mut request = PromiseRequest::clone(&request(0, 0));
    let status = request.status.as_mut().unwrap();
    status.conditions = vec![Condition {
        r#type: "Healthy".into(),
        status: ConditionStatus::True,
        last_transition_time: time("2026-10-31T00:00:00Z"),
        ..Condition::default()
    }];
    let current = status.current.as_mut().unwrap();
    (current.accepted_at, current.since) = (time("2026-10-01T00:00:00Z"), time("2026-10-01T00:02:00Z"));
    let took = |request: &PromiseRequest| Entry::of(&key(0), request).took;
    assert_eq!(took(&request), None, "it never was Ready");
    request.status.as_mut().unwrap().current.as_mut().unwrap().ready_at = time("2026-10-01T00:02:00Z");
    assert_eq!(took(&request), Some(120));
    request.status.as_mut().unwrap().phase = Phase::Degraded;
    assert_eq!(took(&request), Some(120), "what goes wrong later takes nothing away");
    request.status.as_mut().unwrap().current.as_mut().unwrap().accepted_at = None;
    assert_eq!(took(&request), None, "nobody knows since when it was made");
}

#[test]
fn weeks_begin_on_mondays() {
    // 1970-01-05 was a Monday, 2026-11-22 a Sunday.
    for (day, start) in [(4, 4), (3, -3), (10, 4), (20_779, 20_773), (20_780, 20_780)] {
        assert_eq!(monday(day), start, "{day}");
    }
}

#[test]
fn percentiles_are_those_of_what_was_measured() {
    let mut of = OfPromise::default();
    assert_eq!(of.within(50), None);
    of.took = (1..=10).map(|took| (took * 10, 1)).collect();
    assert_eq!((of.within(50), of.within(90), of.within(100)), (Some(50), Some(90), Some(100)));
    of.took.insert(5, 90);
    assert_eq!((of.within(50), of.within(90), of.within(91)), (Some(5), Some(5), Some(10)));
}

#[test]
fn what_was_orphaned_is_among_what_runs_until_it_is_released() {
    let orphan = |name: &str, micros: Option<i64>| {
        let account = Account { requester: "dana".into(), project: "checkout".into(), ..Account::default() };
        let price = micros.map(|micros| Money::new(micros, "EUR"));
        let accepted = Accepted { release: "r".into(), promise: "redis".into(), home: None, price };
        let request = Key::new(cluster("shop"), "default", name);
        let (labels, lineage) = (BTreeMap::new(), Vec::new());
        Arc::new(Orphan { uid: name.into(), request, accepted, workspace: "root:shop".into(), labels, lineage, account })
    };
    let at = |name: &str| Key::cluster_scoped(&cluster("opm"), name);
    let mut known = Known::default();
    known.follow([(key(1), request(1, 0))].into_iter().collect());
    let before = known.spending.clone();
    let both: OrdMap<Key, Arc<Orphan>> = [(at("a"), orphan("web", Some(5_000_000))), (at("b"), orphan("old", None))].into_iter().collect();
    known.follow_orphans(both);
    let place = (cluster("shop"), "default".to_owned());
    let spending = &known.spending[&place];
    let runs = before.get(&place).map_or((0, 0), |spending| (spending.running, spending.unpriced));
    assert_eq!((spending.running, spending.unpriced), (runs.0 + 2, runs.1 + 1));
    let share =
        Share { promise: "redis".into(), project: "checkout".into(), owner: "dana".into(), currency: "EUR".into(), micros: 5_000_000 };
    assert_eq!(spending.shares.get(&share), Some(&(1, 1)));
    let seen = Place { sight: Sight::Everywhere, cluster: cluster("shop"), path: "root:shop".parse().unwrap() };
    assert_eq!(known.orphans(&seen).map(|orphan| orphan.uid.as_str()).collect::<Vec<_>>(), ["web", "old"]);
    known.follow_orphans(OrdMap::new());
    assert_eq!(known.spending, before, "nothing is kept of what is released");
}
