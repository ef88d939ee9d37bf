//! The tree of workspaces: which logical cluster a path names, what a Workspace must be, and what makes one ready.
//! Source: kcp `pkg/index`, `sdk/apis/tenancy/v1alpha1`.

pub mod admission;
pub mod controller;
pub mod deletion;
pub mod home;
pub mod types;

use serde_json::{Value, json};

use crate::kinds::{LOGICAL_CLUSTERS, TENANCY, WORKSPACES};
use crate::status::ApiError;
use crate::store::{Key, Range};
use crate::{ClusterId, State};

/// The annotation with the path of an object's workspace.
pub const PATH: &str = "kcp.io/path";
/// The annotation of a LogicalCluster with the type of its workspace, `root:organization`.
pub const TYPE: &str = "internal.tenancy.kcp.io/type";
/// The annotation with the user who created a workspace, as JSON.
pub const OWNER: &str = "experimental.tenancy.kcp.io/owner";
/// The label with the phase of a workspace.
pub const PHASE: &str = "tenancy.kcp.io/phase";
/// How far up the tree is looked.
pub const DEEPEST: usize = 256;
/// The only name of a LogicalCluster.
pub const LOGICAL_CLUSTER: &str = "cluster";

/// The logical cluster that the segment after `/clusters/` names: `root:team:shop`, an id, an id with names, `user:alice`.
/// An id alone is not looked up: who may enter what does not exist is for authorisation to refuse.
///
/// # Errors
/// Bad request for what is no path; not found for a path whose workspace is missing.
pub fn resolve(state: &State, segment: &str) -> Result<ClusterId, ApiError> {
    let bad = || ApiError::bad_request(format!("invalid cluster: {segment:?} does not match the regex"));
    if segment == "*" {
        return Ok(ClusterId::nowhere());
    }
    let mut parts = segment.split(':').map(ClusterId::parse);
    let mut cluster = parts.next().flatten().ok_or_else(bad)?;
    let names: Vec<ClusterId> = parts.collect::<Option<_>>().ok_or_else(bad)?;
    if cluster.is_sandbox() {
        // The sandbox is no workspace; its id must not open it on this path.
        return Ok(ClusterId::nowhere());
    }
    let mut names = names.iter().map(ClusterId::as_str);
    if cluster.as_str() == "user"
        && let Some(user) = names.next()
    {
        cluster = home::cluster_of(user).filter(|home| exists(state, home)).ok_or_else(|| missing(segment))?;
    }
    for name in names {
        cluster = child(state, &cluster, name).ok_or_else(|| missing(segment))?;
    }
    Ok(cluster)
}

fn missing(path: &str) -> ApiError {
    ApiError::not_found(TENANCY, "workspaces", path)
}

/// The logical cluster of a child workspace.
fn child(state: &State, parent: &ClusterId, name: &str) -> Option<ClusterId> {
    let workspace = state.store.peek(&WORKSPACES, &Key::new(parent, "", name))?.object();
    ClusterId::parse(workspace["spec"]["cluster"].as_str()?)
}

/// The key of a cluster's LogicalCluster object.
pub fn logical_cluster_key(cluster: &ClusterId) -> Key {
    Key::new(cluster, "", LOGICAL_CLUSTER)
}

/// The LogicalCluster object of a cluster.
pub fn logical_cluster(state: &State, cluster: &ClusterId) -> Option<Value> {
    Some(state.store.peek(&LOGICAL_CLUSTERS, &logical_cluster_key(cluster))?.object())
}

/// Whether there is such a logical cluster.
pub fn exists(state: &State, cluster: &ClusterId) -> bool {
    state.store.peek(&LOGICAL_CLUSTERS, &logical_cluster_key(cluster)).is_some()
}

/// The path of a workspace as its LogicalCluster tells it. Administrators of the workspace can change it: fit to be shown, not
/// to be believed.
pub fn told_path(state: &State, cluster: &ClusterId) -> String {
    let told = logical_cluster(state, cluster).and_then(|object| object["metadata"]["annotations"][PATH].as_str().map(str::to_owned));
    told.unwrap_or_else(|| cluster.to_string())
}

/// The Workspace object whose logical cluster this is, with the cluster it lies in. Only Workspace objects prove ancestry.
pub fn workspace_of(state: &State, cluster: &ClusterId) -> Option<(Key, Value)> {
    if cluster.is_root() || cluster.is_sandbox() {
        return None;
    }
    told_workspace(state, cluster).or_else(|| find_workspace(state, cluster))
}

/// The Workspace objects above a logical cluster, the nearest first; no more than [`DEEPEST`], should they be a circle.
pub fn ancestors(state: &State, cluster: &ClusterId) -> impl Iterator<Item = Key> {
    let above = |cluster: &ClusterId| workspace_of(state, cluster).map(|(key, _)| key);
    std::iter::successors(above(cluster), move |key| above(&key.cluster)).take(DEEPEST)
}

/// The Workspace that a logical cluster names as its owner, if it says the same: administrators of the workspace can change what is told.
fn told_workspace(state: &State, cluster: &ClusterId) -> Option<(Key, Value)> {
    let owner = &logical_cluster(state, cluster)?["spec"]["owner"];
    let key = Key::new(&ClusterId::parse(owner["cluster"].as_str()?)?, "", owner["name"].as_str()?);
    let workspace = state.store.peek(&WORKSPACES, &key)?.object();
    (workspace["spec"]["cluster"] == cluster.as_str()).then_some((key, workspace))
}

/// Looks at all Workspaces, of which there may be many.
fn find_workspace(state: &State, cluster: &ClusterId) -> Option<(Key, Value)> {
    let (all, _) = state.store.peek_list(&WORKSPACES, &Range::All);
    all.into_iter().map(|(key, stored)| (key, stored.object())).find(|(_, workspace)| workspace["spec"]["cluster"] == cluster.as_str())
}

/// `https://host/clusters/<path>`.
fn url(state: &State, path: &str) -> Value {
    json!(format!("{}/clusters/{path}", state.external_url.trim_end_matches('/')))
}
