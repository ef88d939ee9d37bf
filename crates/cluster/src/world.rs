//! Everything that our exports show, as caches of one identity.
//!
//! Portal and controller each have their own, made with their own token: they share no memory, and either can run elsewhere.

use std::sync::Arc;
use std::time::Duration;

use futures::future::select_all;
use kube::Client;
use kube::api::DynamicObject;
use kube::core::{ApiResource, GroupVersionKind};
use parking_lot::RwLock;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::endpoint::{Endpoint, Scope, Token};
use crate::install::{MEND, content_mend};
use crate::kinds::{Destination, Export, Kind, Object, Policy, Promise, PromiseCatalog, PromiseRelease, PromiseRequest, PromiseRevision};
use crate::projection::{Projected, Reader, bare};
use crate::provider::{ExportAddress, address};
use crate::watch::{Cache, Source};
use crate::workspaces::{BindingRow, Standing, Tree, WorkspacePath, WorkspaceRow};

/// Both exports, in the order of everything that is kept for each.
const EXPORTS: [Export; 2] = [Export::Requests, Export::Catalog];

/// Why something cannot be read, now and later.
type Trouble = watch::Receiver<Option<promise::Error>>;

/// Pause before the endpoint slices are asked for again.
const AGAIN: Duration = Duration::from_secs(2);

/// As whom, and where the exports are.
#[derive(Clone)]
pub struct Access {
    /// The plane.
    pub endpoint: Endpoint,
    /// Identity of these caches.
    pub token: Token,
    /// Path of the provider workspace.
    pub provider: WorkspacePath,
}

/// Addresses of both exports, once the plane serves them.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// What consumers bind.
    pub requests: ExportAddress,
    /// What homes and governing workspaces bind.
    pub catalog: ExportAddress,
}

/// Everything that our exports show. Clones share the content.
#[derive(Clone)]
pub struct World {
    /// Requests of all workspaces.
    pub requests: Cache<PromiseRequest>,
    /// Releases of all workspaces.
    pub releases: Cache<PromiseRelease>,
    /// Workspace objects of all workspaces that let us see them.
    pub workspaces: Cache<WorkspaceRow>,
    /// Who binds the requests export.
    pub request_bindings: Cache<BindingRow>,
    /// Promises of all workspaces.
    pub promises: Cache<Promise>,
    /// Revisions of all workspaces.
    pub revisions: Cache<PromiseRevision>,
    /// Shelves of all workspaces.
    pub catalogs: Cache<PromiseCatalog>,
    /// Policies of all workspaces.
    pub policies: Cache<Policy>,
    /// Destinations of all workspaces.
    pub destinations: Cache<Destination>,
    /// Who binds the catalog export.
    pub catalog_bindings: Cache<BindingRow>,
    tree: Arc<RwLock<Arc<Tree>>>,
    access: Access,
    addresses: Arc<RwLock<Option<Addresses>>>,
    /// Why it is not known where an export is served, by export.
    slices: Arc<[watch::Sender<Option<promise::Error>>; 2]>,
}

impl World {
    /// Starts to fill the caches, in tasks of `tasks`, until `shutdown`. Everything is empty and `Starting` at first.
    ///
    /// Of each object only what `reader` reads is kept.
    pub fn start(access: Access, reader: Reader, clock: Arc<dyn Clock>, tasks: &TaskTracker, shutdown: &CancellationToken) -> Self {
        let world = Self {
            requests: Cache::default(),
            releases: Cache::default(),
            workspaces: Cache::default(),
            request_bindings: Cache::default(),
            promises: Cache::default(),
            revisions: Cache::default(),
            catalogs: Cache::default(),
            policies: Cache::default(),
            destinations: Cache::default(),
            catalog_bindings: Cache::default(),
            tree: Arc::default(),
            access,
            addresses: Arc::default(),
            slices: Arc::default(),
        };
        tasks.spawn(world.clone().grow_tree(shutdown.clone()));
        for export in EXPORTS {
            tasks.spawn(world.clone().follow(export, reader, clock.clone(), tasks.clone(), shutdown.clone()));
        }
        world
    }

    /// Waits until every cache was read once, and the tree was made of it.
    pub async fn synced(&self) {
        tokio::join!(
            self.requests.synced(),
            self.releases.synced(),
            self.workspaces.synced(),
            self.request_bindings.synced(),
            self.promises.synced(),
            self.revisions.synced(),
            self.catalogs.synced(),
            self.policies.synced(),
            self.destinations.synced(),
            self.catalog_bindings.synced(),
        );
        // The task that grows the tree hears of the workspaces when it has its turn.
        self.plant();
    }

    /// Makes the tree of what is known now. The lock comes first, so that an older look never replaces a newer one.
    fn plant(&self) {
        let mut tree = self.tree.write();
        *tree = Arc::new(Tree::new(&self.workspaces.snapshot()));
    }

    /// Which workspace lies in which, as of the last change.
    pub fn tree(&self) -> Arc<Tree> {
        self.tree.read().clone()
    }

    /// Who binds what.
    pub fn standing(&self) -> Standing {
        Standing { requests: self.request_bindings.snapshot(), catalog: self.catalog_bindings.snapshot() }
    }

    /// Where the exports are served; none before the first workspace bound both.
    pub fn addresses(&self) -> Option<Addresses> {
        self.addresses.read().clone()
    }

