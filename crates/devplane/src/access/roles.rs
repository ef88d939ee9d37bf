//! Roles and bindings as they are stored in one cluster, with those that hold in all workspaces.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::rbac::{GROUP, Roles, bootstrap};
use crate::registry::GroupResource;
use crate::store::{Key, Range};
use crate::{ClusterId, State};

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

    fn list(&self, resource: &str, namespace: Option<&str>, built_in_kind: &str) -> Vec<Arc<Value>> {
        let range = match namespace {
            Some(namespace) => Range::Namespace(self.cluster.clone(), namespace.into()),
            None => Range::Cluster(self.cluster.clone()),
        };
        let (stored, _) = self.state.store.peek_list(&GroupResource::new(GROUP, resource), &range);
        let stored = stored.into_iter().map(|(_, stored)| Arc::new(stored.object()));
        self.built_in().iter().filter(|object| object["kind"] == built_in_kind).cloned().chain(stored).collect()
    }

    fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let stored = self.state.store.peek(&GroupResource::new(GROUP, resource), &Key::new(self.cluster, namespace, name))?;
        Some(Arc::new(stored.object()))
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
        self.list("clusterrolebindings", None, "ClusterRoleBinding")
    }

    fn role_bindings(&self, namespace: &str) -> Vec<Arc<Value>> {
        self.list("rolebindings", Some(namespace), "RoleBinding")
    }

    fn cluster_roles(&self) -> Vec<Arc<Value>> {
        self.list("clusterroles", None, "ClusterRole")
    }

    fn cluster_role(&self, name: &str) -> Option<Arc<Value>> {
        let built_in =
            || self.built_in().iter().find(|object| object["kind"] == "ClusterRole" && object["metadata"]["name"] == name).cloned();
        self.get("clusterroles", "", name).or_else(built_in)
    }

    fn role(&self, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.get("roles", namespace, name)
    }
}
