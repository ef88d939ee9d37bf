//! OPM Portal, the server: composition root. It joins plane, controller, portal and pages into one program; nobody depends on it.
//!
//! `portal/<noun>.rs` says what the product does: it implements the ports of `app` on `auth::Caller`, always as that person.
//! Rules are never written here: they live in `promise`, pure. SQL lives in `store`, Kubernetes in `cluster`, HTML in `app`.
//!
//! To add an operation: a method of a port in `app` and its server function in `app::actions`, the implementation in `portal/<noun>.rs`, a line
//! in `routes` that says who may use it, a test in `tests/portal`. The access tests walk the routes: without a session, as strangers, and from other sites.
// The types of views nest deeply, and handlers hold their futures.
#![recursion_limit = "512"]

mod actions;
pub mod auth;
pub mod background;
pub mod bare;
pub mod clock;
pub mod config;
pub mod error;
pub mod install;
pub mod ledger;
pub mod limits;
pub mod live;
pub mod logging;
pub mod manifests;
pub mod notify;
pub mod pages;
pub mod plane;
pub mod portal;
pub mod rest;
pub mod router;
pub mod routes;
pub mod sample;
pub mod seed;
pub mod serve;
pub mod state;
pub mod web;
