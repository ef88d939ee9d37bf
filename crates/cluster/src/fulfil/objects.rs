//! Looking at, applying and removing single objects. Everything is idempotent and carries a precondition where there is one.

use kube::Api;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, Preconditions};
use kube::core::GroupVersionKind;
use promise::fulfil::{Key, Why};
use promise::names;
use serde_json::{Value, json};

use super::target::{Place, Reach, Targets};
use super::words::{told_at, told_in_workspace};
use crate::error::{is_missing, is_transient};

/// Kind of a key.
pub fn kind(key: &Key) -> GroupVersionKind {
    GroupVersionKind::gvk(&key.group, &key.version, &key.kind)
}

/// The object at a key, none when it is not there. Errors: a sentence.
pub async fn look(targets: &Targets, place: &Place, key: &Key) -> Result<Option<Value>, String> {
    let api = api(targets, place, key).await?;
    match api.get(&key.name).await {
        Ok(object) => Ok(Some(value(object))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(failed(targets, place, &error, &format!("read {key}"))),
    }
}

/// Applies an object and answers with what the server made of it. `uid` is that of the object that was seen.
pub async fn apply(targets: &Targets, place: &Place, key: &Key, object: &Value, uid: Option<&str>, why: Why) -> Result<Value, String> {
    let api = api(targets, place, key).await?;
    let mut body = object.clone();
    if let Some(uid) = uid {
        // Whatever has come in its place meanwhile is not ours to change.
        body["metadata"]["uid"] = json!(uid);
    }
    let mut params = PatchParams::apply(names::MANAGER_FULFIL);
    // A new object must not meet other owners of its fields; an object that carries our label is ours whole.
    params.force = why != Why::Create;
    let applied = api.patch(&key.name, &params, &Patch::Apply(&body)).await;
    applied.map(value).map_err(|error| failed(targets, place, &error, &format!("apply {key}")))
}

/// Deletes an object, if it still is the one with this uid.
pub async fn delete(targets: &Targets, place: &Place, key: &Key, uid: &str) -> Result<(), String> {
    let api = api(targets, place, key).await?;
    let preconditions = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::background() };
    match api.delete(&key.name, &params).await {
        Ok(_) => Ok(()),
        Err(error) if is_missing(&error) => Ok(()),
        Err(error) => Err(failed(targets, place, &error, &format!("delete {key}"))),
    }
}

/// Takes our marks off an object, if it still is the one with this uid, and leaves it as it is.
pub async fn orphan(targets: &Targets, place: &Place, key: &Key, uid: &str) -> Result<(), String> {
    let api = api(targets, place, key).await?;
    let labels = json!({names::REQUEST_UID_LABEL: null, names::REQUEST_NAME_LABEL: null, names::RESOURCE_ID_LABEL: null});
    let patch = json!({"metadata": {"uid": uid, "labels": labels, "annotations": {names::HASH_ANNOTATION: null}}});
    let params = PatchParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PatchParams::default() };
    match api.patch(&key.name, &params, &Patch::Merge(&patch)).await {
        Ok(_) => Ok(()),
        Err(error) if is_missing(&error) => Ok(()),
        Err(error) => Err(failed(targets, place, &error, &format!("hand over {key}"))),
    }
}

async fn api(targets: &Targets, place: &Place, key: &Key) -> Result<Api<DynamicObject>, String> {
    let Reach { client, resource, namespaced, .. } = targets.reach(place, &kind(key)).await?;
    Ok(match key.namespace.as_deref().filter(|_| namespaced) {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    })
}

fn failed(targets: &Targets, place: &Place, error: &kube::Error, doing: &str) -> String {
    let lost = is_transient(error) || matches!(error, kube::Error::Api(status) if status.code == 401);
    if lost {
        targets.forget(place);
    }
    match place {
        Place::Workspace(_) => told_in_workspace(error, doing),
        Place::Destination(key) => told_at(&key.name, error, doing),
    }
}

fn value(object: DynamicObject) -> Value {
    let mut object = object;
    object.metadata.managed_fields = None;
    serde_json::to_value(object).unwrap_or_default()
}
