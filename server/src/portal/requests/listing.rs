//! Requests of a workspace as the portal's own watch knows them, as far as the plane lets the person list them.
//!
//! Lists are sorted, counted and cut into pages here; reading all requests from the plane for every page would not do. What one request says
//! is always read as the person who looks.

use std::collections::BTreeSet;
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::watch::{Cache, Changes, Freshness, Key};
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::{Error, Result};
use tokio::sync::broadcast::error::RecvError;

use crate::auth::Caller;
use crate::portal::place::{NAMESPACE, Namespaces, TOGETHER, Workspace};
use crate::portal::register::Known;
use crate::portal::rights::Right;
use crate::state::Portal;

/// How long a person who wrote something may wait until lists show it.
const SHOWN_WITHIN: std::time::Duration = std::time::Duration::from_millis(500);

/// Where in a workspace a person may list requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// In every namespace.
    Everywhere,
    /// In these alone.
    Within(BTreeSet<String>),
}

impl Sight {
    /// Whether requests of a namespace may be listed.
    pub fn covers(&self, namespace: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Within(namespaces) => namespaces.contains(namespace),
        }
    }

    /// Whether nothing may be listed.
    pub fn is_nothing(&self) -> bool {
        *self == Self::Within(BTreeSet::new())
    }
}

/// A workspace that a person may enter, and where in it the person may list requests.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its identity.
    pub(crate) cluster: ClusterId,
    /// Its path.
    pub(crate) path: WorkspacePath,
    /// Where in it.
    pub(crate) sight: Sight,
}

impl Portal {
    /// Requests of a workspace in the order of their namespaces and names, whoever may see them.
    pub(crate) fn requests_of(&self, cluster: &ClusterId) -> Vec<(Key, Arc<PromiseRequest>)> {
        let all = self.world.requests.snapshot();
        let of = all.range(Key::cluster_scoped(cluster, "")..).take_while(|(key, _)| key.cluster == *cluster);
        of.map(|(key, request)| (key.clone(), request.clone())).collect()
    }

    /// Whether there is any request in a workspace.
    pub(in crate::portal) fn has_requests(&self, cluster: &ClusterId) -> bool {
        let all = self.world.requests.snapshot();
        all.range(Key::cluster_scoped(cluster, "")..).next().is_some_and(|(key, _)| key.cluster == *cluster)
    }

    /// That lists are of something.
    ///
    /// # Errors
    /// Requests, or the workspaces that they are in, were never read since the start: that there are none means nothing.
    pub(in crate::portal) fn lists_read(&self) -> Result<()> {
        read_once(&self.world.workspaces)?;
        read_once(&self.world.requests)
    }

    /// Since when lists are no longer up to date; none while they are.
    pub(in crate::portal) fn lists_as_of(&self) -> Option<String> {
        match self.world.requests.freshness() {
            Freshness::Unreachable { since, .. } => Some(since.to_string()),
            Freshness::Starting | Freshness::Synced => None,
        }
    }

    /// Waits, for a moment at most, until `shown` holds for the listed request: whoever wrote it looks at a list next.
    pub(in crate::portal) async fn until_listed(&self, mut changes: Changes, key: &Key, shown: impl Fn(Option<&PromiseRequest>) -> bool) {
        let waiting = async {
            while !shown(self.world.requests.get(key).as_deref()) {
                if matches!(changes.recv().await, Err(RecvError::Closed)) {
                    return;
                }
            }
        };
        if tokio::time::timeout(SHOWN_WITHIN, waiting).await.is_err() {
            tracing::info!(request = %key, "lists do not show yet what was written");
        }
    }
}

fn read_once<V>(cache: &Cache<V>) -> Result<()> {
    if cache.freshness() != Freshness::Starting {
        return Ok(());
    }
    let message = match &*cache.trouble().borrow() {
        None => "requests are still being read; try again in a moment",
        Some(_) => "requests could not be read so far, and the portal goes on trying; who runs it finds the reason under /readyz",
    };
    Err(Error::Busy { message: message.to_owned() })
}

impl Caller {
    /// Where in a workspace this person may list requests.
    ///
    /// # Errors
    /// The plane does not answer.
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
            Ok(may.then_some(namespace))
        });
        let open: Vec<Option<String>> = asked.buffered(TOGETHER).try_collect().await?;
        Ok(Sight::Within(open.into_iter().flatten().collect()))
    }

    /// The workspaces in which this person may list requests, in the order of paths: all, or `top` and those below it.
    ///
    /// # Errors
    /// Requests were not read yet, or the plane does not answer about one of the workspaces.
    pub(crate) async fn places(&self, top: Option<&WorkspacePath>) -> Result<Vec<Place>> {
        self.portal().lists_read()?;
        // On plain Kubernetes the cluster itself has no requests, and its namespaces stand below it.
        let places = self.walk(self.nodes_within(top)).await.whole()?;
        Ok(places.into_iter().filter(|place| !place.sight.is_nothing()).collect())
    }

    /// The requests of a workspace that this person may list.
    ///
    /// # Errors
    /// Requests were not read yet, the person may list none, or the plane does not answer.
    pub(in crate::portal) async fn list_requests(&self, workspace: &Workspace) -> Result<Vec<Arc<PromiseRequest>>> {
        let sight = self.listing(workspace).await?;
        let all = self.portal().requests_of(&workspace.cluster).into_iter();
        Ok(all.filter(|(key, _)| sight.covers(&key.namespace)).map(|(_, request)| request).collect())
    }

    /// Where in a workspace this person may list requests, at least somewhere.
    ///
    /// # Errors
    /// Requests were not read yet, the person may list none, or the plane does not answer.
    pub(in crate::portal) async fn listing(&self, workspace: &Workspace) -> Result<Sight> {
        self.portal().lists_read()?;
        let sight = self.sight(&workspace.cluster).await?;
        if sight.is_nothing() {
            let (path, owner) = (&workspace.path, workspace.whom_to_ask());
            let why = format!("You may enter {path} and not list its requests. Ask {owner} for the right to.");
            return Err(Error::Denied { why });
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
        assert!(error.to_string().contains("still being read"), "{error}");
        assert_eq!(read_once(&Cache::<()>::of_nothing()), Ok(()));
    }
}
