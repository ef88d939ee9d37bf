//! The list of requests: of one workspace, with its child workspaces, or of all workspaces; filtered, counted and paginated.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use app::backend::Drafts as _;
use app::view::{
    Availability, AvailabilityState, Facet, REQUEST_COLUMNS, RequestQuery, RequestRow, RequestsPage, Total, Whole, unread_request,
};
use cluster::watch::Key;
use imbl::OrdMap;
use promise::rest::{Page, RequestSummary};
use promise::visibility::{self, Answer};
use promise::{DeniedReason, Error, Result, csv};

use super::index::{Entry, label_title};
use super::listing::Place;
use super::narrow::{Listed, Wanted};
use super::{records, rows};
use crate::portal::Caller;
use crate::portal::approvals::inbox;
use crate::portal::place::{Namespaces, Workspace};
use crate::portal::slices::{self, Extent, Slice};
use crate::portal::titles::Titles;
use crate::portal::topic::{self, Topic};

/// Rows per page.
const PAGE: usize = 50;

/// Returns a page of the list; without a workspace, of all.
pub(super) async fn page(caller: &Caller, workspace: Option<&Workspace>, query: &RequestQuery) -> Result<RequestsPage> {
    let portal = caller.portal();
    let reached = reach(caller, workspace, query.below).await?;
    let seen = reached.seen(caller, workspace, query.below).await?;
    let create = match workspace {
        Some(workspace) => create(&visibility::open(&caller.facts(workspace).await?, workspace.path.as_str())),
        None => Availability { state: AvailabilityState::Denied, reason: None },
    };
    let index = portal.request_index.read(&portal.world);
    let me = &caller.identity().person;
    let mut wanted = Wanted::of(query, me);
    reached.prepare(caller, &mut wanted, query).await?;
    let mut found = wanted.narrow(reached.listed(&index));
    let total = found.matches.len();
    let pages = total.div_ceil(PAGE).max(1);
    let number = query.page.clamp(1, pages);
    let shown = wanted.window(std::mem::take(&mut found.matches), (number - 1) * PAGE, PAGE);
    let is_wide = query.below || workspace.is_none();
    let below = match workspace {
        Some(workspace) if found.all == 0 && !query.below => Some(below(caller, workspace).await),
        _ => None,
    };
    Ok(RequestsPage {
        rows: reached.rows(caller, &shown),
        total: reached.total(caller, total),
        all: reached.total(caller, found.all),
        attention: found.attention,
        pages,
        states: found.states,
        promises: found.promises,
        labels: found.labels,
        // One workspace is no choice.
        workspaces: if is_wide && (found.workspaces.values.len() > 1 || !query.workspace.is_empty()) {
            found.workspaces
        } else {
            Facet::default()
        },
        query: RequestQuery { page: number, ..query.clone() },
        create,
        drafts: match workspace {
            // The list doesn't need them.
            Some(workspace) => caller.drafts(Some(workspace.path.as_str())).await.unwrap_or_default(),
            None => Vec::new(),
        },
        below,
        as_of: portal.lists_as_of(),
        seen,
    })
}

/// Returns everything that matches as comma-separated values, in the order of the list.
pub(super) async fn file(caller: &Caller, workspace: Option<&Workspace>, query: &RequestQuery) -> Result<String> {
    let portal = caller.portal();
    let reached = reach(caller, workspace, query.below).await?;
    let index = portal.request_index.read(&portal.world);
    let me = &caller.identity().person;
    let mut wanted = Wanted::of(query, me);
    reached.prepare(caller, &mut wanted, query).await?;
    let found = wanted.narrow(reached.listed(&index));
    let as_of = portal.lists_as_of().unwrap_or_default();
    let mut text = csv::line(REQUEST_COLUMNS);
    for listed in wanted.window(found.matches, 0, usize::MAX) {
        let path = reached.places.get(listed.place).map(|place| place.path.to_string()).unwrap_or_default();
        text.push_str(&csv::line(cells(&path, listed.entry, &as_of)));
    }
    for place in &reached.unseen {
        text.push_str(&csv::line(unread_request(place, &as_of)));
    }
    Ok(text)
}

