use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::OrdMap;
use promise::api::{AppliesTo, PromiseReleaseSpec, ReleaseRevision};
use promise::policy::{Promises, Reach, Tally};
use promise::price::Money;
use serde_json::json;

use super::{Accepted, Group, KEPT, Place, Sum, Totals, includes, place};
use crate::kinds::{PromiseReleaseKind, PromiseRequest, PromiseRequestKind, object};
use crate::orphans::{Account, Orphan};
use crate::projection::{CachedRelease, CachedRow as _};
use crate::watch::{Cache, Key};
use crate::workspaces::{ClusterId, Tree, WorkspaceRow};

thread_local! {
    /// How often a group was checked against a cap.
    pub(super) static LOOKED_AT: Cell<u64> = const { Cell::new(0) };
    /// How often the place of a workspace was looked up.
    pub(super) static PLACED: Cell<u64> = const { Cell::new(0) };
}

#[derive(Default)]
struct Plane {
    requests: Cache<PromiseRequest>,
    releases: Cache<CachedRelease>,
    orphans: Cache<Orphan>,
    version: u64,
}

impl Plane {
    fn request(&mut self, key: &Key, promise: &str, release: Option<&str>) {
        let spec = serde_json::from_value(json!({"promise": {"name": promise}})).unwrap();
        let mut row = object::<PromiseRequestKind>(&key.name, Some(&key.namespace), spec);
        let current = release.map(|release| json!({"release": release, "version": "1.0.0", "revision": "r"}));
        row.status = serde_json::from_value(json!({"current": current})).unwrap();
        row.metadata.resource_version = Some(self.version());
        row.metadata.uid = Some(format!("u-{}", key.name));
        self.requests.put(key.clone(), row);
    }

    fn release(&mut self, key: &Key, home: &str, price: Option<(i64, &str)>) {
        let price = price.map(|(micros, currency)| json!({"monthly": Money::new(micros, currency)}));
        let revision = ReleaseRevision { cluster: home.to_owned(), ..ReleaseRevision::default() };
        let spec = PromiseReleaseSpec { revision, price, ..PromiseReleaseSpec::default() };
        let mut row = object::<PromiseReleaseKind>(&key.name, Some(&key.namespace), spec);
        row.metadata.resource_version = Some(self.version());
        self.releases.put(key.clone(), CachedRelease::of(row));
    }

    /// Records what the request at a key handed over, in a workspace that was called `far` while it existed.
    fn orphan(&mut self, name: &str, request: &Key, promise: &str, price: Option<(i64, &str)>) {
        let orphan = Orphan {
            uid: format!("u-{}", request.name),
            request: request.clone(),
            accepted: Accepted {
                release: "l".into(),
                promise: promise.to_owned(),
                home: Some("h0".into()),
                price: price.map(|(micros, currency)| Money::new(micros, currency)),
            },
            workspace: "root:acme:gone".into(),
            labels: BTreeMap::from([("tier".to_owned(), "prod".to_owned())]),
            lineage: vec!["root".into(), "acme".into(), request.cluster.to_string()],
            account: Account::default(),
        };
        self.orphans.put(Key::cluster_scoped(&id("root"), name), orphan);
    }

    /// Returns the sum of orphans for a cap by looking at every one.
    fn left(&self, tree: &Tree, tally: &Tally) -> Sum {
        let mut sum = Sum::default();
        for orphan in self.orphans.snapshot().values() {
            let is_there = self.requests.get(&orphan.request).is_some_and(|request| request.metadata.uid.as_ref() == Some(&orphan.uid));
            let place = place(tree, &orphan.request.cluster).unwrap_or_else(|| Place::from(&**orphan));
            let group = Group::of(&orphan.accepted);
            if !is_there && includes(tally, &group, &place) {
                sum.include(tally, &group, 1, orphan.accepted.micros());
            }
        }
        sum
    }

    fn version(&mut self) -> String {
        self.version += 1;
        self.version.to_string()
    }

