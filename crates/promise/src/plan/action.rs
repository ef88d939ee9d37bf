//! The result of planning.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::facts::Key;
use crate::api::InventoryItem;
use crate::finalizer::HeldDeletion;

/// One action. Actions are executed in order; the first failure ends the reconcile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum Action {
    /// Adds our finalizer to the request before any object is created.
    AddFinalizer,
    /// Writes the inventory into the request's status because it names an object that is about to be created.
    Record {
        /// The complete inventory.
        inventory: Vec<InventoryItem>,
    },
    /// Applies an object with server-side apply as `opm-fulfil`.
    Apply {
        /// Resource id.
        id: String,
        /// Key of the object.
        key: Key,
        /// The object to apply.
        object: Value,
        /// Reason for the apply.
        why: Why,
    },
    /// Deletes an object.
    Delete {
        /// Key of the object.
        key: Key,
        /// Precondition: the object must have this uid.
        uid: String,
    },
    /// Removes our labels from an object and leaves it to its new owner.
    Orphan {
        /// Key of the object.
        key: Key,
        /// Precondition: the object must have this uid.
        uid: String,
    },
    /// Removes our finalizer from the request because nothing of it is left.
    RemoveFinalizer,
}

/// Reason why an object is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Why {
    /// It doesn't exist.
    Create,
    /// The release wants different content.
    Change,
    /// Something else changed it.
    Drift,
    /// Its owner handed it over to this request.
    Adopt,
}

/// Reason why something can't be done now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "hold", rename_all = "camelCase")]
pub enum Hold {
    /// An object that isn't ours has the same name.
    Foreign {
        /// Resource id.
        id: String,
        /// Key of the object.
        key: Key,
        /// A sentence that names the object and the fix.
        message: String,
    },
    /// It can't be rendered until another object reports a value.
    NotYet {
        /// Resource id.
        id: String,
        /// The value it waits for, as words that follow “waits for”.
        waits_for: String,
    },
    /// Created, but not healthy yet.
    Unhealthy {
        /// Resource id.
        id: String,
        /// Key of the object.
        key: Key,
        /// Reason, as reported by the object.
        message: Option<String>,
    },
    /// Being deleted, but held by a finalizer of another owner.
    Terminating {
        /// Resource id.
        id: String,
        /// Key of the object.
        key: Key,
        /// The finalizers, once the deletion has taken too long.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held: Option<HeldDeletion>,
    },
    /// It can't be read.
    Unreachable {
        /// Resource id.
        id: String,
        /// Key of the object.
        key: Key,
        /// The reason, as a sentence.
        message: String,
    },
    /// The budget of this plan is used up.
    Budget {
        /// Number of objects left.
        left: usize,
    },
    /// The request is paused.
    Paused,
}

/// The next actions, and the observed state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Actions to execute, in order.
    pub actions: Vec<Action>,
    /// What can't be done now, and why, most informative first.
    pub holds: Vec<Hold>,
    /// The inventory as observed.
    pub inventory: Vec<InventoryItem>,
    /// Paths that something else changed, by resource id.
    pub drift: Vec<(String, String)>,
    /// Paths that the server stores differently from the release, by resource id: it normalizes the value, or drops it.
    #[serde(default)]
    pub kept_otherwise: Vec<(String, String)>,
    /// Paths that something else keeps changing, by resource id. They are left as they are for a while.
    #[serde(default)]
    pub contested: Vec<(String, String)>,
    /// Seconds until the first contested object can be repaired, or a deletion counts as held.
    #[serde(default)]
    pub again: Option<i64>,
    /// Ids of the resources whose objects aren't all applied as wanted.
    #[serde(skip)]
    pub unapplied: BTreeSet<String>,
    /// Ids of the resources whose objects aren't all healthy.
    #[serde(skip)]
    pub unhealthy: BTreeSet<String>,
    /// Whether every object of the release exists as wanted.
    pub applied: bool,
    /// Whether every existing object is healthy.
    pub healthy: bool,
    /// Whether there is nothing left to do or to wait for.
    pub settled: bool,
}
