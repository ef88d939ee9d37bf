//! Verified callers of the last moments, so that a page does not ask database and plane again for each of its parts.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;
use store::SessionKey;

use super::Caller;

/// How many are kept before stale ones are thrown away. The first use of a session that is not among them counts for where it comes from.
const KEPT: usize = 10_000;

/// Callers by session. Signing out forgets at once; everything else ends by itself after the time that a verification counts.
#[derive(Default)]
pub struct Callers(Mutex<HashMap<SessionKey, Caller>>);

impl Callers {
    pub(super) fn get(&self, key: SessionKey) -> Option<Caller> {
        self.0.lock().get(&key).cloned()
    }

    /// Whether the holder of this was known lately, so that asking the plane again is no guess.
    pub(super) fn knows(&self, key: SessionKey) -> bool {
        self.0.lock().contains_key(&key)
    }

    pub(super) fn remember(&self, key: SessionKey, caller: &Caller, now: Timestamp) {
        let mut callers = self.0.lock();
        if callers.len() >= KEPT {
            callers.retain(|_, caller| caller.is_fresh(now));
        }
        if callers.len() < KEPT {
            callers.insert(key, caller.clone());
        }
    }

    /// Forgets a session that ended.
    pub fn forget(&self, key: SessionKey) {
        self.0.lock().remove(&key);
    }

    /// Removes all callers. Each one holds a reference to the portal, so a portal that shuts down must drop them to release its files.
    pub fn forget_all(&self) {
        self.0.lock().clear();
    }
}
