//! The workspaces that are included for a user: those in which they can list requests.

use app::view::CostQuery;
use cluster::WorkspacePath;
use jiff::Timestamp;
use promise::Result;
use promise::ledger::{Month, PATIENCE};

use super::unread;
use crate::auth::Caller;
use crate::portal::requests::listing::Place;
use crate::portal::titles::Titles;

/// The scope of a cost report.
pub(super) struct ReportScope {
    /// The selected workspace. `None` for all.
    pub(super) top: Option<WorkspacePath>,
    /// Workspaces that are included, in the order of their paths.
    pub(super) places: Vec<Place>,
    pub(super) month: Month,
    pub(super) is_current: bool,
    /// End of the counted hours. `None` before the ledger has begun.
    pub(super) posted: Option<i64>,
    /// Time up to which the ledger was written, if the clock was later then than it is now.
    pub(super) ahead: Option<i64>,
}

impl ReportScope {
    /// Returns the titles of the promises that have requests.
    pub(super) fn titles(&self, caller: &Caller) -> Titles {
        Titles::of(caller, self.places.iter().map(|place| &place.cluster))
    }

    /// Returns the end of the counted hours of the month.
    pub(super) fn counted(&self) -> i64 {
        self.posted.unwrap_or(self.month.start()).clamp(self.month.start(), self.month.end())
    }

    /// Returns the end of the counted hours as readable text.
    pub(super) fn up_to(&self) -> Option<String> {
        self.posted.and_then(|_| Timestamp::from_second(self.counted()).ok()).map(|at| at.to_string())
    }
}

/// Reads the query: the month, the workspace, and what of it the user can see.
pub(super) async fn scope(caller: &Caller, query: &CostQuery) -> Result<ReportScope> {
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
    Ok(ReportScope { top, places, month, is_current: month == present, posted: clock.map(|clock| clock.posted), ahead })
}
