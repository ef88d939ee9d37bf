//! Takes a workspace down: what is in it first, finalizers honoured, then its logical cluster, then the Workspace object.
//! Source: kcp `pkg/reconciler/core/logicalclusterdeletion`.

use serde_json::Value;

use super::PHASE;
use super::controller::FINALIZER;
use crate::authored::{self, Fault, set_condition};
use crate::clock::seconds;
use crate::deletion::marked;
use crate::garbage::Dependants;
use crate::kinds::{BINDINGS, LOGICAL_CLUSTERS, NAMESPACES, WORKSPACES};
use crate::registry::{DEFINITIONS, GroupResource};
use crate::store::{Key, Range, WriteError};
use crate::{ClusterId, State, rbac};

/// Shows that a Workspace is being deleted, and closes its namespaces: nothing new comes into them.
///
/// # Errors
/// When the storage takes no writes.
pub fn announce(state: &State, key: &Key) -> Result<(), WriteError> {
    let workspace = authored::change(state, &WORKSPACES, key, |workspace| {
        workspace.set(["metadata", "labels", PHASE], "Deleting");
        workspace.set(["status", "phase"], "Deleting");
    })?;
    let cluster = workspace.and_then(|workspace| ClusterId::parse(workspace["spec"]["cluster"].as_str()?));
    cluster.map_or(Ok(()), |cluster| close_namespaces(state, &cluster))
}

fn close_namespaces(state: &State, cluster: &ClusterId) -> Result<(), WriteError> {
    let now = seconds(state.clock.now());
    for (key, _) in state.store.peek_list(&NAMESPACES, &Range::Cluster(cluster.clone())).0 {
        authored::change(state, &NAMESPACES, &key, |namespace| {
            *namespace = marked(&NAMESPACES, namespace, &now, Dependants::Unsaid).into();
        })?;
    }
    Ok(())
}

/// Goes on with the deletion of a Workspace; called again whenever something in its logical cluster changes.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile(state: &State, key: &Key, workspace: &Value) -> Result<(), WriteError> {
    let now = seconds(state.clock.now());
    let cluster = workspace["spec"]["cluster"].as_str().and_then(ClusterId::parse);
    let waiting = match &cluster {
        Some(cluster) => {
            close_namespaces(state, cluster)?;
            delete_content(state, cluster)?
        }
        None => Vec::new(),
    };
    if waiting.is_empty() {
        if let Some(cluster) = &cluster {
            remove_rest(state, cluster)?;
        }
        return authored::release(state, &WORKSPACES, key, FINALIZER);
    }
    let fault =
        Fault { reason: "SomeResourcesRemain", severity: "Info", message: format!("Some resources are remaining: {}", waiting.join(", ")) };
    authored::change(state, &WORKSPACES, key, |workspace| {
        set_condition(workspace, "WorkspaceContentDeleted", Some(&fault), &now);
    })?;
    Ok(())
}

/// Whether objects of this resource must stay until everything else is gone: what is needed to reach and release the rest.
fn goes_last(resource: &GroupResource) -> bool {
    [&*LOGICAL_CLUSTERS, &*BINDINGS, &*NAMESPACES, &*DEFINITIONS].contains(&resource) || &*resource.group == rbac::GROUP
}

/// Asks all content to go; answers what still waits for its finalizers.
fn delete_content(state: &State, cluster: &ClusterId) -> Result<Vec<String>, WriteError> {
    let mut waiting = Vec::new();
    for resource in state.store.resources_of(cluster).into_iter().filter(|resource| !goes_last(resource)) {
        let (objects, _) = state.store.peek_list(&resource, &Range::Cluster(cluster.clone()));
        let mut remaining = 0;
        for (key, _) in objects {
            remaining += usize::from(!authored::delete(state, &resource, &key)?);
        }
        if remaining > 0 {
            let name = crate::status::qualified(&resource.resource, &resource.group);
            waiting.push(format!("{name} has {remaining} resource instances"));
        }
    }
    waiting.sort();
    Ok(waiting)
}

fn remove_rest(state: &State, cluster: &ClusterId) -> Result<(), WriteError> {
    for resource in state.store.resources_of(cluster) {
        for (key, _) in state.store.peek_list(&resource, &Range::Cluster(cluster.clone())).0 {
            authored::remove(state, &resource, &key)?;
        }
    }
    Ok(())
}
