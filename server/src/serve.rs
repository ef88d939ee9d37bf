//! `opm-portal serve`: opens everything, serves until told to end, and closes everything in turn.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use cluster::projection::Reader;
use cluster::world::Access;
use cluster::{Topology, WorkspacePath, World as Caches, fulfil};
use devplane::sandbox::{Operators, Pace};
use store::{SealKeys, Store};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::cookie::CookieStyle;
use crate::auth::{Callers, Doors};
use crate::clock::{Clock, System};
use crate::config::Config;
use crate::live::Streams;
use crate::plane::Folder;
use crate::plane::embedded::{self, Embedded};
use crate::plane::folder::write_private;
use crate::plane::identity::{self, Identities};
use crate::plane::kubeconfig::{self, Server};
use crate::portal::rights::Rights;
use crate::router::{probes, router};
use crate::sample::{Files, SampleError, World, load};
use crate::state::Portal;
use crate::web::assets::Assets;
use crate::web::listen;

/// Forms whose rules are evaluated at the same time.
const EVALUATIONS: usize = 2;
/// How long open requests may take to end.
const GRACE: Duration = Duration::from_secs(10);
/// Name of this process's controller in its Lease: the next process of the same data directory goes on under it at once.
const CONTROLLER_INSTANCE: &str = "opm-portal";
/// How often expired sessions and drafts are removed.
const SWEEP: Duration = Duration::from_secs(600);

