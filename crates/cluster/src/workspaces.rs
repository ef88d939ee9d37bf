//! Which workspaces exist, which is in which, and which of them show us what we need to see.

mod id;
mod path;
mod standing;
mod tree;

pub use id::{ClusterId, InvalidClusterId};
pub use path::{InvalidPath, WorkspacePath};
pub use standing::{BindingRow, Standing, Unproven};
pub use tree::{Node, Tree, WorkspaceRow};
