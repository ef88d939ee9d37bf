//! Instances of promises: how many run in the workspace and how long they took, and the list of those that use one promise.

use app::view::{InstanceLine, InstancesPage, OfferUse, ReadyIn};
use cluster::kinds::PromiseRequest;
use jiff::SignedDuration;
use promise::{Error, Result};

use crate::portal::Caller;
use crate::portal::offers::{Offered, Offers};
use crate::portal::place::Workspace;
use crate::portal::register::{Known, Of, OfPromise};
use crate::portal::requests::listing::Place;
use crate::portal::requests::rows;

/// Rows per page.
const PAGE: usize = 50;
/// How long a version is new.
const NEW: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Returns the instances of each of these offers in the workspace. `None` if the user can't list requests there, or if they couldn't be
/// read: the catalog is useful without them.
pub(super) async fn here(caller: &Caller, workspace: &Workspace, offers: &[Offered]) -> Vec<Option<OfferUse>> {
    let portal = caller.portal();
    let Some(place) = place(caller, workspace).await else { return vec![None; offers.len()] };
    portal.register.with(&portal.world, |known| {
        let counts = known.within(&place);
        let of = |offered: &Offered| match counts.promises.get(&named(offered)) {
            Some(counts) => used(counts, &offered.promise.spec.version),
            None => OfferUse::default(),
        };
        offers.iter().map(|offered| Some(of(offered))).collect()
    })
}

/// Returns where in a workspace the user can list requests, if anywhere.
pub(in crate::portal) async fn place(caller: &Caller, workspace: &Workspace) -> Option<Place> {
    let sight = caller.listing(workspace).await.ok()?;
    Some(Place { cluster: workspace.cluster.clone(), path: workspace.path.clone(), sight })
}

fn named(offered: &Offered) -> Of {
    Of { home: Some(offered.home.path.clone()), name: offered.key.name.clone() }
}

fn used(counts: &OfPromise, version: &str) -> OfferUse {
    let running = counts.running();
    let older = running - counts.versions.get(version).copied().unwrap_or_default();
    OfferUse { running, older, ready_in: ready_in(counts) }
}

/// Returns how long instances took to get ready.
pub(in crate::portal) fn ready_in(counts: &OfPromise) -> Option<ReadyIn> {
    counts.within(50).map(|median| ReadyIn { median, measured: counts.took.values().sum() })
}

/// Whether the version on offer was published recently, after another one.
pub(super) fn is_new_version(caller: &Caller, offered: &Offered) -> bool {
    let portal = caller.portal();
    let revisions = portal.world.revisions_of(&offered.key.cluster, &offered.key.name);
    let version = &offered.promise.spec.version;
    let newest = revisions.iter().find(|(_, revision)| revision.spec.version == *version);
    let since = newest.and_then(|(_, revision)| revision.metadata.creation_timestamp.as_ref());
    revisions.len() > 1 && since.is_some_and(|since| portal.clock.now().duration_since(since.0) < NEW)
}

/// Returns a page of the instances of a promise that the user can list: those of the workspace first, then by path and name.
pub(super) async fn page(caller: &Caller, offers: &Offers<'_>, name: &str, home: Option<&str>, number: usize) -> Result<InstancesPage> {
    let offered = offers.one(name, home).ok_or_else(|| Error::NotFound { what: format!("promise {name}") })?;
    let portal = caller.portal();
    portal.lists_read()?;
    let walk = caller.walk(caller.nodes_within(None)).await;
    let mut places: Vec<Place> = walk.open.into_iter().filter(|place| !place.sight.is_nothing()).collect();
    let here = &offers.workspace().cluster;
    // They are in the order of their paths.
    places.sort_by_key(|place| place.cluster != *here);
    let page = portal.register.with(&portal.world, |known| listed(known, &named(&offered), &places, number));
    Ok(InstancesPage { unseen: walk.unseen, as_of: portal.lists_as_of(), ..page })
}

