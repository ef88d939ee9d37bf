//! What was accepted just now, while the caches do not show it yet: so that two requests never get the same last place.
//!
//! Only the leader accepts, so its memory together with the plane is all there is to know. A crash loses nothing: what was not written into
//! a status was not accepted.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::usage::{Accepted, Census};
use crate::watch::Key;
use crate::world::World;

/// Acceptances that the caches do not show yet, by request.
#[derive(Default)]
pub struct Acceptances {
    fresh: Mutex<HashMap<Key, Accepted>>,
}

impl Acceptances {
    /// Accepts, if `decide` says so by what is accepted at this moment; meanwhile nothing else is accepted. Answers with what it told.
    ///
    /// What is looked at under the lock are the acceptances on their way and the sums that are kept: it takes as long with ten requests as
    /// with ten thousand.
    pub fn decide<T>(&self, world: &World, key: &Key, accepted: &Accepted, decide: impl FnOnce(&Census<'_>) -> (bool, T)) -> T {
        let mut fresh = self.fresh.lock();
        // What is forgotten here is in every sum that is asked for from now on.
        fresh.retain(|at, accepted| world.requests.get(at).is_some() && world.in_force(at).as_deref() != Some(accepted.release.as_str()));
        let (accept, told) = decide(&Census::with(world, &fresh, key));
        if accept {
            fresh.insert(key.clone(), accepted.clone());
        }
        told
    }

    /// Says which release a request has now: what it was given besides is free.
    pub fn keep(&self, key: &Key, release: Option<&str>) {
        let mut fresh = self.fresh.lock();
        if fresh.get(key).is_some_and(|accepted| Some(accepted.release.as_str()) != release) {
            fresh.remove(key);
        }
    }
}
