//! Compares kept catalogs with catalogs built from scratch.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use app::view::{CatalogQuery, Facet, FacetValue, Sort};
use cluster::ClusterId;
use cluster::kinds::{Promise, PromiseKind, object};
use cluster::watch::Key;
use imbl::OrdMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use promise::api::{Lifecycle, Maintainer, Presentation, PromiseCatalogSpec, PromiseSpec, PromiseStatus, Visibility};
use promise::visibility::{self, Offer, Place, SeenBy, Shelf};
use promise::wording;

use super::entries::Entries;
use super::facets::facet;
use super::narrow::Narrowed;
use super::order::{Order, Ranking};

type Promises = OrdMap<Key, Arc<Promise>>;

/// A workspace, the workspaces above it, and a trusted home beside it.
struct World {
    way: Vec<Place>,
    homes: Vec<(ClusterId, Place)>,
    catalogs: Vec<(usize, &'static str, PromiseCatalogSpec)>,
}

impl World {
    fn new() -> Self {
        let place = |cluster: &str, path: &str| Place { cluster: cluster.into(), path: path.into() };
        let all = [place("root", "root"), place("acme", "root:acme"), place("shop", "root:acme:shop"), place("core", "root:core")];
        let catalog = |weight: i32, promises: &[&str], workspaces: &str| PromiseCatalogSpec {
            weight,
            promises: promises.iter().map(|name| (*name).to_owned()).collect(),
            workspaces: vec![workspaces.to_owned()],
            ..PromiseCatalogSpec::default()
        };
        Self {
            way: all[..3].to_vec(),
            homes: all.iter().map(|place| (ClusterId::parse(&place.cluster).unwrap(), place.clone())).collect(),
            catalogs: vec![
                (3, "standard", catalog(5, &["p1*", "p2"], "root:acme:**")),
                (3, "elsewhere", catalog(9, &["*"], "root:globex:**")),
                (1, "own", catalog(5, &["*3"], "**")),
            ],
        }
    }

    fn shelves(&self, home: usize) -> Vec<Shelf<'_>> {
        let of = self.catalogs.iter().filter(|(at, ..)| *at == home);
        of.map(|(at, name, spec)| Shelf { name, home: &self.homes[*at].1, trusted: *at == 3, spec }).collect()
    }

    fn ranking(&self) -> Ranking<'_> {
        let homes = self.homes.iter().enumerate().map(|(at, (cluster, place))| (cluster, place, self.shelves(at)));
        Ranking::over(&self.way, homes.collect())
    }

    /// Returns everything that is visible, in order, by scanning every promise.
    fn visible<'p>(&self, promises: &'p Promises) -> Vec<(&'p Key, &'p PromiseSpec)> {
        let mut found = Vec::new();
        for (key, promise) in promises {
            let Some(at) = self.homes.iter().position(|(cluster, _)| *cluster == key.cluster) else { continue };
            let shelves = self.shelves(at);
            let offer = Offer { name: &key.name, home: &self.homes[at].1, spec: &promise.spec, is_deleting: false };
            let Ok(by) = visibility::seen_by(&offer, &self.way, &shelves) else { continue };
            let shelf = visibility::listings(&offer, &self.way, &shelves).first().map(|shelf| (Reverse(shelf.spec.weight), at, shelf.name));
            let levels = match by {
                SeenBy::Home => 0,
                SeenBy::Descent { levels } => levels,
                SeenBy::Catalog { .. } => usize::MAX,
            };
            let shelf = (shelf.is_none(), shelf.map(|(weight, at, name)| (weight, format!("{}/{name}", self.homes[at].1.path))));
            found.push(((!promise.spec.presentation.featured, shelf, &key.name, levels, &offer.home.path), (key, &promise.spec)));
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        found.into_iter().map(|(_, row)| row).collect()
    }
}

fn team(spec: &PromiseSpec) -> String {
    spec.presentation.maintainer.as_ref().and_then(|maintainer| maintainer.team.clone()).unwrap_or_default()
}

fn category(spec: &PromiseSpec) -> String {
    spec.presentation.category.clone().unwrap_or_default()
}

fn fits(key: &Key, spec: &PromiseSpec, query: &CatalogQuery) -> bool {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    let shown = &spec.presentation;
    let text = [key.name.clone(), shown.display_name.clone().unwrap_or_default(), category(spec), team(spec)];
    let word_fits = |word: &str| text.iter().chain(&shown.tags).any(|text| text.to_lowercase().contains(&word.to_lowercase()));
    is(&query.category, &category(spec))
        && (query.tag.is_empty() || shown.tags.contains(&query.tag))
        && is(&query.owner, &team(spec))
        && is(&query.lifecycle, spec.lifecycle.word())
        && query.q.split_whitespace().all(word_fits)
}

