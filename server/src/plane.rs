//! The embedded plane as this program runs it: its identities, files and kubeconfig.

pub mod embedded;
pub mod folder;
pub mod identity;
pub mod kubeconfig;

pub use folder::Folder;
pub use identity::{Identities, Identity};
