//! The pure domain logic: what a promise is, how policies affect a request, what is rendered, and what the controller does next.
//!
//! This crate performs no IO, never reads the clock and uses no randomness. Everything is passed in, and the same inputs give the same
//! bytes. What a page shows of it is a view model of `app`.
//!
//! To add a kind, put its spec and status in [`api`], its name in [`names`] and its wrapper in `cluster::kinds`.

pub mod action;
pub mod address;
mod alternatives;
pub mod api;
pub mod approval;
pub mod attribute;
pub mod audit;
pub mod change;
pub mod changelog;
pub mod check;
pub mod connection;
pub mod context;
pub mod cron;
pub mod csv;
pub mod date;
pub mod deferred;
pub mod deletion;
pub mod endpoint;
pub mod error;
pub mod expiry;
pub mod expression;
pub mod finalizer;
pub mod form;
pub mod glob;
pub mod health;
pub mod identity;
pub mod invisible;
pub mod keyed;
pub mod ledger;
pub mod lifecycle;
pub mod lint;
pub mod manifest;
pub mod merge;
pub mod names;
pub mod nesting;
pub mod notify;
pub mod outdated;
pub mod outline;
pub mod path;
pub mod people;
pub mod placement;
pub mod plan;
pub mod policy;
pub mod preflight;
pub mod price;
pub mod problem;
pub mod production;
pub mod publish;
pub mod purpose;
pub mod release;
pub mod render;
pub mod requirements;
pub mod resolve;
pub mod rest;
pub mod revision;
pub mod risk;
pub mod rollout;
pub mod saving;
pub mod schedule;
pub mod sentence;
pub mod shape;
pub mod source;
mod spelling;
pub mod state;
pub mod status;
pub mod text_kind;
pub mod troubleshooting;
pub mod upgrade;
pub mod versions;
pub mod visibility;
pub mod wording;
pub mod workflow;

pub use error::{BusyReason, ConflictReason, Contested, DeniedOperation, DeniedReason, Error, GuardedOperation, Result, TooManyReason};
pub use problem::Problem;

#[cfg(test)]
mod examples;
