//! The home page, from the register of all requests. It shows what the user can list, decide about or manage.

mod changes;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use app::backend::{Drafts as _, Platform as _};
use app::view::{ChangeLine, DraftLine, Home, HomeDecisions, OverviewRange, PlaceLine, PlatformGlance, RequestRow, Whole};
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use futures::future::join_all;
use jiff::Timestamp;
use promise::Result;

use super::approvals::inbox;
use super::cost;
use super::place::{NAMESPACE, Namespaces, Workspace};
use super::platform::overview;
use super::quota_usage;
use super::register::{Asked, Counts, Dated, Known};
use super::requests::attention;
use super::requests::listing::Place;
use super::requests::rows;
use super::requests::walk::{Turns, Walk, in_time};
use super::rights::Right;
use crate::portal::Caller;
use crate::portal::topic::{self, Topic};

/// How many requests of each kind are shown.
const SHOWN: usize = 8;
/// How many failing requests, and how many decisions are shown.
const FEW: usize = 5;
/// How many limits and budgets are shown.
const CAPS: usize = 5;
/// How many workspaces are named. The workspaces page lists all of them.
const PLACES: usize = 12;

/// Returns the page.
pub(super) async fn page(caller: &Caller) -> Result<Home> {
    let portal = caller.portal();
    portal.lists_read()?;
    let Walk { open, unseen, .. } = caller.walk(caller.nodes_within(None)).await;
    let open = open_places(open);
    let listed: Vec<Place> = open.iter().filter(|place| !place.sight.is_nothing()).cloned().collect();
    // Taken before anything is read: the event stream reports what changes in between. It has no name if some permissions can't be checked.
    let seen =
        if unseen.is_empty() { in_time(topic::seen_in(caller, &Topic::Home, &listed)).await.unwrap_or_default() } else { String::new() };
    let me = &*caller.identity().person;
    let by_cluster: HashMap<&ClusterId, &Place> = listed.iter().map(|place| (&place.cluster, place)).collect();
    let (decisions, to_decide) = match in_time(decisions(caller)).await {
        Ok(None) => (None, Vec::new()),
        Ok(Some((decisions, requests))) => (Some(Ok(decisions)), requests),
        Err(error) => (Some(Err(error.to_string())), Vec::new()),
    };
    let (mine, Seen { sum, changes, lines, attention, broken, broken_total }, caps) = portal.register.with(&portal.world, |known| {
        let mine = known.asked(me).map(|asked| Mine::of(asked, &by_cluster)).unwrap_or_default();
        let seen = Seen::of(caller, known, &listed, &mine, &to_decide);
        (mine, seen, quota_usage::caps(caller, known, &listed))
    });
    let (caps, caps_total) = quota_usage::most_used(caller, caps, CAPS);
    let governs = if listed.is_empty() { Ok(false) } else { caller.governs().await };
    let cost = if listed.is_empty() { None } else { Some(cost::glance(caller, listed.clone()).await.map_err(|error| error.to_string())) };
    let asks_in = asks_in(caller, mine.newest.as_ref(), &open).await;
    let by_path: HashMap<&WorkspacePath, (usize, usize)> = listed.iter().map(|place| &place.path).zip(lines).collect();
    let forecasts = cost.as_ref().and_then(|cost| cost.as_ref().ok()).map(|glance| &glance.forecasts);
    let line = |place: &Place| {
        let counts = by_path.get(&place.path);
        PlaceLine {
            path: place.path.to_string(),
            requests: counts.map(|(requests, _)| *requests),
            broken: counts.map_or(0, |(_, broken)| *broken),
            forecast: forecasts.and_then(|known| known.get(place.path.as_str())).cloned().unwrap_or_default(),
        }
    };
    let places: Vec<PlaceLine> = open.iter().take(PLACES).map(line).collect();
    let as_of = portal.lists_as_of();
    let whole = Whole::new(vec![sum], as_of.clone(), unseen.clone());
    Ok(Home {
        tour: caller.tour().await,
        attention: whole.total_by(|_| attention),
        waiting: listed_rows(caller, mine.needy.iter().take(SHOWN)),
        waiting_total: whole.total_by(|_| mine.needy.len()),
        decisions,
        drafts: newest_drafts(caller).await,
        recent: listed_rows(caller, &mine.recent),
        recent_total: whole.total_by(|_| mine.others),
        asks_in,
        broken: listed_rows(caller, &broken),
        broken_total: whole.total_by(|_| broken_total),
        requests: whole.total_by(|counts| counts.requests),
        states: whole.items().iter().flat_map(|counts| &counts.states).map(|(state, count)| (*state, *count)).collect(),
        pending: whole.items().iter().flat_map(|counts| &counts.pending).map(|(change, count)| (*change, *count)).collect(),
        changes,
        platform: match governs {
            Ok(governs) => whole.items().first().filter(|_| governs).map(|counts| Ok(glance(caller, &listed, counts))),
            Err(error) => Some(Err(error.to_string())),
        },
        cost,
        caps,
        caps_total,
        places,
        places_total: open.len(),
        unseen,
        as_of,
        seen,
    })
}

