//! `opm-portal serve`: opens everything, serves until told to stop, and closes everything in order.

mod announce;
mod embedded;
mod ending;
mod ground;
pub mod kubeconfig;
mod sweeping;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use cluster::controller::{Controller, Options as ControllerOptions};
use cluster::endpoint::OwnError;
use cluster::projection::Reader;
use cluster::world::UnreadShards;
use cluster::{Topology, World as Caches};
use devplane::sandbox::Pace;
use futures::future::BoxFuture;
use ledger::Months;
use notify::{Notify, People};
use store::{SealKeys, Store};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::audit::{self, AnchorFile, AuditLog};
use crate::auth::SignIn;
use crate::auth::cookie::CookieStyle;
use crate::background::Background;
use crate::clock::{Clock, System};
use crate::config::{Config, ConfigError, NotifyError, PlaneConfig};
use crate::history::{HistoryError, memory};
use crate::limits::{RequestLimits, Streams};
use crate::links;
use crate::plane::Folder;
use crate::plane::authentication::AuthenticationError;
use crate::plane::embedded::EmbeddedError;
use crate::portal::Portal;
use crate::portal::approvals::approval_index::ApprovalIndex;
use crate::portal::by_place::ByPlace;
use crate::portal::caller::{Callers, Renewals};
use crate::portal::catalog::index::CatalogIndex;
use crate::portal::catalog::prices::ListPrices;
use crate::portal::cost::shortfalls::Shortfalls;
use crate::portal::fleet::{self, Rollouts};
use crate::portal::navigation::Navigations;
use crate::portal::register::Register;
use crate::portal::replicas;
use crate::portal::requests::cheaper::CheaperChoices;
use crate::portal::requests::index::RequestIndex;
use crate::portal::requests::references::References;
use crate::portal::rights::Rights;
use crate::portal::runs::index::RunIndex;
use crate::portal::search::SearchIndex;
use crate::router::{metrics, probes, router};
use crate::sample::SampleError;
use crate::telemetry;
use crate::tickets;
use crate::web::assets::Assets;
use crate::web::listen;
use crate::web::response_cache::ResponseCache;

use embedded::Opening;
pub use embedded::Sandbox;
use ending::Ending;
pub use ground::Ground;

/// How long open requests can take to finish.
const GRACE: Duration = Duration::from_secs(10);

