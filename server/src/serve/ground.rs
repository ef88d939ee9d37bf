//! The portal's plane, and its own identities there.

use cluster::world::Access;
use cluster::{Endpoint, Scope, Token, Topology, WorkspacePath};

use crate::config::PlaneKind;
use crate::sample::Person;

/// An open plane of any kind.
pub struct Ground {
    /// Kind of plane.
    pub plane: PlaneKind,
    /// Endpoint, without an identity.
    pub endpoint: Endpoint,
    /// Topology: workspaces or namespaces.
    pub topology: Topology,
    /// Token of the identity that runs the portal's own watches.
    pub portal: Token,
    /// Token of the controller's identity, where it runs.
    pub controller: Option<Token>,
    /// Homes that can offer promises to the whole workspace tree.
    pub trusted_homes: Vec<WorkspacePath>,
    /// The people of an embedded plane, each with their own token.
    pub people: Vec<(Person, Token)>,
}

impl Ground {
    /// Returns the scope in which everyone can ask who they are: on kcp everyone can enter root, also ServiceAccounts of other workspaces, and
    /// the server itself isn't a workspace.
    pub fn account(&self) -> Scope {
        match self.topology {
            Topology::Workspaces { .. } => Scope::Workspace(WorkspacePath::root()),
            Topology::Namespaces => Scope::Root,
        }
    }

    /// Returns the access of one of our identities for watching the plane.
    pub fn access(&self, token: &Token) -> Access {
        Access { endpoint: self.endpoint.clone(), token: token.clone(), topology: self.topology.clone() }
    }
}
