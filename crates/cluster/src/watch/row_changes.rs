//! Following a cache: which rows changed, even for a receiver that falls far behind.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use imbl::OrdMap;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::{Cache, Changes, Key};

/// A row that appeared, changed or was deleted.
pub struct RowChange<V> {
    /// Key of the row.
    pub key: Key,
    /// What it was when it was last reported; `None` if it wasn't there.
    pub before: Option<Arc<V>>,
    /// What it is now; `None` if it isn't there any more.
    pub now: Option<Arc<V>>,
}

/// Changes of a cache's rows, each reported at least once. Several changes of a row in quick succession can be reported as one.
///
/// A receiver that falls behind compares two snapshots, so its work grows with the number of changes. Only the comparison itself passes over
/// all rows, and it looks into none of them.
pub struct RowChanges<V> {
    cache: Cache<V>,
    changes: Changes,
    /// The rows as they were reported.
    seen: OrdMap<Key, Arc<V>>,
    /// What a comparison found and wasn't reported yet.
    found: VecDeque<RowChange<V>>,
}

impl<V> RowChanges<V> {
    /// Follows a cache from now on.
    pub(super) fn of(cache: &Cache<V>) -> Self {
        // Subscribed before the rows are read, so that no change is missed.
        let changes = cache.changes();
        Self { changes, seen: cache.snapshot(), found: VecDeque::new(), cache: cache.clone() }
    }

