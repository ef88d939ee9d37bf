//! Namespaces: what is created in them must find them open, and deleting one deletes what it holds.
//! Source: apiserver `admission/plugin/namespace/lifecycle`; kubernetes `pkg/registry/core/namespace`.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::{deletion::is_marked, document, objects::Call, registry::GroupResource, status::ApiError, store::Key};

/// Where namespaces are stored.
pub static NAMESPACES: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new("", "namespaces"));

/// Whether something may be created in the namespace of a request.
pub async fn check_open(call: &Call, name: &str) -> Result<(), ApiError> {
    let namespace = &call.attributes.namespace;
    let key = Key::new(&call.attributes.target.cluster, "", namespace);
    let Some(stored) = call.state.store.get(&NAMESPACES, &key).await else {
        return Err(ApiError::not_found("", "namespaces", namespace));
    };
    if !is_marked(&stored) {
        return Ok(());
    }
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let mut error = ApiError::forbidden(&call.resource.group, &call.resource.plural, name, &why);
    if let Some(details) = &mut error.details {
        let message = format!("namespace {namespace} is being terminated");
        details["causes"] = json!([{"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"}]);
    }
    Err(error)
}

/// Namespaces that a cluster cannot do without (apiserver `plugin/namespace/lifecycle`).
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

/// Refuses the deletion of a namespace that must stay. With a workspace they go all the same.
pub fn check_deletion(resource: &GroupResource, name: &str) -> Result<(), ApiError> {
    if *resource == *NAMESPACES && IMMORTAL.contains(&name) {
        return Err(ApiError::forbidden("", "namespaces", name, "this namespace may not be deleted"));
    }
    Ok(())
}

/// Gives a namespace the label with its own name, whatever the client says: selectors rely on it.
pub fn label(namespace: &mut Value) {
    if let Some(name) = namespace["metadata"]["name"].as_str().map(str::to_owned) {
        document::set(namespace, ["metadata", "labels", "kubernetes.io/metadata.name"], name);
    }
}

/// What a new namespace has beside what was asked for.
pub fn complete(namespace: &mut Value) {
    label(namespace);
    let listed = namespace["spec"]["finalizers"].as_array().is_some_and(|list| list.iter().any(|item| item == "kubernetes"));
    if !listed {
        let mut finalizers = namespace["spec"]["finalizers"].as_array().cloned().unwrap_or_default();
        finalizers.push("kubernetes".into());
        document::set(namespace, ["spec"], json!({"finalizers": finalizers}));
    }
    document::set(namespace, ["status"], json!({"phase": "Active"}));
}
