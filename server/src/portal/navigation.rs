//! What the navigation of every page counts, kept for each session until something that it depends on changes.

use std::collections::HashMap;

use app::backend::{Approvals as _, Notices as _, Platform as _};
use app::view::PromiseKey;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use store::SessionKey;

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
pub struct Navigations(Mutex<HashMap<SessionKey, Kept>>);

struct Kept {
    navigation: Navigation,
    state: State,
    at: Timestamp,
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
        self.0.lock().remove(&session);
    }

    /// Forgets all sessions.
    pub fn forget_all(&self) {
        self.0.lock().clear();
    }
}

impl Caller {
    /// Returns what the navigation says. Entries and counts that can't be determined are missing.
    pub async fn navigation(&self) -> Navigation {
        let portal = self.portal();
        // Before the questions, so that a change during them counts as one.
        let (state, now) = (State::now(self), portal.clock.now());
        let known = portal.navigations.0.lock().get(&self.session()).filter(|kept| kept.is(state, now)).map(|kept| kept.navigation.clone());
        if let Some(known) = known {
            return known;
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
            let mut all = portal.navigations.0.lock();
            if all.len() >= KEPT {
                all.retain(|_, kept| now.duration_since(kept.at) < FRESH);
            }
            if all.len() < KEPT {
                all.insert(self.session(), Kept { navigation: navigation.clone(), state, at: now });
            }
        }
        navigation
    }
}

impl Kept {
    fn is(&self, state: State, now: Timestamp) -> bool {
        self.state == state && now.duration_since(self.at) < FRESH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_while_nothing_changes_and_not_for_long() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let state = State { requests: 1, approvals: 2, policies: 3, workspaces: 4, news: 5, session: 6 };
        let kept = Kept { navigation: Navigation::default(), state, at: at(100) };
        assert!(kept.is(state, at(104)));
        assert!(!kept.is(state, at(105)), "a permission might be gone");
        for changed in
            [State { requests: 2, ..state }, State { approvals: 3, ..state }, State { news: 6, ..state }, State { session: 7, ..state }]
        {
            assert!(!kept.is(changed, at(101)), "{changed:?}");
        }
    }
}