/// Why serving can't start or continue.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The data directory can't be used.
    #[error("the data directory can't be used")]
    Folder(#[source] io::Error),
    /// The listen address can't be used.
    #[error("can't serve {what} on {address}: {source} (choose another port with {option}, 0 for any)")]
    Listen {
        /// What is served there.
        what: &'static str,
        /// The option that chooses the port.
        option: &'static str,
        /// The listen address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The embedded plane can't be opened.
    #[error(transparent)]
    Plane(#[from] EmbeddedError),
    /// The file of `--authentication-config` can't be used.
    #[error(transparent)]
    Authentication(#[from] AuthenticationError),
    /// The database can't be opened.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The sample world can't be loaded.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The simulated ticket system can't be opened.
    #[error(transparent)]
    Tickets(#[from] tickets::OpenError),
    /// The sample world can't begin with its history.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The operator's kubeconfig can't be used.
    #[error(transparent)]
    Kubeconfig(#[from] OwnError),
    /// The kubeconfig's server isn't ready for the portal.
    #[error("{context}: {why}")]
    Server {
        /// Name of the context.
        context: String,
        /// What is missing, and how to fix it.
        why: String,
    },
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The anchor file of the audit log can't be written.
    #[error("--audit-anchor {path}: {source}")]
    Anchor {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// On kcp, an identity that impersonates people would have to be allowed to in every workspace.
    #[error(
        "--oidc-impersonate: {0} impersonates people, which works on plain Kubernetes only; on kcp, have the server trust the issuer with its \
         --authentication-config, and start the portal without this option"
    )]
    Impersonation(String),
    /// A required identity is missing.
    #[error("the control plane doesn't know {0}")]
    Identity(&'static str),
}

/// Sources of time and randomness, which tests can replace.
#[derive(Clone)]
pub struct Edges {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The random source.
    pub random: Arc<dyn store::Random>,
    /// How quickly the sandbox's simulated workloads come up.
    pub pace: Pace,
}

impl Default for Edges {
    fn default() -> Self {
        Self { clock: Arc::new(System), random: Arc::new(System), pace: Pace::BELIEVABLE }
    }
}

/// A running portal with everything that it opened. Tests use it without a socket.
pub struct Running {
    /// The portal, from which the router is built.
    pub portal: Arc<Portal>,
    /// What exists only with an embedded plane.
    pub sandbox: Option<Sandbox>,
    /// In memory-only mode it is removed with the process.
    _folder: Folder,
    tasks: TaskTracker,
    shutdown: CancellationToken,
    ending: Ending,
}

/// Serves until Ctrl-C or SIGTERM.
///
/// # Errors
/// If something can't be opened.
pub async fn until_signalled(config: Config) -> Result<(), ServeError> {
    // The ports first, so that a taken port is reported before anything is written.
    let (listener, address) = bind(config.listen, "pages", "--port").await?;
    let for_metrics = match config.metrics {
        Some(address) => Some(bind(address, "metrics", "--metrics-port").await?),
        None => None,
    };
    let running = Running::open(&config, Edges::default()).await?;
    running.announce(address, config.web);
    if let Some((listener, address)) = for_metrics {
        tracing::info!(%address, "serving metrics");
        running.tasks.spawn(listen::serve(listener, metrics(&running.portal), running.shutdown.clone()));
    }
    let shutdown = running.shutdown.clone();
    // Without pages it still serves the health probes.
    let app = if config.web { router(&running.portal) } else { probes(&running.portal) };
    let until = async {
        signalled().await;
        tracing::info!("shutting down: finishing open requests");
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

/// Checks that people are impersonated on plain Kubernetes only.
fn check_impersonation(config: &Config, topology: &Topology) -> Result<(), ServeError> {
    let impersonates = config.sign_in.providers.iter().find(|provider| provider.impersonation.is_some());
    match (topology, impersonates) {
        (Topology::Workspaces { .. }, Some(provider)) => Err(ServeError::Impersonation(format!("the identity provider {}", provider.name))),
        _ => Ok(()),
    }
}

/// Listens on an address, and returns it with the port that the system chose.
async fn bind(address: SocketAddr, what: &'static str, option: &'static str) -> Result<(TcpListener, SocketAddr), ServeError> {
    let refused = |source| ServeError::Listen { what, option, address, source };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

impl Running {
    /// Opens plane, database and caches, and starts the background tasks.
    ///
    /// # Errors
    /// If something can't be opened.
    pub async fn open(config: &Config, edges: Edges) -> Result<Self, ServeError> {
        let folder = Folder::open(&config.storage).map_err(ServeError::Folder)?;
        let shutdown = CancellationToken::new();
        let tasks = TaskTracker::new();
        if config.metrics.is_some() && telemetry::start() {
            tasks.spawn(telemetry::keep(shutdown.clone()));
        }
        let (ground, sandbox) = match &config.plane {
            PlaneConfig::Embedded { listen, examples, history, authentication } => {
                let (examples, authentication) = (examples.as_deref(), authentication.as_deref());
                let opening = Opening { listen: *listen, examples, history: *history, authentication };
                let opened = embedded::open(&folder, opening, &edges, &tasks, &shutdown).await?;
                (opened.0, Some(opened.1))
            }
            PlaneConfig::Kubeconfig { server, trusted_homes } => {
                let roles = kubeconfig::Roles { web: config.web, controller: config.controller };
                (kubeconfig::open(server, trusted_homes, &roles, &edges, &tasks, &shutdown).await?, None)
            }
        };
        check_impersonation(config, &ground.topology)?;
        let clock = cluster_clock(&edges);
        let access = ground.access(&ground.portal);
        // A controller keeps caches of its own while it leads. Those of an embedded plane are read by what is beside it, too.
        let keeps_caches = config.web || sandbox.is_some();
        let caches =
            if keeps_caches { Caches::start(access, Reader::Portal, clock.clone(), &tasks, &shutdown) } else { Caches::empty(access) };
        let instance = folder.instance(&*edges.random).map_err(ServeError::Folder)?;
        // Identity in the controller's Lease. Of two processes with the same directory only one must lead, and the next one takes over at
        // once after a crash. Only one process can open the embedded plane.
        let identity = match &sandbox {
            Some(_) => instance.clone(),
            None => folder.process(&*edges.random).map_err(ServeError::Folder)?,
        };
        let ending = Ending::of(folder.lock(), &tasks, &shutdown);
        let past = sandbox.as_ref().and_then(|sandbox| sandbox.past.as_ref());
        let controller = ground.controller.as_ref().filter(|_| config.controller).map(|token| {
            let random: Arc<dyn cluster::Random> = {
                let random = edges.random.clone();
                Arc::new(move |bytes: &mut [u8]| random.fill(bytes))
            };
            let controller = Controller::new(ControllerOptions {
                access: ground.access(token),
                trusted_homes: ground.trusted_homes.clone(),
                identity: identity.clone(),
                clock: clock.clone(),
                random,
                workers: 16,
                evaluations: 2,
                // Beside pages, those that pages don't read are reported.
                unread_shards: if keeps_caches { UnreadShards::default() } else { caches.unread_shards.clone() },
            });
            let state = controller.state();
            tasks.spawn(controller.run(shutdown.clone()));
            state
        });
        let store = open_store(config, &folder, &*edges.random).await?;
        if let Some((sandbox, past)) = sandbox.as_ref().zip(past).filter(|_| config.web) {
            memory::remember(&store, past, &sandbox.world, &sandbox.files).await?;
        }
        let audit = open_audit_log(config, &store, instance.clone(), &edges).await?;
        let style = if config.public_url.as_ref().is_some_and(|url| url.secure) { CookieStyle::Secure } else { CookieStyle::Plain };
        let account = ground.account();
        let sign_in = SignIn::new(&config.sign_in, ground.people, config.public_url.as_ref(), style).map_err(ConfigError::from)?;
        let people = sign_in.people().map(|person| (person.name.clone(), person.display_name.clone())).collect();
        let people = Arc::new(People::new(people));
        let notify = Notify::new(config.notify.clone(), store.clone(), people.clone(), clock, links::of, instance);
        let notify = notify.map_err(|_| unusable_mail())?.quiet_until(past.map(|past| past.end));
        let portal = Arc::new(Portal {
            rights: Rights::new(ground.endpoint.clone(), edges.clock.clone()),
            limits: RequestLimits::new(&config.limits, edges.clock.clone()),
            clock: edges.clock,
            random: edges.random,
            store,
            plane: ground.plane,
            embedded: sandbox.as_ref().map(|sandbox| sandbox.plane.clone()),
            endpoint: ground.endpoint,
            token: ground.portal,
            account,
            world: caches,
            keeps_caches,
            controller,
            callers: Callers::default(),
            renewals: Renewals::default(),
            compiled: Arc::default(),
            approval_index: ApprovalIndex::default(),
            shelves: ByPlace::default(),
            request_index: RequestIndex::default(),
            register: Register::default(),
            navigations: Navigations::default(),
            responses: ResponseCache::default(),
            writes: AtomicU64::default(),
            search: SearchIndex::default(),
            catalogs: CatalogIndex::default(),
            list_prices: ListPrices::default(),
            months: Months::default(),
            shortfalls: Shortfalls::default(),
            cheaper: CheaperChoices::default(),
            references: References::default(),
            runs: RunIndex::default(),
            policies: Arc::default(),
            notify,
            rollouts: Rollouts::of(identity),
            streams: Streams::default(),
            audit,
            background: Background::default(),
            people,
            sign_in,
            trusted_homes: ground.trusted_homes,
            public_authority: config.public_url.as_ref().map(|url| url.authority.clone()),
            public_url: config.public_url.as_ref().map(ToString::to_string),
            public_secure: config.public_url.as_ref().is_some_and(|url| url.secure),
            assets: Assets::of_this_binary(),
            shutdown: shutdown.clone(),
        });
        // Before the first page is served: replicas of another version might be asked for its files.
        if config.web && (portal.store.is_shared() || !folder.is_temporary()) {
            keep_site_files(&portal).await?;
        }
        let beside = |name: &'static str, start: fn(Arc<Portal>) -> BoxFuture<'static, ()>| {
            let of = portal.clone();
            portal.background.spawn(&tasks, name, move || start(of.clone()));
        };
        beside("cleanup of expired data", |portal| Box::pin(sweeping::sweep(portal)));
        // The process that serves pages also sends notifications and keeps the ledger; a controller alone doesn't use the database.
        if config.web {
            beside("cost ledger", |portal| Box::pin(keep_ledger(portal)));
            beside("notifications", |portal| Box::pin(async move { portal.notify.follow(&portal.world, &portal.shutdown).await }));
            beside("audit log", |portal| {
                Box::pin(async move { audit::follow(&portal.world, &portal.store, &portal.audit, &*portal.clock, &portal.shutdown).await })
            });
            beside("notices of other replicas", |portal| Box::pin(replicas::follow(portal)));
            beside("rollouts", |portal| Box::pin(fleet::follow(portal)));
            beside("messages", |portal| Box::pin(async move { portal.notify.send(&portal.shutdown).await }));
        }
        // With an embedded plane everything syncs at once; elsewhere pages say what they are still waiting for.
        if sandbox.is_some() {
            portal.world.synced().await;
            if config.web {
                portal.audit.follows().await;
            }
        }
        Ok(Self { portal, sandbox, _folder: folder, tasks, shutdown, ending })
    }

    /// Stops everything in order. The data directory stays locked while a task hasn't stopped.
    pub async fn close(self) {
        self.shutdown.cancel();
        self.tasks.close();
        if !self.ending.within(GRACE).await {
            tracing::warn!("some tasks did not stop in time");
        }
        self.portal.callers.forget_all();
        self.portal.audit.close().await;
        self.portal.store.close().await;
    }
}

/// Wraps the portal's clock for the `cluster` crate.
fn cluster_clock(edges: &Edges) -> Arc<dyn cluster::Clock> {
    let clock = edges.clock.clone();
    Arc::new(move || clock.now())
}

async fn open_store(config: &Config, folder: &Folder, random: &dyn store::Random) -> Result<Store, ServeError> {
    let keys = match &config.session_key_file {
        Some(file) => SealKeys::provided(file)?,
        None if folder.is_temporary() => SealKeys::ephemeral(random),
        None => SealKeys::open(&folder.session_key(), random)?,
    };
    Ok(match &config.database {
        Some(address) => Store::connect(address.reveal(), keys).await?,
        None if folder.is_temporary() => Store::memory(keys).await?,
        None => Store::open(&folder.private_database().map_err(ServeError::Folder)?, keys).await?,
    })
}

/// Opens the audit log, and records what an earlier process left without an outcome. A controller alone changes nothing for people.
async fn open_audit_log(config: &Config, store: &Store, instance: String, edges: &Edges) -> Result<AuditLog, ServeError> {
    let anchor = match &config.audit.anchor {
        Some(path) => Some(AnchorFile::open(path).map_err(|source| ServeError::Anchor { path: path.clone(), source })?),
        None => None,
    };
    let log = AuditLog::start(store.clone(), instance, &config.audit, anchor, edges.clock.clone(), edges.random.clone());
    if config.web {
        log.take_over(store, edges.clock.now()).await?;
    }
    Ok(log)
}

/// Both were checked when the arguments were read.
fn unusable_mail() -> ConfigError {
    NotifyError::of("--smtp-url or --mail-from: invalid value").into()
}

async fn keep_ledger(portal: Arc<Portal>) {
    let clock = portal.clock.clone();
    portal.ledger().keep(&move || clock.now(), &portal.shutdown).await;
}

async fn keep_site_files(portal: &Portal) -> store::Result<()> {
    portal.store.keep_site_files(&portal.assets.versioned(), portal.clock.now(), &*portal.random).await
}

/// Waits for a signal to stop the process.
pub async fn signalled() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "can't listen for Ctrl-C");
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
                tracing::error!(%error, "can't listen for SIGTERM");
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
