//! Limits on open streams: each costs a task and a connection, and any signed-in person can open more.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use promise::identity::PersonId;
use promise::{BusyReason, Error, Result, TooManyReason};
use store::SessionKey;

/// Streams of one session: more pages than a person looks at.
const OF_SESSION: usize = 16;
/// Streams of all sessions of one person.
const OF_PERSON: usize = 32;
/// Streams of all people.
const OF_ALL: usize = 4096;

/// The open streams. Clones share the count.
#[derive(Clone, Default)]
pub struct Streams(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    all: usize,
    sessions: HashMap<SessionKey, usize>,
    people: HashMap<PersonId, usize>,
}

/// A place among the open streams, given back when dropped.
pub struct Place {
    streams: Streams,
    session: SessionKey,
    person: PersonId,
}

impl Streams {
    /// Reserves a place for another stream of a session.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if the session or the person has too many streams, [`Error::Busy`] if all people together have too many.
    pub fn enter(&self, session: SessionKey, person: &PersonId) -> Result<Place> {
        let mut open = self.0.lock();
        let of_session = open.sessions.get(&session).copied().unwrap_or_default();
        let of_person = open.people.get(person).copied().unwrap_or_default();
        if of_session >= OF_SESSION || of_person >= OF_PERSON {
            return Err(Error::TooManyRequests { reason: TooManyReason::Streams, seconds: 10 });
        }
        if open.all >= OF_ALL {
            return Err(BusyReason::Streams.into());
        }
        open.all += 1;
        open.sessions.insert(session, of_session + 1);
        open.people.insert(person.clone(), of_person + 1);
        Ok(Place { streams: self.clone(), session, person: person.clone() })
    }
}

impl Streams {
    /// Returns how many streams are open.
    pub fn open(&self) -> usize {
        self.0.lock().all
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.0.lock();
        open.all = open.all.saturating_sub(1);
        release(&mut open.sessions, &self.session);
        release(&mut open.people, &self.person);
    }
}

fn release<K: Eq + std::hash::Hash>(open: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = open.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            open.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens streams of a session until one is refused.
    fn fill(streams: &Streams, session: &str, person: &PersonId) -> Vec<Place> {
        std::iter::from_fn(|| streams.enter(SessionKey::of_cookie(session), person).ok()).collect()
    }

    #[test]
    fn neither_a_session_nor_a_person_with_many_sessions_takes_the_places_of_others() {
        let (streams, greedy, other) = (Streams::default(), PersonId::new("greedy", None), PersonId::new("other", None));
        let mut places = fill(&streams, "a", &greedy);
        assert_eq!(places.len(), OF_SESSION);
        for session in ["b", "c", "d"] {
            places.extend(fill(&streams, session, &greedy));
        }
        assert_eq!(places.len(), OF_PERSON);
        let refused = streams.enter(SessionKey::of_cookie("e"), &greedy).err();
        assert!(matches!(refused, Some(Error::TooManyRequests { .. })), "{refused:?}");
        assert_eq!(fill(&streams, "f", &other).len(), OF_SESSION);
        places.pop();
        assert!(streams.enter(SessionKey::of_cookie("b"), &greedy).is_ok(), "a place that was given back is free");
        drop(places);
        let open = streams.0.lock();
        assert!(open.all == 0 && open.sessions.is_empty() && open.people.is_empty(), "nothing is kept of people without streams");
    }
}
