//! Which workspaces count for a person: those in which they may list requests.

use cluster::workspaces::Node;
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use promise::Result;
use promise::ledger::Month;
use promise::view::CostQuery;

use super::unread;
use crate::auth::Caller;
use crate::portal::place::TOGETHER;
use crate::portal::requests::listing::Sight;

/// A workspace that counts.
pub(super) struct Place {
    pub(super) cluster: ClusterId,
    pub(super) path: WorkspacePath,
    pub(super) sight: Sight,
}

/// What is asked about.
pub(super) struct Scope {
    /// The workspace that was asked for; none for everything.
    pub(super) top: Option<WorkspacePath>,
    /// Workspaces that count, in the order of their paths.
    pub(super) places: Vec<Place>,
    pub(super) month: Month,
    pub(super) is_current: bool,
    /// Until when hours are counted; none before the ledger has begun.
    pub(super) posted: Option<i64>,
}

impl Scope {
    /// Until when hours of the month are counted.
    pub(super) fn counted(&self) -> i64 {
        self.posted.unwrap_or(self.month.start()).clamp(self.month.start(), self.month.end())
    }

    /// The moment until which hours are counted, as people read it.
    pub(super) fn up_to(&self) -> Option<String> {
        self.posted.and_then(|_| Timestamp::from_second(self.counted()).ok()).map(|at| at.to_string())
    }
}

/// Reads the query: the month, the workspace, and what of it counts for the person.
pub(super) async fn scope(caller: &Caller, query: &CostQuery) -> Result<Scope> {
    let portal = caller.portal();
    let present = Month::of(portal.clock.now().as_second());
    let month = Month::parse(&query.month).filter(|month| *month <= present).unwrap_or(present);
    let top = match query.workspace.as_str() {
        "" => None,
        path => Some(caller.enter(path).await?.path),
    };
    let within = |node: &Node| top.as_ref().is_none_or(|top| *top == node.path || node.path.as_str().starts_with(&format!("{top}:")));
    // On plain Kubernetes the cluster itself has no requests, and its namespaces stand below it.
    let nodes: Vec<Node> = portal.world.tree().all().into_iter().filter(within).collect();
    let asked = stream::iter(nodes).map(|node| place(caller, node));
    let answers: Vec<Result<Option<Place>>> = asked.buffered(TOGETHER).collect().await;
    let mut places = answers.into_iter().filter_map(Result::transpose).collect::<Result<Vec<Place>>>()?;
    places.sort_by(|a, b| a.path.cmp(&b.path));
    let posted = portal.store.ledger_clock().await.map_err(unread)?.map(|clock| clock.posted);
    Ok(Scope { top, places, month, is_current: month == present, posted })
}

async fn place(caller: &Caller, node: Node) -> Result<Option<Place>> {
    if !caller.may(&node.cluster, crate::portal::rights::Right::Enter).await? {
        return Ok(None);
    }
    let sight = caller.sight(&node.cluster).await?;
    Ok((!sight.is_nothing()).then_some(Place { cluster: node.cluster, path: node.path, sight }))
}
