//! What a workspace has of that which promises require, from the caches.

use std::collections::BTreeSet;

use promise::api::{Phase, Requirement};
use promise::placement;
use promise::requirements::{Present, missing};

use crate::watch::Key;
use crate::workspaces::{ClusterId, WorkspacePath};
use crate::world::World;

/// What of a workspace meets requirements: promises of which it has a working instance, each with the version that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Working(Vec<(String, String)>);

impl World {
    /// What works in a workspace.
    pub fn working(&self, workspace: &ClusterId) -> Working {
        let requests = self.requests.snapshot();
        let there = requests.range(Key::cluster_scoped(workspace, "")..).take_while(|(key, _)| key.cluster == *workspace);
        let working = there.filter_map(|(_, request)| {
            let status = request.status.as_ref().filter(|status| status.phase == Phase::Ready)?;
            Some((request.spec.promise.name.clone(), status.current.as_ref()?.version.clone()))
        });
        // Each once: many instances of one promise meet no more than one.
        Working(working.collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// What a promise of `home` requires and a workspace does not have, in words that follow “It needs”.
    ///
    /// `trusted` are the homes whose Destinations count. It says no more of others' requests than that one works.
    pub fn missing(&self, workspace: &ClusterId, home: &ClusterId, requires: &[Requirement], trusted: &[WorkspacePath]) -> Vec<String> {
        if requires.is_empty() { Vec::new() } else { self.missing_beside(&self.working(workspace), home, requires, trusted) }
    }

    /// The same for many promises of one workspace, of which it is known what works.
    pub fn missing_beside(&self, working: &Working, home: &ClusterId, requires: &[Requirement], trusted: &[WorkspacePath]) -> Vec<String> {
        // A Destination takes what its owner lists; a workspace serves what our export claims and nothing that a promise could require.
        let serves = |group: &str, kind: &str, destination: Option<&str>| {
            let destination = destination.and_then(|name| self.destinations.get(&self.destination(home, name, trusted)));
            destination.is_some_and(|destination| placement::allows(&destination.spec, group, kind))
        };
        missing(requires, &Present { promises: &working.0, serves: &serves })
    }
}