fn listed(known: &Known, of: &Of, places: &[Place], number: usize) -> InstancesPage {
    let counts: Vec<usize> = places.iter().map(|place| known.instances(of, place).count()).collect();
    let total: usize = counts.iter().sum();
    let pages = total.div_ceil(PAGE).max(1);
    let page = number.clamp(1, pages);
    let keys = places.iter().flat_map(|place| known.instances(of, place).map(move |key| (place, key)));
    let shown = keys.skip((page - 1) * PAGE).take(PAGE);
    let rows = shown.filter_map(|(place, key)| Some(line(place, known.request(key)?))).collect();
    InstancesPage { rows, total, workspaces: counts.iter().filter(|count| **count > 0).count(), page, pages, ..InstancesPage::default() }
}

fn line(place: &Place, request: &PromiseRequest) -> InstanceLine {
    InstanceLine {
        workspace: place.path.to_string(),
        namespace: request.metadata.namespace.clone().unwrap_or_default(),
        name: request.metadata.name.clone().unwrap_or_default(),
        version: rows::version(request),
        states: rows::states(request),
        requester: rows::requester(request),
        created: request.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use cluster::kinds::{PromiseRequestKind, object};
    use cluster::watch::Key;
    use cluster::{ClusterId, WorkspacePath};
    use promise::api::{CurrentStatus, PromiseRef, PromiseRequestSpec, PromiseRequestStatus};

    use super::*;
    use crate::portal::requests::listing::Sight;

    fn request(name: &str, version: Option<&str>) -> PromiseRequest {
        let promise = PromiseRef { name: "redis".into(), workspace: Some("root:platform".into()), ..PromiseRef::default() };
        let mut request =
            object::<PromiseRequestKind>(name, Some("default"), PromiseRequestSpec { promise, ..PromiseRequestSpec::default() });
        let current = version.map(|version| CurrentStatus { version: version.into(), ..CurrentStatus::default() });
        request.status = Some(PromiseRequestStatus { current, ..PromiseRequestStatus::default() });
        request
    }

    #[test]
    fn what_runs_is_listed_where_the_person_can_list_it() {
        let cluster = |name: &str| ClusterId::parse(name).unwrap();
        let key = |workspace: &str, name: &str| Key::new(cluster(workspace), "default", name);
        let all = [("shop", "b", Some("1.0.3")), ("shop", "a", Some("1.0.2")), ("shop", "waits", None), ("data", "c", Some("1.0.3"))];
        let requests = all.into_iter().map(|(at, name, version)| (key(at, name), Arc::new(request(name, version)))).collect();
        let mut known = Known::default();
        known.follow(requests);
        let place = |workspace: &str, sight: Sight| Place {
            cluster: cluster(workspace),
            path: WorkspacePath::parse(&format!("root:{workspace}")).unwrap(),
            sight,
        };
        let of = Of { home: Some("root:platform".into()), name: "redis".into() };
        let names = |places: &[Place]| {
            let page = listed(&known, &of, places, 1);
            (page.rows.into_iter().map(|row| row.name).collect::<Vec<_>>(), page.total, page.workspaces)
        };
        let (shop, data) = (place("shop", Sight::Everywhere), place("data", Sight::Everywhere));
        assert_eq!(names(&[shop.clone(), data]), (vec!["a".to_owned(), "b".to_owned(), "c".to_owned()], 3, 2));
        let hidden = place("data", Sight::Within(BTreeSet::from(["other".to_owned()])));
        assert_eq!(names(&[shop, hidden]).1, 2);
        known.follow(std::iter::once((key("data", "c"), Arc::new(request("c", Some("1.0.3"))))).collect());
        assert_eq!(listed(&known, &of, &[place("data", Sight::Everywhere)], 7).page, 1, "a page that doesn't exist shows the last one");
    }

    #[test]
    fn other_versions_and_times_are_counted() {
        let counts = OfPromise {
            versions: BTreeMap::from([("1.0.3".to_owned(), 2), ("1.0.2".to_owned(), 1)]),
            took: BTreeMap::from([(40, 1), (50, 1), (90, 1)]),
            ..OfPromise::default()
        };
        let ready_in = Some(ReadyIn { median: 50, measured: 3 });
        assert_eq!(used(&counts, "1.0.3"), OfferUse { running: 3, older: 1, ready_in });
        assert_eq!(used(&OfPromise::default(), "1.0.3"), OfferUse::default());
    }
}
