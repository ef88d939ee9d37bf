//! Results computed from the requests of each namespace, kept between reads.
//!
//! Each reader compares the portal's cache with the previous snapshot, which costs only as much as has changed since the last read:
//! snapshots share what did not change. Only namespaces in which a request changed are recomputed.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use cluster::{ClusterId, World};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use parking_lot::Mutex;

use super::requests::listing::Sight;

/// A result that depends on the requests of one namespace only.
pub trait Made {
    /// Computes it from these requests, in the order of their names.
    fn of<'r>(requests: impl Iterator<Item = (&'r Key, &'r Arc<PromiseRequest>)>) -> Self;
}

/// The results for every namespace.
pub struct ByPlace<T> {
    known: Mutex<Known<T>>,
}

struct Known<T> {
    requests: OrdMap<Key, Arc<PromiseRequest>>,
    /// By workspace and namespace. `None` if it has to be recomputed.
    places: BTreeMap<(ClusterId, String), Option<Arc<T>>>,
}

impl<T> Default for ByPlace<T> {
    fn default() -> Self {
        Self { known: Mutex::new(Known { requests: OrdMap::new(), places: BTreeMap::new() }) }
    }
}

impl<T: Made> ByPlace<T> {
    /// Returns the results for the namespaces of a workspace that a sight covers.
    pub fn of(&self, world: &World, cluster: &ClusterId, sight: &Sight) -> Vec<Arc<T>> {
        let mut known = self.known.lock();
        known.follow(world.requests.snapshot());
        known.of(cluster, sight)
    }
}

impl<T: Made> Known<T> {
    /// Switches to a new snapshot.
    fn follow(&mut self, requests: OrdMap<Key, Arc<PromiseRequest>>) {
        let before = std::mem::replace(&mut self.requests, requests.clone());
        for change in before.diff(&requests) {
            let (DiffItem::Add(key, _) | DiffItem::Update { new: (key, _), .. } | DiffItem::Remove(key, _)) = change;
            self.places.insert((key.cluster.clone(), key.namespace.clone()), None);
        }
    }

    fn of(&mut self, cluster: &ClusterId, sight: &Sight) -> Vec<Arc<T>> {
        let mut found = Vec::new();
        let from = (cluster.clone(), String::new());
        for ((_, namespace), kept) in self.places.range_mut(from..).take_while(|((of, _), _)| of == cluster) {
            if sight.covers(namespace) {
                found.push(kept.get_or_insert_with(|| Arc::new(T::of(within(&self.requests, cluster, namespace)))).clone());
            }
        }
        found
    }
}

fn within<'r>(
    requests: &'r OrdMap<Key, Arc<PromiseRequest>>,
    cluster: &'r ClusterId,
    namespace: &'r str,
) -> impl Iterator<Item = (&'r Key, &'r Arc<PromiseRequest>)> {
    let from = Key::new(cluster.clone(), namespace, "");
    requests.range(from..).take_while(move |(key, _)| key.cluster == *cluster && key.namespace == namespace)
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::PromiseRequestSpec;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct Names(Vec<String>);

    impl Made for Names {
        fn of<'r>(requests: impl Iterator<Item = (&'r Key, &'r Arc<PromiseRequest>)>) -> Self {
            Self(requests.map(|(key, request)| format!("{} {}", key.name, request.spec.paused)).collect())
        }
    }

    fn put(requests: &mut OrdMap<Key, Arc<PromiseRequest>>, namespace: &str, name: &str, paused: bool) {
        let spec = PromiseRequestSpec { paused, ..PromiseRequestSpec::default() };
        let key = Key::new(ClusterId::root(), namespace, name);
        requests.insert(key, Arc::new(object::<PromiseRequestKind>(name, Some(namespace), spec)));
    }

    #[test]
    fn only_places_that_changed_are_made_anew() {
        let mut known = Known::<Names> { requests: OrdMap::new(), places: BTreeMap::new() };
        let (root, all) = (ClusterId::root(), Sight::Everywhere);
        let mut requests = OrdMap::new();
        put(&mut requests, "a", "one", false);
        put(&mut requests, "b", "two", false);
        known.follow(requests.clone());
        let first = known.of(&root, &all);
        assert_eq!(first.iter().flat_map(|names| names.0.clone()).collect::<Vec<_>>(), ["one false", "two false"]);
        put(&mut requests, "b", "two", true);
        put(&mut requests, "b", "three", false);
        known.follow(requests.clone());
        let second = known.of(&root, &all);
        assert!(Arc::ptr_eq(&first[0], &second[0]), "nothing changed there");
        assert_eq!(second[1].0, ["three false", "two true"]);
        let some = known.of(&root, &Sight::Within(["b".to_owned()].into()));
        assert!(some.len() == 1 && Arc::ptr_eq(&some[0], &second[1]));
        requests.clear();
        known.follow(requests);
        assert!(known.of(&root, &all).iter().all(|names| names.0.is_empty()));
    }
}
