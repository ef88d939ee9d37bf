//! What users can do with the product: one file per noun, each implementing a port of `app` on [`Caller`].
//!
//! Consumer objects are read and written with the user's own token. Published data (offerings, policy descriptions) comes from the portal's
//! own watches, after the control plane has confirmed that the user can enter the workspace. It is a projection without templates.

pub mod account;
pub mod approvals;
pub mod audit;
mod authoring;
pub mod by_place;
pub mod caller;
pub mod catalog;
pub(crate) mod cost;
pub mod drafts;
pub(crate) mod fleet;
mod home;
mod inputs;
mod known;
pub(crate) mod manifest;
pub mod navigation;
mod notifications;
pub mod offers;
pub(crate) mod once;
pub mod place;
mod platform;
pub mod preflight;
pub(crate) mod publish;
mod quota_usage;
pub mod reads;
mod refusals;
pub(crate) mod register;
pub(crate) mod replicas;
pub mod requests;
pub(crate) mod resources;
pub mod rights;
pub(crate) mod runs;
pub mod search;
pub(crate) mod slices;
mod stand_in;
mod state;
pub mod submit;
mod titles;
pub mod topic;
mod troubleshooting;
mod views;
pub mod workspaces;
pub mod write;

pub use caller::Caller;
pub use state::Portal;
