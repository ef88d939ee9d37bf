//! Requests that were accepted just now and that the caches don't show yet, so that two requests never get the same last place.
//!
//! Only the leader accepts requests, so its memory together with the control plane is complete. A crash loses nothing: what wasn't written
//! into a status wasn't accepted.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::usage::{Accepted, Census};
use crate::watch::Key;
use crate::world::World;

/// Acceptances that the caches don't show yet, by request.
#[derive(Default)]
pub struct Acceptances {
    fresh: Mutex<HashMap<Key, Accepted>>,
}

impl Acceptances {
    /// Accepts a request if `decide` says so, given everything that is accepted at this moment. Meanwhile no other request is accepted.
    /// Returns the second value of `decide`.
    ///
    /// Under the lock only the acceptances in flight and the sums that are kept are read, so it takes as long with ten requests as with ten
    /// thousand.
    pub fn decide<T>(&self, world: &World, key: &Key, accepted: &Accepted, decide: impl FnOnce(&Census<'_>) -> (bool, T)) -> T {
        let mut fresh = self.fresh.lock();
        // What is dropped here is part of every sum that is asked for from now on.
        world.in_force(|in_force| {
            fresh.retain(|at, accepted| world.requests.get(at).is_some() && in_force(at).as_deref() != Some(accepted.release.as_str()));
        });
        let (accept, result) = decide(&Census::with(world, &fresh, key));
        if accept {
            fresh.insert(key.clone(), accepted.clone());
        }
        result
    }

    /// Sets the release that a request has now, and frees anything else that it was given.
    pub fn keep(&self, key: &Key, release: Option<&str>) {
        let mut fresh = self.fresh.lock();
        if fresh.get(key).is_some_and(|accepted| Some(accepted.release.as_str()) != release) {
            fresh.remove(key);
        }
    }
}
