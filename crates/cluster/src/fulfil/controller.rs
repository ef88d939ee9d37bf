//! The controller as a whole: who leads, what wakes it, and its workers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use parking_lot::{Mutex, RwLock};
use promise::keyed::DigestKey;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::core::{Core, Work};
use super::eyes::Eyes;
use super::lease::Leadership;
use super::queue::Queue;
use super::standing::{Report, Standing};
use super::target::Targets;
use super::{events, govern, keys, publish, round};
use crate::clock::Clock;
use crate::endpoint::Scope;
use crate::kinds::{Kind, Object};
use crate::projection::Reader;
use crate::random::Random;
use crate::watch::{Cache, Key};
use crate::workspaces::WorkspacePath;
use crate::world::{Access, World};

/// Pause before the key is asked for again.
const AGAIN: Duration = Duration::from_secs(2);

/// How the controller is set up.
#[derive(Clone)]
pub struct Options {
    /// The plane, the controller's own token, and the provider workspace.
    pub access: Access,
    /// Homes that may offer across the tree and own destinations.
    pub trusted_homes: Vec<WorkspacePath>,
    /// Name of this instance in the Lease; one that starts again under its old name goes on at once.
    pub identity: String,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness, for the key that the first controller of an installation makes.
    pub random: Arc<dyn Random>,
    /// Requests looked after at the same time.
    pub workers: usize,
    /// Evaluations of expressions at the same time; each keeps a thread busy.
    pub evaluations: usize,
}

/// The controller. One leads per plane and serves all workspaces.
pub struct Controller {
    options: Options,
    report: Arc<Report>,
}

impl Controller {
    /// A controller that does nothing yet.
    pub fn new(options: Options) -> Self {
        Self { options, report: Arc::default() }
    }

    /// What the controller is doing, now and later.
    pub fn standing(&self) -> watch::Receiver<Standing> {
        self.report.subscribe()
    }

    /// Leads and works until `shutdown`, through losses of its Lease. A unit of work that has begun is finished.
    pub async fn run(self, shutdown: CancellationToken) {
        let access = &self.options.access;
        let provider = access.endpoint.client(&access.token, &Scope::Workspace(access.provider.clone()));
        let leadership = Leadership::new(provider.clone(), self.options.identity.clone(), self.options.clock.clone());
        while !shutdown.is_cancelled() {
            tokio::select! {
                () = shutdown.cancelled() => break,
                () = leadership.acquire(|why| self.report.waits(why)) => {}
            }
            self.report.leads();
            let term = shutdown.child_token();
            // Whoever drops this future must not leave workers behind.
            let _ended = term.clone().drop_guard();
            let tasks = TaskTracker::new();
            tasks.spawn(work(self.options.clone(), provider.clone(), self.report.clone(), tasks.clone(), term.clone()));
            let ended = leadership.keep(&shutdown).await;
            term.cancel();
            tasks.close();
            tasks.wait().await;
            if ended {
                leadership.release().await;
            } else {
                self.report.waits("It lost its Lease; another instance may lead now.".to_owned());
            }
        }
        self.report.ends();
    }
}

/// One term of leading.
async fn work(options: Options, provider: Client, report: Arc<Report>, tasks: TaskTracker, term: CancellationToken) {
    let digests = tokio::select! {
        () = term.cancelled() => return,
        digests = key(&provider, &*options.random, &report) => digests,
    };
    let world = World::start(options.access.clone(), Reader::Controller, options.clock.clone(), &tasks, &term);
    let (found, finds) = mpsc::unbounded_channel();
    let (events, writer) = events::channel(options.clock.clone());
    tasks.spawn(writer.run(term.clone()));
    let core = Arc::new(Core {
        targets: Targets::new(world.clone()),
        eyes: Eyes::new(found, options.clock.clone(), tasks.clone(), term.clone()),
        events,
        queue: Queue::default(),
        clock: options.clock.clone(),
        digests,
        trusted: options.trusted_homes.clone(),
        report: report.clone(),
        compiled: Mutex::default(),
        evaluations: Arc::new(Semaphore::new(options.evaluations.max(1))),
        world,
    });
    tasks.spawn(tell_gaps(core.world.clone(), report.clone(), term.clone()));
    let wakes = Wakes { core: core.clone(), uids: Arc::default(), tasks: tasks.clone(), term: term.clone() };
    // Subscribed before the first list is read, so that nothing falls between.
    wakes.start(finds);
    tokio::select! {
        () = term.cancelled() => return,
        () = core.world.synced() => {}
    }
    report.begins();
    wakes.everything();
    for _ in 0..options.workers.max(1) {
        tasks.spawn(worker(core.clone(), term.clone()));
    }
}

