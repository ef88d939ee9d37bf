//! The planes as this program runs or reaches them: identities, files and kubeconfig of the embedded one, and the portal's identities on
//! another server.

pub mod authentication;
pub mod embedded;
pub mod folder;
pub mod held;
pub mod identity;
pub mod kubeconfig;

pub use folder::{Folder, ProcessLock};
pub use identity::{Identities, Identity};
