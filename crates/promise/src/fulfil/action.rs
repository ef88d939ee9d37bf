//! What a plan says.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::situation::Key;
use crate::api::InventoryItem;

/// One thing to do. Actions are carried out in order; the first that fails ends the round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum Action {
    /// Puts our finalizer on the request, before anything is made for it.
    AddFinalizer,
    /// Writes the inventory into the request's status, because it names something that is about to be made.
    Record {
        /// The whole inventory.
        inventory: Vec<InventoryItem>,
    },
    /// Applies an object, server-side, as `opm-fulfil`.
    Apply {
        /// Resource id.
        id: String,
        /// Where.
        key: Key,
        /// What.
        object: Value,
        /// Why.
        why: Why,
    },
    /// Deletes an object.
    Delete {
        /// Which.
        key: Key,
        /// Precondition: only this very object.
        uid: String,
    },
    /// Takes our labels off an object and leaves it to its new owner.
    Orphan {
        /// Which.
        key: Key,
        /// Precondition: only this very object.
        uid: String,
    },
    /// Takes our finalizer off the request: nothing of it is left.
    RemoveFinalizer,
}

/// Why an object is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Why {
    /// It is not there.
    Create,
    /// The release wants it otherwise.
    Change,
    /// Somebody else changed it.
    Drift,
    /// Its owner handed it over to this request.
    Adopt,
}

/// Why something is not being done now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "hold", rename_all = "camelCase")]
pub enum Hold {
    /// A foreign object has the name.
    Foreign {
        /// Resource id.
        id: String,
        /// Which object.
        key: Key,
        /// A sentence that names it and the fix.
        message: String,
    },
    /// It cannot be rendered before something else reports.
    NotYet {
        /// Resource id.
        id: String,
        /// What it waits for, as words that follow “waits for”.
        waits_for: String,
    },
    /// Made, and not healthy yet.
    Unhealthy {
        /// Resource id.
        id: String,
        /// Which object.
        key: Key,
        /// Why, in the object's own words.
        message: Option<String>,
    },
    /// Being removed by somebody else's finalizer.
    Terminating {
        /// Resource id.
        id: String,
        /// Which object.
        key: Key,
    },
    /// It cannot be looked at.
    Unreachable {
        /// Resource id.
        id: String,
        /// Which object.
        key: Key,
        /// A sentence.
        message: String,
    },
    /// More is to be done than fits one round.
    Budget {
        /// How many objects are left.
        left: usize,
    },
    /// The owner asked for no changes.
    Paused,
}

/// What to do next, and what there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What to do, in order.
    pub actions: Vec<Action>,
    /// What is not being done, and why, most telling first.
    pub holds: Vec<Hold>,
    /// The inventory as seen now.
    pub inventory: Vec<InventoryItem>,
    /// Paths that somebody else changed, by resource id.
    pub drift: Vec<(String, String)>,
    /// Paths that the server keeps otherwise than the release wants them, by resource id: it writes them in its own way, or does not
    /// take them at all.
    #[serde(default)]
    pub kept_otherwise: Vec<(String, String)>,
    /// Paths that somebody else keeps changing, by resource id: they are left as they are for a while.
    #[serde(default)]
    pub contested: Vec<(String, String)>,
    /// Seconds after which the first of what is left as it is may be put back.
    #[serde(default)]
    pub again: Option<i64>,
    /// Whether everything that the release wants is there as it wants it.
    pub applied: bool,
    /// Whether everything that is there works.
    pub healthy: bool,
    /// Whether nothing is left to do and to wait for.
    pub settled: bool,
}
