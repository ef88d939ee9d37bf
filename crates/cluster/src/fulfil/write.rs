//! What the controller writes into requests: status and its own finalizer, never a spec.

use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use promise::api::PromiseRequestStatus;
use promise::names;
use serde_json::json;

use crate::kinds::PromiseRequest;

/// Writes the status, if it differs from what the request says. Answers with the request as it is then.
pub async fn status(
    api: &Api<PromiseRequest>,
    request: &PromiseRequest,
    status: &PromiseRequestStatus,
) -> Result<Option<PromiseRequest>, kube::Error> {
    if request.status.as_ref() == Some(status) {
        return Ok(None);
    }
    let body = json!({
        "apiVersion": names::API_VERSION,
        "kind": "PromiseRequest",
        // The version keeps a late status away from a new request of the same name; a server looks at no uid here.
        "metadata": {"name": request.name_any(), "resourceVersion": request.metadata.resource_version},
        "status": status,
    });
    let params = PatchParams::apply(names::MANAGER_FULFIL).force();
    api.patch_status(&request.name_any(), &params, &Patch::Apply(&body)).await.map(Some)
}

/// Puts our finalizer on the request, or takes it off. The version makes sure that nobody else's finalizer gets lost.
pub async fn finalizer(api: &Api<PromiseRequest>, request: &PromiseRequest, wanted: bool) -> Result<PromiseRequest, kube::Error> {
    let mut finalizers = request.metadata.finalizers.clone().unwrap_or_default();
    finalizers.retain(|finalizer| finalizer != names::FINALIZER);
    if wanted {
        finalizers.push(names::FINALIZER.to_owned());
    }
    let patch = json!({"metadata": {
        "uid": request.metadata.uid, "resourceVersion": request.metadata.resource_version, "finalizers": finalizers,
    }});
    let params = PatchParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PatchParams::default() };
    api.patch(&request.name_any(), &params, &Patch::Merge(&patch)).await
}
