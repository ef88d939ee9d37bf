//! The places where objects go, and how the controller reaches them.

mod namespace;
mod object_cache;
mod served;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client};
use parking_lot::Mutex;
use promise::names;
use promise::publish::CLAIMED;
use tokio::sync::mpsc;

use self::object_cache::watched_at;
pub use self::object_cache::{ObjectCaches, ObjectRow, reduce};
use self::served::{Kinds, Served, Unlisted};
use super::failure::{DestinationFailure, DestinationFailureKind, Failure, FailureCause, KindFailure, SecretFailure};
use super::outage::{Outages, complete};
use super::refusals::{CallFailure, CallRemedy};
use crate::endpoint::Endpoint;
use crate::error::is_unanswered;
use crate::install::ROLE_DESTINATION;
use crate::kinds::{Destination, Export};
use crate::topology::Topology;
use crate::watch::Key;
use crate::workspaces::{ClusterId, WorkspacePath};
use crate::world::World;

/// Key of the kubeconfig in the credential of a Destination.
pub(super) const KUBECONFIG: &str = "kubeconfig";
/// Longest time that a Destination can take to return its version.
const PROBE: Duration = Duration::from_secs(10);

/// A place where objects go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A workspace: on kcp through the claims of the requests export, on Kubernetes as the ServiceAccount of the namespace.
    Workspace(ClusterId),
    /// A Destination, identified by its home and its name.
    Destination(Key),
}

/// One kind at one place.
#[derive(Clone)]
pub struct Reach {
    /// Client that acts there.
    pub client: Client,
    /// How its URLs are made.
    pub resource: ApiResource,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether an apply here removes what it leaves out. Through the virtual workspace of an export, kcp merges it into the existing
    /// object.
    pub applies: bool,
    /// The only namespace in which the client can be used.
    pub within: Option<String>,
    /// Changes when the client was created again, so that watches with the old one can end.
    pub session: u64,
}

/// A cluster behind a Destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// uid of its namespace kube-system; `None` if that can't be read or is missing.
    pub uid: Option<String>,
    /// The session in which it was asked, as [`Reach`] names it.
    pub session: u64,
}

/// Why a kind can't be reached at a place.
#[derive(Debug)]
pub enum Unreachable {
    /// It must not go there, or there is nothing to go to.
    Never(FailureCause),
    /// It isn't known now.
    NotNow(FailureCause),
}

impl From<Unreachable> for FailureCause {
    fn from(why: Unreachable) -> Self {
        match why {
            Unreachable::Never(why) | Unreachable::NotNow(why) => why,
        }
    }
}

impl From<Unreachable> for Failure {
    fn from(why: Unreachable) -> Self {
        match why {
            Unreachable::Never(cause) => Self::lasting(cause),
            Unreachable::NotNow(cause) => Self::not_now(cause),
        }
    }
}

/// Clients of all places, kept as long as they work.
pub struct Targets {
    world: World,
    /// Kinds of the control plane itself, if it is plain Kubernetes.
    own_kinds: Kinds,
    trusted: Vec<WorkspacePath>,
    destinations: Mutex<HashMap<Key, Arc<Remote>>>,
    outages: Outages,
    sessions: AtomicU64,
    /// Created objects, as far as they are watched.
    pub objects: Arc<ObjectCaches>,
}

struct Remote {
    session: u64,
    kinds: Kinds,
    /// Uid and generation of the Destination from which the client was created: an edit leads to a new client.
    destination: (Option<String>, Option<i64>),
    /// Version of the Secret from which it was created: so does a new credential.
    credential: Option<String>,
    /// uid of the namespace kube-system there, once it could be read.
    server: OnceLock<String>,
}

impl Targets {
    /// Creates the clients. They reach what `world` shows, with its identity. Only Destinations in `trusted` homes count. `lost` receives
    /// each one that stops responding; it is left alone until [`Targets::probe`] finds that it is back.
    pub fn new(world: World, trusted: Vec<WorkspacePath>, lost: mpsc::UnboundedSender<Key>) -> Self {
        let own_kinds = namespace::kinds(&world);
        let (outages, sessions) = (Outages::new(lost), AtomicU64::new(1));
        Self { world, own_kinds, trusted, destinations: Mutex::default(), outages, sessions, objects: Arc::default() }
    }

