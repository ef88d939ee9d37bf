//! Which part of the control plane a client works in.

use crate::workspaces::{ClusterId, WorkspacePath};

/// The part of the control plane that a client works in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The server itself: plain Kubernetes, or the paths of a control plane that belong to no workspace.
    Root,
    /// A workspace by path. On plain Kubernetes, the server itself.
    Workspace(WorkspacePath),
    /// A workspace by id. On plain Kubernetes, the server itself.
    Cluster(ClusterId),
    /// Objects in the consumers of an export, through the export's virtual workspace.
    Export {
        /// Id of the provider workspace.
        cluster: ClusterId,
        /// Name of the export.
        export: String,
        /// The consumers.
        target: Target,
    },
}

/// The consumers of an export that a client reaches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// All consumers, to list and watch.
    Wildcard,
    /// One consumer, to read and write.
    Workspace(ClusterId),
}

impl Scope {
    /// Returns the path in front of `/api` and `/apis`. Its parts were validated when they were parsed, so they need no escaping.
    pub(super) fn prefix(&self) -> String {
        match self {
            Self::Root => String::new(),
            // On plain Kubernetes a workspace has no path of its own; the namespace comes after `/api`.
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
