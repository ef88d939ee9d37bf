//! What adds work to the queue: changes on the control plane, changes at Destinations, and Destinations that stop responding.
//!
//! The controller writes status itself, so a change of status enqueues only what it affects: otherwise each new request would change the
//! count of its promise, and that would enqueue every other request of the promise.

mod counts;
mod decisions;
mod references;

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::api::ObjectMeta;
use parking_lot::Mutex;
use promise::action::{is_held, yields_turn};
use promise::api::{AppliesTo, PolicyCategory, PolicySpec, PolicyStatus, PromiseCatalogSpec, PromiseStatus, Requirement};
use promise::glob;
use promise::policy::covers_promise;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::context::{ControllerContext, Work};
use super::governance::is_invalid;
use super::informers::ObjectChange;
use super::last_seen::{LastSeen, RequestSnapshot, current_version, digest, edition, is_behind, is_ready, used};
use super::object_version::ObjectVersion;
use super::queue::Class;
use super::target::Place;
use super::urgency::{class, is_undecided};
use crate::guard::guarded;
use crate::kinds::{Destination, Kind, Object, PromiseAction, PromiseRequest};
use crate::watch::{Cache, Key, RowChange};
use crate::workspaces::ClusterId;

/// Adds work to the queue.
#[derive(Clone)]
pub struct Handlers {
    ctx: Arc<ControllerContext>,
    known: Arc<Mutex<LastSeen>>,
    /// Names of promises whose instances have to be counted again.
    recounts: mpsc::UnboundedSender<String>,
    tasks: TaskTracker,
    term: CancellationToken,
}

impl Handlers {
    /// Creates the handlers, which enqueue work for `ctx` until `term`.
    pub fn new(ctx: Arc<ControllerContext>, tasks: TaskTracker, term: CancellationToken) -> Self {
        let (recounts, due) = mpsc::unbounded_channel();
        let handlers = Self { ctx, known: Arc::default(), recounts, tasks, term };
        handlers.recount(due);
        handlers
    }

    /// Starts to listen. `finds` are changes of created objects; `losses` are Destinations that stopped responding.
    pub fn start(&self, finds: mpsc::UnboundedReceiver<ObjectChange>, losses: mpsc::UnboundedReceiver<Key>) {
        let world = &self.ctx.world;
        self.on(&world.requests, |handlers, key| handlers.request(key));
        self.on(&world.promises, Self::promise);
        self.on(&world.revisions, |handlers, key| match handlers.ctx.world.revisions.get(key) {
            Some(revision) => {
                handlers.requests_of(&revision.spec.promise);
                handlers.destinations_of(&revision.spec.spec.requires);
                handlers.policies_about(|range| covers_promise(range, &revision.spec.promise));
            }
            None => handlers.policies_about(|_| true),
        });
        self.on(&world.policies, Self::policy);
        self.on(&world.approvals, Self::approval);
        self.on(&world.actions, Self::action);
        self.on(&world.destinations, Self::destination);
        self.on(&world.endpoints, Self::endpoint);
        self.on(&world.workflows, |handlers, key| handlers.promises_with(|name| name == key.name, &key.cluster));
        self.on(&world.orphans, Self::orphan);
        self.on(&world.catalogs, Self::catalog);
        self.on(&world.workspaces, Self::departed_workspace);
        self.on_tree();
        self.on_gaps();
        self.on(&world.request_bindings, |handlers, key| handlers.undecided_below(&key.cluster));
        self.on(&world.catalog_bindings, |handlers, key| handlers.undecided_below(&key.cluster));
        self.take(finds, Self::object);
        self.take(losses, |handlers, key| handlers.ctx.queue.add(Work::Destination(key)));
    }

    /// Enqueues everything once, whatever was reported: at the start, and after a loss of the Lease.
    pub fn everything(&self) {
        fn keys<K: Kind>(cache: &Cache<Object<K>>) -> Vec<Key> {
            cache.snapshot().keys().cloned().collect()
        }
        let world = &self.ctx.world;
        let sweep = |work: Work| self.ctx.queue.add_as(work, Class::Sweep);
        keys(&world.promises).into_iter().for_each(|key| sweep(Work::Promise(key)));
        keys(&world.policies).into_iter().for_each(|key| sweep(Work::Policy(key)));
        keys(&world.destinations).into_iter().for_each(|key| self.ctx.queue.add(Work::Destination(key)));
        keys(&world.endpoints).into_iter().for_each(|key| sweep(Work::Endpoint(key)));
        keys(&world.requests).iter().for_each(|key| self.request(key));
        keys(&world.approvals).iter().for_each(|key| self.approval(key));
        keys(&world.actions).iter().for_each(|key| self.action(key));
    }