    /// Returns how a kind is reached at a place, in exactly this version.
    pub async fn reach(&self, place: &Place, kind: &GroupVersionKind) -> Result<Reach, Unreachable> {
        match place {
            Place::Workspace(cluster) => match cluster.namespace() {
                Some(namespace) => self.in_namespace(namespace, kind).await,
                None => self.in_workspace(cluster, kind).map_err(Unreachable::Never),
            },
            Place::Destination(key) => {
                let remote = self.admitted(key).await.map_err(Unreachable::NotNow)?;
                let served = remote.kinds.kind(kind, &|| self.outages.admit(key)).await.map_err(|why| self.unlisted(key, why))?;
                let missing = || DestinationFailureKind::KindNotServed { kind: kind.kind.clone(), api_version: kind.api_version() };
                let served = served.ok_or_else(|| Unreachable::NotNow(missing().of(&key.name).into()))?;
                Ok(remote.reach(kind, &served))
            }
        }
    }

    /// Returns how objects that were created of a kind are found again, in whichever version it is served now. `None` if no version is
    /// served, and then no objects are left.
    pub async fn find(&self, place: &Place, kind: &GroupVersionKind) -> Result<Option<Reach>, FailureCause> {
        match place {
            Place::Workspace(cluster) => match cluster.namespace() {
                Some(namespace) => Ok(self.find_in_namespace(namespace, kind).await?),
                None => self.in_workspace(cluster, kind).map(Some),
            },
            Place::Destination(key) => {
                let remote = self.admitted(key).await?;
                let served = remote.kinds.in_any_version(kind, &|| self.outages.admit(key)).await.map_err(|why| self.unlisted(key, why))?;
                Ok(served.map(|(kind, served)| remote.reach(&kind, &served)))
            }
        }
    }

    /// Asks a place whether it no longer serves a kind in any version, without using the cache.
    pub async fn is_gone(&self, place: &Place, kind: &GroupVersionKind) -> Result<bool, FailureCause> {
        match place {
            Place::Workspace(_) => self.own_kinds.forget().await,
            Place::Destination(key) => self.admitted(key).await?.kinds.forget().await,
        }
        Ok(self.find(place, kind).await?.is_none())
    }

    async fn admitted(&self, key: &Key) -> Result<Arc<Remote>, FailureCause> {
        self.outages.admit(key)?;
        self.remote(key).await
    }

    /// Returns where and how a kind that is reached in this way at a place is watched, if it can be. On kcp one watch serves all
    /// workspaces, and none shows Secrets, which no export claims to list. On Kubernetes each namespace has its own, because only its
    /// ServiceAccount can see what is there.
    pub fn watchable(&self, place: &Place, kind: &GroupVersionKind, reach: &Reach) -> Result<Option<(Place, Reach)>, FailureCause> {
        match place {
            Place::Workspace(cluster) if cluster.namespace().is_none() && is_secret(kind) => Ok(None),
            Place::Workspace(cluster) if cluster.namespace().is_none() => {
                let client = self.world.everywhere(Export::Requests)?;
                Ok(Some((watched_at(place).0, Reach { client, ..self.in_workspace(&ClusterId::root(), kind)? })))
            }
            _ => Ok(Some((place.clone(), reach.clone()))),
        }
    }

    /// Returns a client for our own kinds in a workspace, and for its events.
    pub fn workspace(&self, cluster: &ClusterId) -> Result<Client, FailureCause> {
        Ok(self.world.within(Export::Requests, cluster)?)
    }

    /// Returns a client for objects beside requests in a workspace.
    pub fn beside(&self, cluster: &ClusterId) -> Result<Client, FailureCause> {
        match cluster.namespace() {
            Some(namespace) => Ok(self.fulfiller(namespace)),
            None => self.workspace(cluster),
        }
    }

    /// Returns how workspaces are represented on the control plane.
    pub fn topology(&self) -> &Topology {
        &self.world.access().topology
    }

    /// Checks whether a workspace grants everything that the requests export claims.
    pub fn is_granted(&self, cluster: &ClusterId) -> bool {
        let state = self.world.standing();
        state.binding(Export::Requests, cluster).is_some_and(|binding| binding.bound && binding.missing.is_empty())
    }

    /// Returns a client in a home, through the catalog export.
    pub fn home(&self, cluster: &ClusterId) -> Result<Client, FailureCause> {
        Ok(self.world.within(Export::Catalog, cluster)?)
    }

