//! Which workspaces count for a person: those in which they may list requests.

use cluster::WorkspacePath;
use jiff::Timestamp;
use promise::Result;
use promise::ledger::{Month, PATIENCE};
use promise::view::CostQuery;

use super::unread;
use crate::auth::Caller;
use crate::portal::requests::listing::Place;
use crate::portal::titles::Titles;

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
    /// Up to when the ledger was written, where the clock was later then than it is now.
    pub(super) ahead: Option<i64>,
}

impl Scope {
    /// What the promises are called of which there are requests.
    pub(super) fn titles(&self, caller: &Caller) -> Titles {
        Titles::of(caller, self.places.iter().map(|place| &place.cluster))
    }

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
    let now = portal.clock.now().as_second();
    let present = Month::of(now);
    let month = Month::parse(&query.month).filter(|month| *month <= present).unwrap_or(present);
    let top = match query.workspace.as_str() {
        "" => None,
        path => Some(caller.enter(path).await?.path),
    };
    let places = caller.places(top.as_ref()).await?;
    let clock = portal.store.ledger_clock().await.map_err(unread)?;
    let ahead = clock.map(|clock| clock.seen).filter(|seen| *seen > now + PATIENCE);
    Ok(Scope { top, places, month, is_current: month == present, posted: clock.map(|clock| clock.posted), ahead })
}
