//! Roles and bindings as they are stored in one cluster, with those that hold in all workspaces.
//! Source: kubernetes `pkg/registry/rbac/validation/rule.go`; kcp `pkg/authorization/bootstrap_policy_authorizer.go`.

use std::sync::{Arc, LazyLock, OnceLock};

use serde_json::Value;

use crate::rbac::{GROUP, Roles, bootstrap};
use crate::registry::GroupResource;
use crate::{ClusterId, State};

static CLUSTER_ROLE_BINDINGS: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new(GROUP, "clusterrolebindings"));
static ROLE_BINDINGS: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new(GROUP, "rolebindings"));
static CLUSTER_ROLES: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new(GROUP, "clusterroles"));
static ROLES: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new(GROUP, "roles"));

/// The roles of one cluster.
pub struct StoredRoles<'a> {
    state: &'a State,
    cluster: &'a ClusterId,
}

impl<'a> StoredRoles<'a> {
    /// The roles of this cluster; of a workspace, with the built-in ones.
    pub fn of(state: &'a State, cluster: &'a ClusterId) -> Self {
        Self { state, cluster }
    }

    fn list(&self, resource: &GroupResource, namespace: Option<&str>, built_in_kind: &str) -> Vec<Arc<Value>> {
        let stored = self.state.parsed.list(&self.state.store, resource, self.cluster);
        let stored = stored.iter().filter(|(key, _)| namespace.is_none_or(|namespace| *key.namespace == *namespace));
        let stored = stored.map(|(_, object)| object.clone());
        self.built_in().iter().filter(|object| object["kind"] == built_in_kind).cloned().chain(stored).collect()
    }

    fn get(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.state.parsed.get(&self.state.store, resource, self.cluster, namespace, name)
    }

    /// What holds in workspaces without being stored in them. A plain cluster stores its own.
    fn built_in(&self) -> &'static [Arc<Value>] {
        static WORKSPACES: OnceLock<Vec<Arc<Value>>> = OnceLock::new();
        if self.cluster.is_sandbox() {
            return &[];
        }
        WORKSPACES.get_or_init(|| bootstrap::workspaces().into_iter().map(Arc::new).collect())
    }
}

impl Roles for StoredRoles<'_> {
    fn cluster_role_bindings(&self) -> Vec<Arc<Value>> {
        self.list(&CLUSTER_ROLE_BINDINGS, None, "ClusterRoleBinding")
    }

    fn role_bindings(&self, namespace: &str) -> Vec<Arc<Value>> {
        self.list(&ROLE_BINDINGS, Some(namespace), "RoleBinding")
    }

    fn cluster_roles(&self) -> Vec<Arc<Value>> {
        self.list(&CLUSTER_ROLES, None, "ClusterRole")
    }

    fn cluster_role(&self, name: &str) -> Option<Arc<Value>> {
        let built_in =
            || self.built_in().iter().find(|object| object["kind"] == "ClusterRole" && object["metadata"]["name"] == name).cloned();
        self.get(&CLUSTER_ROLES, "", name).or_else(built_in)
    }

    fn role(&self, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.get(&ROLES, namespace, name)
    }
}
