//! The port [`Resources`]: the objects created for the requests that a user can list, from the inventories that the controller wrote.

mod facets;
mod look;
mod object;
mod order;
mod records;
mod shelf;

use std::collections::HashMap;
use std::sync::Arc;

use app::backend::Resources;
use app::view::{ObjectKey, ObjectPage, RESOURCE_COLUMNS, ResourceQuery, ResourceRow, ResourcesPage, Sort, Total, Whole};
use async_trait::async_trait;
use cluster::{ClusterId, WorkspacePath};
use promise::api::Health;
use promise::{DeniedReason, Error, Result, csv};

use self::facets::{Placed, is_at};
use self::shelf::{Piece, Sum};
use super::place::{Namespaces, Workspace};
use super::requests::listing::{Place, Sight};
use super::requests::rows;
use super::titles::Titles;
use crate::portal::Caller;

pub use self::shelf::Shelf;

/// Rows per page.
const PAGE: usize = 50;

#[async_trait]
impl Resources for Caller {
    async fn resources(&self, workspace: &str, query: &ResourceQuery) -> Result<ResourcesPage> {
        let workspace = self.enter(workspace).await?;
        let made = self.made_within(workspace.clone(), query.below).await?;
        let mut page = page(self, &made, query);
        if page.all.counted() == 0 && !query.below {
            page.below = Some(self.made_below(&workspace).await);
        }
        Ok(page)
    }

    async fn resources_csv(&self, workspace: &str, query: &ResourceQuery) -> Result<String> {
        let workspace = self.enter(workspace).await?;
        let made = self.made_within(workspace, query.below).await?;
        let wanted = Wanted::of(query);
        let mut presented = Presented::default();
        let as_of = made.as_of.as_deref().unwrap_or_default();
        let mut text = csv::line(RESOURCE_COLUMNS);
        for (here, piece) in made.rows(&wanted, 0, usize::MAX) {
            text.push_str(&csv::line(presented.row(self, here, piece).cells(as_of)));
        }
        for place in &made.unseen {
            text.push_str(&csv::line(ResourceRow::unread(place, as_of)));
        }
        Ok(text)
    }

    async fn object(&self, workspace: &str, namespace: &str, request: &str, object: &ObjectKey) -> Result<ObjectPage> {
        let workspace = self.enter(workspace).await?;
        object::page(self, &workspace, namespace, request, object).await
    }
}

/// How many objects there are in one place, and their health.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) all: usize,
    pub(super) healthy: usize,
    /// Unhealthy or missing ones.
    pub(super) broken: usize,
}

/// Counts the objects of requests that the user can list in one place.
pub(super) fn summary(caller: &Caller, place: &Place) -> Summary {
    let here = caller.made_at(&place.path, &place.cluster, &place.sight);
    let mut summary = Summary::default();
    for sum in here.shelves.iter().flat_map(|shelf| &shelf.sums) {
        summary.all += sum.count;
        match sum.health {
            Health::Healthy => summary.healthy += sum.count,
            Health::Degraded | Health::Missing => summary.broken += sum.count,
            Health::Progressing | Health::Unknown => {}
        }
    }
    summary
}

impl Caller {
    /// Returns the objects in a workspace, and optionally in those below, as far as the user can list its requests.
    async fn made_within(&self, workspace: Workspace, below: bool) -> Result<Made> {
        let mut made = Made { places: Vec::new(), as_of: self.portal().lists_as_of(), unseen: Vec::new() };
        match self.listing(&workspace).await {
            Ok(sight) => made.places.push(self.made_at(&workspace.path, &workspace.cluster, &sight)),
            // A plain Kubernetes cluster has requests in its namespaces only. Users who can't list anything here might still be able to list
            // below.
            Err(Error::Denied { .. }) if below || workspace.namespaces == Namespaces::None => {}
            Err(error) => return Err(error),
        }
        if below {
            let mut nodes = self.nodes_within(Some(&workspace.path));
            nodes.retain(|node| node.cluster != workspace.cluster && self.portal().has_requests(&node.cluster));
            let walk = self.walk(nodes).await;
            let listed = walk.open.iter().filter(|place| !place.sight.is_nothing());
            made.places.extend(listed.map(|place| self.made_at(&place.path, &place.cluster, &place.sight)));
            made.unseen = walk.unseen;
        }
        if made.places.is_empty() && made.unseen.is_empty() && workspace.namespaces != Namespaces::None {
            let (workspace, owner) = (workspace.path.to_string(), workspace.whom_to_ask());
            return Err(DeniedReason::ListRequests { workspace, below: true, owner }.into());
        }
        Ok(made)
    }