    /// Waits for the next change; `None` if there will be no more. Nothing is lost if the caller stops waiting.
    pub async fn next(&mut self) -> Option<RowChange<V>> {
        loop {
            if let Some(change) = self.found.pop_front() {
                return Some(change);
            }
            match self.changes.recv().await {
                Ok(key) => self.take(key),
                Err(RecvError::Lagged(_)) => self.compare(),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// Returns the next change, if there is one at this moment.
    pub fn try_next(&mut self) -> Option<RowChange<V>> {
        loop {
            if let Some(change) = self.found.pop_front() {
                return Some(change);
            }
            match self.changes.try_recv() {
                Ok(key) => self.take(key),
                Err(TryRecvError::Lagged(_)) => self.compare(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return None,
            }
        }
    }

    fn take(&mut self, key: Key) {
        let snapshot = self.cache.snapshot();
        let now = snapshot.get(&key).cloned();
        // A row is stored and reported in one step, so everything in a snapshot is known if nothing more is waiting. Then the cache's own
        // rows are kept, and no copies of its tree.
        let before = if self.changes.is_empty() {
            std::mem::replace(&mut self.seen, snapshot).get(&key).cloned()
        } else {
            match &now {
                Some(row) => self.seen.insert(key.clone(), row.clone()),
                None => self.seen.remove(&key),
            }
        };
        if !is_same(before.as_ref(), now.as_ref()) {
            self.found.push_back(RowChange { key, before, now });
        }
    }

    fn compare(&mut self) {
        // What still waits is part of the comparison.
        self.changes = self.changes.resubscribe();
        let now = self.cache.snapshot();
        self.found = differences(&self.seen, &now);
        self.seen = now;
    }
}

/// Checks whether two looks at a key show the very same row. One that appeared and went between them is reported.
fn is_same<V>(before: Option<&Arc<V>>, now: Option<&Arc<V>>) -> bool {
    matches!((before, now), (Some(before), Some(now)) if Arc::ptr_eq(before, now))
}

fn differences<V>(before: &OrdMap<Key, Arc<V>>, now: &OrdMap<Key, Arc<V>>) -> VecDeque<RowChange<V>> {
    let (mut olds, mut news) = (before.iter().peekable(), now.iter().peekable());
    let mut found = VecDeque::new();
    loop {
        let order = match (olds.peek(), news.peek()) {
            (Some((old, _)), Some((new, _))) => old.cmp(new),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return found,
        };
        let old = if order == Ordering::Greater { None } else { olds.next() };
        let new = if order == Ordering::Less { None } else { news.next() };
        let (before, now) = (old.map(|(_, row)| row), new.map(|(_, row)| row));
        if let Some((key, _)) = old.or(new).filter(|_| !is_same(before, now)) {
            found.push_back(RowChange { key: key.clone(), before: before.cloned(), now: now.cloned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RowChange, RowChanges};
    use crate::watch::{Cache, Key};
    use crate::workspaces::ClusterId;

    fn key(name: &str) -> Key {
        Key::cluster_scoped(&ClusterId::root(), name)
    }

    fn summary(change: &RowChange<i32>) -> (String, Option<i32>, Option<i32>) {
        (change.key.name.clone(), change.before.as_deref().copied(), change.now.as_deref().copied())
    }

    fn all(changes: &mut RowChanges<i32>) -> Vec<(String, Option<i32>, Option<i32>)> {
        std::iter::from_fn(|| changes.try_next()).map(|change| summary(&change)).collect()
    }

    #[test]
    fn a_change_is_reported_with_what_was_there_before() {
        let cache = Cache::default();
        cache.put(key("a"), 1);
        let mut changes = cache.row_changes();
        assert_eq!(all(&mut changes), []);
        cache.put(key("a"), 2);
        assert_eq!(all(&mut changes), [("a".to_owned(), Some(1), Some(2))]);
        cache.put(key("b"), 1);
        assert_eq!(all(&mut changes), [("b".to_owned(), None, Some(1))]);
        cache.remove(key("a"));
        assert_eq!(all(&mut changes), [("a".to_owned(), Some(2), None)]);
    }

    #[test]
    fn two_changes_in_quick_succession_are_one() {
        let cache = Cache::default();
        let mut changes = cache.row_changes();
        cache.put(key("a"), 1);
        cache.put(key("a"), 2);
        assert_eq!(all(&mut changes), [("a".to_owned(), None, Some(2))]);
    }

    #[test]
    fn a_row_that_is_deleted_while_others_wait_is_reported_as_it_was_last_seen() {
        let cache = Cache::default();
        let mut changes = cache.row_changes();
        cache.put(key("a"), 1);
        cache.put(key("b"), 1);
        assert_eq!(changes.try_next().as_ref().map(summary), Some(("a".to_owned(), None, Some(1))));
        cache.remove(key("a"));
        assert_eq!(all(&mut changes), [("b".to_owned(), None, Some(1)), ("a".to_owned(), Some(1), None)]);
    }

    #[test]
    fn a_row_that_changes_again_before_it_is_looked_at_is_reported_once() {
        let cache = Cache::default();
        cache.put(key("a"), 1);
        let mut changes = cache.row_changes();
        for round in 2..=3 {
            cache.put(key("a"), round);
            cache.put(key("b"), round);
        }
        assert_eq!(all(&mut changes), [("a".to_owned(), Some(1), Some(3)), ("b".to_owned(), None, Some(3))]);
        cache.remove(key("b"));
        assert_eq!(all(&mut changes), [("b".to_owned(), Some(3), None)], "what is kept in between is what was reported");
    }

    #[test]
    fn a_receiver_that_falls_behind_gets_what_differs_and_nothing_else() {
        let cache = Cache::default();
        let name = |number: i32| format!("{number:04}");
        cache.replace((0..2_000).map(|number| (key(&name(number)), 0)).collect());
        let mut changes = cache.row_changes();
        for round in 1..=1_500 {
            cache.put(key(&name(7)), round);
        }
        cache.remove(key(&name(9)));
        cache.put(key("new"), 1);
        let expected = [(name(7), Some(0), Some(1_500)), (name(9), Some(0), None), ("new".to_owned(), None, Some(1))];
        assert_eq!(all(&mut changes), expected);
        cache.put(key(&name(7)), 0);
        assert_eq!(all(&mut changes), [(name(7), Some(1_500), Some(0))], "it follows as before");
    }
}
