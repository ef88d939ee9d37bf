//! Pages, one folder for each noun. A page calls one port and renders the answer; the server calls it with the parameters in the address.

pub mod api;
pub mod approvals;
pub mod catalog;
pub mod cost;
pub mod gallery;
pub mod home;
pub mod keyboard;
pub mod notifications;
pub mod platform;
mod prices;
mod refusal;
pub mod requests;
mod required;
pub mod resources;
mod rules;
pub mod runs;
pub mod search;
pub mod sessions;
pub mod sign_in;
mod views;
pub mod workspace;
pub mod workspaces;

pub use refusal::{kept, refused, refused_from, settle};
