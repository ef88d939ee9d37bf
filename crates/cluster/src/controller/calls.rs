//! When steps of workflows were last called. In memory alone: after a restart each is called once more, which changes nothing.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::watch::Key;

/// The last calls of the steps of each request.
#[derive(Default)]
pub struct Calls {
    last: Mutex<HashMap<Key, BTreeMap<String, Timestamp>>>,
}

impl Calls {
    /// Returns the last calls of a request, by step.
    pub fn of(&self, request: &Key) -> BTreeMap<String, Timestamp> {
        self.last.lock().get(request).cloned().unwrap_or_default()
    }

    /// Notes a call.
    pub fn note(&self, request: &Key, step: &str, at: Timestamp) {
        self.last.lock().entry(request.clone()).or_default().insert(step.to_owned(), at);
    }

    /// Forgets a request whose workflow ended.
    pub fn forget(&self, request: &Key) {
        self.last.lock().remove(request);
    }
}