/// Why serving cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The data directory.
    #[error("the data directory")]
    Folder(#[source] io::Error),
    /// A port.
    #[error("the pages cannot be served on {address}: {source} (choose another with --port, 0 for any)")]
    Listen {
        /// Where they should.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The embedded plane.
    #[error(transparent)]
    Plane(#[from] embedded::EmbeddedError),
    /// Sessions and drafts.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The sample world.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// An identity that must be there is not.
    #[error("the plane does not know {0}")]
    Identity(&'static str),
}

/// Time and randomness, so that tests can choose theirs.
#[derive(Clone)]
pub struct Edges {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn store::Random>,
    /// How quickly the sandbox's pretended workloads come up.
    pub pace: Pace,
}

impl Default for Edges {
    fn default() -> Self {
        Self { clock: Arc::new(System), random: Arc::new(System), pace: Pace::BELIEVABLE }
    }
}

/// Everything that is open. Tests use it without a socket.
pub struct Running {
    /// The portal, with which the router is made.
    pub portal: Arc<Portal>,
    /// The way to the plane.
    pub endpoint: cluster::Endpoint,
    /// Everybody whom the plane knows.
    pub identities: Identities,
    /// People and workspaces of the sample world.
    pub world: World,
    folder: Folder,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

/// Serves until Ctrl-C or SIGTERM.
///
/// # Errors
/// Something cannot be opened.
pub async fn until_signalled(config: Config) -> Result<(), ServeError> {
    let listen = |source| ServeError::Listen { address: config.listen, source };
    // The port first: whoever has it taken hears so before anything is written.
    let listener = TcpListener::bind(config.listen).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let running = Running::open(&config, Edges::default()).await?;
    running.announce(address, config.web);
    let shutdown = running.shutdown.clone();
    // Without pages it still says whether it lives and works.
    let app = if config.web { router(&running.portal) } else { probes(&running.portal) };
    let until = async {
        signalled().await;
        tracing::info!("ending: open requests are answered first");
        shutdown.cancel();
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = listen::serve(listener, app, shutdown.clone()) => {}
        () = until => {}
    }
    running.close().await;
    Ok(())
}

impl Running {
    /// Opens plane, sample world, database and caches, and starts what works in the background.
    ///
    /// # Errors
    /// Something cannot be opened, or the sample world does not fit.
    pub async fn open(config: &Config, edges: Edges) -> Result<Self, ServeError> {
        let folder = Folder::open(&config.storage).map_err(ServeError::Folder)?;
        let files = config.examples.clone().map_or(Files::BuiltIn, Files::Directory);
        let world = World::read(&files)?;
        let identities = Identities::open(&folder, &world.people, &*edges.random).map_err(ServeError::Folder)?;
        let Embedded { plane, endpoint, listener, server } =
            embedded::open(&folder, config.plane_listen, &identities, edges.clock.clone()).await?;
        let shutdown = CancellationToken::new();
        let tasks = TaskTracker::new();

        let token = |name: &'static str| identities.token(name).cloned().ok_or(ServeError::Identity(name));
        let operators = Operators::new(plane.router(), token(identity::OPERATOR)?.expose(), embedded::clock(&edges.clock), edges.pace);
        load::load(&world, &files, &endpoint, &token(identity::ADMIN)?).await?;
        tasks.spawn(operators.run(shutdown.clone()));
        tasks.spawn(listener.serve(plane.router(), shutdown.clone()));
        let homes: Vec<WorkspacePath> = world.trusted_homes().cloned().collect();
        hand_out(&folder, &server, &identities, &world, &endpoint).await?;

        let clock: Arc<dyn cluster::Clock> = {
            let clock = edges.clock.clone();
            Arc::new(move || clock.now())
        };
        let topology = Topology::Workspaces { provider: world.provider.clone() };
        let access = Access { endpoint: endpoint.clone(), token: token(identity::PORTAL)?, topology: topology.clone() };
        let caches = Caches::start(access, Reader::Portal, clock.clone(), &tasks, &shutdown);
        let controller = if config.controller {
            let access = Access { endpoint: endpoint.clone(), token: token(identity::CONTROLLER)?, topology };
            let identity = CONTROLLER_INSTANCE.to_owned();
            let random: Arc<dyn cluster::Random> = {
                let random = edges.random.clone();
                Arc::new(move |bytes: &mut [u8]| random.fill(bytes))
            };
            let options = fulfil::Options { access, trusted_homes: homes.clone(), identity, clock, random, workers: 8, evaluations: 2 };
            let controller = fulfil::Controller::new(options);
            let standing = controller.standing();
            tasks.spawn(controller.run(shutdown.clone()));
            Some(standing)
        } else {
            None
        };
        let store = open_store(&folder, &*edges.random).await?;
        let style = if config.public_url.as_ref().is_some_and(|url| url.secure) { CookieStyle::Secure } else { CookieStyle::Plain };
        let people = world.people.iter().filter_map(|person| Some((person.clone(), identities.token(&person.name)?.clone())));
        let portal = Arc::new(Portal {
            rights: Rights::new(endpoint.clone(), edges.clock.clone()),
            clock: edges.clock,
            random: edges.random,
            store,
            plane: config.plane,
            endpoint: endpoint.clone(),
            world: caches,
            controller,
            callers: Callers::default(),
            evaluations: Arc::new(Semaphore::new(EVALUATIONS)),
            streams: Streams::default(),
            doors: Doors::embedded(people.collect(), style),
            trusted_homes: homes,
            public_authority: config.public_url.as_ref().map(|url| url.authority.clone()),
            assets: Assets::open(&config.site),
            shutdown: shutdown.clone(),
        });
        tasks.spawn(sweep(portal.clone()));
        portal.world.synced().await;
        Ok(Self { portal, endpoint, identities, world, folder, tasks, shutdown })
    }

    /// Tells people where to go.
    fn announce(&self, address: SocketAddr, pages: bool) {
        let names: Vec<&str> = self.world.people.iter().map(|person| person.name.as_str()).collect();
        if pages {
            eprintln!("\n  OPM Portal on the embedded plane, for trying out: http://{address}\n");
            eprintln!("  sign in as  {}", names.join(", "));
        } else {
            eprintln!("\n  OPM Portal on the embedded plane, without pages; probes at http://{address}\n");
        }
        eprintln!("  kubectl     export KUBECONFIG={}\n", self.folder.kubeconfig().display());
    }

    /// Ends everything in turn.
    pub async fn close(self) {
        self.shutdown.cancel();
        self.tasks.close();
        if tokio::time::timeout(GRACE, self.tasks.wait()).await.is_err() {
            tracing::warn!("some work did not end in time");
        }
        self.portal.store.close().await;
    }
}

/// Writes the kubeconfig for people, and the one by which each trusted home reaches the sandbox cluster.
async fn hand_out(
    folder: &Folder,
    server: &Server,
    identities: &Identities,
    world: &World,
    endpoint: &cluster::Endpoint,
) -> Result<(), ServeError> {
    let people: Vec<String> = world.people.iter().map(|person| person.name.clone()).collect();
    let workspaces: Vec<WorkspacePath> = world.workspaces.iter().map(|workspace| workspace.path.clone()).collect();
    let file = kubeconfig::for_people(server, identities, &people, &workspaces);
    write_private(&folder.kubeconfig(), &format!("{file:#}\n")).map_err(ServeError::Folder)?;
    let admin = identities.token(identity::ADMIN).ok_or(ServeError::Identity(identity::ADMIN))?;
    let writer = identities.get(identity::DESTINATION).ok_or(ServeError::Identity(identity::DESTINATION))?;
    let file = kubeconfig::for_destination(server, writer);
    for home in world.trusted_homes() {
        load::write_destination(home, &file, endpoint, admin).await?;
    }
    Ok(())
}

async fn open_store(folder: &Folder, random: &dyn store::Random) -> Result<Store, ServeError> {
    if folder.is_temporary() {
        return Ok(Store::memory(SealKeys::ephemeral(random)).await?);
    }
    let keys = SealKeys::open(&folder.session_key(), random)?;
    Ok(Store::open(&folder.database(), keys).await?)
}

async fn sweep(portal: Arc<Portal>) {
    loop {
        tokio::select! {
            () = portal.shutdown.cancelled() => return,
            () = tokio::time::sleep(SWEEP) => {}
        }
        if let Err(error) = portal.store.sweep(portal.clock.now()).await {
            tracing::warn!(%error, "expired sessions and drafts could not be removed");
        }
    }
}

/// Ends when the process is asked to end.
pub async fn signalled() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "Ctrl-C cannot be heard");
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(error) => {
                tracing::error!(%error, "SIGTERM cannot be heard");
                std::future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