    /// Asks a Destination for its version, with its current credential.
    pub async fn probe(&self, key: &Key) -> Result<String, FailureCause> {
        let destination = self.known(key)?;
        let credential = match self.credential(key, &destination).await {
            Ok(credential) => credential,
            Err(cause) => {
                self.forget(key);
                return Err(cause);
            }
        };
        let known = self.destinations.lock().get(key).cloned();
        let remote = match known.filter(|remote| remote.is_of(&destination) && remote.credential == credential.metadata.resource_version) {
            Some(remote) => remote,
            None => self.connect(key, &destination, &credential)?,
        };
        match tokio::time::timeout(PROBE, remote.kinds.client.apiserver_version()).await {
            Ok(Ok(version)) => {
                self.outages.ends(key);
                Ok(version.git_version)
            }
            Ok(Err(error)) => {
                self.record_response(key, Some(&error));
                Err(CallFailure::at(&key.name, &error, "get the server version").into())
            }
            Err(_) => {
                self.outages.begins(key);
                Err(DestinationFailureKind::TimedOut { seconds: PROBE.as_secs() }.of(&key.name).into())
            }
        }
    }

    /// Asks a Destination which of these APIs, as `group/Kind`, it serves in any version, without using the cache.
    pub async fn serving(&self, key: &Key, apis: &BTreeSet<String>) -> Result<BTreeSet<String>, FailureCause> {
        let remote = self.admitted(key).await?;
        remote.kinds.serving(apis).await.map_err(|why| self.unlisted(key, why).into())
    }

    /// Returns the cluster that a Destination leads to now.
    pub async fn server(&self, key: &Key) -> Result<Server, FailureCause> {
        let remote = self.admitted(key).await?;
        let server = |uid| Server { uid, session: remote.session };
        if let Some(uid) = remote.server.get() {
            return Ok(server(Some(uid.clone())));
        }
        // A missing permission can be granted at any moment, so only an answer is kept.
        let namespaces: Api<Namespace> = Api::all(remote.kinds.client.clone());
        match complete(namespaces.get("kube-system")).await {
            Ok(Namespace { metadata, .. }) => Ok(server(metadata.uid.map(|uid| remote.server.get_or_init(|| uid).clone()))),
            Err(kube::Error::Api(status)) if matches!(status.code, 403 | 404) => Ok(server(None)),
            Err(error) => {
                self.record_response(key, Some(&error));
                Err(CallFailure::at(&key.name, &error, "identify the cluster").into())
            }
        }
    }

    /// Records how a call to a Destination ended: `None` if it did what was asked.
    pub fn record_response(&self, key: &Key, error: Option<&kube::Error>) {
        match error {
            Some(error) if is_unanswered(error) => self.outages.begins(key),
            Some(kube::Error::Api(status)) if status.code == 401 => {
                // Its credential might have changed by now.
                self.forget(key);
            }
            _ => self.outages.ends(key),
        }
    }

    /// Drops everything that is known of a Destination that is gone, or whose credential is no longer valid.
    pub fn forget(&self, key: &Key) {
        self.destinations.lock().remove(key);
        self.outages.forget(key);
    }

    fn in_workspace(&self, cluster: &ClusterId, kind: &GroupVersionKind) -> Result<Reach, FailureCause> {
        let own = kind.group == names::GROUP && kind.kind == "PromiseRequest";
        let claimed = CLAIMED.iter().find(|(name, ..)| kind.group.is_empty() && kind.version == "v1" && kind.kind == *name);
        let (plural, namespaced) = match claimed {
            Some((_, plural, namespaced)) => (*plural, *namespaced),
            None if own => ("promiserequests", true),
            None => return Err(KindFailure::NotClaimed { kind: kind.kind.clone() }.into()),
        };
        Ok(Reach {
            client: self.workspace(cluster)?,
            resource: ApiResource::from_gvk_with_plural(kind, plural),
            namespaced,
            applies: false,
            within: None,
            session: 0,
        })
    }

    fn unlisted(&self, key: &Key, why: Unlisted) -> Unreachable {
        Unreachable::NotNow(match why {
            Unlisted::Refused(failure) => failure.into(),
            Unlisted::Failed(error) => {
                self.record_response(key, Some(&error));
                FailureCause::from(CallFailure::at(&key.name, &error, "list the served kinds"))
            }
        })
    }

