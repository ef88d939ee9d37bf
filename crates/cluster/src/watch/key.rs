//! Identity of an object across workspaces.

use std::fmt;

use kube::api::ObjectMeta;
use promise::names;

use crate::workspaces::ClusterId;

/// Identity of an object across workspaces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Workspace.
    pub cluster: ClusterId,
    /// Namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl Key {
    /// Key of an object served by the plane. Objects of a server without workspaces belong to `otherwise`.
    pub fn of(meta: &ObjectMeta, otherwise: Option<&ClusterId>) -> Option<Self> {
        let annotated = meta.annotations.as_ref().and_then(|a| a.get(names::KCP_CLUSTER));
        let cluster = match annotated {
            Some(id) => ClusterId::parse(id).ok()?,
            None => otherwise?.clone(),
        };
        Some(Self { cluster, namespace: meta.namespace.clone().unwrap_or_default(), name: meta.name.clone()? })
    }

    /// Key of a cluster-scoped object.
    pub fn cluster_scoped(cluster: &ClusterId, name: &str) -> Self {
        Self { cluster: cluster.clone(), namespace: String::new(), name: name.to_owned() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            write!(f, "{}|{}", self.cluster, self.name)
        } else {
            write!(f, "{}|{}/{}", self.cluster, self.namespace, self.name)
        }
    }
}
