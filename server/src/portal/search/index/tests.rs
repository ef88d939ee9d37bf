use cluster::kinds::{PromiseRequestKind, object};
use promise::api::{InventoryItem, PromiseRef, PromiseRequestSpec, PromiseRequestStatus};

use super::*;

/// Sees the given namespaces, and nothing that has none.
struct Namespaces(&'static [&'static str]);

impl Scope for Namespaces {
    fn covers(&self, _: SearchKind, _: &ClusterId, namespace: &str) -> bool {
        self.0.contains(&namespace)
    }
}

fn key(namespace: &str, name: &str) -> Key {
    Key::new(ClusterId::root(), namespace, name)
}

fn request(namespace: &str, name: &str, promise: &str, resources: &[&str]) -> (Key, Arc<PromiseRequest>) {
    let promise = PromiseRef { name: promise.into(), ..PromiseRef::default() };
    let mut request = object::<PromiseRequestKind>(name, Some(namespace), PromiseRequestSpec { promise, ..PromiseRequestSpec::default() });
    let item = |name: &&str| InventoryItem { kind: "Deployment".into(), name: (*name).into(), ..InventoryItem::default() };
    request.status = Some(PromiseRequestStatus { inventory: resources.iter().map(item).collect(), ..PromiseRequestStatus::default() });
    (key(namespace, name), Arc::new(request))
}

fn follow(known: &mut Known, requests: impl IntoIterator<Item = (Key, Arc<PromiseRequest>)>) {
    let requests = requests.into_iter().collect();
    known.follow(Sources { requests, ..Sources::default() });
}

fn names(known: &Known, text: &str, scope: &Namespaces) -> Vec<String> {
    let ask = Ask { text: text.into(), take: 100, ..Ask::default() };
    let found = known.search(&ask, scope);
    let name = |hit: Hit| if hit.kind == SearchKind::Resource { format!("{}#{}", hit.key.name, hit.part) } else { hit.key.name.clone() };
    found.hits.into_iter().map(name).collect()
}

#[test]
fn the_best_match_comes_first() {
    let mut known = Known::default();
    follow(
        &mut known,
        [
            request("a", "orders-db", "postgresql", &["orders-db", "orders-db-backup"]),
            request("a", "orders-db-copy", "postgresql", &[]),
            request("a", "invoices", "orders", &[]),
            request("a", "web", "web-application", &["web"]),
        ],
    );
    let all = Namespaces(&["a"]);
    let found = names(&known, "orders-db", &all);
    assert_eq!(found[..2], ["orders-db", "orders-db#0"], "the whole name");
    assert_eq!(names(&known, "orders", &all).last().map(String::as_str), Some("invoices"), "a word of the name before other words");
    assert_eq!(names(&known, "postgers orders", &all).len(), 2, "all words, one mistyped");
    assert_eq!(names(&known, "deployment backup", &all), ["orders-db#1"]);
    assert_eq!(names(&known, "  ", &all), Vec::<String>::new());
    assert_eq!(names(&known, "orders nonsense", &all), Vec::<String>::new());
}

#[test]
fn nobody_finds_what_they_cannot_list() {
    let mut known = Known::default();
    follow(&mut known, [request("a", "orders-db", "postgresql", &["orders-1"]), request("b", "orders-cache", "redis", &["orders-1"])]);
    assert_eq!(names(&known, "orders", &Namespaces(&["b"])), ["orders-cache", "orders-cache#0"]);
    assert_eq!(names(&known, "orders-db", &Namespaces(&["b"])), Vec::<String>::new(), "not even by its whole name");
    let found = known.search(&Ask { text: "orders".into(), take: 1, ..Ask::default() }, &Namespaces(&[]));
    assert_eq!((found.hits, found.counts.iter().sum::<usize>(), found.complete), (Vec::new(), 0, true));
}

#[test]
fn the_index_follows_changes() {
    let mut known = Known::default();
    let all = Namespaces(&["a"]);
    follow(&mut known, [request("a", "orders", "postgresql", &["orders-1"]), request("a", "web", "web-application", &[])]);
    follow(&mut known, [request("a", "orders", "postgresql", &["orders-1", "orders-2"]), request("a", "shop", "web-application", &[])]);
    assert_eq!(names(&known, "web", &all), ["shop"], "by its promise; the other one is gone");
    assert_eq!(names(&known, "orders", &all).len(), 3);
    follow(&mut known, []);
    assert_eq!(names(&known, "orders", &all), Vec::<String>::new());
    assert!(known.documents.iter().all(Option::is_none) && known.of.is_empty() && known.by_name.is_empty(), "nothing is left behind");
}

#[test]
fn counts_do_not_depend_on_the_page_and_say_when_they_are_lower_bounds() {
    let mut known = Known::default();
    follow(&mut known, (0..VISITED + 10).map(|index| request("a", &format!("orders-{index}"), "redis", &[])));
    let all = Namespaces(&["a"]);
    let ask = |skip: usize, take: usize| known.search(&Ask { text: "orders".into(), skip, take, ..Ask::default() }, &all);
    let (first, second) = (ask(0, 10), ask(10, 10));
    assert_eq!((first.hits.len(), second.hits.len(), first.complete), (10, 10, false));
    assert!(first.counts[SearchKind::Request as usize] >= VISITED, "{:?}", first.counts);
    assert!(first.hits.iter().all(|hit| !second.hits.contains(hit)));
    let exact = known.search(&Ask { text: "orders-7".into(), take: 10, ..Ask::default() }, &all);
    assert_eq!(exact.hits.first().map(|hit| hit.key.name.as_str()), Some("orders-7"));
}
