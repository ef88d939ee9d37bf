//! Finalizers that hold an object that is being deleted: since when, whose they are, and what they wait for. Pure.

mod owner;

use std::fmt::Display;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::expiry::minute;
use crate::wording::all_of;

pub use owner::{FinalizerOwner, owner};

/// Seconds after which an object that is still being deleted counts as held. Most controllers remove their finalizers sooner.
pub const PATIENCE: i64 = 120;
/// Maximum number of finalizers that are listed. An object of another owner can have any number of them.
const MOST: usize = 5;

/// The finalizers that hold an object that should be gone by now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldDeletion {
    /// Names of the finalizers, in the order of the object.
    pub finalizers: Vec<String>,
    /// RFC 3339 time from which the object should be gone: its `deletionTimestamp`.
    pub since: String,
}

/// State of a deletion that finalizers prevent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It began recently. Contains the number of seconds after which it counts as held.
    Recent(i64),
    /// It takes too long.
    Held(HeldDeletion),
}

/// Returns the state of an object's deletion at `now`, in seconds since 1970. `None` if the object isn't being deleted, or has no
/// finalizer.
pub fn deletion(object: &Value, now: i64) -> Option<Deletion> {
    let since = object["metadata"]["deletionTimestamp"].as_str()?;
    let finalizers = of(object);
    if finalizers.is_empty() {
        return None;
    }
    let age = now.saturating_sub(since.parse::<Timestamp>().ok()?.as_second());
    if age < PATIENCE {
        // The clock of the server might be wrong by any amount.
        return Some(Deletion::Recent(PATIENCE.saturating_sub(age).clamp(1, PATIENCE)));
    }
    Some(Deletion::Held(HeldDeletion { finalizers, since: since.to_owned() }))
}

/// Returns the finalizers of an object. Those of a namespace's content are in its spec.
fn of(object: &Value) -> Vec<String> {
    let is_namespace = object["apiVersion"] == "v1" && object["kind"] == "Namespace";
    let content = if is_namespace { &object["spec"]["finalizers"] } else { &Value::Null };
    let lists = [&object["metadata"]["finalizers"], content];
    let all = lists.into_iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    all.take(MOST).map(str::to_owned).collect()
}

impl HeldDeletion {
    /// Returns why the object is still there, as a sentence without a full stop.
    pub fn reason(&self, object: impl Display) -> String {
        let removals: Vec<String> = self.finalizers.iter().map(|finalizer| removal(finalizer)).collect();
        let since = self.since.parse().map(|at| format!(". It has been waiting since {}", minute(at))).unwrap_or_default();
        format!("{object} can't be deleted until {}{since}", all_of(&removals))
    }
}

/// Returns what has to happen: `Flux removes the finalizer finalizers.fluxcd.io`.
fn removal(finalizer: &str) -> String {
    let FinalizerOwner { name, waits_for } = owner(finalizer);
    let waits_for = waits_for.map(|what| format!(", which waits for {what}")).unwrap_or_default();
    format!("{name} removes the finalizer {finalizer}{waits_for}")
}

#[cfg(test)]
mod tests;