    /// Returns how many objects the workspaces below have, as far as the user can list their requests.
    async fn made_below(&self, workspace: &Workspace) -> Total {
        let mut nodes = self.nodes_within(Some(&workspace.path));
        nodes.retain(|node| node.cluster != workspace.cluster && self.portal().has_requests(&node.cluster));
        let walk = self.walk(nodes).await;
        let listed = walk.open.into_iter().filter(|place| !place.sight.is_nothing()).collect();
        Whole::new(listed, self.portal().lists_as_of(), walk.unseen).total_by(|place| summary(self, place).all)
    }

    /// Returns the objects in a workspace that a sight covers.
    fn made_at(&self, path: &WorkspacePath, cluster: &ClusterId, sight: &Sight) -> Here {
        let shelves = self.portal().shelves.of(&self.portal().world, cluster, sight);
        Here { path: path.to_string(), cluster: cluster.clone(), shelves }
    }
}

/// The objects in one workspace.
struct Here {
    path: String,
    cluster: ClusterId,
    /// By namespace.
    shelves: Vec<Arc<Shelf>>,
}

/// The objects in several workspaces, in the order of their paths.
struct Made {
    places: Vec<Here>,
    as_of: Option<String>,
    unseen: Vec<String>,
}

impl Made {
    fn shelves(&self) -> impl Iterator<Item = (&Here, &Arc<Shelf>)> {
        self.places.iter().flat_map(|here| here.shelves.iter().map(move |shelf| (here, shelf)))
    }

    /// Wraps a complete list, so that its totals account for what is missing.
    fn whole<T>(&self, things: Vec<T>) -> Whole<T> {
        Whole::new(things, self.as_of.clone(), self.unseen.clone())
    }

    /// Returns `most` of the objects that match a query after the first `skip`, in the order of the query.
    fn rows(&self, wanted: &Wanted<'_>, skip: usize, most: usize) -> Vec<(&Here, &Piece)> {
        match wanted.query.sort {
            Sort::Usual => self.cut(wanted, skip, most),
            sort => order::window(self.cut(wanted, 0, usize::MAX), sort, skip, most),
        }
    }

    /// Returns `most` of the objects that match a query after the first `skip`, failing ones first.
    fn cut(&self, wanted: &Wanted<'_>, mut skip: usize, most: usize) -> Vec<(&Here, &Piece)> {
        let mut found = Vec::new();
        for urgency in (0..=Health::Missing.urgency()).rev() {
            for (here, shelf) in self.shelves().filter(|(here, _)| is_at(wanted.query, &here.path)) {
                // Whole shelves are skipped by their sums. Searches by words have no such counts.
                let count = wanted.words.is_empty().then(|| wanted.count(shelf, urgency));
                if count.is_some_and(|count| count <= skip) {
                    skip -= count.unwrap_or_default();
                    continue;
                }
                let path = here.path.to_lowercase();
                for piece in shelf.level(urgency).iter().filter(|piece| wanted.fits(piece, &path)) {
                    if found.len() >= most {
                        return found;
                    }
                    if skip > 0 {
                        skip -= 1;
                    } else {
                        found.push((here, piece));
                    }
                }
            }
        }
        found
    }
}

/// A query, prepared for comparison with many objects.
struct Wanted<'a> {
    query: &'a ResourceQuery,
    words: Vec<String>,
}

impl<'a> Wanted<'a> {
    fn of(query: &'a ResourceQuery) -> Self {
        Self { query, words: query.q.split_whitespace().map(str::to_lowercase).collect() }
    }

    fn fits(&self, piece: &Piece, path: &str) -> bool {
        shelf::fits(self.query, piece.kind(), piece.health(), piece.promise(), piece.drift.is_drifted()) && piece.has(&self.words, path)
    }