/// Returns the matches after a position, in the order of paths, namespaces and names.
pub(super) async fn part(caller: &Caller, workspace: &Workspace, query: &RequestQuery, slice: &Slice) -> Result<Page<RequestSummary>> {
    let portal = caller.portal();
    let after = slice.position::<3>()?;
    let mut reached = reach(caller, Some(workspace), query.below).await?;
    reached.places.sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
    let index = portal.request_index.read(&portal.world);
    let me = &caller.identity().person;
    let mut wanted = Wanted::of(query, me);
    if query.attention || !query.q.is_empty() {
        reached.prepare(caller, &mut wanted, query).await?;
    }
    let matches: Vec<Listed<'_>> = reached.listed(&index).filter(|listed| wanted.fits(listed)).collect();
    let extent = Extent { total: matches.len(), unread: reached.unseen.clone(), as_of: portal.lists_as_of() };
    let rest = matches.iter().filter_map(|listed| {
        let place = reached.places.get(listed.place)?;
        let position = [place.path.as_str(), listed.key.namespace.as_str(), listed.key.name.as_str()];
        after.is_none_or(|after| position > after).then_some((place, position, listed))
    });
    Ok(slices::part(
        extent,
        slice.limit,
        rest.map(|(place, position, listed)| {
            let item = records::summary(caller, place.path.as_str(), &place.cluster, &listed.entry.request);
            (position.map(str::to_owned).to_vec(), item)
        }),
    ))
}

/// Returns the cells for [`REQUEST_COLUMNS`].
fn cells(path: &str, entry: &Entry, as_of: &str) -> [String; REQUEST_COLUMNS.len()] {
    let request = &entry.request;
    let (monthly, currency) = entry.price.as_ref().map(|price| (price.decimal(), price.currency.clone())).unwrap_or_default();
    [
        path.to_owned(),
        request.metadata.namespace.clone().unwrap_or_default(),
        entry.name().to_owned(),
        entry.promise().to_owned(),
        rows::version(request),
        entry.states.state.label().to_owned(),
        entry.states.change.map(|change| change.label().to_owned()).unwrap_or_default(),
        rows::status_sentence(request).waiting_for().to_owned(),
        entry.requester.username().to_owned(),
        request.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
        monthly,
        currency,
        entry.labels.iter().map(|label| label_title(label)).collect::<Vec<_>>().join("; "),
        as_of.to_owned(),
    ]
}

/// Returns whether requests can be created here, as a page shows it.
fn create(open: &Answer) -> Availability {
    match open {
        Answer::Yes => Availability::default(),
        Answer::No { why } | Answer::Unknown { why } => Availability { state: AvailabilityState::Denied, reason: Some(why.clone()) },
    }
}

/// The places of a list.
struct Reached {
    places: Vec<Place>,
    /// Describes workspaces that did not respond.
    unseen: Vec<String>,
}

/// Returns the places in which the user can list requests.
async fn reach(caller: &Caller, workspace: Option<&Workspace>, below: bool) -> Result<Reached> {
    caller.portal().lists_read()?;
    let Some(workspace) = workspace else {
        return Ok(Reached::below(caller, None, Vec::new()).await);
    };
    let own = match caller.listing(workspace).await {
        Ok(sight) => vec![Place { cluster: workspace.cluster.clone(), path: workspace.path.clone(), sight }],
        // A plain Kubernetes cluster has requests in its namespaces only. Users who can't list here might still be able to list below.
        Err(Error::Denied { .. }) if below || workspace.namespaces == Namespaces::None => Vec::new(),
        Err(error) => return Err(error),
    };
    if !below {
        return Ok(Reached { places: own, unseen: Vec::new() });
    }
    let is_closed = own.is_empty();
    let reached = Reached::below(caller, Some(workspace), own).await;
    if is_closed && reached.places.is_empty() && reached.unseen.is_empty() && workspace.namespaces != Namespaces::None {
        let (workspace, owner) = (workspace.path.to_string(), workspace.whom_to_ask());
        return Err(DeniedReason::ListRequests { workspace, below: true, owner }.into());
    }
    Ok(reached)
}