/// The key of the digests; while there is none, nothing can be applied.
async fn key(provider: &Client, random: &dyn Random, report: &Report) -> DigestKey {
    loop {
        match keys::open(provider, random).await {
            Ok(key) => {
                report.misses(Vec::new());
                return key;
            }
            Err(why) => report.misses(vec![why]),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Says what cannot be read, as long as that is so.
async fn tell_gaps(world: World, report: Arc<Report>, term: CancellationToken) {
    let mut changes = world.gap_changes();
    loop {
        report.misses(world.gaps("the controller"));
        tokio::select! {
            () = term.cancelled() => return,
            () = changes.next() => {}
        }
    }
}

async fn worker(core: Arc<Core>, term: CancellationToken) {
    loop {
        let work = tokio::select! {
            () = term.cancelled() => return,
            work = core.queue.next() => work,
        };
        let after = match &work {
            Work::Request(key) => round::request(&core, key).await,
            Work::Promise(key) => publish::promise(&core, key).await,
            Work::Policy(key) => govern::policy(&core, key).await,
            Work::Destination(key) => govern::destination(&core, key).await,
        };
        core.queue.done(&work, after);
    }
}

/// What puts work into the queue.
#[derive(Clone)]
struct Wakes {
    core: Arc<Core>,
    /// Requests by uid, because objects at destinations know nothing else.
    uids: Arc<RwLock<HashMap<String, Key>>>,
    tasks: TaskTracker,
    term: CancellationToken,
}

impl Wakes {
    fn start(&self, mut finds: mpsc::UnboundedReceiver<String>) {
        let world = self.core.world.clone();
        self.on(&world.requests, |wakes, key| wakes.request(key));
        self.on(&world.promises, |wakes, key| {
            wakes.core.queue.add(Work::Promise(key.clone()));
            wakes.requests_of(&key.name);
        });
        self.on(&world.revisions, |wakes, key| {
            if let Some(revision) = wakes.core.world.revisions.get(key) {
                wakes.requests_of(&revision.spec.promise);
            }
        });
        self.on(&world.policies, |wakes, key| {
            wakes.core.queue.add(Work::Policy(key.clone()));
            wakes.requests();
        });
        self.on(&world.destinations, |wakes, key| {
            wakes.core.queue.add(Work::Destination(key.clone()));
            wakes.requests_at(&key.name);
        });
        self.on(&world.catalogs, |wakes, _| wakes.undecided());
        self.on(&world.workspaces, |wakes, _| wakes.undecided());
        self.on(&world.request_bindings, |wakes, _| wakes.undecided());
        self.on(&world.catalog_bindings, |wakes, _| wakes.undecided());
        let wakes = self.clone();
        self.tasks.spawn(async move {
            loop {
                let uid = tokio::select! {
                    () = wakes.term.cancelled() => return,
                    uid = finds.recv() => uid,
                };
                let Some(uid) = uid else { return };
                let key = wakes.uids.read().get(&uid).cloned();
                if let Some(key) = key {
                    wakes.core.queue.add(Work::Request(key));
                }
            }
        });
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
                    Err(RecvError::Lagged(_)) => cache.snapshot().keys().for_each(|key| wake(&wakes, key)),
                    Err(RecvError::Closed) => return,
                }
            }
        });
    }

    fn request(&self, key: &Key) {
        match self.core.world.requests.get(key) {
            Some(request) => {
                if let Some(uid) = &request.metadata.uid {
                    self.uids.write().insert(uid.clone(), key.clone());
                }
                // Promises count their instances.
                for (at, _) in self.core.world.promises.snapshot().iter().filter(|(at, _)| at.name == request.spec.promise.name) {
                    self.core.queue.add(Work::Promise(at.clone()));
                }
            }
            None => self.uids.write().retain(|_, at| at != key),
        }
        self.core.queue.add(Work::Request(key.clone()));
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
        self.requests_where(|request| !is_ready(request));
    }

    fn requests_where(&self, matches: impl Fn(&crate::kinds::PromiseRequest) -> bool) {
        for (key, _) in self.core.world.requests.snapshot().iter().filter(|(_, request)| matches(request)) {
            self.core.queue.add(Work::Request(key.clone()));
        }
    }

    /// Looks at everything once, whatever was told: the start, and after a loss of the Lease.
    fn everything(&self) {
        fn keys<K: Kind>(cache: &Cache<Object<K>>) -> Vec<Key> {
            cache.snapshot().keys().cloned().collect()
        }
        let world = &self.core.world;
        keys(&world.promises).into_iter().for_each(|key| self.core.queue.add(Work::Promise(key)));
        keys(&world.policies).into_iter().for_each(|key| self.core.queue.add(Work::Policy(key)));
        keys(&world.destinations).into_iter().for_each(|key| self.core.queue.add(Work::Destination(key)));
        keys(&world.requests).iter().for_each(|key| self.request(key));
    }
}

fn is_ready(request: &crate::kinds::PromiseRequest) -> bool {
    request.status.as_ref().is_some_and(|status| status.phase == promise::api::Phase::Ready)
}