/// Returns the user's newest drafts.
async fn newest_drafts(caller: &Caller) -> Vec<DraftLine> {
    // The page doesn't need them.
    let mut drafts = caller.drafts(None).await.unwrap_or_default();
    drafts.truncate(FEW);
    drafts
}

/// Returns the decisions that the user can make, with the keys of their requests. `None` for users who take no part in approvals.
async fn decisions(caller: &Caller) -> Result<Option<(HomeDecisions, Vec<Key>)>> {
    let turns = Turns::begin();
    if caller.waiting().await? == 0 {
        return Ok(caller.has_part(&turns).await?.then(Default::default));
    }
    let (rows, keys) = inbox::waiting_rows(caller, FEW).await?;
    Ok(Some((HomeDecisions { rows, total: keys.len() }, keys)))
}

/// Summarizes the state of requests.
fn glance(caller: &Caller, listed: &[Place], sum: &Counts) -> PlatformGlance {
    let now = caller.portal().clock.now().as_second();
    let first = sum.waits.keys().next().and_then(|first| Timestamp::from_second(*first).ok());
    let versions = sum.promises.iter().filter_map(|(of, counts)| {
        let newest = caller.known_promise(of.home.as_deref(), &of.name, listed.iter().map(|place| &place.cluster))?.spec.version.clone();
        Some((counts.running(), counts.versions.get(&newest).copied().unwrap_or_default()))
    });
    PlatformGlance {
        weeks: overview::weeks(sum, OverviewRange::Quarter, now),
        waiting: sum.waits.values().sum(),
        waiting_since: first.map(|first| first.to_string()),
        versions: versions.fold((0, 0), |(all, newest), (running, on_newest)| (all + running, newest + on_newest)),
    }
}

/// Returns the path of the workspace where the user works, as far as that can be known.
pub(super) async fn works_in(caller: &Caller) -> Option<String> {
    let portal = caller.portal();
    portal.lists_read().ok()?;
    let open = open_places(caller.walk(caller.nodes_within(None)).await.open);
    let by_cluster: HashMap<&ClusterId, &Place> = open.iter().map(|place| (&place.cluster, place)).collect();
    let newest = |known: &Known| known.asked(&caller.identity().person).and_then(|asked| Mine::of(asked, &by_cluster).newest);
    let newest = portal.register.with(&portal.world, newest);
    asks_in(caller, newest.as_ref(), &open).await
}

/// Workspaces where the user works come before those that the user can only enter.
fn open_places(mut open: Vec<Place>) -> Vec<Place> {
    open.sort_by_key(|place| place.sight.is_nothing());
    open
}

/// Returns the workspace of the user's newest request, or else one in which the user can create requests.
async fn asks_in(caller: &Caller, newest: Option<&Key>, open: &[Place]) -> Option<String> {
    match newest.and_then(|newest| open.iter().find(|place| place.cluster == newest.cluster)) {
        Some(place) => Some(place.path.to_string()),
        None => may_ask_in(caller, open).await.map(ToString::to_string),
    }
}

