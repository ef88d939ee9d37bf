//! Requests of a workspace from the portal's own watch, as far as the control plane allows the user to list them.
//!
//! Lists are sorted, counted and paginated here, because reading all requests from the control plane for every page would be too expensive.
//! The content of a single request is always read with the user's token.

use std::collections::BTreeSet;
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::watch::{Cache, Changes, Freshness, Key};
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::{BusyReason, DeniedReason, Result};
use tokio::sync::broadcast::error::RecvError;

use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::place::{NAMESPACE, Namespaces, TOGETHER, Workspace};
use crate::portal::register::Known;
use crate::portal::rights::Right;

/// How long a user waits at most until lists show what they wrote.
const SHOWN_WITHIN: std::time::Duration = std::time::Duration::from_millis(500);

/// Where in a workspace a user can list requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// In every namespace.
    Everywhere,
    /// In these namespaces only.
    Within(BTreeSet<String>),
}

impl Sight {
    /// Checks whether requests of a namespace can be listed.
    pub fn covers(&self, namespace: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Within(namespaces) => namespaces.contains(namespace),
        }
    }

    /// Checks whether nothing can be listed.
    pub fn is_nothing(&self) -> bool {
        *self == Self::Within(BTreeSet::new())
    }
}

/// A workspace that a user can enter, and where in it the user can list requests.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its identity.
    pub(crate) cluster: ClusterId,
    /// Its path.
    pub(crate) path: WorkspacePath,
    /// Where the user can list requests in it.
    pub(crate) sight: Sight,
}

impl Portal {
    /// Returns the requests of a workspace in the order of their namespaces and names, regardless of who can see them.
    pub(crate) fn requests_of(&self, cluster: &ClusterId) -> Vec<(Key, Arc<PromiseRequest>)> {
        let all = self.world.requests.snapshot();
        let of = all.range(Key::cluster_scoped(cluster, "")..).take_while(|(key, _)| key.cluster == *cluster);
        of.map(|(key, request)| (key.clone(), request.clone())).collect()
    }

    /// Checks whether a workspace contains any request.
    pub(crate) fn has_requests(&self, cluster: &ClusterId) -> bool {
        let all = self.world.requests.snapshot();
        all.range(Key::cluster_scoped(cluster, "")..).next().is_some_and(|(key, _)| key.cluster == *cluster)
    }

    /// Checks that lists have been read.
    ///
    /// # Errors
    /// If requests, or the workspaces that contain them, have not been read since the start, so that an empty list means nothing.
    pub(in crate::portal) fn lists_read(&self) -> Result<()> {
        read_once(&self.world.workspaces)?;
        read_once(&self.world.requests)
    }

    /// Returns since when lists are out of date. `None` while they are up to date.
    pub(in crate::portal) fn lists_as_of(&self) -> Option<String> {
        match self.world.requests.freshness() {
            Freshness::Unreachable { since, .. } => Some(since.to_string()),
            Freshness::Starting | Freshness::Synced => None,
        }
    }

    /// Waits briefly until `shown` holds for the listed request, because the user who wrote it usually opens a list next.
    pub(in crate::portal) async fn until_listed(&self, mut changes: Changes, key: &Key, shown: impl Fn(Option<&PromiseRequest>) -> bool) {
        let waiting = async {
            while !shown(self.world.requests.get(key).as_deref()) {
                if matches!(changes.recv().await, Err(RecvError::Closed)) {
                    return;
                }
            }
        };
        if tokio::time::timeout(SHOWN_WITHIN, waiting).await.is_err() {
            tracing::info!(request = %key, "lists do not show the change yet");
        }
    }
}

fn read_once<V>(cache: &Cache<V>) -> Result<()> {
    if cache.freshness() != Freshness::Starting {
        return Ok(());
    }
    Err(BusyReason::LoadingRequests { failed: cache.trouble().borrow().is_some() }.into())
}

impl Caller {
    /// Returns where in a workspace this user can list requests.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn sight(&self, cluster: &ClusterId) -> Result<Sight> {
        let namespaces = match Namespaces::of(cluster) {
            Namespaces::None => BTreeSet::new(),
            Namespaces::One(only) => BTreeSet::from([only]),
            Namespaces::Any if self.may(cluster, Right::requests("list", "")).await? => return Ok(Sight::Everywhere),
            Namespaces::Any => {
                let portal = self.portal();
                let used = |known: &Known| known.namespaces(cluster).map(str::to_owned).chain([NAMESPACE.to_owned()]).collect();
                portal.register.with(&portal.world, used)
            }
        };
        let asked = stream::iter(namespaces).map(|namespace| async move {
            let may = self.may(cluster, Right::requests("list", &namespace)).await?;
            Ok::<_, promise::Error>(may.then_some(namespace))
        });
        let open: Vec<Option<String>> = asked.buffered(TOGETHER).try_collect().await?;
        Ok(Sight::Within(open.into_iter().flatten().collect()))
    }

    /// Returns the workspaces in which this user can list requests, in the order of paths: all, or `top` and those below it.
    ///
    /// # Errors
    /// If requests haven't been read yet, or the control plane doesn't respond about one of the workspaces.
    pub(crate) async fn places(&self, top: Option<&WorkspacePath>) -> Result<Vec<Place>> {
        self.portal().lists_read()?;
        // On plain Kubernetes, the cluster itself has no requests and its namespaces are below it.
        let places = self.walk(self.nodes_within(top)).await.whole()?;
        Ok(places.into_iter().filter(|place| !place.sight.is_nothing()).collect())
    }

    /// Returns where in a workspace this user can list requests, if anywhere.
    ///
    /// # Errors
    /// If requests haven't been read yet, the user can't list any, or the control plane doesn't respond.
    pub(in crate::portal) async fn listing(&self, workspace: &Workspace) -> Result<Sight> {
        self.portal().lists_read()?;
        let sight = self.sight(&workspace.cluster).await?;
        if sight.is_nothing() {
            let (workspace, owner) = (workspace.path.to_string(), workspace.whom_to_ask());
            return Err(DeniedReason::ListRequests { workspace, below: false, owner }.into());
        }
        Ok(sight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_read_is_not_taken_for_nothing() {
        let error = read_once(&Cache::<()>::default()).unwrap_err();
        assert_eq!(error, promise::Error::from(BusyReason::LoadingRequests { failed: false }));
        assert_eq!(read_once(&Cache::<()>::of_nothing()), Ok(()));
    }
}
