//! Cache of recently verified callers, so that a page doesn't ask the database and the plane again for each of its parts.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;
use store::SessionKey;

use super::Caller;

/// Number of cached callers at which stale ones are dropped. The first use of a session that isn't cached counts against the limit of its
/// client address.
const KEPT: usize = 10_000;

/// Callers by session. Signing out removes a caller at once; all others expire when their verification does.
#[derive(Default)]
pub struct Callers(Mutex<HashMap<SessionKey, Caller>>);

impl Callers {
    pub(super) fn get(&self, key: SessionKey) -> Option<Caller> {
        self.0.lock().get(&key).cloned()
    }

    /// Checks whether the holder of this credential was verified recently, so that asking the plane again isn't a guess.
    pub(crate) fn knows(&self, key: SessionKey) -> bool {
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

    /// Removes the caller of a session that ended.
    pub fn forget(&self, key: SessionKey) {
        self.0.lock().remove(&key);
    }

    /// Removes all callers. Each one holds a reference to the portal, so a portal that shuts down must drop them to release its files.
    pub fn forget_all(&self) {
        self.0.lock().clear();
    }
}
