//! What a workspace has of the things that promises require, from the caches.

use std::collections::BTreeSet;

use promise::api::{DestinationStatus, MissingRequirement, Phase, Requirement};
use promise::placement;
use promise::requirements::{Present, missing};

use crate::watch::Key;
use crate::workspaces::{ClusterId, WorkspacePath};
use crate::world::World;

/// What meets requirements in a workspace: promises of which it has a working instance, each with the running version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Working(Vec<(String, String)>);

/// It isn't known yet whether a Destination serves an API.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("It isn't known yet whether the destination {destination} serves {api}.")]
pub struct UnaskedApi {
    /// Name of the Destination.
    pub destination: String,
    /// The API as `group/Kind`.
    pub api: String,
}

impl World {
    /// Returns what works in a workspace.
    pub fn working(&self, workspace: &ClusterId) -> Working {
        let requests = self.requests.snapshot();
        let there = requests.range(Key::cluster_scoped(workspace, "")..).take_while(|(key, _)| key.cluster == *workspace);
        let working = there.filter_map(|(_, request)| {
            let status = request.status.as_ref().filter(|status| status.phase == Phase::Ready)?;
            Some((request.spec.promise.name.clone(), status.current.as_ref()?.version.clone()))
        });
        // Each once: many instances of one promise meet no more requirements than one.
        Working(working.collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Returns what a promise of `home` requires and a workspace doesn't have.
    ///
    /// `trusted` are the homes whose Destinations count. It says no more about other people's requests than that one works.
    pub fn missing(
        &self,
        workspace: &ClusterId,
        home: &ClusterId,
        requires: &[Requirement],
        trusted: &[WorkspacePath],
    ) -> Vec<MissingRequirement> {
        if requires.is_empty() { Vec::new() } else { self.missing_beside(&self.working(workspace), home, requires, trusted) }
    }

    /// Like [`Self::missing`], for many promises in one workspace, if it is known what works there.
    pub fn missing_beside(
        &self,
        working: &Working,
        home: &ClusterId,
        requires: &[Requirement],
        trusted: &[WorkspacePath],
    ) -> Vec<MissingRequirement> {
        // A Destination has to serve the API, and to accept it. A workspace serves what our export claims, and nothing that a promise could
        // require.
        let serves = |group: &str, kind: &str, destination: Option<&str>| {
            let destination = destination.and_then(|name| self.destinations.get(&self.destination(home, name, trusted)));
            // Until it is asked, what its owner lists is all that is known.
            let serves = |status: &DestinationStatus| status.serves(&format!("{group}/{kind}")).unwrap_or(true);
            destination.is_some_and(|destination| {
                placement::allows(&destination.spec, group, kind) && destination.status.as_ref().is_none_or(serves)
            })
        };
        missing(requires, &Present { promises: &working.0, serves: &serves })
    }

    /// Returns the APIs, as `group/Kind`, that published promises require of a Destination. Only APIs that it accepts count, and only
    /// promises of homes that it serves.
    pub fn required_apis(&self, of: &Key, trusted: &[WorkspacePath]) -> BTreeSet<String> {
        let revisions = self.revisions.snapshot();
        let all = revisions.iter().flat_map(|(at, revision)| revision.spec.spec.requires.iter().map(move |requirement| (at, requirement)));
        all.filter_map(|(at, requirement)| self.required(&at.cluster, requirement, trusted))
            .filter_map(|(destination, api)| (destination == *of).then_some(api))
            .collect()
    }

    /// Returns an API that a promise of `home` requires of a Destination that wasn't asked for it yet.
    pub fn unasked(&self, home: &ClusterId, requires: &[Requirement], trusted: &[WorkspacePath]) -> Option<UnaskedApi> {
        let all = requires.iter().filter_map(|requirement| self.required(home, requirement, trusted));
        let mut unasked = all.filter(|(at, api)| {
            let status = self.destinations.get(at).and_then(|destination| destination.status.as_ref().and_then(|s| s.serves(api)));
            status.is_none()
        });
        unasked.next().map(|(at, api)| UnaskedApi { destination: at.name.clone(), api })
    }

    /// Returns the Destination of which a promise of `home` requires an API, and that API.
    fn required(&self, home: &ClusterId, requirement: &Requirement, trusted: &[WorkspacePath]) -> Option<(Key, String)> {
        let (api, name) = (requirement.api.as_deref()?, requirement.destination.as_deref()?);
        let (group, kind) = api.split_once('/')?;
        let at = self.destination(home, name, trusted);
        let destination = self.destinations.get(&at)?;
        let tree = self.tree();
        let (owner, home) = (tree.path(&at.cluster)?, tree.path(home)?);
        let takes =
            placement::serves(&destination.spec, owner.as_str(), home.as_str()) && placement::allows(&destination.spec, group, kind);
        takes.then(|| (at, api.to_owned()))
    }
}