    /// Returns the Destination, if it is in a home whose Destinations count.
    fn known(&self, key: &Key) -> Result<Arc<Destination>, DestinationFailure> {
        let name = &key.name;
        let home = self.world.tree().path(&key.cluster);
        let home = home.ok_or_else(|| DestinationFailureKind::HomeUnverified.of(name))?;
        // Anyone else who can name a server here would make the controller connect to it.
        if !self.trusted.contains(&home) {
            return Err(DestinationFailureKind::HomeNotTrusted { home: home.to_string() }.of(name));
        }
        let destination = self.world.destinations.get(key);
        destination.ok_or_else(|| DestinationFailureKind::Missing { home: home.to_string() }.of(name))
    }

    async fn remote(&self, key: &Key) -> Result<Arc<Remote>, FailureCause> {
        let destination = self.known(key)?;
        let known = self.destinations.lock().get(key).cloned();
        if let Some(remote) = known.filter(|remote| remote.is_of(&destination)) {
            return Ok(remote);
        }
        let credential = self.credential(key, &destination).await?;
        Ok(self.connect(key, &destination, &credential)?)
    }

    async fn credential(&self, key: &Key, destination: &Destination) -> Result<Secret, FailureCause> {
        let name = &key.name;
        let reference = destination.spec.secret_ref.as_ref();
        let reference = reference.ok_or_else(|| DestinationFailureKind::NoCredential.of(name))?;
        let secret = self.secret(&key.cluster, &reference.namespace, &reference.name, &format!("the destination {name}")).await;
        secret.map_err(|failure| failure.cause)
    }

    /// Returns a Secret that an object in a home names as its credential. `owner` names the object, such as `the destination eu-1`.
    pub async fn secret(&self, home: &ClusterId, namespace: &str, name: &str, owner: &str) -> Result<Secret, Failure> {
        let secrets: Api<Secret> = Api::namespaced(self.home(home).map_err(Failure::not_now)?, namespace);
        let topology = || self.topology().clone();
        let secret = secrets.get(name).await.map_err(|error| {
            let call = CallFailure::new(&error, format!("read the credential {namespace}/{name} of {owner}"));
            Failure::of(&error, call.with(CallRemedy::LabelCredential(topology())))
        })?;
        // The claim of the catalog export shows no others. Where there is no claim, other Secrets aren't meant for this either.
        let role = secret.metadata.labels.as_ref().and_then(|labels| labels.get(names::SECRET_ROLE_LABEL));
        if role.map(String::as_str) != Some(ROLE_DESTINATION) {
            return Err(Failure::lasting(SecretFailure::NotACredential { secret: name.to_owned(), topology: topology() }));
        }
        Ok(secret)
    }

    /// Creates a client, without sending anything, and keeps it.
    fn connect(&self, key: &Key, destination: &Destination, credential: &Secret) -> Result<Arc<Remote>, DestinationFailure> {
        let name = &key.name;
        let bytes = credential.data.as_ref().and_then(|data| data.get(KUBECONFIG));
        let kubeconfig = bytes.and_then(|bytes| std::str::from_utf8(&bytes.0).ok());
        let kubeconfig = kubeconfig.ok_or_else(|| DestinationFailureKind::NoKubeconfig { key: KUBECONFIG }.of(name))?;
        let (endpoint, login) =
            Endpoint::from_kubeconfig(name, kubeconfig).map_err(|error| DestinationFailureKind::InvalidKubeconfig(error).of(name))?;
        let remote = Arc::new(Remote {
            session: self.sessions.fetch_add(1, Ordering::Relaxed),
            kinds: Kinds::new(endpoint.client_with(&login)),
            destination: (destination.metadata.uid.clone(), destination.metadata.generation),
            credential: credential.metadata.resource_version.clone(),
            server: OnceLock::new(),
        });
        self.destinations.lock().insert(key.clone(), remote.clone());
        Ok(remote)
    }
}

fn is_secret(kind: &GroupVersionKind) -> bool {
    kind.group.is_empty() && kind.kind == "Secret"
}

impl Remote {
    fn reach(&self, kind: &GroupVersionKind, served: &Served) -> Reach {
        let resource = ApiResource::from_gvk_with_plural(kind, &served.plural);
        Reach {
            client: self.kinds.client.clone(),
            resource,
            namespaced: served.namespaced,
            applies: true,
            within: None,
            session: self.session,
        }
    }

    fn is_of(&self, destination: &Destination) -> bool {
        self.destination == (destination.metadata.uid.clone(), destination.metadata.generation)
    }
}
