//! Makes workspaces ready: a logical cluster, its first objects, the default bindings, and only then the phase `Ready`.
//! Source: kcp `pkg/reconciler/tenancy/workspace`, `pkg/reconciler/core/logicalcluster`.
//!
//! Each step can be repeated. A workspace whose creator may not bind a default export stays in `Initializing`, and the reason is
//! told on its LogicalCluster alone; a right that is granted later does not help it.

use serde_json::{Value, json};

use super::types::{self, Type};
use super::{LOGICAL_CLUSTER, OWNER, PATH, PHASE, TYPE, deletion, exists, logical_cluster_key, resolve, told_path, url};
use crate::access::workspace::holds;
use crate::authored::{self, Fault, is_being_deleted, set_condition};
use crate::clock::seconds;
use crate::document::Document;
use crate::kinds::{APIS, CONFIG_MAPS, CORE, LOGICAL_CLUSTERS, NAMESPACES, SERVICE_ACCOUNTS, TENANCY, WORKSPACE_TYPES, WORKSPACES};
use crate::rbac::bootstrap;
use crate::rbac::wish::{ResourceWish, Wish};
use crate::registry::GroupResource;
use crate::request::User;
use crate::store::{Key, WriteError};
use crate::{ClusterId, State, bindings, exports, random};

/// Keeps a Workspace object until its logical cluster is gone.
pub const FINALIZER: &str = "core.kcp.io/logicalcluster";
/// The initializer that binds default exports.
const BIND: &str = "system:apibindings";
/// Digits of logical cluster ids.
const ID_ALPHABET: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Length of logical cluster ids.
const ID_LENGTH: usize = 16;

/// Makes the root workspace, if it is not there.
///
/// # Errors
/// When the storage takes no writes.
pub fn bootstrap(state: &State) -> Result<(), WriteError> {
    let root = ClusterId::root();
    if !exists(state, &root) {
        let mut object = logical_cluster("root", "root:root");
        object.set(["status"], json!({"phase": "Ready", "URL": url(state, "root")}));
        object.set(["metadata", "labels"], json!({PHASE: "Ready"}));
        authored::create(state, &LOGICAL_CLUSTERS, &root, object.into_value())?;
    }
    for workspace_type in types::built_in() {
        authored::create(state, &WORKSPACE_TYPES, &root, workspace_type)?;
    }
    for object in bootstrap::root_workspace() {
        create_role_object(state, &root, object)?;
    }
    first_namespaces(state, &root)?;
    exports::controller::system_exports(state)
}

/// Brings one Workspace a step further, or all the way.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile(state: &State, key: &Key) -> Result<(), WriteError> {
    let Some(workspace) = state.store.peek(&WORKSPACES, key).map(|stored| stored.object()) else { return Ok(()) };
    if is_being_deleted(&workspace) {
        return deletion::reconcile(state, key, &workspace);
    }
    match workspace["status"]["phase"].as_str() {
        Some("Ready") => Ok(()),
        Some("Initializing") => initialize(state, key, &workspace),
        _ => match schedule(state, key)? {
            Some(workspace) => initialize(state, key, &workspace),
            None => Ok(()),
        },
    }
}

/// Gives the Workspace a logical cluster id.
fn schedule(state: &State, key: &Key) -> Result<Option<Value>, WriteError> {
    let id = random::word(&*state.random, ID_LENGTH, ID_ALPHABET);
    let path = format!("{}:{}", canonical_path(state, &key.cluster), key.name);
    let now = seconds(state.clock.now());
    authored::change(state, &WORKSPACES, key, |workspace| {
        if workspace["spec"]["cluster"].is_null() {
            workspace.set(["spec", "cluster"], id.as_str());
            workspace.set(["spec", "URL"], url(state, &path));
        }
        workspace.set(["metadata", "finalizers"], json!([FINALIZER]));
        workspace.set(["metadata", "annotations", "core.kcp.io/shard"], "root");
        workspace.set(["metadata", "labels", PHASE], "Initializing");
        workspace.set(["status", "phase"], "Initializing");
        set_condition(workspace, "WorkspaceScheduled", None, &now);
    })
}

/// The path of a workspace by the Workspace objects above it.
fn canonical_path(state: &State, cluster: &ClusterId) -> String {
    let above: Vec<Key> = super::ancestors(state, cluster).collect();
    let top = above.last().map_or(cluster, |key| &key.cluster);
    let mut path = if top.is_root() { "root".to_owned() } else { told_path(state, top) };
    for key in above.iter().rev() {
        path = format!("{path}:{}", key.name);
    }
    path
}

