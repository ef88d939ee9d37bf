//! The sample world of an embedded plane: people, workspaces, promises and policies, read from files and written as the plane's admin.
//!
//! It mirrors a real installation: the provider's exports, trusted homes, consumers with permissions of their own, and a simulated workload
//! cluster as a Destination. Nothing here is used on a real plane.

pub mod check;
pub mod error;
pub mod files;
pub mod load;
pub mod world;

pub use error::SampleError;
pub use files::{Files, RECORD_FILE};
pub use promise::manifest::Manifest;
pub use world::{Person, SampleWorkspace, TourStop, World};
