//! Objects that the plane itself writes: what controllers make and change in a workspace.
//! Source: none upstream: kcp writes these objects through its own clients.
//!
//! Every write is idempotent: creating what is there and changing nothing both do nothing, so a controller that was interrupted
//! simply runs again.

use serde_json::{Value, json};

use crate::clock::seconds;
use crate::document::{self, Document};
use crate::random::uid;
use crate::registry::GroupResource;
use crate::store::{Key, WriteError};
use crate::{ClusterId, State};

/// The annotation that names the logical cluster of an object.
pub const CLUSTER: &str = "kcp.io/cluster";

/// Creates an object unless it is there. `object` has apiVersion, kind, `metadata.name` and what is special about it.
///
/// # Errors
/// When the storage takes no writes.
pub fn create(state: &State, resource: &GroupResource, cluster: &ClusterId, mut object: Value) -> Result<(), WriteError> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (namespace, name) = (text(&object["metadata"]["namespace"]), text(&object["metadata"]["name"]));
    document::set(&mut object, ["metadata", "uid"], uid(&*state.random));
    document::set(&mut object, ["metadata", "creationTimestamp"], seconds(state.clock.now()));
    if !cluster.is_sandbox() {
        document::set(&mut object, ["metadata", "annotations", CLUSTER], cluster.as_str());
    }
    match state.store.write_behind(resource, &Key::new(cluster, &namespace, &name), 0, Some(object)) {
        Ok(_) | Err(WriteError::Changed) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Changes an object until the change meets no other; does nothing when it is gone or the change changes nothing.
/// Answers the object as it then is.
///
/// # Errors
/// When the storage takes no writes.
pub fn change(state: &State, resource: &GroupResource, key: &Key, apply: impl Fn(&mut Document)) -> Result<Option<Value>, WriteError> {
    while let Some(stored) = state.store.peek(resource, key) {
        let old = stored.object();
        let mut new = Document::from(old.clone());
        apply(&mut new);
        if *new == old {
            return Ok(Some(old));
        }
        if new["spec"] != old["spec"] {
            new.raise_generation();
        }
        match state.store.write_behind(resource, key, stored.revision, Some(new.into_value())) {
            Ok(written) => return Ok(Some(written.object())),
            Err(WriteError::Changed) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Removes an object whatever its finalizers say.
///
/// # Errors
/// When the storage takes no writes.
pub fn remove(state: &State, resource: &GroupResource, key: &Key) -> Result<(), WriteError> {
    while let Some(stored) = state.store.peek(resource, key) {
        match state.store.write_behind(resource, key, stored.revision, None) {
            Ok(_) => return Ok(()),
            Err(WriteError::Changed) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Asks an object to go: it goes at once, or is marked and waits for its finalizers. Answers whether it is gone.
///
/// # Errors
/// When the storage takes no writes.
pub fn delete(state: &State, resource: &GroupResource, key: &Key) -> Result<bool, WriteError> {
    let Some(stored) = state.store.peek(resource, key) else { return Ok(true) };
    let finalizers = stored.object()["metadata"]["finalizers"].as_array().map_or(0, Vec::len);
    if finalizers == 0 {
        remove(state, resource, key)?;
        return Ok(true);
    }
    let now = seconds(state.clock.now());
    change(state, resource, key, |object| {
        if object["metadata"]["deletionTimestamp"].is_null() {
            object.set(["metadata", "deletionTimestamp"], now.as_str());
            object.set(["metadata", "deletionGracePeriodSeconds"], 0);
            object.raise_generation();
        }
    })?;
    Ok(false)
}

/// Takes one finalizer off an object that is being deleted; it goes with its last one.
///
/// # Errors
/// When the storage takes no writes.
pub fn release(state: &State, resource: &GroupResource, key: &Key, finalizer: &str) -> Result<(), WriteError> {
    let released = change(state, resource, key, |object| {
        if let Some(finalizers) = object.list_mut(["metadata", "finalizers"]) {
            finalizers.retain(|own| own != finalizer);
        }
    });
    if let Some(object) = released?
        && object["metadata"]["finalizers"].as_array().is_none_or(Vec::is_empty)
        && is_being_deleted(&object)
    {
        remove(state, resource, key)?;
    }
    Ok(())
}

/// Whether somebody asked the object to go.
pub fn is_being_deleted(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// What makes a condition say more than its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// CamelCase reason.
    pub reason: &'static str,
    /// `Error` or `Warning`.
    pub severity: &'static str,
    /// Text for people.
    pub message: String,
}

/// Sets a condition in `status.conditions`; the time of its last change stays where its status does not change.
/// `Ready` comes first, the others follow by name.
pub fn set_condition(object: &mut Document, kind: &str, fault: Option<&Fault>, now: &str) {
    let status = if fault.is_none() { "True" } else { "False" };
    let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let (same, mut others): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|condition| condition["type"] == kind);
    let since = same
        .first()
        .filter(|condition| condition["status"] == status)
        .map_or(json!(now), |condition| condition["lastTransitionTime"].clone());
    let mut condition = json!({"type": kind, "status": status, "lastTransitionTime": since});
    if let Some(fault) = fault {
        condition["reason"] = json!(fault.reason);
        condition["severity"] = json!(fault.severity);
        condition["message"] = json!(fault.message);
    }
    others.push(condition);
    others.sort_by_key(|condition| (condition["type"] != "Ready", condition["type"].as_str().unwrap_or_default().to_owned()));
    object.set(["status", "conditions"], others);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_keep_their_time_until_they_change() {
        let mut object = Document::from(json!({}));
        set_condition(&mut object, "Valid", None, "1");
        set_condition(&mut object, "Ready", None, "1");
        set_condition(&mut object, "Valid", None, "2");
        assert_eq!(object["status"]["conditions"][1], json!({"type": "Valid", "status": "True", "lastTransitionTime": "1"}));
        let fault = Fault { reason: "Broken", severity: "Error", message: "it broke".into() };
        set_condition(&mut object, "Valid", Some(&fault), "3");
        assert_eq!(object["status"]["conditions"][1]["lastTransitionTime"], "3");
        assert_eq!(object["status"]["conditions"][0]["type"], "Ready");
    }
}
