//! What the portal stands on: a plane, and its own identities there.

use cluster::world::Access;
use cluster::{Endpoint, Scope, Token, Topology, WorkspacePath};

use crate::auth::doors::Way;
use crate::config::PlaneKind;

/// A plane that is open, whichever it is.
pub struct Ground {
    /// Which sort of plane.
    pub plane: PlaneKind,
    /// The way to it, without identity.
    pub endpoint: Endpoint,
    /// What it has: workspaces or namespaces.
    pub topology: Topology,
    /// Where everybody whom it knows may ask who they are.
    pub account: Scope,
    /// The identity of the portal's own watches.
    pub portal: Token,
    /// The identity of the controller.
    pub controller: Token,
    /// Homes that may offer across the tree.
    pub trusted_homes: Vec<WorkspacePath>,
    /// How people come in.
    pub way: Way,
}

impl Ground {
    /// The plane, as one of our identities watches it.
    pub fn access(&self, token: &Token) -> Access {
        Access { endpoint: self.endpoint.clone(), token: token.clone(), topology: self.topology.clone() }
    }
}
