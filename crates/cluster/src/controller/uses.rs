//! How many requests use which revision: promises count their instances by it, without looking at the requests.

use std::collections::{BTreeSet, HashMap};

use parking_lot::Mutex;

/// A revision in a home: promises of two homes with the same content have revisions of the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Used {
    /// Name of the revision.
    pub revision: String,
    /// Logical cluster id of the home. A status that an earlier version of the controller wrote doesn't contain it.
    pub home: Option<String>,
}

/// Number of requests by revision, kept up to date by `handlers`.
#[derive(Default)]
pub struct Uses(Mutex<State>);

#[derive(Default)]
struct State {
    /// Number of requests by revision.
    users: HashMap<Used, usize>,
    /// Of these, the requests that use two: one runs, and another is going to replace it.
    pairs: HashMap<(Used, Used), usize>,
}

impl Uses {
    /// Records that a request used the revisions in `before` and uses those in `now`. Both are in ascending order.
    pub fn replace(&self, before: &[Used], now: &[Used]) {
        if before == now {
            return;
        }
        let mut state = self.0.lock();
        state.forget(before);
        state.note(now);
    }

    /// Returns the number of requests that use at least one of these revisions.
    pub fn count(&self, revisions: impl IntoIterator<Item = Used>) -> usize {
        let revisions: BTreeSet<Used> = revisions.into_iter().collect();
        let state = self.0.lock();
        let users: usize = revisions.iter().filter_map(|revision| state.users.get(revision)).sum();
        let twice = state.pairs.iter().filter(|((one, other), _)| revisions.contains(one) && revisions.contains(other));
        users.saturating_sub(twice.map(|(_, count)| count).sum())
    }
}

impl State {
    fn note(&mut self, used: &[Used]) {
        for revision in used {
            *self.users.entry(revision.clone()).or_default() += 1;
        }
        if let Some(pair) = pair(used) {
            *self.pairs.entry(pair).or_default() += 1;
        }
    }

    fn forget(&mut self, used: &[Used]) {
        for revision in used {
            less(&mut self.users, revision);
        }
        if let Some(pair) = pair(used) {
            less(&mut self.pairs, &pair);
        }
    }
}

/// Returns both revisions of a request that uses two. There are never more than one that runs and one to come.
fn pair(used: &[Used]) -> Option<(Used, Used)> {
    let mut used = used.iter();
    Some((used.next()?.clone(), used.next()?.clone()))
}

fn less<K: Eq + std::hash::Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Used, Uses};

    fn at(home: &str, revision: &str) -> Used {
        Used { revision: revision.to_owned(), home: Some(home.to_owned()) }
    }

    #[test]
    fn a_revision_of_the_same_name_in_another_home_is_another_one() {
        let uses = Uses::default();
        uses.replace(&[], &[at("platform", "redis-1")]);
        assert_eq!((uses.count([at("platform", "redis-1")]), uses.count([at("acme", "redis-1")])), (1, 0));
    }

    #[test]
    fn a_request_that_uses_two_revisions_of_a_promise_is_one_instance_of_it() {
        let used = |names: &[&str]| names.iter().map(|name| at("platform", name)).collect::<Vec<Used>>();
        let count = |uses: &Uses, names: &[&str]| uses.count(names.iter().map(|name| at("platform", name)));
        let uses = Uses::default();
        uses.replace(&used(&[]), &used(&["redis-1"]));
        uses.replace(&used(&[]), &used(&["redis-1", "redis-2"]));
        uses.replace(&used(&[]), &used(&["redis-1", "valkey-1"]));
        assert_eq!((count(&uses, &["redis-1", "redis-2"]), count(&uses, &["valkey-1"])), (3, 1));
        assert_eq!((count(&uses, &["redis-2"]), count(&uses, &["redis-3"])), (1, 0));
        uses.replace(&used(&["redis-1", "redis-2"]), &used(&["redis-2"]));
        assert_eq!((count(&uses, &["redis-1", "redis-2"]), count(&uses, &["redis-2"])), (3, 1));
        uses.replace(&used(&["redis-1"]), &used(&[]));
        uses.replace(&used(&["redis-2"]), &used(&[]));
        uses.replace(&used(&["redis-1", "valkey-1"]), &used(&[]));
        assert_eq!(count(&uses, &["redis-1", "redis-2", "valkey-1"]), 0);
        assert!(uses.0.lock().users.is_empty() && uses.0.lock().pairs.is_empty());
    }
}
