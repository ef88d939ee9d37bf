//! Inputs of the planner.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{DeletionPolicy, DestinationId, Health, InventoryItem};

/// Identity of an object, wherever it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// Name of the Destination. Absent if the object is in the request's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// API group. Empty for the core group.
    pub group: String,
    /// API version of the object.
    pub version: String,
    /// Kind of the object.
    pub kind: String,
    /// Namespace of the object. Absent for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name of the object.
    pub name: String,
}

impl Key {
    /// Returns the key of a rendered object, or `None` if it has no apiVersion, kind or name.
    pub fn of_object(destination: Option<&str>, object: &Value) -> Option<Self> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let api_version = text("/apiVersion")?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Some(Self {
            destination: destination.map(str::to_owned),
            group: group.to_owned(),
            version: version.to_owned(),
            kind: text("/kind")?.to_owned(),
            namespace: text("/metadata/namespace").map(str::to_owned),
            name: text("/metadata/name")?.to_owned(),
        })
    }

    /// Returns the key of an inventory item.
    pub fn of_item(item: &InventoryItem) -> Self {
        Self {
            destination: item.destination.clone(),
            group: item.group.clone(),
            version: item.version.clone(),
            kind: item.kind.clone(),
            namespace: item.namespace.clone(),
            name: item.name.clone(),
        }
    }

    /// Checks whether the object is a namespace.
    pub fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.kind == "Namespace"
    }

    /// Returns the key of the namespace that the object is in.
    pub fn namespace_key(&self) -> Option<Self> {
        let (destination, name) = (self.destination.clone(), self.namespace.clone()?);
        Some(Self { destination, group: String::new(), version: "v1".to_owned(), kind: "Namespace".to_owned(), namespace: None, name })
    }

    /// Whether both keys identify the same object, possibly in different versions of its API.
    pub fn same_object(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }

    /// Returns the identity of the object: everything but the API version.
    pub fn identity(&self) -> (Option<&str>, &str, &str, Option<&str>, &str) {
        (self.destination.as_deref(), &self.group, &self.kind, self.namespace.as_deref(), &self.name)
    }
}

impl std::fmt::Display for Key {
    /// Formats the key for users: `Secret orders-db-app`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// The request that is fulfilled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// uid of the request, used as the label on its objects.
    pub uid: String,
    /// Name of the request.
    pub name: String,
    /// Namespace of the request.
    pub namespace: String,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// Whether it has our finalizer.
    pub finalizer: bool,
    /// Whether it is paused. Deletion continues anyway because it is the more recent instruction.
    pub paused: bool,
    /// What happens to the objects when the request is deleted.
    pub deletion_policy: DeletionPolicy,
}

/// An object as the release wants it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Desired {
    /// Resource id in the promise, followed by `[n]` for an item of `forEach`.
    pub id: String,
    /// Key of the object.
    pub key: Key,
    /// The complete object, with our labels.
    pub object: Value,
    /// Position in the creation order. References point to lower positions. Deletion runs in reverse order.
    pub stage: u32,
    /// Keyed digest of `object`, stored in the inventory.
    pub hash: String,
    /// Whether it is the Job of a step, or the namespace of one: it is created once, and neither changed nor created again. Its health is that
    /// of its step.
    #[serde(default)]
    pub once: bool,
}

impl Desired {
    /// Returns the Job of a step that was created, or its namespace: it is kept as it is.
    pub fn kept(item: &InventoryItem) -> Self {
        let hash = item.hash.clone().unwrap_or_default();
        Self { id: item.id.clone(), key: Key::of_item(item), object: Value::Null, stage: item.stage, hash, once: true }
    }
}

/// An object that can't be rendered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// Resource id in the promise.
    pub id: String,
    /// Position in the creation order.
    pub stage: u32,
    /// The value it waits for, as words that follow “waits for”: `status.endpoint of database`.
    pub waits_for: String,
}

/// What the controller observed at a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Seen {
    /// No object.
    Absent,
    /// An object.
    Present {
        /// The object.
        object: Value,
        /// Health of the object, from the promise's `readyWhen` or else the built-in rule of its kind.
        health: Health,
        /// Reason why it isn't healthy.
        message: Option<String>,
    },
    /// It couldn't be read.
    Unknown {
        /// Reason, as a sentence.
        why: String,
    },
}

/// Inputs of the planner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// The request.
    pub request: Subject,
    /// Desired objects of the accepted release. `None` if no release is accepted; then only deletion happens.
    pub desired: Option<Vec<Desired>>,
    /// Objects of the release that can't be rendered yet.
    pub pending: Vec<Pending>,
    /// Objects that were created or about to be created, from the request's status, in creation order.
    pub inventory: Vec<InventoryItem>,
    /// Ids of the resources whose step hasn't begun: their objects aren't written or, in a deletion, deleted yet.
    #[serde(default)]
    pub closed: BTreeSet<String>,
    /// Whether there are steps to do before a deletion completes, or will be. Our finalizer holds the request for them, even without objects.
    #[serde(default)]
    pub unfinished: bool,
    /// Identities of the Destinations that keys name.
    #[serde(default)]
    pub destinations: BTreeMap<String, DestinationId>,
    /// Observed state. Missing keys count as unknown.
    #[serde(skip)]
    pub seen: BTreeMap<Key, Seen>,
    /// Keys whose object was observed as the response to our own apply: nothing else has written it since.
    #[serde(skip)]
    pub answered: BTreeSet<Key>,
    /// Keys whose object was repaired since the inventory was written, see [`Repairs`](crate::api::Repairs).
    #[serde(skip)]
    pub repaired: BTreeSet<Key>,
    /// Seconds until objects can be changed again whose templates keep giving something else within the release, see
    /// [`Rewrites`](super::Rewrites).
    #[serde(skip)]
    pub restless: BTreeMap<Key, i64>,
    /// Present time, in seconds since 1970.
    #[serde(default)]
    pub now: i64,
    /// Maximum number of objects to write or delete in one plan, so that no request blocks the controller for others.
    pub budget: usize,
}

impl Facts {
    /// Returns every key that has to be observed before planning.
    pub fn to_observe(&self) -> BTreeSet<Key> {
        let desired = self.desired.iter().flatten().map(|desired| desired.key.clone());
        desired.chain(self.inventory.iter().map(Key::of_item)).collect()
    }

    /// Checks whether objects of a resource can be written by now. `id` is that of an object.
    pub(super) fn is_open(&self, id: &str) -> bool {
        !self.closed.contains(resource_of(id))
    }

    /// Returns what was observed at a key.
    pub fn at(&self, key: &Key) -> &Seen {
        const UNSEEN: &Seen = &Seen::Unknown { why: String::new() };
        self.seen.get(key).unwrap_or(UNSEEN)
    }
}

/// Returns the id of the Job of a step. The hyphen keeps it apart from ids of resources, which have none.
pub fn job_id(step: &str) -> String {
    format!("{JOB}{step}")
}

/// Checks whether an object is the Job of a step.
pub(super) fn is_job(id: &str) -> bool {
    id.starts_with(JOB)
}

const JOB: &str = "job-";

/// Returns the id of the resource that an object was made from: `workers` for `workers[2]`.
pub fn resource_of(id: &str) -> &str {
    id.split('[').next().unwrap_or(id)
}
