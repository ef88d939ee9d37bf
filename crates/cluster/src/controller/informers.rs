//! Watches on created objects: one per place and kind, opened when the first object of that kind is created there, and closed some time
//! after the last request that has one is gone. What they show is in [`ObjectCaches`].

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kube::core::ApiResource;
use parking_lot::Mutex;
use promise::api::InventoryItem;
use promise::names;
use promise::plan::Key as ObjectKey;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::object_version::ObjectVersion;
use super::target::{ObjectCaches, ObjectRow, Place, Reach};
use crate::clock::Clock;
use crate::watch::{Key, Origin, RowChange, RowChanges, Source};
use crate::workspaces::ClusterId;

/// How long a watch stays open that no request needs. The next one might come at once, and opening a watch costs a list.
const GRACE: SignedDuration = SignedDuration::from_secs(60);
/// How often watches are checked for closing.
const LOOK: Duration = Duration::from_secs(5);

/// A change of a created object.
pub struct ObjectChange {
    /// uid of the request or run of an action that it belongs to, or belonged to.
    pub owner: String,
    /// The version that is shown of it; `None` if it belongs to it no longer.
    pub version: Option<ObjectVersion>,
}

/// Watches on created objects, and reports of their changes.
pub struct Informers {
    /// Locked while a cache is opened or closed, so that each belongs to an open watch.
    state: Arc<Mutex<State>>,
    caches: Arc<ObjectCaches>,
    found: mpsc::UnboundedSender<ObjectChange>,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

/// Requests are many, and watches are few: what requests have in common is shared.
#[derive(Default)]
struct State {
    open: HashMap<Arc<InformerKey>, Watch>,
    /// By request: the watches that it needs.
    needs: HashMap<Arc<Key>, Vec<Need>>,
}

/// A watch that a request needs, and for which of its objects.
struct Need {
    at: Arc<InformerKey>,
    sort: Arc<WatchedKind>,
}

/// A place, and a kind with its version.
type InformerKey = (Place, String);

struct Watch {
    resource: ApiResource,
    /// Session of the client that it was opened with.
    session: u64,
    end: CancellationToken,
    needed_by: HashSet<Arc<Key>>,
    /// The objects of requests that it is needed for.
    sorts: Vec<Arc<WatchedKind>>,
    /// Since when no request has needed it.
    idle: Option<Timestamp>,
}

/// Objects of one kind that a request has at one Destination, or beside itself, in any version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchedKind {
    destination: Option<String>,
    group: String,
    kind: String,
}

impl WatchedKind {
    /// Returns the sort of an object.
    pub fn of(key: &ObjectKey) -> Self {
        Self { destination: key.destination.clone(), group: key.group.clone(), kind: key.kind.clone() }
    }

    /// Returns the sorts of everything that was created for a request.
    pub fn all(inventory: &[InventoryItem]) -> BTreeSet<Self> {
        inventory.iter().map(|item| Self::of(&ObjectKey::of_item(item))).collect()
    }
}

impl Informers {
    /// Creates the watches, which fill `caches`. `found` receives each change.
    pub fn new(
        caches: Arc<ObjectCaches>,
        found: mpsc::UnboundedSender<ObjectChange>,
        clock: Arc<dyn Clock>,
        tasks: TaskTracker,
        shutdown: CancellationToken,
    ) -> Self {
        let state = Arc::<Mutex<State>>::default();
        tasks.spawn(close_idle(state.clone(), caches.clone(), clock.clone(), shutdown.clone()));
        Self { state, caches, found, clock, tasks, shutdown }
    }

    /// Watches a kind at a place for a request that has or creates such objects, unless it is already watched with this client.
    pub fn open(&self, request: &Key, sort: WatchedKind, place: &Place, reach: &Reach) {
        let shutdown = self.shutdown.child_token();
        let (cache, texts) = {
            let mut state = self.state.lock();
            if !state.open(request, sort, (place, &reach.resource), reach.session, &shutdown) {
                return;
            }
            self.caches.open(place, reach)
        };
        let origin = match place {
            Place::Workspace(cluster) if cluster.namespace().is_none() => Origin::Annotated,
            // Everything that is watched here belongs together: one id stands for it.
            Place::Workspace(_) | Place::Destination(_) => Origin::One(ClusterId::root()),
        };
        let source = Source::dynamic(reach.client.clone(), reach.resource.clone());
        let source = source.labelled(names::REQUEST_UID_LABEL).told_apart(origin).within(reach.within.clone()).in_part();
        // Subscribed before the first list is read, so that no change is missed.
        self.tasks.spawn(tell(cache.row_changes(), self.found.clone(), shutdown.clone()));
        let resource = reach.resource.clone();
        let row = move |object| ObjectRow::of(object, &resource, &texts);
        self.tasks.spawn(source.run(cache, row, self.clock.clone(), shutdown));
    }

