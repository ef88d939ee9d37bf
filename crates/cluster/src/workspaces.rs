//! Which workspaces there are, and which lies in which.

mod id;
mod path;

pub use id::{ClusterId, InvalidClusterId};
pub use path::{InvalidPath, WorkspacePath};
