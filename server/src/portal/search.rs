//! The port [`Search`]: everything that a user can list, by words.

mod documents;
mod index;
mod matching;
mod records;
mod vocabulary;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use app::backend::Search;
use app::view::{ObjectKey, SearchHit, SearchKind, SearchPage, SearchQuery, SearchTarget};
use async_trait::async_trait;
use cluster::ClusterId;
use cluster::watch::Key;
use promise::state::RequestStates;
use promise::{Error, Result};

pub use index::SearchIndex;

use self::index::{Ask, Found, Hit, Scope};
use super::offers::{Offered, Offers};
use super::place::Workspace;
use super::requests::listing::{Place, Sight};
use super::requests::rows;
use crate::portal::Caller;

/// Results per page.
const PAGE: usize = 30;
/// Number of promises for which the visibility is checked one by one; the number of more is a lower bound.
const PROMISES: usize = 50;

#[async_trait]
impl Search for Caller {
    async fn search(&self, query: &SearchQuery) -> Result<SearchPage> {
        let walk = self.walk(self.nodes_within(None)).await;
        let workspace = self.searched_from(&query.workspace, &walk.open).await?;
        let offers = match &workspace {
            Some(workspace) => Some(self.offers(workspace).await?),
            None => None,
        };
        let homes = offers.iter().flat_map(Offers::homes).map(|home| home.cluster.clone()).collect();
        let governed = self.with_policies(self.governing_places(), "list").await?.into_iter().map(|(_, cluster)| cluster).collect();
        let sights = walk.open.iter().map(|place| (place.cluster.clone(), place.sight.clone())).collect();
        let scope = Arc::new(Visible { sights, homes, governed });
        let kind = SearchKind::parse(&query.kind);
        let near = workspace.as_ref().map(|workspace| workspace.cluster.clone());
        let mut page = query.page.max(1);
        let ask = Ask { text: query.q.clone(), kind, near, skip: (page - 1).saturating_mul(PAGE), take: PAGE };
        let promises = Ask { kind: Some(SearchKind::Promise), skip: 0, take: PROMISES, ..ask.clone() };
        let (mut found, promises) = (self.look_up(ask.clone(), scope.clone()).await?, self.look_up(promises, scope.clone()).await?);

        let offered = |key: &Key| offers.as_ref().and_then(|offers| offers.get(key));
        let all_checked = found.counts[SearchKind::Promise as usize] <= PROMISES;
        if all_checked {
            found.counts[SearchKind::Promise as usize] = promises.hits.iter().filter(|hit| offered(&hit.key).is_some()).count();
        }
        let counts: Vec<(SearchKind, usize)> = SearchKind::ALL.into_iter().zip(found.counts).filter(|(_, count)| *count > 0).collect();
        let total: usize = counts.iter().filter(|(known, _)| kind.is_none_or(|kind| kind == *known)).map(|(_, count)| count).sum();
        let pages = total.div_ceil(PAGE).max(1);
        if page > pages {
            // A page that doesn't exist any more shows the last one.
            page = pages;
            found.hits = self.look_up(Ask { skip: (page - 1) * PAGE, ..ask }, scope).await?.hits;
        }
        let hits = found.hits.iter().filter_map(|hit| self.hit(hit, workspace.as_ref(), offered)).collect();
        Ok(SearchPage {
            query: SearchQuery { page, ..query.clone() },
            hits,
            counts,
            exact: found.complete && all_checked,
            pages,
            unseen: walk.unseen,
        })
    }
}

/// What a person can see.
struct Visible {
    sights: HashMap<ClusterId, Sight>,
    /// Workspaces that can offer promises where the person is.
    homes: HashSet<ClusterId>,
    /// Workspaces whose policies the person can list.
    governed: HashSet<ClusterId>,
}

impl Scope for Visible {
    fn covers(&self, kind: SearchKind, cluster: &ClusterId, namespace: &str) -> bool {
        match kind {
            SearchKind::Request | SearchKind::Resource => self.sights.get(cluster).is_some_and(|sight| sight.covers(namespace)),
            SearchKind::Workspace => self.sights.contains_key(cluster),
            SearchKind::Promise => self.homes.contains(cluster),
            SearchKind::Policy => self.governed.contains(cluster),
        }
    }
}

