//! The instances of a promise, page by page, each checked against a version as the form of its upgrade would check it.

use app::view::{FleetCheck, FleetPage, FleetQuery, FleetRow};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::rollout::{Obstacle, Outlook, Readiness};
use promise::upgrade::VersionChoice;
use promise::wording::upper_first;
use promise::{Error, Result};

use super::authored::Authored;
use super::instances::{Instance, Instances, matches};
use crate::portal::Caller;
use crate::portal::catalog::facets::facet;
use crate::portal::place::Workspace;
use crate::portal::requests::rows;

/// Rows per page. Each row is an evaluation of the promise and of the policies.
const PAGE: usize = 20;
/// Evaluations at the same time: as many as run for one person.
pub(super) const CHECKS: usize = 2;
/// Versions that are columns.
const COLUMNS: usize = 4;
/// Values of a facet that can be chosen by a link.
const VALUES: usize = 8;

/// Returns a page.
pub(super) async fn page(caller: &Caller, workspace: &str, name: &str, query: &FleetQuery) -> Result<FleetPage> {
    let authored = Authored::read(caller, workspace, name).await?;
    let Instances { all, unseen, .. } = Instances::of(caller, &authored).await?;
    let choices = authored.versions(caller);
    let published: Vec<String> = choices.iter().map(|choice| choice.version.clone()).collect();
    let to = published.iter().find(|version| **version == query.to).cloned().or_else(|| newest(&choices)).unwrap_or_default();
    let without = |query: FleetQuery, chosen: &str, value: fn(&Instance) -> &str| {
        facet(all.iter().filter(|one| matches(one, &query)).map(value), chosen, str::to_owned, VALUES)
    };
    let places = without(FleetQuery { workspace: String::new(), ..query.clone() }, &query.workspace, |one| &one.path);
    let running = without(FleetQuery { version: String::new(), ..query.clone() }, &query.version, |one| &one.version);
    let total = all.len();
    let left: Vec<Instance> = all.into_iter().filter(|one| matches(one, query)).collect();
    let (fit, pages) = (left.len(), left.len().div_ceil(PAGE).max(1));
    let behind = left.iter().filter(|one| one.version != to).count();
    let number = query.page.clamp(1, pages);
    let shown: Vec<Instance> = left.into_iter().skip((number - 1) * PAGE).take(PAGE).collect();
    let checked = stream::iter(shown).map(|one| row(caller, one, &to)).buffered(CHECKS);
    Ok(FleetPage {
        promise: authored.view(caller).await?,
        versions: columns(&published, &to),
        published,
        rows: checked.try_collect().await?,
        fit,
        behind,
        total,
        pages,
        places,
        running,
        query: FleetQuery { page: number, to: to.clone(), ..query.clone() },
        to,
        unseen,
        as_of: caller.portal().lists_as_of(),
    })
}

/// Returns the newest version that isn't a pre-release, or else the newest one.
pub(super) fn newest(choices: &[VersionChoice]) -> Option<String> {
    choices.iter().find(|choice| !choice.is_prerelease).or(choices.first()).map(|choice| choice.version.clone())
}

/// Returns the newest versions, and the one that is checked against.
fn columns(published: &[String], to: &str) -> Vec<String> {
    let newest = published.iter().take(COLUMNS);
    let also = published.iter().skip(COLUMNS).find(|version| *version == to);
    newest.chain(also).cloned().collect()
}

async fn row(caller: &Caller, one: Instance, to: &str) -> Result<FleetRow> {
    Ok(FleetRow {
        check: check(caller, &one, to).await?,
        workspace: one.path.to_string(),
        namespace: one.key.namespace.clone(),
        name: one.key.name.clone(),
        version: one.version,
        states: rows::states(&one.request),
    })
}

/// Checks an instance against a version. An empty one stands for a promise without published versions.
pub(super) async fn check(caller: &Caller, one: &Instance, to: &str) -> Result<FleetCheck> {
    if to.is_empty() {
        return Ok(FleetCheck::Blocked(Obstacle::Unpublished));
    }
    let tree = caller.portal().world.tree();
    let Some(workspace) = Workspace::at(&tree, one.key.cluster.clone()) else { return Err(Error::Internal) };
    match caller.check_upgrade(&workspace, &one.key.namespace, &one.key.name, to).await {
        Ok(Readiness::There) => Ok(FleetCheck::There),
        Ok(Readiness::Ready(Outlook { needs_approval, lost, price })) => {
            let price = price.filter(|price| !price.is_none());
            Ok(FleetCheck::Ready {
                needs_approval,
                lost: lost.into_iter().map(|lost| lost.label).collect(),
                price: price.map(|price| price.to_string()).unwrap_or_default(),
            })
        }
        Ok(Readiness::Blocked(obstacle)) => Ok(FleetCheck::Blocked(obstacle)),
        Err(Error::Unauthenticated) => Err(Error::Unauthenticated),
        // The other rows are worth showing.
        Err(error) => Ok(FleetCheck::Blocked(Obstacle::Unknown { why: upper_first(&error.to_string()) })),
    }
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn the_newest_versions_and_the_chosen_one_are_columns() {
        let all: Vec<String> = ["6", "5", "4", "3", "2", "1"].map(str::to_owned).to_vec();
        assert_eq!(columns(&all, "6"), ["6", "5", "4", "3"]);
        assert_eq!(columns(&all, "1"), ["6", "5", "4", "3", "1"]);
    }
}
