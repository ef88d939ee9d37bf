//! What the navigation of every page says, kept for each session: counts until something that they depend on changes, and the workspace that
//! it leads to.

use std::collections::HashMap;

use app::backend::{Approvals as _, Notices as _, Platform as _};
use app::view::PromiseKey;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use store::SessionKey;

use super::home;
use crate::portal::Caller;

/// How long counts are valid although nothing changed here: permissions, delegations and other processes change them, too.
const FRESH: SignedDuration = SignedDuration::from_secs(5);
/// Number of sessions to keep before stale ones are dropped.
const KEPT: usize = 4_096;

/// What the navigation says about a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Navigation {
    /// Whether there are policies that the person can list.
    pub governs: bool,
    /// Number of requests that wait for the person; `None` for people who take no part in decisions.
    pub waits: Option<usize>,
    /// Number of new notifications; `None` if that is unknown.
    pub unread: Option<u64>,
    /// Paths of the person's favourite workspaces.
    pub favourites: Vec<String>,
    /// The person's favourite promises.
    pub favourite_promises: Vec<PromiseKey>,
}

/// The navigation of recent sessions.
#[derive(Default)]
pub struct Navigations {
    counts: PerSession<(State, Navigation)>,
    /// Where the user works. Finding out asks the plane about all workspaces, so it isn't repeated with every request that changes.
    workplaces: PerSession<Option<String>>,
}

/// Values of recent sessions, each valid for a short time.
struct PerSession<T>(Mutex<HashMap<SessionKey, (Timestamp, T)>>);

impl<T> Default for PerSession<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> PerSession<T> {
    fn get(&self, session: SessionKey, now: Timestamp) -> Option<T> {
        let all = self.0.lock();
        all.get(&session).filter(|(at, _)| is_fresh(*at, now)).map(|(_, value)| value.clone())
    }

    fn put(&self, session: SessionKey, now: Timestamp, value: T) {
        let mut all = self.0.lock();
        if all.len() >= KEPT {
            all.retain(|_, (at, _)| is_fresh(*at, now));
        }
        if all.len() < KEPT {
            all.insert(session, (now, value));
        }
    }
}

fn is_fresh(at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(at) < FRESH
}

/// What the counts were made from. Any change of it changes one of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    requests: u64,
    approvals: u64,
    policies: u64,
    workspaces: u64,
    news: u64,
    session: i64,
}

impl State {
    fn now(caller: &Caller) -> Self {
        let portal = caller.portal();
        let world = &portal.world;
        Self {
            requests: world.requests.version(),
            approvals: world.approvals.version(),
            policies: world.policies.version(),
            workspaces: world.workspaces.version(),
            news: portal.notify.edition(&caller.identity().person),
            session: caller.session_edition(),
        }
    }
}

impl Navigations {
    /// Forgets a session, because the person did something.
    pub fn forget(&self, session: SessionKey) {
        self.counts.0.lock().remove(&session);
        self.workplaces.0.lock().remove(&session);
    }

    /// Forgets all sessions.
    pub fn forget_all(&self) {
        self.counts.0.lock().clear();
        self.workplaces.0.lock().clear();
    }
}

impl Caller {
    /// Returns what the navigation says. Entries and counts that can't be determined are missing.
    pub async fn navigation(&self) -> Navigation {
        let portal = self.portal();
        // Before the questions, so that a change during them counts as one.
        let (state, now) = (State::now(self), portal.clock.now());
        match portal.navigations.counts.get(self.session(), now) {
            Some((of, known)) if of == state => return known,
            _ => {}
        }
        let person = &*self.identity().person;
        let (favourites, promises) = (portal.store.favourites(person), portal.store.favourite_promises(person));
        let (governs, waits, unread, favourites, promises) =
            futures::join!(self.governs(), self.waits(), self.unread(), favourites, promises);
        let complete = governs.is_ok() && unread.is_some() && favourites.is_ok() && promises.is_ok();
        let promises = promises.unwrap_or_default().into_iter().map(|(home, name)| PromiseKey { home, name });
        let navigation = Navigation {
            governs: governs.unwrap_or_default(),
            waits,
            unread,
            favourites: favourites.unwrap_or_default(),
            favourite_promises: promises.collect(),
        };
        if complete {
            portal.navigations.counts.put(self.session(), now, (state, navigation.clone()));
        }
        navigation
    }

    /// Returns the path of the workspace where this user works, as far as that can be known.
    pub async fn works_in(&self) -> Option<String> {
        let portal = self.portal();
        let now = portal.clock.now();
        if let Some(known) = portal.navigations.workplaces.get(self.session(), now) {
            return known;
        }
        let found = home::works_in(self).await;
        portal.navigations.workplaces.put(self.session(), now, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_for_each_session_and_not_for_long() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let (kept, [mine, other]) = (PerSession::default(), ["mine", "other"].map(SessionKey::of_cookie));
        kept.put(mine, at(100), "mine");
        assert_eq!((kept.get(mine, at(104)), kept.get(other, at(104))), (Some("mine"), None));
        assert_eq!(kept.get(mine, at(105)), None, "a permission might be gone");
    }
}