impl Caller {
    /// Returns the workspace that a search comes from, or else the first one in which the person can list requests.
    async fn searched_from(&self, path: &str, open: &[Place]) -> Result<Option<Workspace>> {
        let first = || open.iter().find(|place| !place.sight.is_nothing()).map(|place| place.path.to_string());
        let path = match Some(path.to_owned()).filter(|path| open.iter().any(|place| place.path.as_str() == path)).or_else(first) {
            Some(path) => path,
            None => return Ok(None),
        };
        match self.enter(&path).await {
            Ok(workspace) => Ok(Some(workspace)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Searches the index on a thread that can block: after a start, the first search builds it.
    async fn look_up(&self, ask: Ask, scope: Arc<Visible>) -> Result<Found> {
        let caller = self.clone();
        let found = tokio::task::spawn_blocking(move || {
            let portal = caller.portal();
            portal.search.search(&portal.world, &ask, &*scope)
        });
        found.await.map_err(|error| {
            tracing::error!(%error, "a search failed");
            Error::Internal
        })
    }

    /// Returns a result as shown. `None` if it is gone, or if the workspace doesn't offer the promise to this person.
    fn hit(&self, hit: &Hit, workspace: Option<&Workspace>, offered: impl Fn(&Key) -> Option<Offered>) -> Option<SearchHit> {
        let world = &self.portal().world;
        let key = &*hit.key;
        let path = || world.tree().path(&key.cluster).map(|path| path.to_string());
        match hit.kind {
            SearchKind::Promise => {
                let offered = offered(key)?;
                let presentation = &offered.promise.spec.presentation;
                let target = SearchTarget::Promise {
                    workspace: workspace?.path.to_string(),
                    name: key.name.clone(),
                    home: offered.shadowed.then(|| offered.home.path.clone()),
                    icon: presentation.icon.clone().unwrap_or_default(),
                    requestable: offered.standing.requestable.is_yes(),
                };
                let title = presentation.display_name.clone().unwrap_or_else(|| key.name.clone());
                Some(SearchHit { target, title, detail: presentation.summary.clone().unwrap_or_default(), states: None })
            }
            SearchKind::Request => {
                let request = world.requests.get(key)?;
                let deleted = request.metadata.deletion_timestamp.is_some();
                let target = SearchTarget::Request { workspace: path()?, namespace: key.namespace.clone(), name: key.name.clone() };
                let states = Some(RequestStates::of(request.status.as_ref(), deleted));
                let (title, _) = rows::presentation(self, &key.cluster, &request);
                Some(SearchHit { target, title: key.name.clone(), detail: title, states })
            }
            SearchKind::Resource => {
                let request = world.requests.get(key)?;
                let item = request.status.as_ref()?.inventory.get(hit.part)?;
                let object = ObjectKey {
                    kind: item.kind.clone(),
                    name: item.name.clone(),
                    group: item.group.clone(),
                    namespace: item.namespace.clone().unwrap_or_default(),
                    at: item.destination.clone().unwrap_or_default(),
                };
                let target =
                    SearchTarget::Resource { workspace: path()?, namespace: key.namespace.clone(), request: key.name.clone(), object };
                Some(SearchHit { target, title: item.name.clone(), detail: item.kind.clone(), states: None })
            }
            SearchKind::Workspace => {
                let path = world.tree().path(&key.cluster)?;
                let title = path.name().to_owned();
                Some(SearchHit { target: SearchTarget::Workspace(path.to_string()), title, detail: String::new(), states: None })
            }
            SearchKind::Policy => {
                let policy = world.policies.get(key)?;
                let title = policy.spec.title.clone().unwrap_or_else(|| key.name.clone());
                let detail = policy.spec.description.clone().unwrap_or_default();
                Some(SearchHit { target: SearchTarget::Policy { workspace: path()?, name: key.name.clone() }, title, detail, states: None })
            }
        }
    }
}
