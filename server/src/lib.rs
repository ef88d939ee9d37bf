//! The OPM Portal server: the composition root that joins plane, controller, portal and pages into one program. No other crate depends on
//! it.
//!
//! `portal/<noun>.rs` holds what the product does: it implements the ports of `app` on `portal::Caller` and always acts as that person. Rules
//! don't belong here; they are pure functions in `promise`. SQL belongs in `store`, Kubernetes in `cluster`, HTML in `app`.
//!
//! To add an operation, write a method of a port in `app` with its server function in `app::actions`, the implementation in
//! `portal/<noun>.rs`, a line in `routes` that says who can use it, and a test in `tests/portal`. The access tests call every route without
//! a session, as people without access, and from other sites.
// View types nest deeply, and handlers hold their futures.
#![recursion_limit = "512"]

mod actions;
pub mod audit;
pub mod audit_command;
pub mod auth;
pub mod background;
pub mod bare;
mod cached;
pub mod clock;
pub mod config;
pub mod error;
mod federation;
mod gate;
pub mod health;
pub mod history;
pub mod install;
pub mod limits;
mod links;
pub mod live;
pub mod logging;
pub mod manifests;
pub mod pages;
pub mod plane;
pub mod play;
pub mod portal;
pub mod rest;
pub mod router;
pub mod routes;
pub mod sample;
pub mod seed;
pub mod serve;
pub mod sign_in;
pub mod telemetry;
pub mod tickets;
pub mod traces;
pub mod web;
