//! How many streams may be open: each costs a task and a place among the connections, and anybody signed in can ask for more.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use store::SessionKey;

/// Streams of one session: more pages than anybody looks at.
const OF_SESSION: usize = 32;
/// Streams of all sessions.
const OF_ALL: usize = 4096;

/// The open streams. Clones share the count.
#[derive(Clone, Default)]
pub struct Streams(Arc<Mutex<HashMap<SessionKey, usize>>>);

/// A place among the open streams, given back when it is dropped.
pub(super) struct Place {
    streams: Streams,
    session: SessionKey,
}

impl Streams {
    /// A place for one more stream of a session; none when there are too many.
    pub(super) fn enter(&self, session: SessionKey) -> Option<Place> {
        let mut open = self.0.lock();
        if open.values().sum::<usize>() >= OF_ALL {
            return None;
        }
        let of_session = open.entry(session).or_default();
        if *of_session >= OF_SESSION {
            return None;
        }
        *of_session += 1;
        Some(Place { streams: self.clone(), session })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.0.lock();
        if let Some(count) = open.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_session_cannot_take_the_places_of_others() {
        let (streams, greedy, other) = (Streams::default(), SessionKey::of_cookie("a"), SessionKey::of_cookie("b"));
        let mut places: Vec<Place> = std::iter::from_fn(|| streams.enter(greedy)).collect();
        assert_eq!(places.len(), OF_SESSION);
        assert!(streams.enter(other).is_some());
        places.pop();
        assert!(streams.enter(greedy).is_some(), "a place that was given back is free");
        drop(places);
        assert!(streams.0.lock().is_empty(), "nothing is kept of sessions without streams");
    }
}
