//! Reads one object from the control plane with the user's token.

use std::time::Duration;

use app::view::{ConditionLine, WriterLine};
use cluster::error::{from_plane, is_denied, is_missing, is_missing_api};
use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::Event;
use kube::api::{Api, DynamicObject};
use kube::core::GroupVersionKind;
use kube::discovery::{self, Scope};
use promise::api::InventoryItem;
use promise::{Error, Result, names};
use serde_json::Value;

use crate::portal::Caller;
use crate::portal::place::Workspace;

/// How long the control plane can take to report its kinds and to return an object.
const PATIENCE: Duration = Duration::from_secs(5);
/// Number of conditions and writers to show. Objects have few.
const MOST: usize = 30;
/// Namespace in which the control plane stores events about cluster-scoped objects.
const UNNAMESPACED_EVENTS: &str = "default";

/// The result of reading an object.
pub(super) enum Look {
    /// The complete object.
    There(Box<Value>),
    /// It is at the Destination with this name.
    Elsewhere(String),
    /// The user can't read it.
    Denied,
    /// It doesn't exist.
    Gone,
    /// An object with that name exists, but it isn't the portal's.
    Another,
    /// The workspace doesn't serve its kind.
    Unserved,
}

impl Look {
    pub(super) fn object(&self) -> Option<&Value> {
        match self {
            Self::There(object) => Some(object),
            _ => None,
        }
    }
}

/// Reads an object of a request.
///
/// # Errors
/// If the control plane doesn't respond.
pub(super) async fn at(caller: &Caller, workspace: &Workspace, request: &PromiseRequest, item: &InventoryItem) -> Result<Look> {
    if let Some(destination) = &item.destination {
        return Ok(Look::Elsewhere(destination.clone()));
    }
    // Both become part of an address of the control plane.
    if ![Some(&item.name), item.namespace.as_ref()].into_iter().flatten().all(|part| is_segment(part)) {
        return Ok(Look::Gone);
    }
    match tokio::time::timeout(PATIENCE, read(caller, workspace, item)).await {
        Err(_) => Err(Error::Unreachable { what: "the control plane".to_owned() }),
        Ok(Err(error)) => Err(error),
        Ok(Ok(Look::There(object))) if !is_of(&object, request, item) => Ok(Look::Another),
        Ok(Ok(look)) => Ok(look),
    }
}

async fn read(caller: &Caller, workspace: &Workspace, item: &InventoryItem) -> Result<Look> {
    let client = caller.client(&workspace.cluster);
    let kind = GroupVersionKind::gvk(&item.group, &item.version, &item.kind);
    let (resource, capabilities) = match discovery::pinned_kind(&client, &kind).await {
        Ok(found) => found,
        Err(error) if is_denied(&error) => return Ok(Look::Denied),
        Err(kube::Error::Discovery(_)) => return Ok(Look::Unserved),
        Err(error) if is_missing(&error) || is_missing_api(&error) => return Ok(Look::Unserved),
        Err(error) => return Err(from_plane(&error, &item.kind)),
    };
    let api: Api<DynamicObject> = match &item.namespace {
        Some(namespace) if capabilities.scope == Scope::Namespaced => Api::namespaced_with(client, namespace, &resource),
        _ => Api::all_with(client, &resource),
    };
    match api.get(&item.name).await {
        Ok(object) => Ok(Look::There(Box::new(serde_json::to_value(object).map_err(|_| Error::Internal)?))),
        Err(error) if is_denied(&error) => Ok(Look::Denied),
        Err(error) if is_missing(&error) => Ok(Look::Gone),
        Err(error) if is_missing_api(&error) => Ok(Look::Unserved),
        Err(error) => Err(from_plane(&error, &item.kind)),
    }
}

/// Checks whether an object is the one that the controller created for a request: it has the label and the recorded uid.
fn is_of(object: &Value, request: &PromiseRequest, item: &InventoryItem) -> bool {
    let metadata = &object["metadata"];
    let ours = metadata["labels"][names::REQUEST_UID_LABEL].as_str() == request.metadata.uid.as_deref();
    ours && item.uid.as_deref().is_none_or(|uid| metadata["uid"] == uid)
}

/// Checks whether a name is a single segment of an address.
fn is_segment(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '%', '?', '#', '\\']) && !text.chars().any(char::is_control)
}

