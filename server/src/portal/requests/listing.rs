//! Requests of a workspace as the portal's own watch knows them, as far as the plane lets the person list them.
//!
//! Lists are sorted, counted and cut into pages here; reading all requests from the plane for every page would not do. What one request says
//! is always read as the person who looks.

use std::collections::BTreeSet;
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::watch::{Changes, Freshness, Key};
use cluster::workspaces::Node;
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::{Error, Result};
use tokio::sync::broadcast::error::RecvError;

use crate::auth::Caller;
use crate::portal::place::{NAMESPACE, Namespaces, TOGETHER, Workspace};
use crate::portal::register::Known;
use crate::portal::rights::Right;
use crate::state::Portal;

/// How long a workspace may take to answer.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
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

    /// Every workspace that this person may enter, in the order of paths, asked one beside the other; what did not answer in time is an error
    /// of its own. `top` leaves that one and those below it.
    pub(crate) async fn places_one_by_one(&self, top: Option<&WorkspacePath>) -> Vec<(WorkspacePath, Result<Place>)> {
        let within = |node: &&Node| top.is_none_or(|top| *top == node.path || node.path.as_str().starts_with(&format!("{top}:")));
        // On plain Kubernetes the cluster itself has no requests, and its namespaces stand below it.
        let nodes: Vec<Node> = self.portal().world.tree().all().iter().filter(within).cloned().collect();
        let asked = stream::iter(nodes).map(|node| async move {
            let place = tokio::time::timeout(PATIENCE, self.place(&node)).await;
            let place = place.unwrap_or_else(|_| Err(Error::Unreachable { what: node.path.to_string() }));
            (node.path, place.transpose())
        });
        let answers: Vec<(WorkspacePath, Option<Result<Place>>)> = asked.buffered(TOGETHER).collect().await;
        let mut places: Vec<_> = answers.into_iter().filter_map(|(path, place)| Some((path, place?))).collect();
        places.sort_by(|a, b| a.0.cmp(&b.0));
        places
    }

    /// The workspaces in which this person may list requests, in the order of paths: all, or `top` and those below it.
    ///
    /// # Errors
    /// The plane does not answer about one of them.
    pub(crate) async fn places(&self, top: Option<&WorkspacePath>) -> Result<Vec<Place>> {
        let places = self.places_one_by_one(top).await.into_iter().map(|(_, place)| place);
        let places = places.collect::<Result<Vec<Place>>>()?;
        Ok(places.into_iter().filter(|place| !place.sight.is_nothing()).collect())
    }

    /// A workspace, if this person may enter it.
    async fn place(&self, node: &Node) -> Result<Option<Place>> {
        if !self.may(&node.cluster, Right::Enter).await? {
            return Ok(None);
        }
        let sight = self.sight(&node.cluster).await?;
        Ok(Some(Place { cluster: node.cluster.clone(), path: node.path.clone(), sight }))
    }

    /// The requests of a workspace that this person may list.
    ///
    /// # Errors
    /// The person may list none, or the plane does not answer.
    pub(in crate::portal) async fn list_requests(&self, workspace: &Workspace) -> Result<Vec<Arc<PromiseRequest>>> {
        let sight = self.listing(workspace).await?;
        let all = self.portal().requests_of(&workspace.cluster).into_iter();
        Ok(all.filter(|(key, _)| sight.covers(&key.namespace)).map(|(_, request)| request).collect())
    }

    /// Where in a workspace this person may list requests, at least somewhere.
    ///
    /// # Errors
    /// The person may list none, or the plane does not answer.
    pub(in crate::portal) async fn listing(&self, workspace: &Workspace) -> Result<Sight> {
        let sight = self.sight(&workspace.cluster).await?;
        if sight.is_nothing() {
            let owner = workspace.owner.clone().unwrap_or_else(|| format!("the owner of {}", workspace.path));
            let why = format!("You may enter {} and not list its requests. Ask {owner} for the right to.", workspace.path);
            return Err(Error::Denied { why });
        }
        Ok(sight)
    }
}