/// Returns what a build from scratch finds: names in order, and the four facets.
fn fresh(world: &World, promises: &Promises, query: &CatalogQuery) -> (Vec<Key>, [Facet; 4]) {
    let all = world.visible(promises);
    let of = |without: CatalogQuery, values: fn(&PromiseSpec) -> Vec<String>, chosen: &str, label: fn(&str) -> String| {
        facet(all.iter().filter(|(key, spec)| fits(key, spec, &without)).flat_map(|(_, spec)| values(spec)), chosen, label, 20)
    };
    let without = || query.clone();
    let facets = [
        of(CatalogQuery { category: String::new(), ..without() }, |spec| vec![category(spec)], &query.category, wording::humanise),
        of(CatalogQuery { tag: String::new(), ..without() }, |spec| spec.presentation.tags.clone(), &query.tag, str::to_owned),
        of(CatalogQuery { owner: String::new(), ..without() }, |spec| vec![team(spec)], &query.owner, str::to_owned),
        of(
            CatalogQuery { lifecycle: String::new(), ..without() },
            |spec| vec![spec.lifecycle.word().to_owned()],
            &query.lifecycle,
            wording::humanise,
        ),
    ];
    (all.iter().filter(|(key, spec)| fits(key, spec, query)).map(|(key, _)| (*key).clone()).collect(), facets)
}

/// Pseudo-random numbers that are the same on each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn spec(&mut self) -> PromiseSpec {
        let tags = (0..self.below(3)).map(|_| format!("tag-{}", self.below(30))).collect();
        PromiseSpec {
            version: format!("1.{}.0", self.below(9)),
            lifecycle: [Lifecycle::Published, Lifecycle::Deprecated, Lifecycle::Draft, Lifecycle::Published][self.below(4) as usize],
            visibility: if self.below(3) == 0 { Visibility::Private } else { Visibility::Descendants },
            presentation: Presentation {
                display_name: (self.below(2) == 0).then(|| format!("Größe {}", self.below(40))),
                category: (self.below(4) > 0).then(|| format!("kind {}", self.below(3))),
                tags,
                maintainer: Some(Maintainer { team: Some(format!("Team {}", self.below(3))), ..Maintainer::default() }),
                featured: self.below(5) == 0,
                ..Presentation::default()
            },
            ..PromiseSpec::default()
        }
    }
}

/// Returns a promise with a new version each time, as the control plane does.
fn promise(name: &str, spec: PromiseSpec) -> Arc<Promise> {
    static VERSION: AtomicU64 = AtomicU64::new(1);
    let mut promise = object::<PromiseKind>(name, None, spec);
    promise.metadata.resource_version = Some(VERSION.fetch_add(1, Ordering::Relaxed).to_string());
    Arc::new(promise)
}

fn queries() -> Vec<CatalogQuery> {
    let query = |q: &str, category: &str, tag: &str, owner: &str, lifecycle: &str| CatalogQuery {
        q: q.into(),
        category: category.into(),
        tag: tag.into(),
        owner: owner.into(),
        lifecycle: lifecycle.into(),
        ..CatalogQuery::default()
    };
    vec![
        CatalogQuery::default(),
        query("p1", "", "", "", ""),
        query("GRÖSSE 7", "", "", "", ""),
        query("p12 team", "", "", "", ""),
        query("größe", "kind 1", "", "Team 2", ""),
        query("", "kind 1", "tag-3", "", "published"),
        query("", "", "tag-4", "", ""),
        query("", "", "", "", "deprecated"),
        query("nothing like this", "", "", "", ""),
    ]
}

#[test]
fn a_catalog_that_is_kept_says_what_a_fresh_look_at_everything_says() {
    let (world, mut chance) = (World::new(), Chance(7));
    let (mut promises, mut entries) = (Promises::new(), Entries::default());
    let mut order = Order::of(&entries, &world.ranking());
    for round in 0..120 {
        // Usually a few changes at a time, occasionally more than are remembered.
        for _ in 0..if round == 60 { 6_000 } else { 1 + chance.below(8) } {
            let home = &world.homes[chance.below(4) as usize].0;
            let key = Key::cluster_scoped(home, &format!("p{}", chance.below(if round < 60 { 40 } else { 2_000 })));
            if chance.below(4) == 0 {
                promises.remove(&key);
            } else {
                let row = promise(&key.name, chance.spec());
                promises.insert(key, row);
            }
        }
        entries.follow(promises.clone());
        order.follow(&entries, &world.ranking());
        if round % 5 > 0 && round != 60 {
            continue;
        }
        for query in queries() {
            let narrowed = Narrowed::of(&entries, &order, &query);
            let kept: Vec<Key> = narrowed.fit.iter().map(|id| entries.get(*id).unwrap().key.clone()).collect();
            let facets = [narrowed.categories, narrowed.tags, narrowed.owners, narrowed.lifecycles];
            assert_eq!((kept, facets), fresh(&world, &promises, &query), "round {round}: {query:?}");
        }
        assert_eq!(order.len(), world.visible(&promises).len());
    }
}

