//! Which runs of actions a request has, and which of them aren't over: an index of the caches, kept up to date by `handlers`.

use std::collections::{BTreeSet, HashMap};

use parking_lot::Mutex;

use crate::kinds::PromiseAction;
use crate::watch::Key;

/// Index of runs of actions.
#[derive(Default)]
pub struct ActionIndex {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rows: HashMap<Key, Known>,
    /// Runs by request.
    of: HashMap<Key, BTreeSet<Key>>,
    /// Those of them that aren't over.
    open: HashMap<Key, BTreeSet<Key>>,
    uids: HashMap<String, Key>,
}

#[derive(Clone, PartialEq, Eq)]
struct Known {
    uid: String,
    request: Key,
    is_open: bool,
}

impl ActionIndex {
    /// Updates what is known of a run. Returns the request whose other runs might start now.
    pub fn update(&self, key: &Key, row: Option<&PromiseAction>) -> Option<Key> {
        let now = row.map(|row| Known {
            uid: row.metadata.uid.clone().unwrap_or_default(),
            request: key.beside(row.spec.request.clone()),
            is_open: !row.status.as_ref().is_some_and(|status| status.phase.is_over()),
        });
        let mut state = self.state.lock();
        let before = state.rows.remove(key);
        if let Some(before) = &before {
            state.uids.remove(&before.uid);
            remove(&mut state.of, &before.request, key);
            remove(&mut state.open, &before.request, key);
        }
        if let Some(now) = now.clone() {
            state.uids.insert(now.uid.clone(), key.clone());
            state.of.entry(now.request.clone()).or_default().insert(key.clone());
            if now.is_open {
                state.open.entry(now.request.clone()).or_default().insert(key.clone());
            }
            state.rows.insert(key.clone(), now);
        }
        before.filter(|before| before.is_open && !now.is_some_and(|now| now.is_open)).map(|before| before.request)
    }

    /// Returns all runs of a request, in the order of their keys.
    pub fn of(&self, request: &Key) -> Vec<Key> {
        self.state.lock().of.get(request).map(|of| of.iter().cloned().collect()).unwrap_or_default()
    }

    /// Returns the runs of a request that aren't over, in the order of their keys.
    pub fn open(&self, request: &Key) -> Vec<Key> {
        self.state.lock().open.get(request).map(|open| open.iter().cloned().collect()).unwrap_or_default()
    }

    /// Returns the run with this uid.
    pub fn of_uid(&self, uid: &str) -> Option<Key> {
        self.state.lock().uids.get(uid).cloned()
    }
}

fn remove(from: &mut HashMap<Key, BTreeSet<Key>>, request: &Key, key: &Key) {
    if let Some(keys) = from.get_mut(request) {
        keys.remove(key);
        if keys.is_empty() {
            from.remove(request);
        }
    }
}
