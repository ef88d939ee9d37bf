//! What is there from the start: namespaces, roles and bindings.
//! Source: kubernetes `pkg/controlplane/controller/systemnamespaces`; kcp `config`.

use serde_json::{Value, json};

use crate::{
    ClusterId, State, clock, namespaces,
    plane::{Initial, OpenError},
    random,
    rbac::bootstrap,
    registry::GroupResource,
    store::{Key, WriteError},
};

/// Writes the initial objects that don't exist yet, in order, so that a start after a crash continues where the last one stopped.
pub fn initial(state: &State, objects: Vec<Initial>) -> Result<(), OpenError> {
    for Initial { resource, key, object } in objects {
        match state.store.write_behind(&resource, &key, 0, Some(object)) {
            Ok(_) | Err(WriteError::Changed) => {}
            Err(error) => return Err(OpenError::Bootstrap(error.to_string())),
        }
    }
    Ok(())
}

/// Writes what is missing of the first objects of the sandbox cluster.
pub fn sandbox(state: &State) -> Result<(), OpenError> {
    let cluster = ClusterId::sandbox();
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        namespace(state, &cluster, name)?;
    }
    for object in bootstrap::cluster() {
        ensure(state, &cluster, object)?;
    }
    Ok(())
}

/// Writes a namespace unless it is there.
pub fn namespace(state: &State, cluster: &ClusterId, name: &str) -> Result<(), OpenError> {
    let mut object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    namespaces::complete(&mut object);
    ensure(state, cluster, object)
}

/// Writes an object of a built-in kind unless it is there.
pub fn ensure(state: &State, cluster: &ClusterId, mut object: Value) -> Result<(), OpenError> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let known = state.registry.resources(state, cluster).iter().find(|r| r.group == group && r.kind == kind).cloned();
    let resource = known.map_or_else(|| GroupResource::new(group, &format!("{}s", kind.to_lowercase())), |r| r.storage.clone());
    let key = Key::new(cluster, &text(&object["metadata"]["namespace"]), &text(&object["metadata"]["name"]));
    if state.store.peek(&resource, &key).is_some() {
        return Ok(());
    }
    object["metadata"]["uid"] = random::uid(&*state.random).into();
    object["metadata"]["creationTimestamp"] = clock::seconds(state.clock.now()).into();
    match state.store.write_behind(&resource, &key, 0, Some(object)) {
        Ok(_) | Err(WriteError::Changed) => Ok(()),
        Err(error) => Err(OpenError::Bootstrap(error.to_string())),
    }
}