/// Returns the events of an object, newest first. If the user can't read events, an explanation instead.
///
/// # Errors
/// If the control plane doesn't respond.
pub(super) async fn events(caller: &Caller, workspace: &Workspace, object: &Value) -> Result<std::result::Result<Vec<Event>, String>> {
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str().unwrap_or(UNNAMESPACED_EVENTS);
    let uid = metadata["uid"].as_str().unwrap_or_default();
    let events = caller.read_events_of(workspace, namespace, uid).await?;
    Ok(events.ok_or_else(|| format!("You can't read events in {}.", workspace.path)))
}

/// Returns the owners of an object on the control plane, as kind and name.
pub(super) fn owners(object: &Value) -> Vec<String> {
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    owners.filter_map(|owner| Some(format!("{}/{}", owner["kind"].as_str()?, owner["name"].as_str()?))).take(MOST).collect()
}

/// Returns the conditions of an object, in its own order.
pub(super) fn conditions(object: &Value) -> Vec<ConditionLine> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    let line = |condition: &Value| ConditionLine {
        name: text(&condition["type"]),
        status: text(&condition["status"]),
        reason: text(&condition["reason"]),
        message: text(&condition["message"]),
        since: text(&condition["lastTransitionTime"]),
    };
    conditions.filter(|condition| condition["type"].is_string()).map(line).take(MOST).collect()
}

/// Returns the field managers of an object, newest first.
pub(super) fn writers(object: &Value) -> Vec<WriterLine> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let managers = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let line = |manager: &Value| WriterLine {
        manager: text(&manager["manager"]),
        part: text(&manager["subresource"]),
        at: text(&manager["time"]),
        ours: manager["manager"] == names::MANAGER_FULFIL,
    };
    let mut writers: Vec<WriterLine> = managers.filter(|manager| manager["manager"].is_string()).map(line).collect();
    // Times are RFC 3339 in UTC, so their texts sort chronologically.
    writers.sort_by(|a, b| b.at.cmp(&a.at));
    writers.truncate(MOST);
    writers
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object as object_of_plane};
    use promise::api::PromiseRequestSpec;
    use serde_json::json;

    use super::*;

    fn object(uid: &str, of: &str) -> Value {
        json!({"metadata": {"uid": uid, "labels": {names::REQUEST_UID_LABEL: of}, "managedFields": [
            {"manager": "opm-fulfil", "operation": "Apply", "time": "2026-11-21T09:00:00Z"},
            {"manager": "kubectl-edit", "operation": "Update", "time": "2026-11-21T10:00:00Z", "subresource": "status"},
            {"operation": "Update"},
        ], "ownerReferences": [{"kind": "ReplicaSet", "name": "web-1"}, {"kind": 1}]},
        "status": {"conditions": [{"type": "Available", "status": "False", "reason": "TooFew", "message": "1 of 3"}, {"status": "True"}, "odd"]}})
    }

    #[test]
    fn an_object_of_somebody_else_is_not_the_one_that_was_made() {
        let mut request = object_of_plane::<PromiseRequestKind>("orders", Some("default"), PromiseRequestSpec::default());
        request.metadata.uid = Some("r1".into());
        let item = InventoryItem { uid: Some("o1".into()), ..InventoryItem::default() };
        assert!(is_of(&object("o1", "r1"), &request, &item));
        assert!(!is_of(&object("o2", "r1"), &request, &item), "it was made anew by somebody");
        assert!(!is_of(&object("o1", "r2"), &request, &item), "it belongs to another request");
        assert!(!is_of(&json!({"metadata": {"uid": "o1"}}), &request, &item));
    }

    #[test]
    fn odd_objects_say_what_they_can() {
        let object = object("o1", "r1");
        let conditions = conditions(&object);
        assert_eq!(conditions.len(), 1);
        assert_eq!((conditions[0].name.as_str(), conditions[0].status.as_str()), ("Available", "False"));
        let writers = writers(&object);
        assert_eq!(
            writers.iter().map(|writer| (writer.manager.as_str(), writer.part.as_str(), writer.ours)).collect::<Vec<_>>(),
            [("kubectl-edit", "status", false), ("opm-fulfil", "", true)]
        );
        assert_eq!(owners(&object), ["ReplicaSet/web-1"]);
        assert!(owners(&json!({})).is_empty());
    }

    #[test]
    fn no_name_leads_elsewhere() {
        for name in ["a", "orders-db", "system:node", "a.b"] {
            assert!(is_segment(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "../secrets", "a%2fb", "a?b", "a#b", "a\\b", "a\0"] {
            assert!(!is_segment(name), "{name}");
        }
    }
}
