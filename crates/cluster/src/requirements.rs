//! What a workspace has of that which promises require, from the caches.

use promise::api::{Phase, Requirement};
use promise::placement;
use promise::requirements::{Present, missing};

use crate::watch::Key;
use crate::workspaces::{ClusterId, WorkspacePath};
use crate::world::World;

impl World {
    /// What a promise of `home` requires and a workspace does not have, in words that follow “It needs”.
    ///
    /// `trusted` are the homes whose Destinations count. It says no more of others' requests than that one works.
    pub fn missing(&self, workspace: &ClusterId, home: &ClusterId, requires: &[Requirement], trusted: &[WorkspacePath]) -> Vec<String> {
        if requires.is_empty() {
            return Vec::new();
        }
        let requests = self.requests.snapshot();
        let there = requests.range(Key::cluster_scoped(workspace, "")..).take_while(|(key, _)| key.cluster == *workspace);
        let working = there.filter_map(|(_, request)| {
            let status = request.status.as_ref().filter(|status| status.phase == Phase::Ready)?;
            Some((request.spec.promise.name.clone(), status.current.as_ref()?.version.clone()))
        });
        let promises: Vec<(String, String)> = working.collect();
        // A Destination takes what its owner lists; a workspace serves what our export claims and nothing that a promise could require.
        let serves = |group: &str, kind: &str, destination: Option<&str>| {
            let destination = destination.and_then(|name| self.destinations.get(&self.destination(home, name, trusted)));
            destination.is_some_and(|destination| placement::allows(&destination.spec, group, kind))
        };
        missing(requires, &Present { promises: &promises, serves: &serves })
    }
}