    /// Returns the sum of a cap by looking at every request.
    fn counted(&self, tree: &Tree, tally: &Tally) -> Sum {
        let mut sum = Sum::default();
        for (key, request) in &self.requests.snapshot() {
            let Some(accepted) = Accepted::shown(&self.releases, key, request) else { continue };
            let group = Group::of(&accepted);
            if place(tree, &key.cluster).is_some_and(|place| includes(tally, &group, &place)) {
                sum.include(tally, &group, 1, accepted.micros());
            }
        }
        sum
    }
}

fn id(text: &str) -> ClusterId {
    ClusterId::parse(text).unwrap()
}

fn tree(edges: &[(&str, &str, &str, &str)]) -> Arc<Tree> {
    let row = |child: &str, tier: &str| WorkspaceRow {
        cluster: id(child),
        labels: BTreeMap::from([("tier".to_owned(), tier.to_owned())]),
        deleting: false,
    };
    let rows: OrdMap<Key, Arc<WorkspaceRow>> =
        edges.iter().map(|(parent, name, child, tier)| (Key::cluster_scoped(&id(parent), name), Arc::new(row(child, tier)))).collect();
    Arc::new(Tree::new(id("root"), &rows))
}

fn caps() -> Vec<Tally> {
    let one = |home: &str| Promises::One { name: "p0".into(), home: home.into() };
    let labelled = AppliesTo { workspace_labels: BTreeMap::from([("tier".into(), "prod".into())]), ..AppliesTo::default() };
    let below = AppliesTo { workspaces: vec!["root:acme:**".into()], ..AppliesTo::default() };
    let all = || Promises::Covered(Vec::new());
    let caps = [
        (one("h0"), Reach::Workspace { cluster: "c1".into() }),
        (all(), Reach::Workspace { cluster: "c2".into() }),
        (one("h1"), Reach::Subtree { cluster: "acme".into(), range: AppliesTo::default() }),
        (all(), Reach::Subtree { cluster: "acme".into(), range: labelled.clone() }),
        (Promises::Covered(vec!["p1*".into()]), Reach::Covered(below)),
        (one("h0"), Reach::Covered(AppliesTo::default())),
        (all(), Reach::Covered(labelled)),
    ];
    let tally = |(number, (promises, reach)): (usize, &(Promises, Reach)), currency: Option<&str>| Tally {
        rule: format!("{number}-{}", currency.unwrap_or_default()),
        promises: promises.clone(),
        reach: reach.clone(),
        currency: currency.map(str::to_owned),
    };
    [None, Some("EUR"), Some("USD")].into_iter().flat_map(|currency| caps.iter().enumerate().map(move |cap| tally(cap, currency))).collect()
}

