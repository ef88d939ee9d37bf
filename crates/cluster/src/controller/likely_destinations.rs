//! Where requests are probably going to be worked on: at the Destinations of the last request of the same promise in the workspace.
//!
//! The queue asks for it after a restart, before an accepted request is worked on for the first time. Otherwise a worker would judge the
//! whole request to find that there is no room at its Destination, and do so again when there is. A request that isn't accepted yet is
//! judged at once, whether there is room or not.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use promise::api::PromiseRef;

use crate::watch::Key;
use crate::workspaces::ClusterId;

/// The workspace of a request, the name of its promise, and the path of the promise's home if the request names it.
type Promise = (ClusterId, String, Option<String>);

/// Destinations by promise, as requests refer to it.
#[derive(Default)]
pub struct LikelyDestinations {
    by_promise: Mutex<HashMap<Promise, Arc<[Key]>>>,
}

impl LikelyDestinations {
    /// Records at which Destinations a request of a promise is worked on. One that isn't accepted says nothing about the others.
    pub fn learn(&self, workspace: &ClusterId, promise: &PromiseRef, destinations: &[Key]) {
        if destinations.is_empty() {
            return;
        }
        let mut by_promise = self.by_promise.lock();
        let known = by_promise.entry(referred(workspace, promise)).or_default();
        if **known != *destinations {
            *known = destinations.into();
        }
    }

    /// Returns where another request of the promise is probably going to be worked on. Empty if nothing is known.
    pub fn of(&self, workspace: &ClusterId, promise: &PromiseRef) -> Arc<[Key]> {
        self.by_promise.lock().get(&referred(workspace, promise)).cloned().unwrap_or_default()
    }
}

/// Versions of a promise rarely differ in their Destinations.
fn referred(workspace: &ClusterId, promise: &PromiseRef) -> Promise {
    (workspace.clone(), promise.name.clone(), promise.workspace.clone())
}

#[cfg(test)]
mod tests {
    use promise::api::PromiseRef;

    use super::LikelyDestinations;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[test]
    fn the_last_request_of_a_promise_in_the_workspace_counts() {
        let (shop, data) = (ClusterId::parse("shop").unwrap(), ClusterId::parse("data").unwrap());
        let at = |name: &str| [Key::cluster_scoped(&ClusterId::root(), name)];
        let promise = |name: &str, version: &str| PromiseRef { name: name.into(), version: Some(version.into()), workspace: None };
        let likely = LikelyDestinations::default();
        assert!(likely.of(&shop, &promise("redis", "1")).is_empty());
        likely.learn(&shop, &promise("redis", "1"), &at("eu"));
        assert_eq!((*likely.of(&shop, &promise("redis", "2"))).to_vec(), at("eu"));
        assert!(likely.of(&shop, &promise("valkey", "1")).is_empty());
        assert!(likely.of(&data, &promise("redis", "1")).is_empty(), "another promise might have the same name there");
        likely.learn(&shop, &promise("redis", "2"), &at("us"));
        likely.learn(&shop, &promise("redis", "2"), &[]);
        assert_eq!((*likely.of(&shop, &promise("redis", "1"))).to_vec(), at("us"));
    }
}
