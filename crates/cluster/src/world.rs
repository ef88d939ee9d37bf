//! Everything that our exports show, as caches of one identity.
//!
//! Portal and controller each have their own, created with their own token: they share no memory, and either can run elsewhere.

mod served;
mod unread_shards;

use std::borrow::Cow;
use std::sync::Arc;

use futures::future::select_all;
use imbl::OrdMap;
use kube::Client;
use kube::api::DynamicObject;
use kube::core::{ApiResource, GroupVersionKind};
use parking_lot::{Mutex, RwLock};
use promise::names;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::unread_shards::UnreadShards;
use crate::clock::Clock;
use crate::endpoint::{Endpoint, Scope, Token};
use crate::install::{SYSTEM_NAMESPACE, content_remedy, remedy};
use crate::kinds::{
    self, Approval, Destination, Export, Kind, Object, Policy, Promise, PromiseAction, PromiseCatalog, PromiseRequest, PromiseRevision,
    PromiseWorkflow,
};
use crate::orphans::{self, Orphan};
use crate::projection::{CachedRelease, CachedRow, Projected, Reader, bare};
use crate::provider::ExportAddress;
use crate::topology::Topology;
use crate::usage::Totals;
use crate::watch::{Cache, Origin, Row, Source};
use crate::workspaces::{BindingRow, ClusterId, Standing, Tree, WorkspaceRow};

/// Both exports, in the order in which arrays keep values for each.
const EXPORTS: [Export; 2] = [Export::Requests, Export::Catalog];

/// Where an export is read.
type Served = (Endpoint, ExportAddress);

/// No workspace has bound the export yet, so the control plane doesn't say where it is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The exports aren't served yet.")]
pub struct ExportsNotServed;

/// Receiver for the reason why something can't be read, now and later.
type Trouble = watch::Receiver<Option<promise::Error>>;

/// The identity, and where the exports are.
#[derive(Clone)]
pub struct Access {
    /// The control plane.
    pub endpoint: Endpoint,
    /// Identity of these caches.
    pub token: Token,
    /// How workspaces are represented on the control plane.
    pub topology: Topology,
}