/// Numbers in no particular order, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[test]
fn sums_are_what_counting_every_request_comes_to_whatever_changes() {
    let trees = [
        tree(&[
            ("root", "acme", "acme", "dev"),
            ("acme", "one", "c1", "prod"),
            ("acme", "two", "c2", "dev"),
            ("root", "far", "c3", "prod"),
        ]),
        tree(&[("root", "acme", "acme", "dev"), ("acme", "one", "c1", "dev"), ("root", "far", "c3", "prod")]),
        tree(&[("root", "far", "c3", "prod"), ("root", "acme", "acme", "dev"), ("acme", "two", "c2", "prod"), ("c2", "in", "c1", "prod")]),
    ];
    let (mut plane, mut dice, mut now) = (Plane::default(), Dice(7), 0);
    let mut totals = Totals::new(&plane.requests, &plane.releases, &plane.orphans, trees[0].clone());
    for step in 0..3000 {
        let cluster = id(["c1", "c2", "c3"][dice.below(3) as usize]);
        let at = |name: String| Key::new(cluster.clone(), "default", name);
        let (name, release) = (at(format!("r{}", dice.below(6))), at(format!("l{}", dice.below(8))));
        let priced = [None, Some((1_500_000, "EUR")), Some((7, "EUR")), Some((3, "USD"))][dice.below(4) as usize];
        match dice.below(14) {
            0..=4 => {
                let accepted = (dice.below(4) > 0).then_some(release.name.as_str());
                plane.request(&name, ["p0", "p1", "p10"][dice.below(3) as usize], accepted);
            }
            5..=7 => {
                plane.release(&release, ["h0", "h1"][dice.below(2) as usize], priced);
            }
            8 => plane.requests.remove(name),
            9 => plane.releases.remove(release),
            10 => now = dice.below(3) as usize,
            11 => plane.orphan(&format!("o{}", dice.below(5)), &name, ["p0", "p1", "p10"][dice.below(3) as usize], priced),
            12 => plane.orphans.remove(Key::cluster_scoped(&id("root"), &format!("o{}", dice.below(5)))),
            // More changes than are kept for a receiver that is behind.
            _ if step % 50 == 0 => (0..400).for_each(|_| plane.request(&name, "p0", Some("l1"))),
            _ => {}
        }
        totals.catch_up(&trees[now]);
        for tally in caps() {
            assert_eq!(totals.of(&tally), plane.counted(&trees[now], &tally), "step {step}: {tally:?}");
            assert_eq!(totals.orphaned(&tally), plane.left(&trees[now], &tally), "step {step}, orphans: {tally:?}");
        }
    }
}

/// Accepts one request after the other, each judged by its limits. Returns how often a group was checked against a cap.
fn looks(present: usize, more: usize) -> u64 {
    let mut plane = Plane::default();
    let workspaces: Vec<String> = (0..20).map(|number| format!("w{number}")).collect();
    let edges: Vec<(&str, &str, &str, &str)> =
        workspaces.iter().map(|name| ("acme", name.as_str(), name.as_str(), "prod")).chain([("root", "acme", "acme", "dev")]).collect();
    let tree = tree(&edges);
    let ask = |plane: &mut Plane, number: usize| {
        let cluster = id(&workspaces[number % workspaces.len()]);
        plane.request(&Key::new(cluster, "default", format!("r{number}")), "p0", Some("l"));
    };
    (0..present).for_each(|number| ask(&mut plane, number));
    let mut totals = Totals::new(&plane.requests, &plane.releases, &plane.orphans, tree.clone());
    let caps = |number: usize| {
        let own = Reach::Workspace { cluster: workspaces[number % workspaces.len()].clone() };
        let reaches = [own, Reach::Subtree { cluster: "acme".into(), range: AppliesTo::default() }, Reach::Covered(AppliesTo::default())];
        let cap = |(number, reach)| Tally { rule: format!("{number}"), promises: Promises::Covered(Vec::new()), reach, currency: None };
        reaches.into_iter().enumerate().map(cap).collect::<Vec<Tally>>()
    };
    for tally in caps(0) {
        totals.of(&tally);
    }
    LOOKED_AT.set(0);
    for number in present..present + more {
        totals.catch_up(&tree);
        for tally in caps(number) {
            let expected = if matches!(tally.reach, Reach::Workspace { .. }) { number / 20 } else { number };
            assert!(totals.of(&tally).count.unsigned_abs() as usize >= expected, "{tally:?}");
        }
        ask(&mut plane, number);
    }
    LOOKED_AT.get()
}

#[test]
fn what_a_request_costs_to_judge_does_not_grow_with_the_number_of_requests() {
    let few = looks(100, 200);
    assert_eq!(looks(10_000, 200), few);
    assert!(few <= 200 * 4, "{few} looks for 200 requests under three limits each");
}

