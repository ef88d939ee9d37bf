//! A controller that runs beside a test, with a clock of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cluster::controller::{Controller, ControllerState, Options};
use cluster::world::{Access, UnreadShards};
use cluster::{Clock, WorkspacePath};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::world::PATIENCE;

/// Number of workers of a controller.
pub const WORKERS: usize = 4;

/// A controller that runs until it is stopped.
pub struct Running {
    shutdown: CancellationToken,
    /// What it says about itself.
    pub state: watch::Receiver<ControllerState>,
    /// The shards that it doesn't read.
    pub unread_shards: UnreadShards,
    clock: Machine,
    task: JoinHandle<()>,
    /// Everything that the controller starts lives here, so that all of it can die at once.
    runtime: Option<Runtime>,
}

impl Running {
    /// Starts one without waiting for anything.
    pub fn begin(access: Access, trusted_homes: Vec<WorkspacePath>, clock: Machine, identity: &str) -> Self {
        let unread_shards = UnreadShards::default();
        let options = Options {
            access,
            trusted_homes,
            identity: identity.to_owned(),
            clock: Arc::new(clock.clone()),
            random: Arc::new(|bytes: &mut [u8]| bytes.fill(7)),
            workers: WORKERS,
            evaluations: 2,
            unread_shards: unread_shards.clone(),
        };
        let controller = Controller::new(options);
        let state = controller.state();
        let shutdown = CancellationToken::new();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let task = runtime.spawn(controller.run(shutdown.clone()));
        Self { shutdown, state, unread_shards, clock, task, runtime: Some(runtime) }
    }

    /// Waits until the controller says what `holds` wants to hear.
    pub async fn until(&mut self, what: &str, holds: impl Fn(&ControllerState) -> bool) -> ControllerState {
        let said = tokio::time::timeout(PATIENCE, self.state.wait_for(|state| holds(state))).await.map(|said| said.unwrap().clone());
        said.unwrap_or_else(|_| panic!("the controller is not {what}: {:?}", self.state.borrow().clone()))
    }

    /// Lets so much time pass on its clock.
    pub fn advance(&self, by: jiff::SignedDuration) {
        self.clock.advance(by);
    }

    /// Stops the controller the orderly way.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, &mut self.task).await.expect("it stops in time").unwrap();
    }

    /// Ends the controller in the middle of whatever it does, as a crash would: every task dies where it waits.
    pub fn crash(self) {
        drop(self);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The machine's clock, so many seconds ahead.
#[derive(Clone, Default)]
pub struct Machine(Arc<AtomicI64>);

impl Machine {
    /// Lets so much time pass.
    pub fn advance(&self, by: jiff::SignedDuration) {
        self.0.fetch_add(by.as_secs(), Ordering::SeqCst);
    }
}

impl Clock for Machine {
    fn now(&self) -> jiff::Timestamp {
        #[expect(clippy::disallowed_methods, reason = "the clock of this test binary")]
        let now = jiff::Timestamp::now();
        now + jiff::SignedDuration::from_secs(self.0.load(Ordering::SeqCst))
    }
}
