//! The runs of each request, newest first, so that they are found without scanning all runs.
//!
//! Each reader first updates the index: snapshots share what did not change, so an update costs only as much as has changed since the last
//! read. It is the same for all users; whoever reads it checks what the user can list.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Bound;
use std::sync::Arc;

use cluster::World;
use cluster::kinds::PromiseAction;
use cluster::watch::Key;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use parking_lot::Mutex;

/// Index of all runs.
#[derive(Default)]
pub struct RunIndex {
    known: Mutex<Known>,
}

/// When a run was created, in seconds since 1970, newest first, and its key.
type Dated = (Reverse<i64>, Key);

#[derive(Default)]
struct Known {
    runs: OrdMap<Key, Arc<PromiseAction>>,
    by_request: BTreeMap<Key, BTreeSet<Dated>>,
}

impl RunIndex {
    /// Returns the runs of a request, newest first: `most` of them after the first `skip`, and how many there are.
    pub(super) fn of(&self, world: &World, request: &Key, skip: usize, most: usize) -> (Vec<Arc<PromiseAction>>, usize) {
        self.with(world, |known| {
            let Some(dated) = known.by_request.get(request) else { return (Vec::new(), 0) };
            let rows = dated.iter().skip(skip).take(most).filter_map(|(_, key)| known.runs.get(key).cloned());
            (rows.collect(), dated.len())
        })
    }

    /// Returns the runs of a request after a position, newest first, at most `most` of them, each with the second of its creation; and how
    /// many there are in all. A position is the second of a run and its name.
    pub(super) fn after(
        &self,
        world: &World,
        request: &Key,
        position: Option<(i64, &str)>,
        most: usize,
    ) -> (Vec<(i64, Arc<PromiseAction>)>, usize) {
        let from = position.map_or(Bound::Unbounded, |(second, name)| Bound::Excluded((Reverse(second), request.beside(name))));
        self.with(world, |known| {
            let Some(dated) = known.by_request.get(request) else { return (Vec::new(), 0) };
            let rows = dated.range((from, Bound::Unbounded)).take(most);
            let rows = rows.filter_map(|(Reverse(second), key)| Some((*second, known.runs.get(key)?.clone())));
            (rows.collect(), dated.len())
        })
    }

    /// Returns a number for the state of the runs of a request. Any change to one changes the number.
    pub(in crate::portal) fn stamp(&self, world: &World, request: &Key) -> u64 {
        self.with(world, |known| {
            let mut state = DefaultHasher::new();
            for (_, key) in known.by_request.get(request).into_iter().flatten() {
                (key, known.runs.get(key).and_then(|run| run.metadata.resource_version.as_ref())).hash(&mut state);
            }
            state.finish()
        })
    }

    fn with<T>(&self, world: &World, read: impl FnOnce(&Known) -> T) -> T {
        let mut known = self.known.lock();
        known.follow(world.actions.snapshot());
        read(&known)
    }
}

/// Returns the request that a run belongs to.
pub(crate) fn request_of(key: &Key, run: &PromiseAction) -> Key {
    key.beside(run.spec.request.clone())
}

fn dated(key: &Key, run: &PromiseAction) -> Dated {
    (Reverse(run.metadata.creation_timestamp.as_ref().map(|time| time.0.as_second()).unwrap_or_default()), key.clone())
}

impl Known {
    /// Switches to a new snapshot.
    fn follow(&mut self, runs: OrdMap<Key, Arc<PromiseAction>>) {
        let before = std::mem::replace(&mut self.runs, runs.clone());
        for change in before.diff(&runs) {
            match change {
                DiffItem::Add(key, run) => self.file(key, run),
                DiffItem::Update { old: (key, former), new: (_, run) } => {
                    self.drop(key, former);
                    self.file(key, run);
                }
                DiffItem::Remove(key, run) => self.drop(key, run),
            }
        }
    }

    fn file(&mut self, key: &Key, run: &PromiseAction) {
        self.by_request.entry(request_of(key, run)).or_default().insert(dated(key, run));
    }

    fn drop(&mut self, key: &Key, run: &PromiseAction) {
        let request = request_of(key, run);
        if let Some(runs) = self.by_request.get_mut(&request) {
            runs.remove(&dated(key, run));
            if runs.is_empty() {
                self.by_request.remove(&request);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use cluster::kinds::{PromiseActionKind, object};
    use promise::api::PromiseActionSpec;

    use super::*;

    #[test]
    fn the_runs_of_a_request_are_listed_newest_first() {
        let key = |name: &str| Key::new(ClusterId::root(), "default", name);
        let run = |name: &str, request: &str, second: i64| {
            let spec = PromiseActionSpec { request: request.into(), ..PromiseActionSpec::default() };
            let mut run = object::<PromiseActionKind>(name, Some("default"), spec);
            run.metadata.creation_timestamp =
                Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(jiff::Timestamp::from_second(second).unwrap()));
            Arc::new(run)
        };
        let mut known = Known::default();
        let mut runs = OrdMap::new();
        for (name, request, second) in [("a", "db", 1), ("b", "db", 3), ("c", "db", 2), ("d", "web", 9)] {
            runs.insert(key(name), run(name, request, second));
        }
        known.follow(runs.clone());
        let names = |known: &Known, request: &str| {
            let dated = known.by_request.get(&key(request)).into_iter().flatten();
            dated.map(|(_, key)| key.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&known, "db"), ["b", "c", "a"]);
        runs.remove(&key("b"));
        runs.insert(key("e"), run("e", "db", 4));
        known.follow(runs.clone());
        assert_eq!((names(&known, "db"), names(&known, "web")), (vec!["e".into(), "c".into(), "a".into()], vec!["d".to_owned()]));
        runs.remove(&key("d"));
        known.follow(runs);
        assert!(!known.by_request.contains_key(&key("web")));
    }
}
