//! Controllers that are killed, lose their Lease and are started again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cluster::Endpoint;
use cluster::controller::{Controller, ControllerState, Options};
use cluster::world::{Access, UnreadShards};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::clock::VirtualClock;
use super::network::{Link, Network};
use super::random::Random;
use crate::world::Plane;

/// Longest wait for a controller to lead. One that was killed holds its Lease for a while.
const PATIENCE: Duration = Duration::from_secs(600);

/// The controllers of a plane.
pub struct Fleet {
    plane: Arc<Plane>,
    pub network: Arc<Network>,
    pub clock: VirtualClock,
    random: Mutex<Random>,
    processes: Mutex<Vec<Process>>,
    /// How often controllers were started for a case.
    cases: AtomicUsize,
}

/// A controller that runs until it is killed.
struct Process {
    number: usize,
    link: Arc<Link>,
    shutdown: CancellationToken,
    state: watch::Receiver<ControllerState>,
}

impl Fleet {
    pub fn new(plane: Arc<Plane>) -> Arc<Self> {
        let clock = VirtualClock::new();
        let network = Arc::new(Network::new(plane.router(), clock.clone()));
        let fleet = Arc::new(Self {
            plane,
            network,
            clock,
            random: Mutex::new(Random::new(0)),
            processes: Mutex::default(),
            cases: AtomicUsize::new(0),
        });
        tokio::spawn(fleet.clone().replace());
        fleet
    }

    /// Ends all controllers and starts new ones: one that leads, and another one if there is a standby.
    pub async fn start(&self, seed: u64, has_standby: bool) {
        self.cases.fetch_add(1, Ordering::SeqCst);
        let former: Vec<Process> = std::mem::take(&mut *self.processes.lock());
        former.iter().for_each(Process::end);
        *self.random.lock() = Random::new(seed ^ 0x5EED);
        self.add(0);
        let mut state = self.processes.lock()[0].state.clone();
        let leads = state.wait_for(|state| *state == ControllerState::Ready);
        tokio::time::timeout(PATIENCE, leads).await.expect("a controller leads").unwrap();
        if has_standby {
            self.add(1);
        }
    }

    /// What the controllers say about themselves.
    pub fn states(&self) -> String {
        let processes = self.processes.lock();
        let states: Vec<String> = processes.iter().map(|process| format!("{}: {:?}", process.number, process.state.borrow())).collect();
        states.join(", ")
    }

    fn add(&self, number: usize) {
        let link = Arc::new(Link::default());
        let (network, own) = (self.network.clone(), link.clone());
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| network.clone().pass(own.clone(), request));
        let access = Access {
            endpoint: Endpoint::in_process("faulty", service),
            token: self.plane.token("opm-controller"),
            topology: self.plane.topology.clone(),
        };
        let controller = Controller::new(Options {
            access,
            trusted_homes: self.plane.topology.default_homes().unwrap(),
            identity: format!("controller-{number}"),
            clock: Arc::new(self.clock.clone()),
            random: Arc::new(|bytes: &mut [u8]| bytes.fill(7)),
            workers: 4,
            evaluations: 2,
            unread_shards: UnreadShards::default(),
        });
        let (state, shutdown) = (controller.state(), CancellationToken::new());
        tokio::spawn(controller.run(shutdown.clone()));
        self.processes.lock().push(Process { number, link, shutdown, state });
    }

    /// Starts another controller for each that was killed: at once or later, under the same name or as another process.
    async fn replace(self: Arc<Self>) {
        loop {
            self.network.killed.notified().await;
            loop {
                let dead = {
                    let mut processes = self.processes.lock();
                    let dead = processes.iter().position(|process| process.link.severed.is_cancelled());
                    dead.map(|index| processes.remove(index))
                };
                let Some(dead) = dead else { break };
                dead.end();
                let case = self.cases.load(Ordering::SeqCst);
                let (pause, is_another) = {
                    let mut random = self.random.lock();
                    (random.pick(&[0, 0, 1, 20]), random.chance(30))
                };
                tokio::time::sleep(Duration::from_secs(pause)).await;
                if case == self.cases.load(Ordering::SeqCst) {
                    self.add(if is_another { dead.number + 2 } else { dead.number });
                }
            }
        }
    }
}

impl Process {
    /// Nothing of it reaches anything from now on.
    fn end(&self) {
        self.link.severed.cancel();
        self.shutdown.cancel();
    }
}
