//! The only crate that talks to the control plane: kinds, clients, watch caches, the workspace tree, installation, fulfilment.
//!
//! It must never know SQL, our HTTP routes, or pages, and contains no rules: `promise` decides what a request means, this crate observes,
//! asks, and carries out. The acting identity is visible in the types: every client is made of an [`Endpoint`], a [`Token`] and a
//! [`Scope`].
//!
//! A control plane is a kcp or a plain Kubernetes cluster; [`topology`] says what differs.
//!
//! To add a kind: a struct in `promise::api`, an entry in [`kinds`], then `cargo xtask gen`. To add an object that an installation needs:
//! an entry in [`install`].

pub mod clock;
mod compressed;
pub mod controller;
pub mod destinations;
pub mod endpoint;
pub mod error;
mod guard;
pub mod install;
pub mod kinds;
pub mod orphans;
pub mod outbound;
pub mod person;
pub mod policies;
pub mod projection;
pub mod provider;
pub mod random;
pub mod releases;
pub mod requirements;
pub mod revisions;
pub mod shelves;
pub mod topology;
pub mod trace;
pub mod usage;
pub mod watch;
pub mod workspaces;
pub mod world;

pub use clock::Clock;
pub use endpoint::{Endpoint, ImpersonationError, Scope, Target, Token};
pub use random::Random;
pub use topology::Topology;
pub use workspaces::{ClusterId, WorkspacePath};
pub use world::World;