/// Fills the logical cluster of a Workspace and makes both ready, or notes why not.
fn initialize(state: &State, key: &Key, workspace: &Value) -> Result<(), WriteError> {
    let Some(cluster) = workspace["spec"]["cluster"].as_str().and_then(ClusterId::parse) else { return Ok(()) };
    let reference = &workspace["spec"]["type"];
    let (type_path, type_name) = (text(&reference["path"]), text(&reference["name"]));
    let Some(own_type) = Type::load(state, &type_path, &type_name).filter(|own_type| own_type.is_complete) else { return Ok(()) };
    let creator = creator(workspace);
    if !exists(state, &cluster) {
        let mut object = logical_cluster(&format!("{}:{}", canonical_path(state, &key.cluster), key.name), &own_type.name);
        object.set(["metadata", "annotations", OWNER], short_owner(&creator));
        let owner = json!({
            "apiVersion": format!("{TENANCY}/v1alpha1"), "resource": "workspaces", "cluster": key.cluster.as_str(),
            "name": &*key.name, "uid": workspace["metadata"]["uid"],
        });
        object.set(["spec", "owner"], owner);
        object.set(["spec", "createdBy"], crate::reviews::user_info(&creator));
        let mut initializers = own_type.initializers.clone();
        if !own_type.default_bindings.is_empty() {
            initializers.push(BIND.into());
        }
        object.set(["spec", "initializers"], initializers);
        object.set(["status"], json!({"phase": "Initializing", "URL": url(state, cluster.as_str())}));
        authored::create(state, &LOGICAL_CLUSTERS, &cluster, object.into_value())?;
        first_namespaces(state, &cluster)?;
        create_role_object(state, &cluster, workspace_admin(&creator))?;
    }
    let mut waiting: Vec<String> = own_type.initializers.iter().filter(|name| !name.starts_with("root:")).cloned().collect();
    let failure = bind_defaults(state, &cluster, &creator, &own_type)?;
    if failure.is_some() {
        waiting.push(BIND.into());
    }
    settle(state, key, &cluster, &creator, &waiting, failure)
}

/// Notes the outcome on the LogicalCluster, then on the Workspace.
fn settle(
    state: &State,
    key: &Key,
    cluster: &ClusterId,
    creator: &User,
    waiting: &[String],
    failure: Option<String>,
) -> Result<(), WriteError> {
    let now = seconds(state.clock.now());
    let phase = if waiting.is_empty() { "Ready" } else { "Initializing" };
    let pending = Fault { reason: "InitializerExists", severity: "Info", message: format!("Initializers still exist: {waiting:?}") };
    let unbound = failure.map(|message| Fault { reason: "APIBindingErrors", severity: "Error", message });
    let initialized = (!waiting.is_empty()).then_some(&pending);
    let note = |object: &mut Document| {
        object.set(["metadata", "labels", PHASE], phase);
        object.set(["status", "phase"], phase);
        set_condition(object, "WorkspaceInitialized", initialized, &now);
        if waiting.is_empty() {
            object.remove(["status", "initializers"]);
        } else {
            object.set(["status", "initializers"], waiting.to_vec());
        }
    };
    authored::change(state, &LOGICAL_CLUSTERS, &logical_cluster_key(cluster), |object| {
        note(object);
        set_condition(object, "APIBindingsInitialized", unbound.as_ref(), &now);
    })?;
    let owner = short_owner(creator);
    authored::change(state, &WORKSPACES, key, |workspace| {
        note(workspace);
        if phase == "Ready" {
            workspace.set(["metadata", "annotations", OWNER], owner.clone());
        }
    })?;
    Ok(())
}

/// Binds the default exports of the type; answers why this is not possible. What failed once stays failed.
fn bind_defaults(state: &State, cluster: &ClusterId, creator: &User, own_type: &Type) -> Result<Option<String>, WriteError> {
    let noted = super::logical_cluster(state, cluster).unwrap_or_default();
    let failed = noted["status"]["conditions"].as_array().into_iter().flatten().find(|condition| condition["reason"] == "APIBindingErrors");
    if let Some(failed) = failed {
        return Ok(Some(text(&failed["message"])));
    }
    let refused = |(path, export): &&(String, String)| {
        let wish = Wish::resource("bind", ResourceWish::new(APIS, "apiexports").named(export));
        let provider = resolve(state, path).ok().filter(|provider| exports::load(state, provider, export).is_some());
        !provider.is_some_and(|provider| holds(state, &provider, creator, &wish))
    };
    if let Some((path, export)) = own_type.default_bindings.iter().find(refused) {
        return Ok(Some(format!("unable to create APIBinding: no permission to bind to export {path}:{export}")));
    }
    for (path, export) in &own_type.default_bindings {
        bindings::controller::bind_by_default(state, cluster, path, export)?;
    }
    Ok(None)
}

/// The namespaces of a new workspace.
pub(super) fn first_namespaces(state: &State, cluster: &ClusterId) -> Result<(), WriteError> {
    for name in ["default", "kube-system"] {
        ensure_namespace(state, cluster, name)?;
        root_certificate(state, cluster, name)?;
        default_account(state, cluster, name)?;
    }
    Ok(())
}