/// Returns the first of the named workspaces in which the user can create requests. It prefers one with no other such workspace below it,
/// because users work in those.
async fn may_ask_in<'o>(caller: &Caller, open: &'o [Place]) -> Option<&'o WorkspacePath> {
    let asked = open.iter().take(PLACES).map(async |place| {
        let namespace = match Namespaces::of(&place.cluster) {
            Namespaces::Any => NAMESPACE.to_owned(),
            Namespaces::One(only) => only,
            Namespaces::None => return None,
        };
        // If the control plane doesn't respond, only a suggestion is missing, not the page.
        let may = caller.may(&place.cluster, Right::requests("create", &namespace)).await.unwrap_or_default();
        may.then_some(&place.path)
    });
    let paths: Vec<&WorkspacePath> = join_all(asked).await.into_iter().flatten().collect();
    let is_lowest = |path: &WorkspacePath| paths.iter().all(|other| *other == path || !path.contains(other));
    paths.iter().find(|path| is_lowest(path)).copied()
}

/// What is in the workspaces where a user can list requests.
struct Seen {
    /// All of them, counted.
    sum: Counts,
    changes: Vec<ChangeLine>,
    /// For each workspace, the number of requests and of those that fail.
    lines: Vec<(usize, usize)>,
    /// How many requests need the user's attention.
    attention: usize,
    /// The newest of the failing requests that someone else has to fix.
    broken: Vec<Key>,
    /// How many of these there are.
    broken_total: usize,
}

impl Seen {
    fn of(caller: &Caller, known: &Known, listed: &[Place], mine: &Mine, to_decide: &[Key]) -> Self {
        let counted: Vec<Cow<'_, Counts>> = listed.iter().map(|place| known.within(place)).collect();
        let mut sum = Counts::default();
        counted.iter().for_each(|counts| sum += counts);
        let lines = listed
            .iter()
            .zip(&counted)
            .map(|(place, counts)| (counts.requests, known.marked(place).map(|marked| marked.broken.len()).sum()))
            .collect();
        let needy: HashSet<&Key> = mine.needy.iter().collect();
        let failed: Vec<&Dated> = listed.iter().flat_map(|place| known.marked(place)).flat_map(|marked| &marked.broken).collect();
        let attention = attention::count(failed.iter().map(|(_, key)| key), &mine.needy, to_decide);
        let mut broken: Vec<&Dated> = failed.into_iter().filter(|(_, key)| !needy.contains(key)).collect();
        broken.sort_unstable();
        let newest = broken.iter().take(FEW).map(|(_, key)| key.clone()).collect();
        Self { sum, changes: changes::of(caller, listed, &counted), lines, attention, broken: newest, broken_total: broken.len() }
    }
}

/// A user's own requests, as far as the user can still list them.
#[derive(Default)]
struct Mine {
    /// What needs the user's attention, newest first.
    needy: Vec<Key>,
    /// The newest of the others.
    recent: Vec<Key>,
    /// How many others there are.
    others: usize,
    /// The newest of all.
    newest: Option<Key>,
}

impl Mine {
    fn of(asked: &Asked, places: &HashMap<&ClusterId, &Place>) -> Self {
        let seen = |dated: &&Dated| places.get(&dated.1.cluster).is_some_and(|place| place.sight.covers(&dated.1.namespace));
        let of = |set: &BTreeSet<Dated>, most| set.iter().filter(seen).take(most).map(|(_, key)| key.clone()).collect();
        let newest = asked.needy.iter().chain(&asked.others).filter(seen).min().map(|(_, key)| key.clone());
        Self {
            needy: of(&asked.needy, usize::MAX),
            recent: of(&asked.others, SHOWN),
            others: asked.others.iter().filter(seen).count(),
            newest,
        }
    }
}

/// Returns requests as rows.
fn listed_rows<'k>(caller: &Caller, keys: impl IntoIterator<Item = &'k Key>) -> Vec<RequestRow> {
    let world = &caller.portal().world;
    let tree = world.tree();
    let row = |key: &Key| Some(rows::row(caller, &Workspace::at(&tree, key.cluster.clone())?, &*world.requests.get(key)?));
    keys.into_iter().filter_map(row).collect()
}
