//! Stable identity of a workspace.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Id of a workspace: of a logical cluster of kcp, such as `2abc9d0e1f2g3h4i` or `root`, or on plain Kubernetes `cluster` for all of it and
/// `cluster:<namespace>` for a namespace. Paths can be reused, ids of kcp can't; on Kubernetes the uids of objects distinguish a namespace
/// from its successor. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClusterId(Arc<str>);

/// Id of a plain Kubernetes cluster. No workspace of kcp has this id: its ids are `root` or made of 16 random letters.
const KUBERNETES: &str = "cluster";

/// Text that isn't the id of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" isn't a workspace ID: use lower-case letters, digits and inner hyphens, at most 63")]
pub struct InvalidClusterId(pub String);

impl ClusterId {
    /// Parses an id of either sort. Errors on anything outside kcp's grammar of one segment, and of a namespace's name after `cluster:`.
    pub fn parse(text: &str) -> Result<Self, InvalidClusterId> {
        let known = is_segment(text) || Self::split(text).is_some_and(is_segment);
        if known { Ok(Self(text.into())) } else { Err(InvalidClusterId(text.to_owned())) }
    }

    /// Parses the id of a logical cluster, as kcp writes it on objects; `None` for anything else.
    pub(crate) fn of_kcp(text: &str) -> Option<Self> {
        (is_segment(text) && text != KUBERNETES).then(|| Self(text.into()))
    }

    /// Returns the id of a whole plain Kubernetes cluster: the home of cluster-scoped kinds.
    pub fn cluster() -> Self {
        Self(KUBERNETES.into())
    }

    /// Returns the id of a namespace of a plain Kubernetes cluster. Errors if `namespace` isn't the name of one.
    pub fn of_namespace(namespace: &str) -> Result<Self, InvalidClusterId> {
        if is_segment(namespace) {
            Ok(Self(format!("{KUBERNETES}:{namespace}").into()))
        } else {
            Err(InvalidClusterId(namespace.to_owned()))
        }
    }

    /// Returns the namespace, if this is one of a plain Kubernetes cluster.
    pub fn namespace(&self) -> Option<&str> {
        Self::split(&self.0)
    }

    /// Checks whether this is a plain Kubernetes cluster or one of its namespaces: both are reached without a path.
    pub fn is_of_kubernetes(&self) -> bool {
        self.as_str() == KUBERNETES || self.namespace().is_some()
    }

    fn split(text: &str) -> Option<&str> {
        text.strip_prefix(KUBERNETES)?.strip_prefix(':')
    }

    /// Returns the logical cluster at the top of the tree.
    pub fn root() -> Self {
        Self("root".into())
    }

    /// Returns the text of the annotation `kcp.io/cluster`, and for kcp of URLs.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ClusterId {
    type Error = InvalidClusterId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<ClusterId> for String {
    fn from(id: ClusterId) -> Self {
        id.as_str().to_owned()
    }
}

/// Checks for one segment of kcp's grammar: `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`.
pub(super) fn is_segment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|b| plain(b) || *b == b'-')
        && bytes.first().is_some_and(plain)
        && bytes.last().is_some_and(plain)
}

#[cfg(test)]
mod tests {
    use super::ClusterId;

    #[test]
    fn a_namespace_is_no_logical_cluster_whatever_its_name() {
        let namespace = ClusterId::of_namespace("cluster").unwrap();
        assert_ne!(namespace, ClusterId::cluster());
        assert_eq!((namespace.namespace(), ClusterId::cluster().namespace()), (Some("cluster"), None));
        assert_eq!(ClusterId::parse(namespace.as_str()).unwrap(), namespace);
        assert!(namespace.is_of_kubernetes() && ClusterId::cluster().is_of_kubernetes() && !ClusterId::root().is_of_kubernetes());
        assert!(ClusterId::of_kcp("cluster").is_none() && ClusterId::of_kcp("cluster:shop").is_none());
        for bad in ["cluster:", "cluster:a:b", "cluster:../x", "root:acme"] {
            assert!(ClusterId::parse(bad).is_err(), "{bad}");
        }
    }
}
