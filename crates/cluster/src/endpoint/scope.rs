//! Where in the plane a client works.

use crate::workspaces::{ClusterId, WorkspacePath};

/// Where in the plane a client works.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The server itself: plain Kubernetes, or the paths of a plane that belong to no workspace.
    Root,
    /// A workspace by path. Of plain Kubernetes it is the server itself.
    Workspace(WorkspacePath),
    /// A workspace by id. Of plain Kubernetes it is the server itself.
    Cluster(ClusterId),
    /// What consumers of an export hold, through its virtual workspace.
    Export {
        /// Id of the provider workspace.
        cluster: ClusterId,
        /// Name of the export.
        export: String,
        /// Which consumers.
        target: Target,
    },
}

/// Which consumers of an export.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// All, to list and watch.
    Wildcard,
    /// One, to read and write.
    Workspace(ClusterId),
}

impl Scope {
    /// What stands before `/api` and `/apis`. The parts were parsed, so that they need no escaping.
    pub(super) fn prefix(&self) -> String {
        match self {
            Self::Root => String::new(),
            // A cluster of namespaces has no paths of its own; the namespace stands behind `/api`.
            Self::Workspace(path) if path.is_of_kubernetes() => String::new(),
            Self::Cluster(id) if id.is_of_kubernetes() => String::new(),
            Self::Workspace(path) => format!("/clusters/{path}"),
            Self::Cluster(id) => format!("/clusters/{id}"),
            Self::Export { cluster, export, target: Target::Wildcard } => format!("/services/apiexport/{cluster}/{export}/clusters/*"),
            Self::Export { cluster, export, target: Target::Workspace(id) } => {
                format!("/services/apiexport/{cluster}/{export}/clusters/{id}")
            }
        }
    }
}
