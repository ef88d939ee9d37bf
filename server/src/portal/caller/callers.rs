//! Cache of recently verified callers, so that a page doesn't ask the database and the plane again for each of its parts.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;
use store::SessionKey;
use tokio::sync::broadcast;

use super::Caller;

/// Number of cached callers at which stale ones are dropped. The first use of a session that isn't cached counts against the limit of its
/// client address.
const KEPT: usize = 10_000;
/// Number of ended sessions by which a stream can fall behind.
const BACKLOG: usize = 256;

/// Callers by session. Signing out removes a caller at once; all others expire when their verification does.
pub struct Callers {
    known: Mutex<HashMap<SessionKey, Caller>>,
    /// Sessions that ended; `None` if it isn't known which.
    ended: broadcast::Sender<Option<SessionKey>>,
}

impl Default for Callers {
    fn default() -> Self {
        Self { known: Mutex::default(), ended: broadcast::Sender::new(BACKLOG) }
    }
}

impl Callers {
    pub(super) fn get(&self, key: SessionKey) -> Option<Caller> {
        self.known.lock().get(&key).cloned()
    }

    /// Checks whether the holder of this credential was verified recently, so that asking the plane again isn't a guess.
    pub(crate) fn knows(&self, key: SessionKey) -> bool {
        self.known.lock().contains_key(&key)
    }

    pub(super) fn remember(&self, key: SessionKey, caller: &Caller, now: Timestamp) {
        let mut callers = self.known.lock();
        if callers.len() >= KEPT {
            callers.retain(|_, caller| caller.is_fresh(now));
        }
        if callers.len() < KEPT {
            callers.insert(key, caller.clone());
        }
    }

    /// Removes a caller, who is verified again when there is another request.
    pub(super) fn forget(&self, key: SessionKey) {
        self.known.lock().remove(&key);
    }

    /// Removes the caller of a session that ended, and ends the streams of the session.
    pub fn end(&self, key: SessionKey) {
        self.forget(key);
        // It's fine if there are no streams.
        let _ = self.ended.send(Some(key));
    }

    /// Has all streams check their sessions, because any of them can have ended.
    pub fn check_all(&self) {
        let _ = self.ended.send(None);
    }

    /// Subscribes to sessions that end; `None` stands for any.
    pub fn ended(&self) -> broadcast::Receiver<Option<SessionKey>> {
        self.ended.subscribe()
    }

    /// Removes all callers. Each one holds a reference to the portal, so a portal that shuts down must drop them to release its files.
    pub fn forget_all(&self) {
        self.known.lock().clear();
    }
}
