//! What can be shown of a promise that a request names. A request can name any promise of any home. Beyond that name, it shows only what
//! its workspace knows about the promise.

use std::ops::Deref;
use std::sync::Arc;

use cluster::kinds::{Promise, PromiseRequest, PromiseRevision};
use cluster::shelves::CatalogAt;
use cluster::watch::Key;
use cluster::world::World;
use cluster::{ClusterId, WorkspacePath};
use promise::api::{CandidateState, PromiseSpec};
use promise::visibility::{self, Place, Shelf};

use crate::portal::Caller;

/// The spec of a promise as a request uses it, borrowed from the object that contains it: specs with their schemas are large.
pub(in crate::portal) enum KnownSpec {
    /// The revision that is current or targeted.
    Taken(Arc<PromiseRevision>),
    /// What the home has published now.
    Published(Arc<Promise>),
}

impl Deref for KnownSpec {
    type Target = PromiseSpec;

    fn deref(&self) -> &PromiseSpec {
        match self {
            Self::Taken(revision) => &revision.spec.spec,
            Self::Published(promise) => &promise.spec,
        }
    }
}

impl Caller {
    /// Returns the promise with a name in the home at a path, if it is known in one of these workspaces.
    pub(in crate::portal) fn known_promise<'c>(
        &self,
        home: Option<&str>,
        name: &str,
        places: impl IntoIterator<Item = &'c ClusterId>,
    ) -> Option<Arc<Promise>> {
        let portal = self.portal();
        let path = WorkspacePath::parse(home?).ok()?;
        let tree = portal.world.tree();
        let cluster = tree.cluster(&path)?;
        let promise = portal.world.promises.get(&Key::cluster_scoped(&cluster, name))?;
        let home = Place { cluster: cluster.to_string(), path: path.to_string() };
        let offer = cluster::shelves::offer(name, &home, &promise);
        let catalogs = portal.world.shelves(&cluster, &portal.trusted_homes);
        let shelves: Vec<Shelf<'_>> = catalogs.iter().map(CatalogAt::shelf).collect();
        let knows = |place: &ClusterId| {
            let way: Option<Vec<Place>> = tree.lineage(place).map(|way| way.iter().map(Place::from).collect());
            way.is_some_and(|way| visibility::is_known(&offer, &way, &shelves))
        };
        places.into_iter().any(knows).then(|| promise.clone())
    }

    /// Returns the promise that a request in this workspace names: the one that the controller once chose for it, or the one known there.
    pub(in crate::portal) fn promise_of(&self, cluster: &ClusterId, request: &PromiseRequest) -> Option<Arc<Promise>> {
        let named = &request.spec.promise;
        if self.taken(request).is_none() {
            return self.known_promise(named.workspace.as_deref(), &named.name, [cluster]);
        }
        let world = &self.portal().world;
        world.promises.get(&Key::cluster_scoped(&home(world, request)?, &named.name))
    }

    /// Returns the current or targeted revision, if it belongs to the promise that the request names now. The status is written by the
    /// controller.
    pub(in crate::portal) fn taken(&self, request: &PromiseRequest) -> Option<Arc<PromiseRevision>> {
        let status = request.status.as_ref()?;
        let current = status.current.as_ref().map(|current| current.revision.as_str());
        let candidate = status.candidate.as_ref().map(|candidate| candidate.revision.as_str());
        self.revision_of(request, current.into_iter().chain(candidate))
    }

    /// Returns the spec that applies to a request. `None` if its workspace doesn't know the promise.
    pub(in crate::portal) fn spec_of(&self, cluster: &ClusterId, request: &PromiseRequest) -> Option<KnownSpec> {
        let named = &request.spec.promise;
        let published = || self.known_promise(named.workspace.as_deref(), &named.name, [cluster]).map(KnownSpec::Published);
        self.taken(request).map(KnownSpec::Taken).or_else(published)
    }

    /// Returns the revision that objects are rendered from: that of the release accepted to run next, or else the current one.
    pub(in crate::portal) fn made_from(&self, request: &PromiseRequest) -> Option<Arc<PromiseRevision>> {
        let candidate = request.status.as_ref()?.candidate.as_ref();
        let accepted = candidate.filter(|candidate| candidate.state == CandidateState::Accepted);
        let accepted = self.revision_of(request, accepted.map(|candidate| candidate.revision.as_str()));
        accepted.or_else(|| self.taken(request))
    }

    /// Returns the first of these revisions that belongs to the promise that the request names now.
    fn revision_of<'n>(&self, request: &PromiseRequest, names: impl IntoIterator<Item = &'n str>) -> Option<Arc<PromiseRevision>> {
        let world = &self.portal().world;
        let home = home(world, request)?;
        let mut revisions = names.into_iter().filter_map(|name| world.revisions.get(&Key::cluster_scoped(&home, name)));
        revisions.find(|revision| revision.spec.promise == request.spec.promise.name)
    }
}

/// Returns the home that a request names, or else the one that the controller chose for it.
pub(in crate::portal) fn home(world: &World, request: &PromiseRequest) -> Option<ClusterId> {
    if let Some(path) = request.spec.promise.workspace.as_deref().filter(|path| !path.is_empty()) {
        return world.tree().cluster(&WorkspacePath::parse(path).ok()?);
    }
    let status = request.status.as_ref()?;
    let current = status.current.as_ref().and_then(|current| current.home.as_deref());
    let chosen = current.or_else(|| status.candidate.as_ref().and_then(|candidate| candidate.home.as_deref()))?;
    ClusterId::parse(chosen).ok()
}
