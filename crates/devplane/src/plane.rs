//! The plane as a whole: what it is opened with, and the state that all its parts share.
//! Source: none upstream: how the plane is put together.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    admission::programs::Programs,
    authn::{
        Authenticator,
        configuration::{Anonymous, AuthenticationConfiguration},
        impersonation::Impersonation,
        issuers::{Issuers, IssuersError},
    },
    bootstrap,
    clock::{Clock, SystemClock},
    controllers, deletion, expiry,
    exports::view::Views,
    garbage,
    http::{self, bodies::Bodies},
    openapi::Indexes,
    parsed::Parsed,
    random::{Random, SystemRandom},
    registry::{GroupResource, Registry},
    store::{Key, Storage, Store, StoreError, WriteError},
    supervisor::Supervisor,
    watches::Watches,
    workspaces,
};

/// A bearer token and whose it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The secret, as sent after `Bearer `.
    pub token: String,
    /// User name.
    pub username: String,
    /// Uid, may be empty.
    pub uid: String,
    /// Groups; `system:authenticated` is added.
    pub groups: Vec<String>,
}

impl std::fmt::Debug for Token {
    /// Leaves the secret out, so that it cannot reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("username", &self.username).field("groups", &self.groups).finish_non_exhaustive()
    }
}

/// How a plane is opened.
pub struct Options {
    /// Where objects are kept.
    pub storage: Storage,
    /// Who may enter at all.
    pub tokens: Vec<Token>,
    /// Issuers whose tokens are accepted, and whether anonymous requests are allowed.
    pub authentication: AuthenticationConfiguration,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Whether the plane empties namespaces that are deleted, collects garbage and counts for the quotas of the cluster at the top. A
    /// bare API server leaves that to a controller manager.
    pub controllers: bool,
    /// `https://host:port` by which clients reach the plane: it stands in `spec.URL` of workspaces and in endpoint slices.
    pub external_url: String,
    /// How often a watch that asked for bookmarks gets one.
    pub bookmarks: Duration,
    /// Objects that the plane begins with, exactly as they are here, uids and times included. What is stored already stays.
    pub initial: Vec<Initial>,
}

/// An object that a plane begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Initial {
    /// Its resource.
    pub resource: GroupResource,
    /// Its place.
    pub key: Key,
    /// The object.
    pub object: Value,
}

/// As often as the real server sends bookmarks.
const BOOKMARKS: Duration = Duration::from_secs(60);

impl Options {
    /// Options with the machine's clock and random source.
    pub fn new(storage: Storage, tokens: Vec<Token>, external_url: impl Into<String>) -> Self {
        Self {
            storage,
            tokens,
            authentication: AuthenticationConfiguration::default(),
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            controllers: true,
            external_url: external_url.into(),
            bookmarks: BOOKMARKS,
            initial: Vec::new(),
        }
    }
}

/// Why a plane cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The issuers of tokens cannot be asked.
    #[error(transparent)]
    Issuers(#[from] IssuersError),
    /// Its first objects cannot be written.
    #[error("the plane can't write its first objects: {0}")]
    Bootstrap(String),
}

/// What all parts of the plane share. Cheap to clone.
#[derive(Clone)]
pub struct State(Arc<Shared>);

/// The fields of [`State`].
pub struct Shared {
    /// Objects.
    pub store: Store,
    /// Which resources clusters serve.
    pub registry: Registry,
    /// Roles and bindings, read.
    pub parsed: Parsed,
    /// What virtual workspaces know of their consumers.
    pub views: Views,
    /// Expressions of policies, compiled.
    pub programs: Programs,
    /// Known tokens.
    pub authenticator: Authenticator,
    /// Those who issue tokens.
    pub issuers: Issuers,
    /// Which requests need no token.
    pub anonymous: Anonymous,
    /// Who acted as somebody else.
    pub impersonation: Impersonation,
    /// Indexes of OpenAPI documents.
    pub openapi: Indexes,
    /// Bodies of requests under way.
    pub bodies: Bodies,
    /// Bodies of answers that are not read yet.
    pub answers: Bodies,
    /// How the plane's own tasks are.
    pub supervisor: Supervisor,
    /// Open watches.
    pub watches: Watches,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// See [`Options::external_url`].
    pub external_url: String,
    /// See [`Options::controllers`].
    pub controllers: bool,
    /// See [`Options::bookmarks`].
    pub bookmarks: Duration,
}

impl std::ops::Deref for State {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// An open plane. Cheap to clone.
#[derive(Clone)]
pub struct Plane {
    state: State,
}

impl Plane {
    /// Opens a plane and starts what goes on in it. To be called in a tokio runtime, with which that ends.
    ///
    /// # Errors
    /// When the storage cannot be opened or the first objects cannot be written.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let Options { storage, tokens, authentication, clock, random, controllers, external_url, bookmarks, initial } = options;
        let issuers = Issuers::new(authentication.jwt, &clock)?;
        let store = Store::open(&storage, clock.clone())?;
        let state = State(Arc::new(Shared {
            store,
            registry: Registry::default(),
            parsed: Parsed::default(),
            views: Views::default(),
            programs: Programs::default(),
            authenticator: Authenticator::new(tokens),
            issuers,
            anonymous: authentication.anonymous,
            impersonation: Impersonation::default(),
            openapi: Indexes::default(),
            bodies: Bodies::of_requests(),
            answers: Bodies::of_answers(),
            supervisor: Supervisor::default(),
            watches: Watches::default(),
            clock,
            random,
            external_url,
            controllers,
            bookmarks,
        }));
        let new = state.store.is_new();
        bootstrap::initial(&state, initial)?;
        bootstrap::sandbox(&state)?;
        workspaces::controller::bootstrap(&state).map_err(|error| OpenError::Bootstrap(error.to_string()))?;
        if new {
            // Nobody can have seen an earlier version; a client that names one has to list anew.
            state.store.begin_history();
        }
        let plane = Self { state };
        plane.state.issuers.start();
        plane.supervise(controllers::TASK, controllers::run);
        plane.supervise(deletion::TASK, move |state| deletion::run(state, controllers));
        plane.supervise(expiry::TASK, expiry::run);
        if controllers {
            plane.supervise(garbage::TASK, garbage::run);
        }
        Ok(plane)
    }

    fn supervise<F>(&self, name: &'static str, task: impl Fn(State) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), WriteError>> + Send + 'static,
    {
        let state = self.state.clone();
        tokio::spawn(self.state.supervisor.clone().run(name, move || task(state.clone())));
    }

    /// All paths of the plane. Every request needs a token, except for what Kubernetes opens to anonymous users.
    pub fn router(&self) -> axum::Router {
        http::router(self.state.clone())
    }

    /// What of it does not work, and why; nothing while it is well. `/livez` and `/readyz` follow from the same.
    pub fn failures(&self) -> Vec<String> {
        let storage = self.state.store.failure().map(|why| format!("its storage does not accept writes: {why}"));
        let tasks = self.state.supervisor.failures().into_iter().map(|(name, why)| format!("{name}: {why}"));
        storage.into_iter().chain(tasks).collect()
    }

    /// The state that the plane's parts share.
    pub fn state(&self) -> &State {
        &self.state
    }
}
