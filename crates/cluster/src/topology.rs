//! What a plane has in the way of workspaces: kcp's own, or the namespaces of one Kubernetes cluster.
//!
//! Everything that differs between the two asks here, or an id or a path whether it belongs to a cluster of namespaces. To portal and
//! controller both look alike: a tree of workspaces, and our kinds in each.

use kube::Client;

use crate::endpoint::Scope;
use crate::error::from_plane;
use crate::install::SYSTEM_NAMESPACE;
use crate::workspaces::{ClusterId, WorkspacePath};

/// Group of kcp's workspaces: whoever serves it is kcp.
const TENANCY: &str = "tenancy.kcp.io";
/// Where providers are installed unless somebody says otherwise.
const PROVIDER: &str = "root:opm";
/// The trusted home of a kcp unless somebody says otherwise.
const PLATFORM: &str = "root:platform";

/// What a plane has in the way of workspaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// kcp. The tree is made of Workspace objects below `root`; our kinds are shown by the exports of a provider workspace, where
    /// the controller's own objects live.
    Workspaces {
        /// Path of the provider workspace.
        provider: WorkspacePath,
    },
    /// One plain Kubernetes cluster. The tree is `cluster` with one workspace below it for each namespace that is not the system's;
    /// our kinds are CustomResourceDefinitions. Cluster-scoped kinds belong to `cluster`, the only home; namespaced kinds to the
    /// workspace of their namespace.
    Namespaces,
}

impl Topology {
    /// Which one a server has, by the API groups that it serves. On kcp the provider workspace is taken to be `root:opm`.
    ///
    /// # Errors
    /// The server does not answer, or not this client.
    pub async fn detect(client: &Client) -> promise::Result<Self> {
        let groups = client.list_api_groups().await.map_err(|error| from_plane(&error, "the API groups of the plane"))?;
        if groups.groups.iter().any(|group| group.name == TENANCY) {
            let provider = WorkspacePath::parse(PROVIDER).map_err(|_| promise::Error::Internal)?;
            return Ok(Self::Workspaces { provider });
        }
        Ok(Self::Namespaces)
    }

    /// Id of the top of the tree.
    pub fn root(&self) -> ClusterId {
        match self {
            Self::Workspaces { .. } => ClusterId::root(),
            Self::Namespaces => ClusterId::cluster(),
        }
    }

    /// The workspaces that may offer across the tree and own Destinations, unless somebody says otherwise. On Kubernetes there is no
    /// other: `cluster`.
    ///
    /// # Errors
    /// None in practice: the default is a path.
    pub fn default_homes(&self) -> Result<Vec<WorkspacePath>, crate::workspaces::InvalidPath> {
        match self {
            Self::Workspaces { .. } => Ok(vec![WorkspacePath::parse(PLATFORM)?]),
            Self::Namespaces => Ok(vec![WorkspacePath::cluster()]),
        }
    }

    /// Where the controller keeps its Lease and its key.
    pub fn own(&self) -> Scope {
        match self {
            Self::Workspaces { provider } => Scope::Workspace(provider.clone()),
            Self::Namespaces => Scope::Root,
        }
    }

    /// What people call an object of the controller's own, such as `Lease opm-system/opm-controller of the provider workspace`.
    pub(crate) fn own_object(&self, kind: &str, name: &str) -> String {
        match self {
            Self::Workspaces { .. } => format!("{kind} {SYSTEM_NAMESPACE}/{name} of the provider workspace"),
            Self::Namespaces => format!("{kind} {SYSTEM_NAMESPACE}/{name}"),
        }
    }

    /// The part of a server's path that stands before every scope, such as the path of a proxy: on kcp without the workspace that
    /// it ends in.
    pub(crate) fn base<'p>(&self, path: &'p str) -> &'p str {
        match self {
            Self::Workspaces { .. } => path.rfind("/clusters/").map_or(path, |at| path.get(..at).unwrap_or_default()),
            Self::Namespaces => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Topology;
    use crate::workspaces::WorkspacePath;

    #[test]
    fn what_stands_before_every_scope_is_kept() {
        let kcp = Topology::Workspaces { provider: WorkspacePath::parse("root:opm").unwrap() };
        assert_eq!(kcp.base("/clusters/root:acme"), "");
        assert_eq!(kcp.base("/proxy/clusters/root"), "/proxy");
        assert_eq!(kcp.base(""), "");
        assert_eq!(Topology::Namespaces.base("/k8s/clusters/c-1"), "/k8s/clusters/c-1", "a proxy before plain Kubernetes");
    }
}