/// Makes a namespace that the plane itself needs.
///
/// # Errors
/// When the storage takes no writes.
pub fn ensure_namespace(state: &State, cluster: &ClusterId, name: &str) -> Result<(), WriteError> {
    let object = json!({
        "apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    });
    authored::create(state, &NAMESPACES, cluster, object)
}

/// Makes the ConfigMap that every namespace has. The authority's certificate belongs to the listener, which this layer does not
/// know: clients of the plane get it with their kubeconfig.
///
/// # Errors
/// When the storage takes no writes.
pub fn root_certificate(state: &State, cluster: &ClusterId, namespace: &str) -> Result<(), WriteError> {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt", "namespace": namespace}});
    authored::create(state, &CONFIG_MAPS, cluster, object)
}

/// Makes the ServiceAccount that every namespace has.
///
/// # Errors
/// When the storage takes no writes.
pub fn default_account(state: &State, cluster: &ClusterId, namespace: &str) -> Result<(), WriteError> {
    let object = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": namespace}});
    authored::create(state, &SERVICE_ACCOUNTS, cluster, object)
}

fn create_role_object(state: &State, cluster: &ClusterId, object: Value) -> Result<(), WriteError> {
    let plural = format!("{}s", text(&object["kind"]).to_lowercase());
    authored::create(state, &GroupResource::new(crate::rbac::GROUP, &plural), cluster, object)
}

/// The binding that makes a creator the administrator of what he created.
pub(super) fn workspace_admin(creator: &User) -> Value {
    let group = crate::rbac::GROUP;
    json!({
        "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding",
        "metadata": {"name": "workspace-admin"},
        "subjects": [{"kind": "User", "apiGroup": group, "name": creator.name}],
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
    })
}

/// A LogicalCluster object of this path and type.
pub(super) fn logical_cluster(path: &str, type_name: &str) -> Document {
    let object = json!({
        "apiVersion": format!("{CORE}/v1alpha1"), "kind": "LogicalCluster",
        "metadata": {
            "name": LOGICAL_CLUSTER, "generation": 1, "finalizers": ["core.kcp.io/logicalcluster-deletion"],
            "annotations": {PATH: path, TYPE: type_name, "core.kcp.io/shard": "root"},
        },
        "spec": {"directlyDeletable": false},
    });
    Document::from(object)
}

/// The creator that admission noted.
fn creator(workspace: &Value) -> User {
    let noted = workspace["metadata"]["annotations"][OWNER].as_str().unwrap_or_default();
    let noted: Value = serde_json::from_str(noted).unwrap_or_default();
    let groups = noted["groups"].as_array().into_iter().flatten().map(text).collect();
    User { name: text(&noted["username"]), uid: text(&noted["uid"]), groups, ..User::default() }
}

fn short_owner(creator: &User) -> Value {
    json!(json!({"username": creator.name}).to_string())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Options, Plane, Storage, SystemClock};

    /// A plane with workspaces of which each lies in the one before; their ids.
    fn nested(count: usize, is_circle: bool) -> (Plane, Vec<ClusterId>) {
        let options = Options { clock: Arc::new(SystemClock), ..Options::new(Storage::Memory, Vec::new(), "https://plane.test") };
        let plane = Plane::open(options).unwrap();
        let ids: Vec<ClusterId> = (0..count).map(|number| ClusterId::parse(&format!("id{number}")).unwrap()).collect();
        for (number, id) in ids.iter().enumerate() {
            let parent = match number.checked_sub(1) {
                Some(before) => ids[before].clone(),
                None if is_circle => ids[count - 1].clone(),
                None => ClusterId::root(),
            };
            // Ready as it stands: the plane is not to make anything of it.
            let owner = json!({"cluster": parent.as_str(), "name": "w"});
            let cluster = json!({"metadata": {"name": "cluster"}, "spec": {"owner": owner}, "status": {"phase": "Ready"}});
            let workspace = json!({"metadata": {"name": "w"}, "spec": {"cluster": id.as_str()}, "status": {"phase": "Ready"}});
            let store = &plane.state().store;
            store.write_behind(&LOGICAL_CLUSTERS, &logical_cluster_key(id), 0, Some(cluster)).unwrap();
            store.write_behind(&WORKSPACES, &Key::new(&parent, "", "w"), 0, Some(workspace)).unwrap();
        }
        (plane, ids)
    }

    #[tokio::test]
    async fn a_type_is_looked_for_no_further_up_than_a_path() {
        let (plane, ids) = nested(5_000, false);
        for (cluster, name) in [(&ids[4_800], "near"), (&ids[4_000], "far")] {
            let object = json!({"metadata": {"name": name}, "spec": {}});
            plane.state().store.write_behind(&WORKSPACE_TYPES, &Key::new(cluster, "", name), 0, Some(object)).unwrap();
        }
        let find = |name: &str| types::find(plane.state(), &ids[4_999], "", name).map(|(cluster, _)| cluster);
        assert_eq!((find("near").as_ref(), find("far")), (Some(&ids[4_800]), None));
    }

    #[tokio::test]
    async fn a_path_is_found_however_deep_and_ends_in_a_circle() {
        let (plane, ids) = nested(5_000, false);
        assert_eq!(canonical_path(plane.state(), &ids[2]), "root:w:w:w");
        let deep = canonical_path(plane.state(), &ids[4_999]);
        assert_eq!(deep.matches(":w").count(), crate::workspaces::DEEPEST, "it begins where the look up the tree ends");
        let (plane, ids) = nested(3, true);
        assert_eq!(canonical_path(plane.state(), &ids[0]).matches(":w").count(), crate::workspaces::DEEPEST);
    }
}
