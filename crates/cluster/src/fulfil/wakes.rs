//! What puts work into the queue: changes on the plane, at Destinations, and Destinations that stop to answer.
//!
//! Status is written by the controller itself, so a change of status wakes only whom it concerns: otherwise each new request would
//! change the count of its promise, and that in turn wake every other request of the promise.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use kube::api::ObjectMeta;
use parking_lot::Mutex;
use promise::api::{Condition, Phase, PolicyStatus, PromiseRequestStatus, PromiseStatus, WaitingKind};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::core::{Core, Work};
use super::target::Place;
use super::whose::About;
use crate::kinds::{Destination, Kind, Object, Promise, PromiseRequest};
use crate::usage::in_force;
use crate::watch::{Cache, Key};
use crate::workspaces::ClusterId;

/// What puts work into the queue.
#[derive(Clone)]
pub struct Wakes {
    core: Arc<Core>,
    known: Arc<Mutex<Known>>,
    tasks: TaskTracker,
    term: CancellationToken,
}

/// What was last seen of each object, as far as it decides who is woken.
#[derive(Default)]
struct Known {
    requests: HashMap<Key, Told>,
    /// Digests of what others depend on, by object.
    editions: HashMap<Work, u64>,
}

/// What was last seen of a request.
#[derive(Clone, PartialEq, Eq)]
struct Told {
    uid: String,
    promise: String,
    /// Digest of everything but status.
    edition: u64,
    /// Digest of the revisions that it uses.
    uses: u64,
    /// Name of the release that is accepted: what it holds of limits and budgets.
    holds: Option<String>,
    /// Version that works: what other promises may require.
    works: Option<String>,
    /// Digest of what it says about decisions; nothing where it says nothing.
    decisions: Option<u64>,
}

impl Known {
    /// Takes in what is now known of an object; whether that is something new.
    fn is_new(&mut self, work: &Work, edition: Option<u64>) -> bool {
        match edition {
            Some(edition) => self.editions.insert(work.clone(), edition) != Some(edition),
            None => {
                self.editions.remove(work);
                true
            }
        }
    }

    /// The same for a request; answers with what was known of it before.
    fn replace(&mut self, key: &Key, told: Option<Told>) -> Option<Told> {
        match told {
            Some(told) => self.requests.insert(key.clone(), told),
            None => self.requests.remove(key),
        }
    }
}

impl Told {
    fn of(request: &PromiseRequest) -> Self {
        let status = request.status.as_ref();
        let current = status.and_then(|status| status.current.as_ref()).map(|release| &release.revision);
        let candidate = status.and_then(|status| status.candidate.as_ref()).map(|release| &release.revision);
        Self {
            uid: request.metadata.uid.clone().unwrap_or_default(),
            promise: request.spec.promise.name.clone(),
            edition: edition(&request.metadata, ()),
            uses: digest((current, candidate)),
            holds: in_force(request).map(str::to_owned),
            works: current_version(request).filter(|_| is_ready(request)).map(str::to_owned),
            decisions: status.filter(|status| !status.approvals.is_empty()).map(decisions),
        }
    }
}

/// Digest of everything in an object that is not its status, and of `more`.
fn edition(metadata: &ObjectMeta, more: impl Hash) -> u64 {
    let ObjectMeta { uid, generation, labels, annotations, finalizers, deletion_timestamp, .. } = metadata;
    digest((uid, generation, labels, annotations, finalizers, deletion_timestamp.is_some(), more))
}

/// Digest of everything by which a decision may say what became of it.
fn decisions(status: &PromiseRequestStatus) -> u64 {
    let candidate = status.candidate.as_ref().map(|candidate| (&candidate.content_hash, candidate.state));
    let lines = status.approvals.iter().map(|line| {
        let given: Vec<_> = line.given.iter().map(|given| (&given.approval, given.state, &given.void)).collect();
        (&line.rule.policy, &line.rule.promise, &line.rule.name, &line.cluster, given)
    });
    digest((candidate, lines.collect::<Vec<_>>()))
}

fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Wakes {
    /// Wakes the workers of `core` until `term`.
    pub fn new(core: Arc<Core>, tasks: TaskTracker, term: CancellationToken) -> Self {
        Self { core, known: Arc::default(), tasks, term }
    }

    /// Begins to listen. `finds` are uids of requests whose objects changed; `losses` are Destinations that stopped to answer.
    pub fn start(&self, finds: mpsc::UnboundedReceiver<String>, losses: mpsc::UnboundedReceiver<Key>) {
        let world = &self.core.world;
        self.on(&world.requests, |wakes, key| wakes.request(key));
        self.on(&world.promises, Self::promise);
        self.on(&world.revisions, |wakes, key| {
            if let Some(revision) = wakes.core.world.revisions.get(key) {
                wakes.requests_of(&revision.spec.promise);
            }
            wakes.policies();
        });
        self.on(&world.policies, Self::policy);
        self.on(&world.approvals, Self::approval);
        self.on(&world.destinations, Self::destination);
        // What is offered where, and what it costs today.
        self.on(&world.catalogs, |wakes, _| wakes.requests());
        self.on(&world.workspaces, |wakes, key| {
            wakes.departed_workspace(key);
            wakes.undecided();
            wakes.unpublished();
        });
        self.on(&world.request_bindings, |wakes, _| wakes.undecided());
        self.on(&world.catalog_bindings, |wakes, _| wakes.undecided());
        self.take(finds, |wakes, uid| {
            if let Some(key) = wakes.core.whose.request(&uid) {
                wakes.core.queue.add(Work::Request(key));
            }
        });
        self.take(losses, |wakes, key| wakes.core.queue.add(Work::Destination(key)));
    }

    /// Looks at everything once, whatever was told: the start, and after a loss of the Lease.
    pub fn everything(&self) {
        fn keys<K: Kind>(cache: &Cache<Object<K>>) -> Vec<Key> {
            cache.snapshot().keys().cloned().collect()
        }
        let world = &self.core.world;
        keys(&world.promises).into_iter().for_each(|key| self.core.queue.add(Work::Promise(key)));
        keys(&world.policies).into_iter().for_each(|key| self.core.queue.add(Work::Policy(key)));
        keys(&world.destinations).into_iter().for_each(|key| self.core.queue.add(Work::Destination(key)));
        keys(&world.requests).iter().for_each(|key| self.request(key));
        keys(&world.approvals).iter().for_each(|key| self.approval(key));
    }

    /// Calls `wake` for every changed key of a cache; for all keys when too much changed at once.
    fn on<V: PartialEq + Send + Sync + 'static>(&self, cache: &Cache<V>, wake: impl Fn(&Self, &Key) + Send + 'static) {
        let mut changes = cache.changes();
        let (cache, wakes) = (cache.clone(), self.clone());
        self.tasks.spawn(async move {
            loop {
                let change = tokio::select! {
                    () = wakes.term.cancelled() => return,
                    change = changes.recv() => change,
                };
                match change {
                    Ok(key) => wake(&wakes, &key),
                    Err(RecvError::Lagged(_)) => {
                        cache.snapshot().keys().for_each(|key| wake(&wakes, key));
                        wakes.departed();
                    }
                    Err(RecvError::Closed) => return,
                }
            }
        });
    }

    fn take<T: Send + 'static>(&self, mut from: mpsc::UnboundedReceiver<T>, wake: impl Fn(&Self, T) + Send + 'static) {
        let wakes = self.clone();
        self.tasks.spawn(async move {
            loop {
                let told = tokio::select! {
                    () = wakes.term.cancelled() => return,
                    told = from.recv() => told,
                };
                let Some(told) = told else { return };
                wake(&wakes, told);
            }
        });
    }

    fn is_new(&self, work: &Work, edition: Option<u64>) -> bool {
        self.known.lock().is_new(work, edition)
    }

    fn request(&self, key: &Key) {
        let row = self.core.world.requests.get(key);
        let now = row.map(|request| Told::of(&request));
        let before = self.known.lock().replace(key, now.clone());
        let uid = |told: &Option<Told>| told.as_ref().map(|told| told.uid.clone());
        self.core.whose.is_of(key, uid(&before).as_deref(), uid(&now).as_deref());
        // Promises count their instances.
        if before.as_ref().map(|told| (&told.promise, told.uses)) != now.as_ref().map(|told| (&told.promise, told.uses)) {
            for promise in before.iter().chain(&now).map(|told| &told.promise) {
                self.promises_called(promise);
            }
        }
        // Whatever was held and is no longer may be room for somebody who waits for it.
        let held = before.as_ref().and_then(|told| told.holds.clone());
        if held.is_some() && held != now.as_ref().and_then(|told| told.holds.clone()) {
            self.requests_where(waits_for_room);
        }
        // What begins to work may be what others in the workspace need before they can be made.
        let works = |told: &Option<Told>| told.as_ref().and_then(|told| told.works.clone());
        if works(&now).is_some() && works(&now) != works(&before) {
            self.requests_within(&key.cluster, |request| current_version(request).is_none());
        }
        // Decisions say what the request says of them; those of a request that went, that it did.
        let said = |told: &Option<Told>| told.as_ref().map(|told| (told.uid.clone(), told.decisions));
        if said(&before) != said(&now) {
            let concerned: BTreeSet<String> = [uid(&before), uid(&now)].into_iter().flatten().collect();
            concerned.iter().for_each(|uid| self.approvals_about(uid));
        }
        let edited = before.map(|told| (told.uid, told.edition)) != now.map(|told| (told.uid, told.edition));
        if edited {
            self.core.queue.add(Work::Request(key.clone()));
        } else {
            self.core.queue.echo(Work::Request(key.clone()));
        }
    }

    fn promise(&self, key: &Key) {
        let (work, row) = (Work::Promise(key.clone()), self.core.world.promises.get(key));
        // Which revision is published is its status, and decides what policies meet.
        let published = |row: &Promise| row.status.as_ref().and_then(|status| status.revision.clone());
        if self.is_new(&work, row.map(|row| edition(&row.metadata, published(&row)))) {
            self.core.queue.add(work);
            self.policies();
            self.requests_of(&key.name);
        } else {
            self.core.queue.echo(work);
        }
    }

    fn policy(&self, key: &Key) {
        let (work, row) = (Work::Policy(key.clone()), self.core.world.policies.get(key));
        if self.is_new(&work, row.map(|row| edition(&row.metadata, ()))) {
            self.core.queue.add(work);
            self.requests();
        } else {
            self.core.queue.echo(work);
        }
    }

    /// A decision concerns its request, when it comes and when it goes. That it says what became of it changes nothing.
    fn approval(&self, key: &Key) {
        let row = self.core.world.approvals.get(key);
        let now = row.map(|row| About { uid: row.metadata.uid.clone(), request: row.spec.request.uid.clone() });
        let before = self.core.whose.approves(key, now.clone());
        if before == now {
            self.core.queue.echo(Work::Approval(key.clone()));
            return;
        }
        self.core.queue.add(Work::Approval(key.clone()));
        let concerned = now.iter().chain(&before).filter_map(|about| self.core.whose.request(&about.request));
        concerned.for_each(|request| self.core.queue.add(Work::Request(request)));
    }

    fn approvals_about(&self, uid: &str) {
        self.core.whose.approvals(uid).into_iter().for_each(|key| self.core.queue.add(Work::Approval(key)));
    }

    fn destination(&self, key: &Key) {
        // Whether it answers is its status, and decides what its requests can do.
        let reachable = |row: &Destination| {
            let conditions = row.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
            conditions.iter().any(|condition| condition.reason == "Reachable")
        };
        let (work, row) = (Work::Destination(key.clone()), self.core.world.destinations.get(key));
        if self.is_new(&work, row.map(|row| edition(&row.metadata, reachable(&row)))) {
            self.core.queue.add(work);
            self.requests_at(&key.name);
        }
    }

    /// Watches a namespace no more that is gone: nobody may see anything there.
    fn departed_workspace(&self, key: &Key) {
        if key.cluster == ClusterId::cluster()
            && self.core.world.workspaces.get(key).is_none()
            && let Ok(namespace) = ClusterId::of_namespace(&key.name)
        {
            self.core.eyes.close(&Place::Workspace(namespace));
        }
    }

    /// Notices what went without a word.
    fn departed(&self) {
        let world = &self.core.world;
        let rows = world.requests.snapshot();
        let gone: Vec<Key> = self.known.lock().requests.keys().filter(|key| !rows.contains_key(*key)).cloned().collect();
        gone.iter().for_each(|key| self.request(key));
        let approvals = world.approvals.snapshot();
        let known = self.core.whose.known_approvals();
        known.iter().filter(|key| !approvals.contains_key(*key)).for_each(|key| self.approval(key));
        let known: Vec<Work> = self.known.lock().editions.keys().cloned().collect();
        for work in known {
            match &work {
                Work::Promise(key) if world.promises.get(key).is_none() => self.promise(key),
                Work::Policy(key) if world.policies.get(key).is_none() => self.policy(key),
                Work::Destination(key) if world.destinations.get(key).is_none() => self.destination(key),
                _ => {}
            }
        }
    }

    fn promises_called(&self, name: &str) {
        for (at, _) in self.core.world.promises.snapshot().iter().filter(|(at, _)| at.name == name) {
            self.core.queue.add(Work::Promise(at.clone()));
        }
    }

    /// Whether the rules of policies fit depends on the promises that they meet.
    fn policies(&self) {
        self.core.world.policies.snapshot().keys().for_each(|key| self.core.queue.add(Work::Policy(key.clone())));
    }

    fn requests(&self) {
        self.requests_where(|_| true);
    }

    fn requests_of(&self, promise: &str) {
        self.requests_where(|request| request.spec.promise.name == promise);
    }

    fn requests_at(&self, destination: &str) {
        self.requests_where(|request| {
            let status = request.status.as_ref();
            let there = status.is_some_and(|s| s.inventory.iter().any(|item| item.destination.as_deref() == Some(destination)));
            there || !is_ready(request)
        });
    }

    /// Requests for which a new place or a new offer may make a difference.
    fn undecided(&self) {
        // One that works may have been edited since, and wait with that.
        let waits = |request: &PromiseRequest| request.status.as_ref().is_some_and(|status| status.waiting_on.is_some());
        self.requests_where(|request| !is_ready(request) || waits(request));
    }

    /// Promises and policies that may be valid where they are known to lie now: it takes a trusted home for some.
    fn unpublished(&self) {
        let world = &self.core.world;
        let is_invalid = |conditions: &[Condition]| conditions.iter().any(|condition| condition.reason == "Invalid");
        // A version after the first may have been judged before its home was known.
        let unpublished = |status: &PromiseStatus| status.revision.is_none() || is_invalid(&status.conditions);
        for (at, _) in world.promises.snapshot().iter().filter(|(_, row)| row.status.as_ref().is_none_or(unpublished)) {
            self.core.queue.add(Work::Promise(at.clone()));
        }
        let invalid = |status: &PolicyStatus| is_invalid(&status.conditions);
        for (at, _) in world.policies.snapshot().iter().filter(|(_, row)| row.status.as_ref().is_none_or(invalid)) {
            self.core.queue.add(Work::Policy(at.clone()));
        }
    }

    fn requests_within(&self, workspace: &ClusterId, matches: impl Fn(&PromiseRequest) -> bool) {
        let all = self.core.world.requests.snapshot();
        let there = all.range(Key::cluster_scoped(workspace, "")..).take_while(|(key, _)| key.cluster == *workspace);
        for (key, _) in there.filter(|(_, request)| matches(request)) {
            self.core.queue.add(Work::Request(key.clone()));
        }
    }

    fn requests_where(&self, matches: impl Fn(&PromiseRequest) -> bool) {
        for (key, _) in self.core.world.requests.snapshot().iter().filter(|(_, request)| matches(request)) {
            self.core.queue.add(Work::Request(key.clone()));
        }
    }
}

/// Version that runs, however it is.
fn current_version(request: &PromiseRequest) -> Option<&str> {
    Some(&request.status.as_ref()?.current.as_ref()?.version)
}

fn waits_for_room(request: &PromiseRequest) -> bool {
    let waits = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
    waits.is_some_and(|waits| waits.kind == WaitingKind::Capacity)
}

fn is_ready(request: &PromiseRequest) -> bool {
    request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)
}