    /// Sets what a request has. It needs no watch on anything else.
    pub fn keep(&self, request: &Key, sorts: &BTreeSet<WatchedKind>) {
        self.state.lock().keep(request, sorts, self.clock.now());
    }

    /// Closes all watches at a place that is gone.
    pub fn close(&self, place: &Place) {
        let mut state = self.state.lock();
        let closed = state.close(|(at, _), _| at == place);
        closed.iter().for_each(|(at, resource)| self.caches.close(at, resource));
    }
}

impl State {
    /// Records that a request needs a watch, which ends with `end`. Returns whether the watch has to be opened.
    fn open(
        &mut self,
        request: &Key,
        sort: WatchedKind,
        (place, resource): (&Place, &ApiResource),
        session: u64,
        end: &CancellationToken,
    ) -> bool {
        let at = (place.clone(), format!("{}/{}", resource.api_version, resource.kind));
        let at = self.open.get_key_value(&at).map_or_else(|| Arc::new(at.clone()), |(known, _)| known.clone());
        let request = self.needs.get_key_value(request).map_or_else(|| Arc::new(request.clone()), |(known, _)| known.clone());
        let (watch, opens) = match self.open.entry(at.clone()) {
            Entry::Occupied(entry) => {
                let watch = entry.into_mut();
                let opens = watch.session != session;
                if opens {
                    watch.end.cancel();
                    (watch.session, watch.end) = (session, end.clone());
                }
                (watch, opens)
            }
            Entry::Vacant(entry) => {
                let (resource, end, needed_by) = (resource.clone(), end.clone(), HashSet::new());
                (entry.insert(Watch { resource, session, end, needed_by, sorts: Vec::new(), idle: None }), true)
            }
        };
        watch.idle = None;
        watch.needed_by.insert(request.clone());
        let sort = watch.shared(sort);
        let needs = self.needs.entry(request).or_default();
        match needs.iter_mut().find(|need| need.at == at) {
            Some(need) => need.sort = sort,
            None => needs.push(Need { at, sort }),
        }
        opens
    }

    fn keep(&mut self, request: &Key, sorts: &BTreeSet<WatchedKind>, now: Timestamp) {
        let Some(needs) = self.needs.get_mut(request) else { return };
        needs.retain(|need| {
            let needed = sorts.contains(&*need.sort);
            if !needed && let Some(watch) = self.open.get_mut(&need.at) {
                watch.needed_by.remove(request);
                if watch.needed_by.is_empty() {
                    watch.idle = watch.idle.or(Some(now));
                }
            }
            needed
        });
        if needs.is_empty() {
            self.needs.remove(request);
        }
    }

    /// Closes the watches that no request has needed for long enough, and returns what they were on.
    fn close_idle(&mut self, now: Timestamp) -> Vec<(Place, ApiResource)> {
        self.close(|_, watch| watch.idle.is_some_and(|since| now.duration_since(since) >= GRACE))
    }

    fn close(&mut self, ends: impl Fn(&InformerKey, &Watch) -> bool) -> Vec<(Place, ApiResource)> {
        let closed = self.open.extract_if(|at, watch| ends(at, watch));
        closed
            .map(|(at, watch)| {
                watch.end.cancel();
                (at.0.clone(), watch.resource)
            })
            .collect()
    }
}

impl Watch {
    /// Returns the one of this value that all requests share.
    fn shared(&mut self, sort: WatchedKind) -> Arc<WatchedKind> {
        if let Some(known) = self.sorts.iter().find(|known| ***known == sort) {
            return known.clone();
        }
        let sort = Arc::new(sort);
        self.sorts.push(sort.clone());
        sort
    }
}

async fn close_idle(state: Arc<Mutex<State>>, caches: Arc<ObjectCaches>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        let mut state = state.lock();
        let closed = state.close_idle(clock.now());
        closed.iter().for_each(|(at, resource)| caches.close(at, resource));
    }
}

