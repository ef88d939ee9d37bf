//! The places where objects go, and how the controller reaches them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use k8s_openapi::api::core::v1::Secret;
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client};
use parking_lot::Mutex;
use promise::names;

use super::words::{told, told_at};
use crate::endpoint::Endpoint;
use crate::kinds::Destination;
use crate::watch::Key;
use crate::workspaces::ClusterId;
use crate::world::World;

/// Key of the kubeconfig in the credential of a Destination.
const KUBECONFIG: &str = "kubeconfig";

/// A place where objects go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A workspace, through the claims of the requests export.
    Workspace(ClusterId),
    /// A Destination, named by its home and its name.
    Destination(Key),
}

/// One kind at one place.
#[derive(Clone)]
pub struct Reach {
    /// Acts there.
    pub client: Client,
    /// How its URLs are made.
    pub resource: ApiResource,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Changes when the client was made anew, so that watches with the old one can end.
    pub session: u64,
}

/// Clients of all places, kept while they work.
pub struct Targets {
    world: World,
    destinations: Mutex<HashMap<Key, Arc<Remote>>>,
    sessions: AtomicU64,
}

struct Remote {
    session: u64,
    client: Client,
    /// Of the Destination from which the client was made: an edit makes another one.
    generation: Option<i64>,
    served: tokio::sync::Mutex<HashMap<String, Vec<Served>>>,
}

#[derive(Clone)]
struct Served {
    kind: String,
    plural: String,
    namespaced: bool,
}

/// What can be written in a workspace through the claims of the requests export, besides our own kinds.
const CLAIMED: [(&str, &str, bool); 4] =
    [("Namespace", "namespaces", false), ("ConfigMap", "configmaps", true), ("Secret", "secrets", true), ("Event", "events", true)];

impl Targets {
    /// Reaches what `world` shows, as its identity.
    pub fn new(world: World) -> Self {
        Self { world, destinations: Mutex::default(), sessions: AtomicU64::new(1) }
    }

    /// How a kind is reached at a place. Errors: a sentence.
    pub async fn reach(&self, place: &Place, kind: &GroupVersionKind) -> Result<Reach, String> {
        match place {
            Place::Workspace(cluster) => self.in_workspace(cluster, kind),
            Place::Destination(key) => {
                let remote = self.remote(key).await?;
                let served = remote.kind(&key.name, kind).await?;
                let resource = ApiResource::from_gvk_with_plural(kind, &served.plural);
                Ok(Reach { client: remote.client.clone(), resource, namespaced: served.namespaced, session: remote.session })
            }
        }
    }

    /// How a kind is watched in all workspaces at once. Errors: a sentence.
    pub fn everywhere(&self, kind: &GroupVersionKind) -> Result<Reach, String> {
        let addresses = self.world.addresses().ok_or_else(|| "The exports are not served yet.".to_owned())?;
        let access = self.world.access();
        let client = access.endpoint.client(&access.token, &addresses.requests.everywhere());
        Ok(Reach { client, ..self.in_workspace(&ClusterId::root(), kind)? })
    }

    /// A client in a workspace, through the requests export. Errors: a sentence.
    pub fn workspace(&self, cluster: &ClusterId) -> Result<Client, String> {
        let addresses = self.world.addresses().ok_or_else(|| "The exports are not served yet.".to_owned())?;
        let access = self.world.access();
        Ok(access.endpoint.client(&access.token, &addresses.requests.within(cluster)))
    }

    /// A client in a home, through the catalog export. Errors: a sentence.
    pub fn home(&self, cluster: &ClusterId) -> Result<Client, String> {
        let addresses = self.world.addresses().ok_or_else(|| "The exports are not served yet.".to_owned())?;
        let access = self.world.access();
        Ok(access.endpoint.client(&access.token, &addresses.catalog.within(cluster)))
    }

    /// A client at a Destination. Errors: a sentence.
    pub async fn destination(&self, key: &Key) -> Result<Client, String> {
        Ok(self.remote(key).await?.client.clone())
    }

    /// Forgets a client: its credential or address may have changed.
    pub fn forget(&self, place: &Place) {
        if let Place::Destination(key) = place {
            self.destinations.lock().remove(key);
        }
    }