    /// As whom these caches are read.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// What cannot be read at this moment and why, one or two sentences each. `who` reads it.
    pub fn gaps(&self, who: &str) -> Vec<String> {
        let told = |gap: Gap| {
            let why = gap.trouble.borrow().clone()?;
            let who = promise::wording::upper_first(who);
            let told = format!("{who} cannot read {}: {}.", gap.what, why.to_string().trim_end_matches('.'));
            Some(if matches!(why, promise::Error::Denied { .. }) { format!("{told} {}", gap.mend) } else { told })
        };
        self.gaps_now().into_iter().filter_map(told).collect()
    }

    /// Tells when [`World::gaps`] may have changed.
    pub fn gap_changes(&self) -> GapChanges {
        GapChanges(self.gaps_now().into_iter().map(|gap| gap.trouble).collect())
    }

    fn gaps_now(&self) -> Vec<Gap> {
        let slices = EXPORTS.into_iter().zip(&*self.slices).map(|(export, trouble)| Gap {
            what: format!("the endpoint slice of {}", export.name()),
            mend: MEND.to_owned(),
            trouble: trouble.subscribe(),
        });
        let caches = [
            ("workspaces", Export::Requests, self.workspaces.trouble()),
            ("bindings", Export::Requests, self.request_bindings.trouble()),
            ("requests", Export::Requests, self.requests.trouble()),
            ("releases", Export::Requests, self.releases.trouble()),
            ("bindings", Export::Catalog, self.catalog_bindings.trouble()),
            ("promises", Export::Catalog, self.promises.trouble()),
            ("revisions", Export::Catalog, self.revisions.trouble()),
            ("catalogs", Export::Catalog, self.catalogs.trouble()),
            ("policies", Export::Catalog, self.policies.trouble()),
            ("destinations", Export::Catalog, self.destinations.trouble()),
        ];
        let caches = caches.into_iter().map(|(what, export, trouble)| Gap {
            what: format!("{what} through {}", export.name()),
            mend: content_mend(export),
            trouble,
        });
        slices.chain(caches).collect()
    }

    async fn follow(self, export: Export, reader: Reader, clock: Arc<dyn Clock>, tasks: TaskTracker, shutdown: CancellationToken) {
        let found = tokio::select! {
            () = shutdown.cancelled() => return,
            found = self.find(export) => found,
        };
        let client = self.access.endpoint.client(&self.access.token, &found.everywhere());
        self.remember(found);
        let with = Feeder { client, reader, clock, tasks, shutdown };
        match export {
            Export::Requests => {
                with.feed(Source::dynamic(with.client.clone(), workspaces()), &self.workspaces, WorkspaceRow::project);
                with.feed(Source::dynamic(with.client.clone(), bindings()), &self.request_bindings, |o| {
                    Some(BindingRow::project(Export::Requests, o))
                });
                with.kind(&self.requests);
                with.kind(&self.releases);
            }
            Export::Catalog => {
                with.feed(Source::dynamic(with.client.clone(), bindings()), &self.catalog_bindings, |o| {
                    Some(BindingRow::project(Export::Catalog, o))
                });
                with.kind(&self.promises);
                with.kind(&self.revisions);
                with.kind(&self.catalogs);
                with.kind(&self.policies);
                with.kind(&self.destinations);
            }
        }
    }

    async fn find(&self, export: Export) -> ExportAddress {
        let client = self.access.endpoint.client(&self.access.token, &Scope::Workspace(self.access.provider.clone()));
        loop {
            let found = address(&client, export).await;
            if let Some((_, trouble)) = EXPORTS.iter().zip(&*self.slices).find(|(of, _)| **of == export) {
                trouble.send_replace(found.as_ref().err().cloned());
            }
            match found {
                Ok(found) => return found,
                Err(error) => tracing::warn!(%error, export = export.name(), "the export is not served yet, trying again"),
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn remember(&self, found: ExportAddress) {
        let provider = found.provider;
        let of = |export| ExportAddress { provider: provider.clone(), export };
        *self.addresses.write() = Some(Addresses { requests: of(Export::Requests), catalog: of(Export::Catalog) });
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
            // One new tree for everything that has come meanwhile.
            while !changes.is_empty() {
                let _ = changes.try_recv();
            }
        }
    }
}

/// Something that may not be readable at this moment.
struct Gap {
    what: String,
    /// What is missing and can be done when it is refused.
    mend: String,
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

struct Feeder {
    client: Client,
    reader: Reader,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Feeder {
    fn feed<V, F>(&self, source: Source, cache: &Cache<V>, project: F)
    where
        V: PartialEq + Send + Sync + 'static,
        F: Fn(DynamicObject) -> Option<V> + Send + Sync + 'static,
    {
        self.tasks.spawn(source.run(cache.clone(), project, self.clock.clone(), self.shutdown.clone()));
    }

    fn kind<K: Kind>(&self, cache: &Cache<Object<K>>)
    where
        Object<K>: Projected,
    {
        let reader = self.reader;
        self.feed(Source::of::<K>(self.client.clone()), cache, move |object| {
            let mut row = typed::<K>(object)?;
            row.keep_for(reader);
            Some(row)
        });
    }
}

/// Reads an object as one of our kinds, without what only the server needs.
pub(crate) fn typed<K: Kind>(mut object: DynamicObject) -> Option<Object<K>> {
    bare(&mut object.metadata);
    let name = object.metadata.name.clone();
    match object.try_parse::<Object<K>>() {
        Ok(object) => Some(object),
        Err(error) => {
            tracing::warn!(kind = K::KIND, name, %error, "an object does not fit its kind and is left out");
            None
        }
    }
}

fn workspaces() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"), "workspaces")
}

fn bindings() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"), "apibindings")
}
