//! The controller as a whole: leader election, and its workers.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use promise::keyed::DigestKey;
use tokio::sync::{Mutex, Semaphore, mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use super::absences::Absences;
use super::action_index::ActionIndex;
use super::calls::Calls;
use super::changes::Changes;
use super::context::{ControllerContext, Work};
use super::failure::TransientFailures;
use super::handlers::Handlers;
use super::informers::Informers;
use super::lease::Leadership;
use super::likely_destinations::LikelyDestinations;
use super::owners::OwnerIndex;
use super::queue::{Guess, Requeue, WorkQueue};
use super::requesters::OwnName;
use super::state::{ControllerState, StateReporter};
use super::target::Targets;
use super::uses::Uses;
use super::{action, approval_status, digest_key, endpoints, events, governance, publish, reconcile};
use crate::clock::Clock;
use crate::guard::guarded_task;
use crate::outbound::Outbound;
use crate::projection::Reader;
use crate::random::Random;
use crate::topology::Topology;
use crate::trace::TRACES;
use crate::usage::in_force;
use crate::workspaces::WorkspacePath;
use crate::world::{Access, UnreadShards, World};

/// Pause before the digest key is read again.
const AGAIN: Duration = Duration::from_secs(2);
/// How often the length of the queue is recorded.
const RECORD: Duration = Duration::from_secs(5);

/// Configuration of the controller.
#[derive(Clone)]
pub struct Options {
    /// The control plane, the controller's own token, and how workspaces are represented.
    pub access: Access,
    /// Homes that can offer promises across the tree and own Destinations.
    pub trusted_homes: Vec<WorkspacePath>,
    /// Name of this process in the Lease. It must be unique among all processes that might run at the same time: two with the same name
    /// would both lead.
    pub identity: String,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness, for the digest key that the first controller of an installation creates.
    pub random: Arc<dyn Random>,
    /// Number of objects reconciled at the same time, half of them at the same Destination.
    pub workers: usize,
    /// Number of expressions evaluated at the same time; each keeps a thread busy.
    pub evaluations: usize,
    /// Where it records the shards that it doesn't read while it leads.
    pub unread_shards: UnreadShards,
}

/// The controller. One instance leads per control plane and serves all workspaces.
pub struct Controller {
    options: Options,
    report: Arc<StateReporter>,
}

impl Controller {
    /// Creates a controller that does nothing yet.
    pub fn new(options: Options) -> Self {
        Self { options, report: Arc::default() }
    }

    /// Returns a receiver for the state of the controller, now and later.
    pub fn state(&self) -> watch::Receiver<ControllerState> {
        self.report.subscribe()
    }

    /// Leads and works until `shutdown`, across losses of its Lease. A unit of work that was started is finished, except when the Lease is
    /// lost.
    pub async fn run(self, shutdown: CancellationToken) {
        let access = &self.options.access;
        let own = access.endpoint.client(&access.token, &access.topology.own());
        let leadership = Leadership::new(own.clone(), access.topology.clone(), self.options.identity.clone(), self.options.clock.clone());
        while !shutdown.is_cancelled() {
            let leading = tokio::select! {
                () = shutdown.cancelled() => break,
                leading = leadership.acquire(|state| self.report.rests(state)) => leading,
            };
            self.report.leads();
            let term = shutdown.child_token();
            let lost = CancellationToken::new();
            // Dropping this future must not leave workers behind.
            let _ended = (term.clone().drop_guard(), lost.clone().drop_guard());
            let tasks = TaskTracker::new();
            let ends = Ends { term: term.clone(), lost: lost.clone() };
            tasks.spawn(work(self.options.clone(), own.clone(), self.report.clone(), tasks.clone(), ends));
            tasks.close();
            let drained = async {
                shutdown.cancelled().await;
                tasks.wait().await;
            };
            if leadership.keep(leading, drained).await {
                leadership.release().await;
            } else {
                // Another instance might already be working: what was started is left where it is, as in a crash.
                lost.cancel();
                term.cancel();
                tasks.wait().await;
                self.options.unread_shards.clear();
                self.report.waits("The controller lost its Lease; another instance might lead now.".to_owned());
            }
        }
        self.report.ends();
    }
}

/// How a leadership term ends.
#[derive(Clone)]
struct Ends {
    /// Cancelled when no new work must be started.
    term: CancellationToken,
    /// Cancelled when workers must stop where they are. A write in flight might still arrive.
    lost: CancellationToken,
}

/// Runs one leadership term.
async fn work(options: Options, own: Client, report: Arc<StateReporter>, tasks: TaskTracker, ends: Ends) {
    let term = ends.term.clone();
    let digests = tokio::select! {
        () = term.cancelled() => return,
        digests = key(&own, &options.access.topology, &*options.random, &report) => digests,
    };
    let (access, unread_shards) = (options.access.clone(), options.unread_shards.clone());
    let world = World::start_recording(access, unread_shards, Reader::Controller, options.clock.clone(), &tasks, &term);
    let (found, finds) = mpsc::unbounded_channel();
    let (lost, losses) = mpsc::unbounded_channel();
    let (events, writer) = events::channel(options.clock.clone());
    tasks.spawn(writer.run(term.clone()));
    let likely_destinations = Arc::<LikelyDestinations>::default();
    let targets = Targets::new(world.clone(), options.trusted_homes.clone(), lost);
    let ctx = Arc::new(ControllerContext {
        informers: Informers::new(targets.objects.clone(), found, options.clock.clone(), tasks.clone(), term.clone()),
        targets,
        absences: Absences::default(),
        transient: TransientFailures::default(),
        calls: Calls::default(),
        changes: Changes::default(),
        acceptances: Arc::default(),
        events,
        owners: OwnerIndex::default(),
        actions: ActionIndex::default(),
        starts: Mutex::default(),
        uses: Uses::default(),
        own_name: OwnName::default(),
        queue: WorkQueue::new(options.workers.div_ceil(2), guess(world.clone(), likely_destinations.clone())),
        likely_destinations,
        clock: options.clock.clone(),
        digests,
        trusted: options.trusted_homes.clone(),
        report: report.clone(),
        compiled: Arc::default(),
        policies: Arc::default(),
        policy_checks: Arc::default(),
        outbound: Outbound::default(),
        evaluations: Arc::new(Semaphore::new(options.evaluations.max(1))),
        world,
    });
    tasks.spawn(report_gaps(ctx.world.clone(), report.clone(), term.clone()));
    tasks.spawn(record(ctx.clone(), term.clone()));
    let handlers = Handlers::new(ctx.clone(), tasks.clone(), term.clone());
    // Subscribed before the first list is read, so that no change is missed.
    handlers.start(finds, losses);
    tokio::select! {
        () = term.cancelled() => return,
        () = ctx.world.synced() => {}
    }
    report.begins();
    handlers.everything();
    for _ in 0..options.workers.max(1) {
        tasks.spawn(worker(ctx.clone(), ends.clone()));
    }
}

/// Guesses at which Destinations an accepted request is worked on.
fn guess(world: World, likely: Arc<LikelyDestinations>) -> Guess<Work> {
    Box::new(move |work| match work {
        Work::Request(key) => {
            let accepted = world.requests.get(key).filter(|request| in_force(request).is_some());
            accepted.map(|request| likely.of(&key.cluster, &request.spec.promise)).unwrap_or_default()
        }
        _ => Arc::default(),
    })
}

/// Returns the digest key. Nothing can be applied without it.
async fn key(own: &Client, topology: &Topology, random: &dyn Random, report: &StateReporter) -> DigestKey {
    loop {
        match digest_key::open(own, topology, random).await {
            Ok(key) => {
                report.misses(Vec::new());
                return key;
            }
            Err(cause) => report.misses(vec![cause.to_string()]),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Reports what can't be read, for as long as that is so.
async fn report_gaps(world: World, report: Arc<StateReporter>, term: CancellationToken) {
    let mut changes = world.gap_changes();
    loop {
        report.misses(world.gaps("the controller"));
        tokio::select! {
            () = term.cancelled() => return,
            () = changes.next() => {}
        }
    }
}

/// Records how many objects wait for a worker. The workers themselves wouldn't notice while all of them are busy.
async fn record(ctx: Arc<ControllerContext>, term: CancellationToken) {
    let set = |count: &dyn Fn(usize) -> usize| {
        for (class, waiting) in ctx.queue.waiting() {
            metrics::gauge!("opm_queue_depth", "class" => class).set(count(waiting) as f64);
        }
    };
    loop {
        set(&|waiting| waiting);
        tokio::select! {
            () = term.cancelled() => return set(&|_| 0),
            () = tokio::time::sleep(RECORD) => {}
        }
    }
}

async fn worker(ctx: Arc<ControllerContext>, ends: Ends) {
    loop {
        let work = tokio::select! {
            () = ends.term.cancelled() => return,
            work = ctx.queue.next() => work,
        };
        // The futures of a request and of an action are large. On the heap, none of the callers has a copy of them on its stack.
        let after = async {
            match &work {
                Work::Request(key) => Box::pin(reconcile::request(&ctx, key)).await,
                Work::Promise(key) => publish::promise(&ctx, key).await,
                Work::Policy(key) => governance::policy(&ctx, key).await,
                Work::Destination(key) => governance::destination(&ctx, key).await,
                Work::Endpoint(key) => endpoints::endpoint(&ctx, key).await,
                Work::Approval(key) => approval_status::approval(&ctx, key).await,
                Work::Action(key) => Box::pin(action::action(&ctx, key)).await,
            }
        };
        let begun = Instant::now();
        let span = tracing::info_span!(target: TRACES, "reconcile", kind = work.kind(), result = tracing::field::Empty);
        tokio::select! {
            () = ends.lost.cancelled() => return,
            after = caught(&ctx.report, &work, after).instrument(span.clone()) => {
                span.record("result", after.word());
                metrics::counter!("opm_reconciles_total", "kind" => work.kind(), "result" => after.word()).increment(1);
                metrics::histogram!("opm_reconcile_duration_seconds", "kind" => work.kind()).record(begun.elapsed().as_secs_f64());
                ctx.queue.done(&work, after);
            }
        }
    }
}

/// Treats a panic as a failure: the work is retried, and as long as it panics the controller reports it.
async fn caught(report: &StateReporter, work: &Work, after: impl Future<Output = Requeue>) -> Requeue {
    if let Some(after) = guarded_task(work, after).await {
        return after;
    }
    report.refused(work, Some(format!("The controller failed on {work}. See its log for details.")));
    Requeue::Backoff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[tokio::test]
    async fn work_that_panics_is_tried_again_and_the_controller_says_so() {
        let (report, work) = (StateReporter::default(), Work::Request(Key::cluster_scoped(&ClusterId::root(), "web")));
        let state = report.subscribe();
        report.leads();
        report.begins();
        assert_eq!(caught(&report, &work, async { panic!("an index out of bounds") }).await, Requeue::Backoff);
        assert!(
            matches!(&*state.borrow(), ControllerState::Degraded { why } if why.contains("the request root|web")),
            "{:?}",
            state.borrow()
        );
        assert_eq!(caught(&report, &work, async { Requeue::No }).await, Requeue::No);
        assert!(matches!(&*state.borrow(), ControllerState::Degraded { .. }), "what succeeds says so itself");
    }
}