    fn in_workspace(&self, cluster: &ClusterId, kind: &GroupVersionKind) -> Result<Reach, String> {
        let own = kind.group == names::GROUP && kind.kind == "PromiseRequest";
        let claimed = CLAIMED.iter().find(|(name, ..)| kind.group.is_empty() && kind.version == "v1" && kind.kind == *name);
        let (plural, namespaced) = match claimed {
            Some((_, plural, namespaced)) => (*plural, *namespaced),
            None if own => ("promiserequests", true),
            None => {
                let kinds = CLAIMED.map(|(name, ..)| name).join(", ");
                return Err(format!(
                    "A {} cannot be made in a workspace, only {kinds} and PromiseRequest can. Name a destination for it.",
                    kind.kind
                ));
            }
        };
        Ok(Reach { client: self.workspace(cluster)?, resource: ApiResource::from_gvk_with_plural(kind, plural), namespaced, session: 0 })
    }

    async fn remote(&self, key: &Key) -> Result<Arc<Remote>, String> {
        let destination =
            self.world.destinations.get(key).ok_or_else(|| format!("There is no destination {} in the promise's home.", key.name))?;
        let known = self.destinations.lock().get(key).cloned();
        if let Some(remote) = known.filter(|remote| remote.generation == destination.metadata.generation) {
            return Ok(remote);
        }
        let remote = Arc::new(self.connect(key, &destination).await?);
        self.destinations.lock().insert(key.clone(), remote.clone());
        Ok(remote)
    }

    async fn connect(&self, key: &Key, destination: &Destination) -> Result<Remote, String> {
        let name = &key.name;
        let reference = destination.spec.secret_ref.as_ref();
        let reference = reference.ok_or_else(|| format!("The destination {name} names no credential. Its owner has to set secretRef."))?;
        let secrets: Api<Secret> = Api::namespaced(self.home(&key.cluster)?, &reference.namespace);
        let secret = secrets.get(&reference.name).await.map_err(|error| {
            let what = format!("read the credential {}/{} of the destination {name}", reference.namespace, reference.name);
            format!("{} It has to carry the label {}={}.", told(&error, &what), names::SECRET_ROLE_LABEL, crate::install::ROLE_DESTINATION)
        })?;
        let kubeconfig = secret.data.as_ref().and_then(|data| data.get(KUBECONFIG)).and_then(|bytes| std::str::from_utf8(&bytes.0).ok());
        let kubeconfig = kubeconfig.ok_or_else(|| format!("The credential of the destination {name} has no key {KUBECONFIG}."))?;
        let (endpoint, credential) = Endpoint::from_kubeconfig(name, kubeconfig)
            .map_err(|error| format!("The credential of the destination {name} is refused: {error}."))?;
        Ok(Remote {
            session: self.sessions.fetch_add(1, Ordering::Relaxed),
            client: endpoint.client_with(&credential),
            generation: destination.metadata.generation,
            served: tokio::sync::Mutex::default(),
        })
    }
}

impl Remote {
    /// What the server says about a kind; asked once per group and version, and again when a kind is not known.
    async fn kind(&self, destination: &str, kind: &GroupVersionKind) -> Result<Served, String> {
        let group_version = kind.api_version();
        let mut served = self.served.lock().await;
        if let Some(found) = served.get(&group_version).and_then(|kinds| find(kinds, &kind.kind)) {
            return Ok(found);
        }
        let list = if kind.group.is_empty() {
            self.client.list_core_api_resources(&kind.version).await
        } else {
            self.client.list_api_group_resources(&group_version).await
        };
        let list = match list {
            Ok(list) => list,
            Err(error) if crate::error::is_missing_api(&error) || crate::error::is_missing(&error) => {
                return Err(format!("The destination {destination} does not serve {group_version}."));
            }
            Err(error) => return Err(told_at(destination, &error, "ask for its kinds")),
        };
        let kinds: Vec<Served> = list
            .resources
            .into_iter()
            .filter(|resource| !resource.name.contains('/'))
            .map(|resource| Served { kind: resource.kind, plural: resource.name, namespaced: resource.namespaced })
            .collect();
        let found = find(&kinds, &kind.kind);
        served.insert(group_version.clone(), kinds);
        found.ok_or_else(|| format!("The destination {destination} does not serve the kind {} of {group_version}.", kind.kind))
    }
}

fn find(kinds: &[Served], kind: &str) -> Option<Served> {
    kinds.iter().find(|served| served.kind == kind).cloned()
}