/// Declares the caches of our kinds. What is done with all of them follows from this list.
macro_rules! world {
    ($($(#[$doc:meta])* $cache:ident: $row:ty,)*) => {
        /// Everything that our exports show. Clones share the content.
        #[derive(Clone)]
        pub struct World {
            $($(#[$doc])* pub $cache: Cache<$row>,)*
            /// Workspace objects of all workspaces that let us see them; on plain Kubernetes the namespaces.
            pub workspaces: Cache<WorkspaceRow>,
            /// Bindings of the requests export; not needed on plain Kubernetes.
            pub request_bindings: Cache<BindingRow>,
            /// Bindings of the catalog export; not needed on plain Kubernetes.
            pub catalog_bindings: Cache<BindingRow>,
            /// What deleted requests handed over.
            pub orphans: Cache<Orphan>,
            tree: Arc<watch::Sender<Arc<Tree>>>,
            /// What is accepted, once a caller needed to count it.
            pub(crate) totals: Arc<Mutex<Option<Totals>>>,
            access: Access,
            /// Where the exports are read, once the control plane serves them.
            served: Arc<[RwLock<Option<Served>>; 2]>,
            /// Shards that have consumers of ours and aren't read: nothing of their workspaces is known here.
            pub unread_shards: UnreadShards,
            /// Why it isn't known where an export is served, by export.
            slices: Arc<[watch::Sender<Option<promise::Error>>; 2]>,
        }

        impl World {
            /// Creates caches that nothing fills, for a process that doesn't read them.
            pub fn empty(access: Access) -> Self {
                let bindings = || match access.topology {
                    Topology::Workspaces { .. } => Cache::default(),
                    Topology::Namespaces => Cache::of_nothing(),
                };
                Self {
                    $($cache: Cache::default(),)*
                    workspaces: Cache::default(),
                    request_bindings: bindings(),
                    catalog_bindings: bindings(),
                    orphans: Cache::default(),
                    tree: Arc::new(watch::Sender::new(Arc::new(Tree::new(access.topology.root(), &OrdMap::new())))),
                    totals: Arc::default(),
                    access,
                    served: Arc::default(),
                    unread_shards: UnreadShards::default(),
                    slices: Arc::default(),
                }
            }

            /// Fills the caches of the kinds of an export.
            fn read(&self, export: Export, with: &Feeder) {
                $(with.kind_of(export, &self.$cache);)*
            }

            /// Returns the caches of our kinds.
            fn own(&self) -> Vec<OwnCache> {
                vec![$(OwnCache::of(stringify!($cache), &self.$cache),)*]
            }

            /// Returns the number of changes of the caches of our kinds.
            fn own_version(&self) -> u64 {
                0 $(+ self.$cache.version())*
            }

            /// Waits until the caches of our kinds were read once.
            async fn own_synced(&self) {
                $(self.$cache.synced().await;)*
            }
        }
    };
}

world! {
    /// Requests of all workspaces.
    requests: PromiseRequest,
    /// Releases of all workspaces.
    releases: CachedRelease,
    /// Runs of actions of all workspaces.
    actions: PromiseAction,
    /// Promises of all workspaces.
    promises: Promise,
    /// Revisions of all workspaces.
    revisions: PromiseRevision,
    /// Catalogs of all workspaces.
    catalogs: PromiseCatalog,
    /// Policies of all workspaces.
    policies: Policy,
    /// Approvals of all workspaces; each counts only where its rule is set.
    approvals: Approval,
    /// Destinations of all workspaces.
    destinations: Destination,
    /// Endpoints of all workspaces.
    endpoints: kinds::Endpoint,
    /// Workflows of all workspaces.
    workflows: PromiseWorkflow,
}

/// What is known of the cache of one of our kinds.
struct OwnCache {
    /// What it holds, as a noun.
    what: &'static str,
    export: Export,
    /// Why it can't be read.
    trouble: Trouble,
}

impl OwnCache {
    fn of<V: CachedRow>(what: &'static str, cache: &Cache<V>) -> Self {
        Self { what, export: V::Kind::EXPORT, trouble: cache.trouble() }
    }
}

impl World {
    /// Starts to fill the caches, in tasks of `tasks`, until `shutdown`. Every cache is empty and `Starting` at first.
    ///
    /// Only what `reader` reads is kept of each object.
    pub fn start(access: Access, reader: Reader, clock: Arc<dyn Clock>, tasks: &TaskTracker, shutdown: &CancellationToken) -> Self {
        Self::start_recording(access, UnreadShards::default(), reader, clock, tasks, shutdown)
    }

    /// Like [`World::start`], and records in `unread_shards` the shards that aren't read.
    pub fn start_recording(
        access: Access,
        unread_shards: UnreadShards,
        reader: Reader,
        clock: Arc<dyn Clock>,
        tasks: &TaskTracker,
        shutdown: &CancellationToken,
    ) -> Self {
        let world = Self { unread_shards, ..Self::empty(access) };
        tasks.spawn(world.clone().grow_tree(shutdown.clone()));
        tasks.spawn(world.clone().keep_totals(shutdown.clone()));
        let feeder =
            |client, origin| Feeder { client, origin, reader, clock: clock.clone(), tasks: tasks.clone(), shutdown: shutdown.clone() };
        let own = feeder(access_client(&world.access), Origin::One(world.access.topology.root()));
        let orphans = Source::dynamic(own.client.clone(), orphans::config_maps());
        let orphans = orphans.labelled(names::ORPHANED_LABEL).within(Some(SYSTEM_NAMESPACE.to_owned()));
        own.feed(orphans, &world.orphans, Orphan::read);
        match world.access.topology {
            Topology::Workspaces { .. } => {
                let with = feeder(world.access.endpoint.client(&world.access.token, &Scope::Root), Origin::Annotated);
                tasks.spawn(world.clone().follow(with));
            }
            Topology::Namespaces => {
                let with = feeder(world.access.endpoint.client(&world.access.token, &Scope::Root), Origin::Namespaces);
                with.feed(Source::dynamic(with.client.clone(), namespaces()), &world.workspaces, WorkspaceRow::of_namespace);
                EXPORTS.into_iter().for_each(|export| world.read(export, &with));
            }
        }
        world
    }

    /// Returns a number that grows with every change of any cache. Read it before the rows: then it is never newer than what was read.
    pub fn version(&self) -> u64 {
        let beside = [self.workspaces.version(), self.request_bindings.version(), self.catalog_bindings.version(), self.orphans.version()];
        self.own_version() + beside.iter().sum::<u64>()
    }

    /// Waits until every cache was read once, and the tree was built from it.
    pub async fn synced(&self) {
        tokio::join!(
            self.own_synced(),
            self.workspaces.synced(),
            self.request_bindings.synced(),
            self.catalog_bindings.synced(),
            self.orphans.synced(),
        );
        // The task that updates the tree might not have seen the workspaces yet.
        self.plant();
    }

    /// Builds the tree from what is known now. The rows are read under its lock, so that an older view never replaces a newer one.
    fn plant(&self) {
        self.tree.send_modify(|tree| *tree = Arc::new(Tree::new(self.access.topology.root(), &self.workspaces.snapshot())));
    }

    /// Returns the tree of workspaces, as of the last change.
    pub fn tree(&self) -> Arc<Tree> {
        self.tree.borrow().clone()
    }

    /// Returns a receiver for every tree from now on. The row of a workspace is reported earlier than the tree that contains it.
    pub fn tree_changes(&self) -> watch::Receiver<Arc<Tree>> {
        self.tree.subscribe()
    }

    /// Returns which workspaces bind which exports.
    pub fn standing(&self) -> Standing {
        match self.access.topology {
            Topology::Workspaces { .. } => {
                Standing::Bound { requests: self.request_bindings.snapshot(), catalog: self.catalog_bindings.snapshot() }
            }
            Topology::Namespaces => Standing::Everywhere(Arc::new(BindingRow::complete())),
        }
    }

    /// Returns a client for what an export shows in one workspace, as the identity of these caches. Errors before the first workspace has
    /// bound the export.
    pub fn within(&self, export: Export, workspace: &ClusterId) -> Result<Client, ExportsNotServed> {
        self.client(export, |address| address.within(workspace))
    }

    /// Returns a client for what an export shows in all workspaces, to list and watch. Errors like [`World::within`].
    pub fn everywhere(&self, export: Export) -> Result<Client, ExportsNotServed> {
        self.client(export, ExportAddress::everywhere)
    }

    fn client(&self, export: Export, scope: impl FnOnce(&ExportAddress) -> Scope) -> Result<Client, ExportsNotServed> {
        match self.access.topology {
            Topology::Workspaces { .. } => {
                let served = EXPORTS.iter().zip(&*self.served).find(|(of, _)| **of == export).and_then(|(_, served)| served.read().clone());
                let (endpoint, address) = served.ok_or(ExportsNotServed)?;
                Ok(endpoint.client(&self.access.token, &scope(&address)))
            }
            Topology::Namespaces => Ok(self.access.endpoint.client(&self.access.token, &Scope::Root)),
        }
    }

    /// Checks whether everything in a workspace is being deleted with it: its permissions, Secrets and releases might already be gone.
    pub fn is_leaving(&self, workspace: &ClusterId) -> bool {
        let row = self.tree().row_of(workspace).and_then(|key| self.workspaces.get(&key));
        row.is_some_and(|row| row.cluster == *workspace && row.deleting)
    }

    /// Returns the identity that these caches are read with.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Returns what can't be read at this moment and why, one or two sentences each. `who` is the reader.
    pub fn gaps(&self, who: &str) -> Vec<String> {
        let sentences = |gap: Gap| {
            let why = gap.trouble.borrow().clone()?;
            let who = promise::wording::upper_first(who);
            let sentence = format!("{who} can't read {}: {}.", gap.what, why.to_string().trim_end_matches('.'));
            Some(if matches!(why, promise::Error::Denied { .. }) { format!("{sentence} {}", gap.remedy) } else { sentence })
        };
        self.gaps_now().into_iter().filter_map(sentences).collect()
    }

    /// Returns what can't be read at this moment, as a noun, and why.
    pub fn troubles(&self) -> Vec<(String, promise::Error)> {
        self.gaps_now().into_iter().filter_map(|gap| Some((gap.what, gap.trouble.borrow().clone()?))).collect()
    }

    /// Returns the servers that the exports are read from.
    pub fn servers(&self) -> Vec<String> {
        let all: std::collections::BTreeSet<String> =
            self.served.iter().filter_map(|served| served.read().as_ref().map(|(_, address)| address.server.clone())).collect();
        all.into_iter().collect()
    }

    /// Reports when [`World::gaps`] might have changed.
    pub fn gap_changes(&self) -> GapChanges {
        GapChanges(self.gaps_now().into_iter().map(|gap| gap.trouble).collect())
    }

    fn gaps_now(&self) -> Vec<Gap> {
        let topology = &self.access.topology;
        let (on_kcp, places) = match topology {
            Topology::Workspaces { .. } => (true, "workspaces"),
            Topology::Namespaces => (false, "namespaces"),
        };
        let slices = EXPORTS.into_iter().zip(&*self.slices).filter(|_| on_kcp).map(|(export, trouble)| Gap {
            what: format!("the endpoint slice of {}", export.name()),
            remedy: remedy(topology).to_owned(),
            trouble: trouble.subscribe(),
        });
        let beside = [
            (places, Export::Requests, self.workspaces.trouble()),
            ("bindings", Export::Requests, self.request_bindings.trouble()),
            ("bindings", Export::Catalog, self.catalog_bindings.trouble()),
        ];
        let own = self.own().into_iter().map(|cache| (cache.what, cache.export, cache.trouble));
        let caches = beside.into_iter().chain(own);
        let caches = caches.map(|(what, export, trouble)| Gap {
            what: if on_kcp { format!("{what} through {}", export.name()) } else { what.to_owned() },
            remedy: content_remedy(topology, export),
            trouble,
        });
        let orphans =
            Gap { what: "the lists of orphaned objects".to_owned(), remedy: remedy(topology).to_owned(), trouble: self.orphans.trouble() };
        slices.chain(caches).chain([orphans]).collect()
    }

    async fn grow_tree(self, shutdown: CancellationToken) {
        let mut changes = self.workspaces.changes();
        loop {
            self.plant();
            let next = tokio::select! {
                () = shutdown.cancelled() => return,
                next = changes.recv() => next,
            };
            if matches!(next, Err(tokio::sync::broadcast::error::RecvError::Closed)) {
                return;
            }
            // One new tree for all changes that have arrived meanwhile.
            while !changes.is_empty() {
                let _ = changes.try_recv();
            }
        }
    }
}

/// Something that might not be readable at this moment.
struct Gap {
    what: String,
    /// What is missing and what to do when it is refused.
    remedy: String,
    trouble: Trouble,
}

/// See [`World::gap_changes`].
pub struct GapChanges(Vec<Trouble>);

impl GapChanges {
    /// Waits for the next change.
    pub async fn next(&mut self) {
        let changes = self.0.iter_mut().map(|trouble| Box::pin(trouble.changed()));
        // The senders live as long as the world, whose caches they belong to.
        let _ = select_all(changes).await;
    }
}

#[derive(Clone)]
struct Feeder {
    client: Client,
    origin: Origin,
    reader: Reader,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Feeder {
    fn feed<V, F>(&self, source: Source, cache: &Cache<V>, project: F)
    where
        V: Row + Send + Sync + 'static,
        F: Fn(DynamicObject) -> Option<V> + Send + Sync + 'static,
    {
        let source = source.told_apart(self.origin.clone());
        self.tasks.spawn(source.run(cache.clone(), project, self.clock.clone(), self.shutdown.clone()));
    }

    /// Fills the cache of a kind, if it is one of this export.
    fn kind_of<V: CachedRow + Send + Sync + 'static>(&self, export: Export, cache: &Cache<V>)
    where
        Object<V::Kind>: Projected,
    {
        if V::Kind::EXPORT != export {
            return;
        }
        let (reader, unread) = (self.reader, Object::<V::Kind>::UNREAD);
        let source = Source::of::<V::Kind>(self.client.clone());
        let source = if unread.is_empty() { source } else { source.in_part() };
        self.feed(source, cache, move |mut object: DynamicObject| {
            if let Some(spec) = object.data.get_mut("spec").and_then(Value::as_object_mut) {
                for field in unread {
                    spec.remove(*field);
                }
            }
            let mut object = typed::<V::Kind>(object)?;
            object.keep_for(reader);
            Some(V::of(object))
        });
    }
}

/// Converts an object to one of our kinds, without what only the server needs.
pub(crate) fn typed<K: Kind>(mut object: DynamicObject) -> Option<Object<K>> {
    bare(&mut object.metadata);
    let name = object.metadata.name.clone();
    match object.try_parse::<Object<K>>() {
        // Every row of a kind has the same texts here, so none allocates its own.
        Ok(object) => Some(Object { api_version: Cow::Borrowed(names::API_VERSION), kind: Cow::Borrowed(K::KIND), ..object }),
        Err(error) => {
            tracing::warn!(kind = K::KIND, name, %error, "an object does not match its kind and is ignored");
            None
        }
    }
}

/// Returns a client for the place of the controller's own objects.
fn access_client(access: &Access) -> Client {
    access.endpoint.client(&access.token, &access.topology.own())
}

fn namespaces() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "Namespace"), "namespaces")
}

fn workspaces() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"), "workspaces")
}

fn bindings() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"), "apibindings")
}
