//! The workspaces that are included for a user: those in which they can list requests.

use std::collections::HashMap;

use app::view::{CostBy, CostQuery};
use cluster::{ClusterId, WorkspacePath};
use jiff::Timestamp;
use promise::Result;
use promise::ledger::{Month, PATIENCE};
use promise::names;

use super::unread;
use crate::portal::Caller;
use crate::portal::Portal;
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
    /// The team that owns each workspace now. Empty unless costs are grouped by team.
    pub(super) teams: HashMap<ClusterId, String>,
}

impl ReportScope {
    /// Returns the value of a grouping that workspaces determine; `None` for those that instances determine.
    pub(super) fn of_place<'a>(&'a self, by: CostBy, place: &'a Place) -> Option<&'a str> {
        match by {
            CostBy::Workspace => Some(place.path.as_str()),
            CostBy::Team => Some(self.teams.get(&place.cluster).map_or("", String::as_str)),
            CostBy::Promise | CostBy::Project | CostBy::Owner => None,
        }
    }

    /// Returns the workspace that the report is about: the selected one, or the one that contains all others.
    pub(super) fn common(&self) -> Option<&WorkspacePath> {
        let first = || self.places.first().map(|place| &place.path);
        self.top.as_ref().or_else(first).filter(|top| self.places.iter().all(|place| top.contains(&place.path)))
    }

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

/// Returns how many segments paths have in common.
pub(super) fn shared_segments<'a>(paths: impl IntoIterator<Item = &'a str>) -> usize {
    let mut paths = paths.into_iter().map(|path| path.split(':'));
    let Some(first) = paths.next() else { return 0 };
    let first: Vec<&str> = first.collect();
    paths.fold(first.len(), |shared, path| first.iter().take(shared).zip(path).take_while(|(a, b)| *a == b).count())
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
    let teams = if CostBy::parse(&query.by) == CostBy::Team { teams(portal, &places) } else { HashMap::new() };
    let clock = portal.store.ledger_clock().await.map_err(unread)?;
    let ahead = clock.map(|clock| clock.seen).filter(|seen| *seen > now + PATIENCE);
    Ok(ReportScope { top, places, month, is_current: month == present, posted: clock.map(|clock| clock.posted), ahead, teams })
}

/// Returns the owner of each workspace: the team that its label names, or that of the nearest workspace above it. Workspaces without an owner
/// are left out.
fn teams(portal: &Portal, places: &[Place]) -> HashMap<ClusterId, String> {
    let tree = portal.world.tree();
    let team = |place: &Place| {
        let lineage = tree.lineage(&place.cluster)?;
        let owner = lineage.iter().rev().find_map(|node| node.labels.get(names::OWNER_LABEL));
        Some((place.cluster.clone(), owner?.clone()))
    };
    places.iter().filter_map(team).collect()
}

#[cfg(test)]
mod tests {
    use promise::ledger::Month;

    use super::*;
    use crate::portal::requests::listing::Sight;

    fn scope(paths: &[&str]) -> ReportScope {
        let place = |path: &&str| Place { cluster: ClusterId::root(), path: WorkspacePath::parse(path).unwrap(), sight: Sight::Everywhere };
        let (places, month) = (paths.iter().map(place).collect(), Month::of(0));
        ReportScope { top: None, places, month, is_current: true, posted: None, ahead: None, teams: HashMap::new() }
    }

    #[test]
    fn a_report_is_about_the_workspace_that_contains_all_others() {
        let of = |paths: &[&str]| {
            let scope = scope(paths);
            (shared_segments(paths.iter().copied()), scope.common().map(ToString::to_string))
        };
        assert_eq!(of(&["root:acme", "root:acme:data", "root:acme:shop"]), (2, Some("root:acme".to_owned())));
        assert_eq!(of(&["root:acme:shop"]), (3, Some("root:acme:shop".to_owned())));
        assert_eq!(of(&["root:acme", "root:globex", "root:globex:web"]), (1, None));
        assert_eq!(of(&["root:acme:shop", "root:acme:shops"]), (2, None), "whole segments only");
        assert_eq!(of(&[]), (0, None));
    }
}
