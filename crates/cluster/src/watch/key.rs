//! Identity of an object across workspaces.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use kube::api::ObjectMeta;
use promise::names;

use crate::workspaces::ClusterId;

/// Identity of an object across workspaces. Clones share it: caches, indexes and the queue have several for each object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(Arc<KeyParts>);

/// What a [`Key`] is made of.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyParts {
    /// Workspace.
    pub cluster: ClusterId,
    /// Namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// How the workspace of an object is determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// kcp: by the annotation that it puts on every object, whatever was sent.
    Annotated,
    /// Plain Kubernetes: by its namespace; an object without one belongs to the whole cluster. Annotations prove nothing: anyone can write
    /// them.
    Namespaces,
    /// The workspace is already known.
    One(ClusterId),
}

impl Deref for Key {
    type Target = KeyParts;

    fn deref(&self) -> &KeyParts {
        &self.0
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        // Most keys that are compared and are equal are clones. An `Arc` itself checks for that only when it is compared for equality.
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key {
    /// Returns the key of an object in a namespace.
    pub fn new(cluster: ClusterId, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self(Arc::new(KeyParts { cluster, namespace: namespace.into(), name: name.into() }))
    }

    /// Returns the key of another object in the same namespace.
    pub fn beside(&self, name: impl Into<String>) -> Self {
        Self::new(self.cluster.clone(), self.namespace.as_str(), name)
    }

    /// Returns the key of an object that a server showed; `None` if it belongs to no workspace.
    pub fn of(meta: &ObjectMeta, origin: &Origin) -> Option<Self> {
        let cluster = match (origin, &meta.namespace) {
            (Origin::Annotated, _) => ClusterId::of_kcp(meta.annotations.as_ref()?.get(names::KCP_CLUSTER)?)?,
            (Origin::Namespaces, Some(namespace)) => ClusterId::of_namespace(namespace).ok()?,
            (Origin::Namespaces, None) => ClusterId::cluster(),
            (Origin::One(cluster), _) => cluster.clone(),
        };
        Some(Self::new(cluster, meta.namespace.clone().unwrap_or_default(), meta.name.clone()?))
    }

    /// Returns the key of a cluster-scoped object.
    pub fn cluster_scoped(cluster: &ClusterId, name: &str) -> Self {
        Self::new(cluster.clone(), "", name)
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

#[cfg(test)]
mod tests {
    use kube::api::ObjectMeta;
    use serde_json::json;

    use super::{Key, Origin};
    use crate::workspaces::ClusterId;

    #[test]
    fn keys_are_in_the_order_of_workspace_namespace_and_name() {
        let key = |cluster: &str, namespace: &str, name: &str| Key::new(ClusterId::parse(cluster).unwrap(), namespace, name);
        let ordered = [key("a", "x", "y"), key("a", "y", "a"), key("a", "y", "b"), key("b", "", "a")];
        assert!(ordered.is_sorted_by(|one, next| one < next));
        let (clone, equal) = (ordered[0].clone(), key("a", "x", "y"));
        assert!(ordered[0].cmp(&clone).is_eq() && ordered[0].cmp(&equal).is_eq() && clone == equal);
    }

    #[test]
    fn an_annotation_counts_on_kcp_alone() {
        let meta = json!({"name": "a", "namespace": "shop", "annotations": {"kcp.io/cluster": "abc"}});
        let meta: ObjectMeta = serde_json::from_value(meta).unwrap();
        assert_eq!(Key::of(&meta, &Origin::Annotated).unwrap().to_string(), "abc|shop/a");
        assert_eq!(Key::of(&meta, &Origin::Namespaces).unwrap().to_string(), "cluster:shop|shop/a");
        let bare = ObjectMeta { namespace: None, annotations: None, ..meta };
        assert_eq!(Key::of(&bare, &Origin::Namespaces).unwrap().to_string(), "cluster|a");
        assert_eq!(Key::of(&bare, &Origin::Annotated), None);
    }
}
