//! Requests that were accepted just now and that the caches don't show yet, so that two requests never get the same last place.
//!
//! Only the leader accepts requests, so its memory together with the control plane is complete. A crash loses nothing: what wasn't written
//! into a status wasn't accepted. Neither was a request that waits for its turn at a Destination: it is judged when its turn comes.

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
    /// Returns the second value of `decide`, and the acceptance of the same request that this one replaces, for [`Self::withdraw`].
    ///
    /// Under the lock only the acceptances in flight and the sums that are kept are read, so it takes as long with ten requests as with ten
    /// thousand.
    pub fn decide<T>(
        &self,
        world: &World,
        key: &Key,
        accepted: &Accepted,
        decide: impl FnOnce(&Census<'_>) -> (bool, T),
    ) -> (T, Option<Accepted>) {
        let mut fresh = self.fresh.lock();
        // What is dropped here is part of every sum that is asked for from now on.
        world.in_force(|in_force| {
            fresh.retain(|at, accepted| world.requests.get(at).is_some() && in_force(at).as_deref() != Some(accepted.release.as_str()));
        });
        let (accept, result) = decide(&Census::with(world, &fresh, key));
        let replaced = if accept { fresh.insert(key.clone(), accepted.clone()) } else { None };
        (result, replaced)
    }

    /// Withdraws what a request was given just now, because it has to wait for its turn and is judged again then. Each decision looks at
    /// every acceptance in flight, so those in line must not be among them. `former` counts again: the caches might not show it yet.
    pub fn withdraw(&self, key: &Key, former: Option<Accepted>) {
        let mut fresh = self.fresh.lock();
        match former {
            Some(former) => fresh.insert(key.clone(), former),
            None => fresh.remove(key),
        };
    }

    /// Sets the release that a request has now, and frees anything else that it was given.
    pub fn keep(&self, key: &Key, release: Option<&str>) {
        let mut fresh = self.fresh.lock();
        if fresh.get(key).is_some_and(|accepted| Some(accepted.release.as_str()) != release) {
            fresh.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::{Request, Response};
    use http_body_util::Full;
    use kube::client::Body;
    use serde_json::json;

    use super::Acceptances;
    use crate::endpoint::{Endpoint, Token};
    use crate::kinds::{PromiseRequestKind, object};
    use crate::topology::Topology;
    use crate::usage::Accepted;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;
    use crate::world::{Access, World};

    /// Caches that nothing fills, with requests of these names that have no status.
    fn world(requests: &[&str]) -> World {
        let service = tower::service_fn(|_: Request<Body>| async { Ok::<_, Infallible>(Response::new(Full::from("{}"))) });
        let endpoint = Endpoint::in_process("test", service);
        let world = World::empty(Access { endpoint, token: Token::new("t"), topology: Topology::Namespaces });
        for name in requests {
            let spec = serde_json::from_value(json!({"promise": {"name": "redis"}})).unwrap();
            world.requests.put(key(name), object::<PromiseRequestKind>(name, Some("default"), spec));
        }
        world
    }

    fn key(name: &str) -> Key {
        Key::new(ClusterId::cluster(), "default", name)
    }

    fn release(name: &str) -> Accepted {
        Accepted { release: name.into(), promise: "redis".into(), home: None, price: None }
    }

    /// Accepts a release, and returns what it replaces.
    fn accept(acceptances: &Acceptances, world: &World, request: &str, name: &str) -> Option<Accepted> {
        acceptances.decide(world, &key(request), &release(name), |_| (true, ())).1
    }

    /// Returns the releases that count although the caches don't show them, in the order of their names.
    fn in_flight(acceptances: &Acceptances) -> Vec<String> {
        let mut names: Vec<String> = acceptances.fresh.lock().values().map(|accepted| accepted.release.clone()).collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn what_is_withdrawn_leaves_what_counted_before() {
        let (world, acceptances) = (world(&["db", "web"]), Acceptances::default());
        assert_eq!(accept(&acceptances, &world, "db", "db-1"), None);
        let replaced = accept(&acceptances, &world, "web", "web-1");
        assert_eq!((&replaced, in_flight(&acceptances)), (&None, vec!["db-1".to_owned(), "web-1".to_owned()]));
        acceptances.withdraw(&key("web"), replaced);
        assert_eq!(in_flight(&acceptances), ["db-1"], "a request in line takes no room");

        let replaced = accept(&acceptances, &world, "db", "db-2");
        assert_eq!((&replaced, in_flight(&acceptances)), (&Some(release("db-1")), vec!["db-2".to_owned()]));
        acceptances.withdraw(&key("db"), replaced);
        assert_eq!(in_flight(&acceptances), ["db-1"], "the caches don't show the former acceptance yet");
    }

    #[tokio::test]
    async fn what_is_refused_replaces_nothing() {
        let (world, acceptances) = (world(&["db"]), Acceptances::default());
        accept(&acceptances, &world, "db", "db-1");
        assert_eq!(acceptances.decide(&world, &key("db"), &release("db-2"), |_| (false, "full")), ("full", None));
        assert_eq!(in_flight(&acceptances), ["db-1"]);
        acceptances.keep(&key("db"), Some("db-1"));
        assert_eq!(in_flight(&acceptances), ["db-1"]);
        acceptances.keep(&key("db"), None);
        assert!(in_flight(&acceptances).is_empty());
    }
}
