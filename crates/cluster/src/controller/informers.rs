//! Watches on created objects: one per place and kind, opened when the first object of that kind is created there, and closed some time
//! after the last request that has one is gone.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kube::api::DynamicObject;
use kube::core::GroupVersionKind;
use parking_lot::Mutex;
use promise::api::InventoryItem;
use promise::names;
use promise::plan::Key as ObjectKey;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::target::{Place, Reach};
use crate::clock::Clock;
use crate::watch::{Cache, Changes, Key, Origin, Row, Source};
use crate::workspaces::ClusterId;

/// How long a watch stays open that no request needs. The next one might come at once, and opening a watch costs a list.
const GRACE: SignedDuration = SignedDuration::from_secs(60);
/// How often watches are checked for closing.
const LOOK: Duration = Duration::from_secs(5);

/// Watches on created objects. Each change is reported as the uid of the request that it belongs to.
pub struct Informers {
    state: Arc<Mutex<State>>,
    found: mpsc::UnboundedSender<String>,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

#[derive(Default)]
struct State {
    open: HashMap<InformerKey, Watch>,
    /// By request: the watches that it needs, and for which objects.
    needs: HashMap<Key, HashMap<InformerKey, WatchedKind>>,
}

/// A place, and a kind with its version.
type InformerKey = (Place, String);

struct Watch {
    /// Session of the client that it was opened with.
    session: u64,
    end: CancellationToken,
    needed_by: HashSet<Key>,
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

#[derive(PartialEq)]
struct ObjectRow {
    request: String,
    version: Option<String>,
}

impl Row for ObjectRow {
    fn same_edition(&self, other: &Self) -> bool {
        self == other
    }
}

impl Informers {
    /// Creates the watches. `found` receives uids of requests.
    pub fn new(found: mpsc::UnboundedSender<String>, clock: Arc<dyn Clock>, tasks: TaskTracker, shutdown: CancellationToken) -> Self {
        let state = Arc::<Mutex<State>>::default();
        tasks.spawn(close_idle(state.clone(), clock.clone(), shutdown.clone()));
        Self { state, found, clock, tasks, shutdown }
    }

    /// Watches a kind at a place for a request that has or creates such objects, unless it is already watched with this client.
    pub fn open(&self, request: &Key, sort: WatchedKind, place: &Place, kind: &GroupVersionKind, reach: &Reach) {
        let at = (place.clone(), format!("{}/{}", kind.api_version(), kind.kind));
        let shutdown = self.shutdown.child_token();
        if !self.state.lock().open(request, sort, at, reach.session, &shutdown) {
            return;
        }
        let origin = match place {
            Place::Workspace(cluster) if cluster.namespace().is_none() => Origin::Annotated,
            // Everything that is watched here belongs together: one id stands for it.
            Place::Workspace(_) | Place::Destination(_) => Origin::One(ClusterId::root()),
        };
        let source = Source::dynamic(reach.client.clone(), reach.resource.clone());
        let source = source.labelled(names::REQUEST_UID_LABEL).told_apart(origin).within(reach.within.clone()).in_part();
        let cache = Cache::default();
        // Subscribed before the first list is read, so that no change is missed.
        let changes = cache.changes();
        self.tasks.spawn(tell(cache.clone(), changes, self.found.clone(), shutdown.clone()));
        self.tasks.spawn(source.run(cache, object_row, self.clock.clone(), shutdown));
    }

    /// Sets what a request has. It needs no watch on anything else.
    pub fn keep(&self, request: &Key, sorts: &BTreeSet<WatchedKind>) {
        self.state.lock().keep(request, sorts, self.clock.now());
    }

    /// Closes all watches at a place that is gone.
    pub fn close(&self, place: &Place) {
        self.state.lock().open.retain(|(at, _), watch| {
            if at == place {
                watch.end.cancel();
            }
            at != place
        });
    }
}

impl State {
    /// Records that a request needs a watch, which ends with `end`. Returns whether the watch has to be opened.
    fn open(&mut self, request: &Key, sort: WatchedKind, at: InformerKey, session: u64, end: &CancellationToken) -> bool {
        self.needs.entry(request.clone()).or_default().insert(at.clone(), sort);
        if let Some(watch) = self.open.get_mut(&at) {
            watch.needed_by.insert(request.clone());
            watch.idle = None;
            if watch.session == session {
                return false;
            }
            watch.end.cancel();
            (watch.session, watch.end) = (session, end.clone());
            return true;
        }
        let needed_by = HashSet::from([request.clone()]);
        self.open.insert(at, Watch { session, end: end.clone(), needed_by, idle: None });
        true
    }

    fn keep(&mut self, request: &Key, sorts: &BTreeSet<WatchedKind>, now: Timestamp) {
        let Some(needs) = self.needs.get_mut(request) else { return };
        needs.retain(|at, sort| {
            let needed = sorts.contains(sort);
            if !needed && let Some(watch) = self.open.get_mut(at) {
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

    /// Closes the watches that no request has needed for long enough.
    fn close_idle(&mut self, now: Timestamp) {
        self.open.retain(|_, watch| {
            let needed = watch.idle.is_none_or(|since| now.duration_since(since) < GRACE);
            if !needed {
                watch.end.cancel();
            }
            needed
        });
    }
}

async fn close_idle(state: Arc<Mutex<State>>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        state.lock().close_idle(clock.now());
    }
}

fn object_row(object: DynamicObject) -> Option<ObjectRow> {
    let request = object.metadata.labels?.remove(names::REQUEST_UID_LABEL)?;
    Some(ObjectRow { request, version: object.metadata.resource_version })
}

async fn tell(cache: Cache<ObjectRow>, mut changes: Changes, found: mpsc::UnboundedSender<String>, shutdown: CancellationToken) {
    // A deleted row leaves nothing behind that says which request it belonged to.
    let mut owners: HashMap<Key, String> = HashMap::new();
    loop {
        let change = tokio::select! {
            () = shutdown.cancelled() => return,
            change = changes.recv() => change,
        };
        match change {
            Ok(key) => {
                let owner = match cache.get(&key) {
                    Some(sight) => {
                        owners.insert(key, sight.request.clone());
                        Some(sight.request.clone())
                    }
                    None => owners.remove(&key),
                };
                if owner.is_some_and(|owner| found.send(owner).is_err()) {
                    return;
                }
            }
            Err(RecvError::Lagged(_)) => {
                let rows = cache.snapshot();
                let known: HashSet<String> = owners.drain().map(|(_, owner)| owner).collect();
                owners.extend(rows.iter().map(|(key, sight)| (key.clone(), sight.request.clone())));
                let all: HashSet<String> = known.into_iter().chain(owners.values().cloned()).collect();
                if all.into_iter().any(|owner| found.send(owner).is_err()) {
                    return;
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::{SignedDuration, Timestamp};
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
        let (at, end) = ((Place::Workspace(ClusterId::root()), kind.to_owned()), CancellationToken::new());
        (state.open(&Key::cluster_scoped(&ClusterId::root(), request), sort(kind), at, session, &end), end)
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