#[test]
fn a_promise_that_counts_another_instance_changes_no_catalog() {
    let world = World::new();
    let (mut promises, mut entries, mut chance) = (Promises::new(), Entries::default(), Chance(3));
    for number in 0..50 {
        let key = Key::cluster_scoped(&world.homes[0].0, &format!("p{number}"));
        promises.insert(key.clone(), promise(&key.name, PromiseSpec { lifecycle: Lifecycle::Published, ..chance.spec() }));
    }
    entries.follow(promises.clone());
    let mut order = Order::of(&entries, &world.ranking());
    let edition = entries.edition();
    for (key, row) in promises.clone() {
        let status = Some(PromiseStatus { instances: 7, ..PromiseStatus::default() });
        let again = promise(&key.name, row.spec.clone());
        promises.insert(key, Arc::new(Promise { status, ..(*again).clone() }));
    }
    entries.follow(promises.clone());
    assert!(entries.edition() == edition && !order.follow(&entries, &world.ranking()));
    // A different word changes it, and only that one row.
    let (key, row) = promises.iter().next().map(|(key, row)| (key.clone(), row.clone())).unwrap();
    let mut spec = row.spec.clone();
    spec.presentation.category = Some("new".to_owned());
    promises.insert(key.clone(), promise(&key.name, spec));
    entries.follow(promises);
    assert_eq!((entries.edition(), entries.since(edition).unwrap().count()), (edition + 1, 1));
}

#[test]
fn many_values_of_a_facet_are_cut_to_the_frequent_ones_and_the_chosen_one() {
    let world = World::new();
    let mut promises = Promises::new();
    for number in 0..230 {
        let key = Key::cluster_scoped(&world.homes[0].0, &format!("p{number}"));
        let presentation = Presentation { tags: vec![format!("tag-{}", number.min(40))], ..Presentation::default() };
        let spec =
            PromiseSpec { lifecycle: Lifecycle::Published, visibility: Visibility::Descendants, presentation, ..PromiseSpec::default() };
        promises.insert(key.clone(), promise(&key.name, spec));
    }
    let mut entries = Entries::default();
    entries.follow(promises);
    let order = Order::of(&entries, &world.ranking());
    let tags = Narrowed::of(&entries, &order, &CatalogQuery::default()).tags;
    assert_eq!((tags.values.len(), tags.left_out), (20, 21));
    assert!(tags.values.iter().any(|value| value.value == "tag-40" && value.count == 190));
    let chosen = CatalogQuery { tag: "tag-39".into(), ..CatalogQuery::default() };
    let tags = Narrowed::of(&entries, &order, &chosen).tags;
    let is_chosen = |value: &FacetValue| value.chosen && value.value == "tag-39" && value.count == 1;
    assert!(tags.values.iter().any(is_chosen), "the chosen one can be taken away");
}

#[test]
fn a_catalog_is_sorted_by_the_names_that_people_read_or_by_what_came_last() {
    let world = World::new();
    let mut promises = Promises::new();
    for (number, shown) in ["beta", "Alpha", "gamma", "alpha"].into_iter().enumerate() {
        let key = Key::cluster_scoped(&world.homes[0].0, &format!("p{number}"));
        let presentation = Presentation { display_name: Some(shown.to_owned()), featured: number == 2, ..Presentation::default() };
        let spec =
            PromiseSpec { lifecycle: Lifecycle::Published, visibility: Visibility::Descendants, presentation, ..PromiseSpec::default() };
        let mut row = (*promise(&key.name, spec)).clone();
        row.metadata.creation_timestamp = Some(Time(jiff::Timestamp::from_second(1_000 + number as i64).unwrap()));
        promises.insert(key, Arc::new(row));
    }
    let mut entries = Entries::default();
    entries.follow(promises);
    let order = Order::of(&entries, &world.ranking());
    let sorted = |sort: &str| {
        let query = CatalogQuery { sort: Sort::parse(sort), ..CatalogQuery::default() };
        let fit = Narrowed::of(&entries, &order, &query).fit;
        fit.into_iter().map(|id| entries.get(id).unwrap().key.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(sorted(""), ["p2", "p0", "p1", "p3"], "featured ones first, then by the names of promises");
    assert_eq!(sorted("name"), ["p1", "p3", "p0", "p2"]);
    assert_eq!(sorted("-published"), ["p3", "p2", "p1", "p0"]);
}
