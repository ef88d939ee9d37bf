//! What a plan is made from.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{DeletionPolicy, DestinationId, Health, InventoryItem};

/// Where an object is: the identity of everything that we make.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// Name of the Destination; absent means the workspace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// API group; empty for core.
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Namespace; absent for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
}

impl Key {
    /// The key of a rendered object; `None` when it has no apiVersion, kind or name.
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

    /// The key of an inventory item.
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

    /// Whether both name the same object, possibly through different versions of its API.
    pub fn same_object(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }

    /// What makes the object this one: everything but the API version.
    pub fn identity(&self) -> (Option<&str>, &str, &str, Option<&str>, &str) {
        (self.destination.as_deref(), &self.group, &self.kind, self.namespace.as_deref(), &self.name)
    }
}

impl std::fmt::Display for Key {
    /// As people read it: `Secret orders-db-app`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// The request that is fulfilled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// uid: the label that marks its objects.
    pub uid: String,
    /// Name.
    pub name: String,
    /// Namespace.
    pub namespace: String,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// Whether our finalizer is on it.
    pub finalizer: bool,
    /// Whether its owner asked for no changes. Deletion goes on all the same: it is the newer wish.
    pub paused: bool,
    /// What deletion does to the objects.
    pub deletion_policy: DeletionPolicy,
}

/// An object as the release wants it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Desired {
    /// Resource id in the promise; with `[n]` for an item of `forEach`.
    pub id: String,
    /// Where it goes.
    pub key: Key,
    /// The object, complete, with our labels.
    pub object: Value,
    /// Position in the order of making: references lead to smaller ones. Deletion goes the other way.
    pub stage: u32,
    /// Keyed digest of `object`, kept in the inventory.
    pub hash: String,
}

/// An object that cannot be rendered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// Resource id in the promise.
    pub id: String,
    /// Position in the order of making.
    pub stage: u32,
    /// What it waits for, as words that follow “waits for”: `status.endpoint of database`.
    pub waits_for: String,
}

/// What the controller saw at a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Seen {
    /// Nothing is there.
    Absent,
    /// Something is there.
    Present {
        /// The object.
        object: Value,
        /// Whether it works: the promise's `readyWhen`, else the built-in rule of its kind.
        health: Health,
        /// Why it does not.
        message: Option<String>,
    },
    /// It could not be looked at; `why` is a sentence.
    Unknown {
        /// Why.
        why: String,
    },
}

/// Everything that a plan is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Situation {
    /// The request.
    pub request: Subject,
    /// What the accepted release wants; `None` when no release is accepted, and then nothing but deletion happens.
    pub desired: Option<Vec<Desired>>,
    /// What the release wants and cannot be rendered yet.
    pub pending: Vec<Pending>,
    /// What was made or was about to be, from the request's status, in the order of making.
    pub inventory: Vec<InventoryItem>,
    /// Which Destinations the names in keys mean.
    #[serde(default)]
    pub destinations: BTreeMap<String, DestinationId>,
    /// What was seen; keys that are missing count as unknown.
    #[serde(skip)]
    pub seen: BTreeMap<Key, Seen>,
    /// Keys whose object was seen as the answer to our own apply: nobody else has written it since.
    #[serde(skip)]
    pub answered: BTreeSet<Key>,
    /// Keys whose object was put back since the inventory was written, see [`Repairs`](crate::api::Repairs).
    #[serde(skip)]
    pub repaired: BTreeSet<Key>,
    /// Now, in seconds since 1970.
    #[serde(default)]
    pub now: i64,
    /// How many objects may be written or deleted in one plan, so that no request keeps the controller from the others.
    pub budget: usize,
}

impl Situation {
    /// Every key that has to be looked at before planning.
    pub fn to_observe(&self) -> BTreeSet<Key> {
        let desired = self.desired.iter().flatten().map(|desired| desired.key.clone());
        desired.chain(self.inventory.iter().map(Key::of_item)).collect()
    }

    /// What was seen at a key.
    pub fn at(&self, key: &Key) -> &Seen {
        const UNSEEN: &Seen = &Seen::Unknown { why: String::new() };
        self.seen.get(key).unwrap_or(UNSEEN)
    }
}