/// Returns how many requests the workspaces below have, as far as the user can list them.
async fn below(caller: &Caller, workspace: &Workspace) -> Total {
    let reached = Reached::below(caller, Some(workspace), Vec::new()).await;
    let portal = caller.portal();
    let count = portal.register.with(&portal.world, |known| reached.places.iter().map(|place| known.requests(place)).sum());
    reached.total(caller, count)
}

impl Reached {
    /// Adds the workspaces below one, or all, that contain requests.
    async fn below(caller: &Caller, top: Option<&Workspace>, mut places: Vec<Place>) -> Self {
        let mut nodes = caller.nodes_within(top.map(|top| &top.path));
        nodes.retain(|node| top.is_none_or(|top| node.cluster != top.cluster) && caller.portal().has_requests(&node.cluster));
        let walk = caller.walk(nodes).await;
        places.extend(walk.open.into_iter().filter(|place| !place.sight.is_nothing()));
        Self { places, unseen: walk.unseen }
    }

    /// Returns a name for the state of the list. Without one, the event stream reports changes only from when it opens.
    async fn seen(&self, caller: &Caller, workspace: Option<&Workspace>, below: bool) -> Result<String> {
        match workspace {
            Some(workspace) if !below => topic::seen(caller, &Topic::requests(workspace.cluster.clone())).await,
            _ if !self.unseen.is_empty() => Ok(String::new()),
            Some(workspace) => topic::seen_in(caller, &Topic::Below(workspace.path.clone()), &self.places).await,
            None => topic::seen_in(caller, &Topic::Platform, &self.places).await,
        }
    }

    /// Adds to a query what the places and the user's permissions say.
    async fn prepare(&self, caller: &Caller, wanted: &mut Wanted<'_>, query: &RequestQuery) -> Result<()> {
        let path = |place: &Place| (place.path.to_string(), place.path.as_str().to_lowercase());
        wanted.paths = self.places.iter().map(path).collect();
        wanted.titles = titles(caller, &self.places);
        wanted.decides = match inbox::waiting_keys(caller).await {
            Ok(keys) => keys,
            Err(error) if query.attention => return Err(error),
            // Only a count is lower.
            Err(error) => {
                tracing::warn!(%error, "the decisions of a user couldn't be counted");
                HashSet::new()
            }
        };
        Ok(())
    }

    /// Returns the requests that the user can list.
    fn listed<'i>(&'i self, index: &'i OrdMap<Key, Arc<Entry>>) -> impl Iterator<Item = Listed<'i>> {
        self.places.iter().enumerate().flat_map(move |(place, at)| {
            let here = index.range(Key::cluster_scoped(&at.cluster, "")..).take_while(move |(key, _)| key.cluster == at.cluster);
            let covered = here.filter(move |(key, _)| at.sight.covers(&key.namespace));
            covered.map(move |(key, entry)| Listed { place, key, entry })
        })
    }

    fn rows(&self, caller: &Caller, shown: &[Listed<'_>]) -> Vec<RequestRow> {
        let tree = caller.portal().world.tree();
        let row = |listed: &Listed<'_>| {
            let workspace = Workspace::at(&tree, self.places.get(listed.place)?.cluster.clone())?;
            Some(rows::row(caller, &workspace, &listed.entry.request))
        };
        shown.iter().filter_map(row).collect()
    }

    fn total(&self, caller: &Caller, count: usize) -> Total {
        Whole::new(vec![count], caller.portal().lists_as_of(), self.unseen.clone()).total_by(|count| *count)
    }
}

/// Returns the display names of promises with requests in these places, by name.
fn titles(caller: &Caller, places: &[Place]) -> HashMap<String, (String, String)> {
    let portal = caller.portal();
    portal.register.with(&portal.world, |known| {
        let titles = Titles::known(caller, known, places.iter().map(|place| &place.cluster));
        let counts = places.iter().flat_map(|place| known.each(&place.cluster));
        let mut named = HashMap::new();
        for of in counts.flat_map(|counts| counts.promises.keys()) {
            named.entry(of.name.clone()).or_insert_with(|| {
                let title = titles.title(&of.name);
                let lower = title.to_lowercase();
                (title, lower)
            });
        }
        named
    })
}