#[test]
fn an_orphan_counts_where_its_workspace_was_although_that_is_gone() {
    let (mut plane, tree) = (Plane::default(), tree(&[("root", "acme", "acme", "dev")]));
    let request = Key::new(id("shop"), "default", "web");
    plane.orphan("o", &request, "redis", None);
    let mut totals = Totals::new(&plane.requests, &plane.releases, &plane.orphans, tree.clone());
    let mut count = |promises: Promises, reach: Reach| totals.orphaned(&Tally { rule: "r".into(), promises, reach, currency: None }).count;
    let redis = |home: &str| Promises::One { name: "redis".into(), home: home.into() };
    let below = |cluster: &str| Reach::Subtree { cluster: cluster.into(), range: AppliesTo::default() };
    assert_eq!((count(redis("h0"), below("acme")), count(redis("h0"), Reach::Workspace { cluster: "shop".into() })), (1, 1));
    assert_eq!((count(redis("h0"), below("globex")), count(redis("other"), below("acme"))), (0, 0));
    assert_eq!(count(Promises::Covered(vec!["postgresql".into()]), below("acme")), 0);
}

#[test]
fn a_thousand_orphans_are_not_looked_at_for_each_request_that_is_judged() {
    let (mut plane, tree) = (Plane::default(), tree(&[("root", "acme", "acme", "dev"), ("acme", "one", "c1", "prod")]));
    for number in 0..1000 {
        let request = Key::new(id("c2"), "default", format!("r{number}"));
        plane.orphan(&format!("o{number}"), &request, "p0", None);
    }
    let mut totals = Totals::new(&plane.requests, &plane.releases, &plane.orphans, tree.clone());
    let below = Reach::Subtree { cluster: "acme".into(), range: AppliesTo::default() };
    let wide = Tally { rule: "wide".into(), promises: Promises::Covered(Vec::new()), reach: below, currency: None };
    let own = Tally { rule: "own".into(), reach: Reach::Workspace { cluster: "c1".into() }, ..wide.clone() };
    assert_eq!(totals.orphaned(&wide).count, 1000);
    LOOKED_AT.set(0);
    for _ in 0..10 {
        totals.catch_up(&tree);
        assert_eq!((totals.orphaned(&wide).count, totals.orphaned(&own).count), (1000, 0));
    }
    assert_eq!(LOOKED_AT.get(), 0);
}

#[test]
fn another_tree_costs_what_moved_in_it() {
    let workspaces: Vec<String> = (0..500).map(|number| format!("w{number}")).collect();
    let edges = |tier: &'static str| {
        let mut edges: Vec<_> = workspaces.iter().map(|name| ("acme", name.as_str(), name.as_str(), "prod")).collect();
        edges.extend([("root", "acme", "acme", "dev"), ("acme", "one", "c1", tier)]);
        tree(&edges)
    };
    let mut plane = Plane::default();
    for cluster in workspaces.iter().map(String::as_str).chain(["c1"]) {
        plane.request(&Key::new(id(cluster), "default", "r"), "p0", Some("l"));
    }
    let mut totals = Totals::new(&plane.requests, &plane.releases, &plane.orphans, edges("dev"));
    PLACED.set(0);
    totals.catch_up(&edges("prod"));
    assert_eq!(PLACED.get(), 1);
}

#[test]
fn a_sum_that_is_asked_for_again_and_again_is_kept_however_many_others_there_are() {
    let (mut plane, tree) = (Plane::default(), tree(&[("root", "acme", "acme", "dev")]));
    plane.request(&Key::new(id("acme"), "default", "r"), "p0", Some("l"));
    let mut totals = Totals::new(&plane.requests, &plane.releases, &plane.orphans, tree);
    let cap = |number: usize| Tally {
        rule: number.to_string(),
        promises: Promises::Covered(Vec::new()),
        reach: Reach::Covered(AppliesTo::default()),
        currency: None,
    };
    for number in 0..KEPT + 10 {
        totals.of(&cap(0));
        totals.of(&cap(number));
    }
    LOOKED_AT.set(0);
    assert_eq!((totals.of(&cap(0)).count, LOOKED_AT.get()), (1, 0));
    assert_eq!(totals.kept.len(), KEPT);
}