    /// Enqueues what a new tree affects, once it can be read.
    fn on_tree(&self) {
        let mut trees = self.ctx.world.tree_changes();
        let (handlers, mut before) = (self.clone(), trees.borrow_and_update().clone());
        self.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = handlers.term.cancelled() => return,
                    changed = trees.changed() => if changed.is_err() { return },
                }
                let now = trees.borrow_and_update().clone();
                handlers.moved(&now.moved_since(&before));
                before = now;
            }
        });
    }

    /// Enqueues requests that couldn't be judged, or might have been judged on incomplete data, as soon as everything can be read again.
    /// What is read then might be the same as before, and triggers no event.
    fn on_gaps(&self) {
        let (handlers, mut changes) = (self.clone(), self.ctx.world.gap_changes());
        self.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = handlers.term.cancelled() => return,
                    () = changes.next() => {}
                }
                if handlers.ctx.world.troubles().is_empty() {
                    handlers.undecided();
                    handlers.waiting_for_room();
                }
            }
        });
    }

    /// Handles workspaces that moved, or whose place is known for the first time.
    fn moved(&self, clusters: &BTreeSet<ClusterId>) {
        let world = &self.ctx.world;
        let holds = |cluster: &ClusterId| {
            world.promises.has_any_in(cluster)
                || world.catalogs.has_any_in(cluster)
                || world.policies.has_any_in(cluster)
                || world.destinations.has_any_in(cluster)
                || world.endpoints.has_any_in(cluster)
        };
        // Objects in them might be offered to other workspaces, or govern them.
        if clusters.iter().any(holds) {
            self.undecided();
        } else {
            clusters.iter().for_each(|cluster| self.requests_within(cluster, is_undecided));
        }
        self.unpublished(clusters);
        let endpoints = self.ctx.world.endpoints.snapshot();
        let there = endpoints.keys().filter(|at| clusters.contains(&at.cluster));
        there.for_each(|at| self.ctx.queue.add(Work::Endpoint(at.clone())));
    }

    /// Calls `wake` for every changed key of a cache.
    fn on<V: Send + Sync + 'static>(&self, cache: &Cache<V>, wake: impl Fn(&Self, &Key) + Send + 'static) {
        let (mut changes, handlers) = (cache.row_changes(), self.clone());
        self.tasks.spawn(async move {
            loop {
                let change = tokio::select! {
                    () = handlers.term.cancelled() => return,
                    change = changes.next() => change,
                };
                let Some(RowChange { key, .. }) = change else { return };
                guarded(&key, || wake(&handlers, &key)).unwrap_or_default();
            }
        });
    }

    fn take<T: Send + 'static>(&self, mut from: mpsc::UnboundedReceiver<T>, wake: impl Fn(&Self, T) + Send + 'static) {
        let handlers = self.clone();
        self.tasks.spawn(async move {
            loop {
                let item = tokio::select! {
                    () = handlers.term.cancelled() => return,
                    item = from.recv() => item,
                };
                let Some(item) = item else { return };
                wake(&handlers, item);
            }
        });
    }

    fn is_new(&self, work: &Work, edition: Option<u64>) -> bool {
        self.known.lock().is_new(work, edition)
    }

    fn request(&self, key: &Key) {
        let mut row = None;
        let read = || {
            row = self.ctx.world.requests.get(key);
            row.as_deref().map(RequestSnapshot::of)
        };
        let mut starts = false;
        let note = |known: &LastSeen, before: Option<&RequestSnapshot>, now: Option<&RequestSnapshot>| {
            starts = known.starts(&key.cluster, before, now);
            self.ctx.uses.replace(used(before), used(now));
            self.ctx.owners.is_of(key, before.map(|snapshot| snapshot.uid.as_str()), now.map(|snapshot| snapshot.uid.as_str()));
        };
        let (before, now) = LastSeen::update(&self.known, key, read, note);
        // A request that is seen for the first time and was reconciled before isn't known to have changed.
        let least = if before.is_some() { Class::Changed } else { Class::Sweep };
        let class = row.as_ref().map_or(Class::Changed, |request| class(request, least));
        let uid = |snapshot: &Option<RequestSnapshot>| snapshot.as_ref().map(|snapshot| snapshot.uid.clone());
        if now.is_none() {
            self.ctx.informers.keep(key, &BTreeSet::new());
        }
        // Promises count their instances.
        if before.as_ref().map(|snapshot| (&snapshot.promise, &snapshot.uses))
            != now.as_ref().map(|snapshot| (&snapshot.promise, &snapshot.uses))
        {
            before.iter().chain(&now).for_each(|snapshot| self.instances_changed(&snapshot.promise));
        }
        // What a request held and no longer holds might be room for one that waits for it.
        let held = before.as_ref().and_then(|snapshot| snapshot.holds.clone());
        if held.is_some() && held != now.as_ref().and_then(|snapshot| snapshot.holds.clone()) {
            self.waiting_for_room();
        }
        // A request that starts to work might be what others in the workspace need before they can be created. Another of the same version
        // changes nothing for them.
        if starts {
            self.requests_within(&key.cluster, |request| current_version(request).is_none());
        }
        // Decisions report what the request says of them; those of a deleted request report that.
        let said = |snapshot: &Option<RequestSnapshot>| snapshot.as_ref().map(|snapshot| (snapshot.uid.clone(), snapshot.decisions));
        if said(&before) != said(&now) {
            let concerned: BTreeSet<String> = [uid(&before), uid(&now)].into_iter().flatten().collect();
            concerned.iter().for_each(|uid| self.approvals_about(uid));
        }
        let edited = before.map(|snapshot| (snapshot.uid, snapshot.edition)) != now.map(|snapshot| (snapshot.uid, snapshot.edition));
        let work = Work::Request(key.clone());
        match row.filter(|_| !edited) {
            Some(row) => self.ctx.queue.shown(work, ObjectVersion::of_meta(&row.metadata)),
            None => self.ctx.queue.add_as(work, class),
        }
        // A rollout that ends lets actions start, and what a request has decides whether their steps are done.
        self.actions_of(key);
    }

    /// Handles a change of a created object.
    fn object(&self, change: ObjectChange) {
        let ObjectChange { owner, version } = change;
        if let Some(key) = self.ctx.owners.request(&owner) {
            self.actions_of(&key);
            match version {
                Some(version) => self.ctx.queue.shown_of(Work::Request(key), version),
                None => self.ctx.queue.add(Work::Request(key)),
            }
        } else if let Some(key) = self.ctx.actions.of_uid(&owner) {
            self.ctx.queue.add(Work::Action(key));
        }
    }

    /// Handles a change of a run of an action. One that ended lets the next one start.
    fn action(&self, key: &Key) {
        let row = self.ctx.world.actions.get(key);
        let concerned = self.ctx.actions.update(key, row.as_deref());
        let work = Work::Action(key.clone());
        if self.is_new(&work, row.as_ref().map(|row| edition(&row.metadata, ()))) {
            self.ctx.queue.add(work);
        } else {
            self.ctx.queue.echo(work);
        }
        self.decisions_about_action(key);
        // One that waits for approvers or a window, or for its turn after that, doesn't keep the others waiting.
        if let Some(row) = row.filter(|row| yields_turn(row.status.as_ref())) {
            self.actions_of(&key.beside(row.spec.request.clone()));
        }
        if let Some(request) = concerned {
            self.actions_of(&request);
            // How a run of a schedule ended decides which ones are kept.
            self.ctx.queue.echo(Work::Request(request));
        }
    }

    fn actions_of(&self, request: &Key) {
        self.ctx.actions.open(request).into_iter().for_each(|key| self.ctx.queue.echo(Work::Action(key)));
    }

    fn promise(&self, key: &Key) {
        let work = Work::Promise(key.clone());
        let mut known = self.known.lock();
        let row = self.ctx.world.promises.get(key);
        // Which revision is published is part of its status, and determines what policies apply to and what requests are made from.
        // Finalizers, which the controller writes as requests come and go, and people's annotations don't matter here.
        let offer = row.as_ref().map(|row| {
            let ObjectMeta { uid, generation, deletion_timestamp, .. } = &row.metadata;
            let revision = row.status.as_ref().and_then(|status| status.revision.as_ref());
            digest((uid, generation, deletion_timestamp.is_some(), revision))
        });
        let class = if row.as_ref().is_some_and(|row| row.status.is_none()) { Class::New } else { Class::Changed };
        let is_offered_anew = known.offers(key, offer) != offer;
        let is_new = known.is_new(&work, row.map(|row| edition(&row.metadata, offer)));
        drop(known);
        if is_new {
            self.ctx.queue.add_as(work, class);
        } else {
            self.ctx.queue.echo(work);
        }
        if is_offered_anew {
            self.policies_about(|range| covers_promise(range, &key.name));
            self.requests_of(&key.name);
        }
    }

    fn policy(&self, key: &Key) {
        let work = Work::Policy(key.clone());
        let mut known = self.known.lock();
        let row = self.ctx.world.policies.get(key);
        let rules =
            row.as_ref().map(|row| PolicySpec { title: None, description: None, category: PolicyCategory::default(), ..row.spec.clone() });
        let before = match rules.clone() {
            Some(rules) => known.rules.insert(key.clone(), rules),
            None => known.rules.remove(key),
        };
        let is_new = known.is_new(&work, row.map(|row| edition(&row.metadata, ())));
        drop(known);
        if is_new {
            self.ctx.queue.add(work);
        } else {
            self.ctx.queue.echo(work);
        }
        if before != rules {
            let ranges: Vec<AppliesTo> = before.into_iter().chain(rules).map(|rules| rules.applies_to).collect();
            self.requests_where(|request| ranges.iter().any(|range| covers_promise(range, &request.spec.promise.name)));
            let actions = self.ctx.world.actions.snapshot();
            let concerned = |row: &PromiseAction| ranges.iter().any(|range| range.covers_action(&row.spec.action));
            let waiting = actions.iter().filter(|(_, row)| is_held(row.status.as_ref()) && concerned(row));
            waiting.for_each(|(key, _)| self.ctx.queue.add(Work::Action(key.clone())));
        }
    }

    /// Handles a change of what is offered where, and what it costs. Texts for people don't matter here.
    fn catalog(&self, key: &Key) {
        let mut known = self.known.lock();
        let row = self.ctx.world.catalogs.get(key);
        let shelf = row.map(|row| PromiseCatalogSpec { title: None, description: None, ..row.spec.clone() });
        let before = match shelf.clone() {
            Some(shelf) => known.shelves.insert(key.clone(), shelf),
            None => known.shelves.remove(key),
        };
        drop(known);
        if before != shelf {
            let covered: Vec<String> = before.into_iter().chain(shelf).flat_map(|shelf| shelf.promises).collect();
            self.requests_where(|request| glob::any_name_matches(&covered, &request.spec.promise.name));
        }
    }

    /// Handles a change of an orphan. A deleted request waits until what it hands over counts, and what is released makes room for others.
    fn orphan(&self, key: &Key) {
        match self.ctx.world.orphans.get(key) {
            Some(orphan) => self.ctx.queue.add(Work::Request(orphan.request.clone())),
            None => self.waiting_for_room(),
        }
    }

    fn destination(&self, key: &Key) {
        // Whether it responds, and what it serves, is part of its status, and determines what its requests can do.
        let answers = |row: &Destination| {
            let status = row.status.clone().unwrap_or_default();
            digest((status.is_reachable(), status.apis.iter().map(|api| (&api.api, api.served)).collect::<Vec<_>>()))
        };
        let (work, row) = (Work::Destination(key.clone()), self.ctx.world.destinations.get(key));
        if self.is_new(&work, row.map(|row| edition(&row.metadata, answers(&row)))) {
            self.ctx.queue.add(work);
            self.requests_at(&key.name);
        }
    }

    /// Enqueues Destinations that have to report whether they serve what a promise requires of them.
    fn destinations_of(&self, requires: &[Requirement]) {
        let named: BTreeSet<&str> = requires.iter().filter_map(|requirement| requirement.destination.as_deref()).collect();
        if !named.is_empty() {
            let all = self.ctx.world.destinations.snapshot();
            all.keys().filter(|at| named.contains(at.name.as_str())).for_each(|at| self.ctx.queue.add(Work::Destination(at.clone())));
        }
    }

    /// Closes the watches in a namespace that is gone: no identity can see anything there.
    fn departed_workspace(&self, key: &Key) {
        if key.cluster == ClusterId::cluster()
            && self.ctx.world.workspaces.get(key).is_none()
            && let Ok(namespace) = ClusterId::of_namespace(&key.name)
        {
            self.ctx.informers.close(&Place::Workspace(namespace));
        }
    }

    fn promises_called(&self, name: &str) {
        let called = self.known.lock().promises_called(name);
        called.into_iter().for_each(|at| self.ctx.queue.add(Work::Promise(at)));
    }

    /// Enqueues policies: whether their rules match depends on the promises that they apply to.
    fn policies_about(&self, matches: impl Fn(&AppliesTo) -> bool) {
        for (key, _) in self.ctx.world.policies.snapshot().iter().filter(|(_, policy)| matches(&policy.spec.applies_to)) {
            self.ctx.queue.add(Work::Policy(key.clone()));
        }
    }

    fn requests_of(&self, promise: &str) {
        self.requests_where(|request| request.spec.promise.name == promise);
    }

    fn requests_at(&self, destination: &str) {
        self.requests_where(|request| {
            let status = request.status.as_ref();
            let there = status.is_some_and(|s| s.inventory.iter().any(|item| item.destination.as_deref() == Some(destination)));
            // What an edit adds isn't created yet.
            there || !is_ready(request) || is_behind(request)
        });
    }

    /// Enqueues requests for which a new place or a new offer might make a difference.
    fn undecided(&self) {
        self.requests_where(is_undecided);
    }

    /// Does the same below a workspace: which workspaces there use our kinds determines what is known on the path to a request.
    fn undecided_below(&self, top: &ClusterId) {
        let below = self.ctx.world.tree().subtree(top);
        below.iter().for_each(|cluster| self.requests_within(cluster, is_undecided));
    }

    /// Enqueues promises and policies that might be valid where they are now known to be: some of them need a trusted home.
    fn unpublished(&self, clusters: &BTreeSet<ClusterId>) {
        let world = &self.ctx.world;
        let is_there = |at: &Key| clusters.contains(&at.cluster);
        // A version after the first might have been judged before its home was known.
        let unpublished = |status: &PromiseStatus| status.revision.is_none() || is_invalid(&status.conditions);
        for (at, _) in world.promises.snapshot().iter().filter(|(at, row)| is_there(at) && row.status.as_ref().is_none_or(unpublished)) {
            self.ctx.queue.add(Work::Promise(at.clone()));
        }
        let invalid = |status: &PolicyStatus| is_invalid(&status.conditions);
        for (at, _) in world.policies.snapshot().iter().filter(|(at, row)| is_there(at) && row.status.as_ref().is_none_or(invalid)) {
            self.ctx.queue.add(Work::Policy(at.clone()));
        }
    }

    fn waiting_for_room(&self) {
        let waiting = self.known.lock().waiting_for_room();
        for key in waiting {
            if let Some(request) = self.ctx.world.requests.get(&key) {
                self.ctx.queue.add_as(Work::Request(key), class(&request, Class::Sweep));
            }
        }
    }

    fn requests_within(&self, workspace: &ClusterId, matches: impl Fn(&PromiseRequest) -> bool) {
        let all = self.ctx.world.requests.snapshot();
        let there = all.range(Key::cluster_scoped(workspace, "")..).take_while(|(key, _)| key.cluster == *workspace);
        for (key, request) in there.filter(|(_, request)| matches(request)) {
            self.ctx.queue.add_as(Work::Request(key.clone()), class(request, Class::Changed));
        }
    }

    fn requests_where(&self, matches: impl Fn(&PromiseRequest) -> bool) {
        for (key, request) in self.ctx.world.requests.snapshot().iter().filter(|(_, request)| matches(request)) {
            self.ctx.queue.add_as(Work::Request(key.clone()), class(request, Class::Sweep));
        }
    }
}