async fn tell(mut changes: RowChanges<ObjectRow>, found: mpsc::UnboundedSender<ObjectChange>, shutdown: CancellationToken) {
    loop {
        let change = tokio::select! {
            () = shutdown.cancelled() => return,
            change = changes.next() => change,
        };
        let Some(RowChange { before, now, .. }) = change else { return };
        // Another request can have an object of the same name.
        let former = before.filter(|before| now.as_ref().is_none_or(|now| now.request != before.request));
        let lost = former.map(|row| ObjectChange { owner: row.request.to_string(), version: None });
        let has = now.map(|row| ObjectChange { owner: row.request.to_string(), version: Some(row.version()) });
        if lost.into_iter().chain(has).any(|change| found.send(change).is_err()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::{SignedDuration, Timestamp};
    use kube::core::{ApiResource, GroupVersionKind};
    use tokio_util::sync::CancellationToken;

    use super::{GRACE, State, WatchedKind};
    use crate::controller::target::Place;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    const SECOND: SignedDuration = SignedDuration::from_secs(1);

    fn sort(kind: &str) -> WatchedKind {
        WatchedKind { destination: None, group: String::new(), kind: kind.to_owned() }
    }

    /// Records that a request needs a watch on a kind. Returns whether it has to be opened.
    fn open(state: &mut State, request: &str, kind: &str, session: u64) -> (bool, CancellationToken) {
        let (place, resource) = (Place::Workspace(ClusterId::root()), ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", kind)));
        let end = CancellationToken::new();
        (state.open(&Key::cluster_scoped(&ClusterId::root(), request), sort(kind), (&place, &resource), session, &end), end)
    }

    fn keep(state: &mut State, request: &str, kinds: &[&str], now: Timestamp) {
        let sorts: BTreeSet<WatchedKind> = kinds.iter().map(|kind| sort(kind)).collect();
        state.keep(&Key::cluster_scoped(&ClusterId::root(), request), &sorts, now);
    }

    #[test]
    fn a_watch_ends_some_time_after_the_last_request_that_needs_it() {
        let (mut state, now) = (State::default(), Timestamp::UNIX_EPOCH);
        let (opened, watch) = open(&mut state, "a", "Secret", 0);
        assert!(opened && !open(&mut state, "b", "Secret", 0).0, "one serves both");
        keep(&mut state, "a", &["Secret"], now);
        keep(&mut state, "b", &[], now);
        state.close_idle(now + GRACE * 2);
        assert!(!watch.is_cancelled(), "one still needs it");
        keep(&mut state, "a", &[], now);
        state.close_idle(now + GRACE - SECOND);
        assert!(!watch.is_cancelled());
        assert!(!open(&mut state, "c", "Secret", 0).0, "the next one comes in time");
        state.close_idle(now + GRACE * 2);
        assert!(!watch.is_cancelled());
        keep(&mut state, "c", &[], now + GRACE);
        keep(&mut state, "c", &[], now + GRACE * 2);
        state.close_idle(now + GRACE * 2);
        assert!(watch.is_cancelled() && state.open.is_empty() && state.needs.is_empty());
        assert!(open(&mut state, "d", "Secret", 0).0);
    }

    #[test]
    fn a_request_keeps_the_watches_on_what_it_still_has() {
        let (mut state, now) = (State::default(), Timestamp::UNIX_EPOCH);
        let (_, maps) = open(&mut state, "a", "ConfigMap", 0);
        let (_, secrets) = open(&mut state, "a", "Secret", 0);
        keep(&mut state, "a", &["Secret"], now);
        state.close_idle(now + GRACE);
        assert!(maps.is_cancelled() && !secrets.is_cancelled());
    }

    #[test]
    fn another_client_takes_the_watch_over() {
        let mut state = State::default();
        let (_, former) = open(&mut state, "a", "Secret", 1);
        let (opened, watch) = open(&mut state, "b", "Secret", 2);
        assert!(opened && former.is_cancelled() && !watch.is_cancelled());
        keep(&mut state, "b", &[], Timestamp::UNIX_EPOCH);
        state.close_idle(Timestamp::UNIX_EPOCH + GRACE);
        assert!(!watch.is_cancelled(), "the first request needs it as before");
    }
}
