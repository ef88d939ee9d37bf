//! What the controller writes to objects of our own kinds: status and its own finalizer, never a spec.
//!
//! A status is sent as a merge patch of the differences, with an explicit null for what is removed, and never as a server-side apply:
//! through the virtual workspace of an export kcp merges an apply into the existing object, so nothing would ever be removed.

use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use promise::{merge, names};
use serde_json::json;

use crate::error::is_missing;
use crate::kinds::{Kind, Object, PromiseAction, PromiseRequest, PromiseRequestKind};

/// Writes the status, if it differs from what the object says. Returns the object as it is then.
pub async fn status<K: Kind>(api: &Api<Object<K>>, row: &Object<K>, status: &K::Status) -> Result<Option<Object<K>>, kube::Error> {
    let read = |status: Option<&K::Status>| serde_json::to_value(status).map_err(kube::Error::SerdeError);
    let stored = read(row.status.as_ref())?;
    let stored = if stored.is_null() { json!({}) } else { stored };
    let Some(difference) = merge::patch(&stored, &read(Some(status))?) else { return Ok(None) };
    let body = json!({
        // The resource version prevents a late status from overwriting what others wrote, or from reaching a new object of the same name.
        "metadata": {"resourceVersion": row.metadata.resource_version},
        "status": difference,
    });
    api.patch_status(&row.name_any(), &params(), &Patch::Merge(&body)).await.map(Some)
}

/// Adds our finalizer to the request, or removes it. The resource version makes sure that no other finalizer gets lost.
pub async fn finalizer(api: &Api<PromiseRequest>, request: &PromiseRequest, wanted: bool) -> Result<PromiseRequest, kube::Error> {
    let mut finalizers = request.metadata.finalizers.clone().unwrap_or_default();
    finalizers.retain(|finalizer| finalizer != names::FINALIZER);
    if wanted {
        finalizers.push(names::FINALIZER.to_owned());
    }
    let patch = json!({"metadata": {
        "uid": request.metadata.uid, "resourceVersion": request.metadata.resource_version, "finalizers": finalizers,
    }});
    api.patch(&request.name_any(), &params(), &Patch::Merge(&patch)).await
}

/// Makes a run of an action one of its request: it is deleted with the request, and our finalizer removes its objects before.
pub async fn adopted(api: &Api<PromiseAction>, action: &PromiseAction, request: &PromiseRequest) -> Result<PromiseAction, kube::Error> {
    let mut finalizers = action.metadata.finalizers.clone().unwrap_or_default();
    finalizers.retain(|finalizer| finalizer != names::FINALIZER);
    finalizers.push(names::FINALIZER.to_owned());
    let owner = json!({
        "apiVersion": names::API_VERSION, "kind": PromiseRequestKind::KIND, "name": request.name_any(), "uid": request.uid(),
        "controller": true, "blockOwnerDeletion": false,
    });
    let patch = json!({"metadata": {
        "uid": action.metadata.uid, "resourceVersion": action.metadata.resource_version, "finalizers": finalizers,
        "ownerReferences": [owner], "labels": {names::REQUEST_UID_LABEL: request.uid()},
    }});
    api.patch(&action.name_any(), &params(), &Patch::Merge(&patch)).await
}

/// Removes our finalizer from a run of an action, whose objects are gone.
pub async fn released(api: &Api<PromiseAction>, action: &PromiseAction) -> Result<(), kube::Error> {
    let mut finalizers = action.metadata.finalizers.clone().unwrap_or_default();
    finalizers.retain(|finalizer| finalizer != names::FINALIZER);
    let patch = json!({"metadata": {
        "uid": action.metadata.uid, "resourceVersion": action.metadata.resource_version, "finalizers": finalizers,
    }});
    match api.patch(&action.name_any(), &params(), &Patch::Merge(&patch)).await {
        Err(error) if !is_missing(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Returns the parameters of a patch that isn't an apply.
pub fn params() -> PatchParams {
    PatchParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PatchParams::default() }
}