    /// Returns how many objects of an urgency match, if the query has no words.
    fn count(&self, shelf: &Shelf, urgency: u8) -> usize {
        let that = shelf.sums.iter().filter(|sum| sum.health.urgency() == urgency);
        that.filter(|sum| sum.fits(self.query)).map(|sum| sum.count).sum()
    }

    /// Returns the counted objects that contain the words, each with the path of its workspace.
    fn found<'h>(&self, here: &'h Here, shelf: &Shelf) -> Vec<(&'h str, Sum)> {
        let sums = shelf.sums_of(&self.words, &here.path.to_lowercase());
        sums.into_iter().map(|sum| (here.path.as_str(), sum)).collect()
    }
}

fn page(caller: &Caller, made: &Made, query: &ResourceQuery) -> ResourcesPage {
    let wanted = Wanted::of(query);
    let all = made.shelves().flat_map(|(here, shelf)| shelf.sums.iter().map(move |sum| Placed { path: here.path.as_str(), sum }));
    let all: Vec<Placed<'_>> = all.collect();
    let worded: Vec<(&str, Sum)> = match wanted.words.is_empty() {
        true => Vec::new(),
        false => made.shelves().flat_map(|(here, shelf)| wanted.found(here, shelf)).collect(),
    };
    let sums: Vec<Placed<'_>> = match wanted.words.is_empty() {
        true => all.clone(),
        false => worded.iter().map(|(path, sum)| Placed { path, sum }).collect(),
    };
    let titles = Titles::of(caller, made.places.iter().map(|here| &here.cluster));
    let facets = facets::of(&sums, query, |name| titles.title(name));

    let sums = made.whole(sums);
    let fit = sums.total_by(|placed| if placed.fits(query) { placed.sum.count } else { 0 });
    let with_drifted = ResourceQuery { drifted: true, ..query.clone() };
    let drifted_fit = sums.total_by(|placed| if placed.fits(&with_drifted) { placed.sum.count } else { 0 });
    let pages = fit.counted().div_ceil(PAGE).max(1);
    let number = query.page.clamp(1, pages);
    let mut presented = Presented::default();
    let rows = made.rows(&wanted, (number - 1) * PAGE, PAGE).into_iter().map(|(here, piece)| presented.row(caller, here, piece)).collect();
    let all = made.whole(all);
    let that = |fits: fn(&Sum) -> bool| all.total_by(|placed| if fits(placed.sum) { placed.sum.count } else { 0 });
    ResourcesPage {
        rows,
        fit,
        drifted_fit,
        all: that(|_| true),
        applied: all.total_by(|placed| placed.sum.applied),
        healthy: that(|sum| sum.health == Health::Healthy),
        broken: that(|sum| matches!(sum.health, Health::Degraded | Health::Missing)),
        drifted: that(|sum| sum.drifted),
        below: None,
        instances: made.whole(made.shelves().map(|(_, shelf)| shelf.instances).collect()).total_by(|count| *count),
        pages,
        kinds: facets.kinds,
        healths: facets.healths,
        promises: facets.promises,
        workspaces: facets.workspaces,
        query: ResourceQuery { page: number, ..query.clone() },
    }
}

/// Display names of promises, looked up once per promise and workspace.
#[derive(Default)]
struct Presented(HashMap<(ClusterId, Option<String>, String), String>);

impl Presented {
    fn row(&mut self, caller: &Caller, here: &Here, made: &Piece) -> ResourceRow {
        let reference = &made.request.spec.promise;
        let key = (here.cluster.clone(), reference.workspace.clone(), reference.name.clone());
        let title = self.0.entry(key).or_insert_with(|| rows::presentation(caller, &here.cluster, &made.request).0).clone();
        let item = made.item().cloned().unwrap_or_default();
        ResourceRow {
            workspace: here.path.clone(),
            request_namespace: made.namespace().to_owned(),
            instance: made.instance().to_owned(),
            promise: made.promise().to_owned(),
            promise_title: title,
            version: rows::version(&made.request),
            drift: made.drift,
            api_version: if item.group.is_empty() { item.version } else { format!("{}/{}", item.group, item.version) },
            kind: item.kind,
            namespace: item.namespace.unwrap_or_default(),
            name: item.name,
            destination: item.destination.unwrap_or_default(),
            applied: item.applied,
            health: item.health,
            message: item.message.unwrap_or_default(),
            since: made.request.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
        }
    }
}
