//! What promises and policies are called, for texts. Their object names are for machines.

use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath, World};

/// Display names of promises and policies. `None` stands for objects that have none, or aren't known.
pub trait Titles {
    /// Returns the display name of the promise in the home at a path.
    fn promise_at(&self, home: &str, name: &str) -> Option<String>;
    /// Returns the display name of the promise in a workspace.
    fn promise_in(&self, cluster: &str, name: &str) -> Option<String>;
    /// Returns the title of the policy in a workspace.
    fn policy_in(&self, cluster: &str, name: &str) -> Option<String>;
}

impl Titles for World {
    fn promise_at(&self, home: &str, name: &str) -> Option<String> {
        let cluster = self.tree().cluster(&WorkspacePath::parse(home).ok()?)?;
        self.promise_in(cluster.as_str(), name)
    }

    fn promise_in(&self, cluster: &str, name: &str) -> Option<String> {
        let promise = self.promises.get(&Key::cluster_scoped(&ClusterId::parse(cluster).ok()?, name))?;
        promise.spec.presentation.display_name.clone()
    }

    fn policy_in(&self, cluster: &str, name: &str) -> Option<String> {
        let policy = self.policies.get(&Key::cluster_scoped(&ClusterId::parse(cluster).ok()?, name))?;
        policy.spec.title.clone()
    }
}
