//! The pure domain logic: what a promise is, how policies affect a request, what is rendered, and what the controller does next.
//!
//! This crate performs no IO, never reads the clock and uses no randomness. Everything is passed in, and the same inputs give the same
//! bytes. Without the feature `engine` it contains only types and texts, for use in the browser.
//!
//! To add a kind, put its spec and status in [`api`], its name in [`names`] and its wrapper in `cluster::kinds`.

pub mod api;
#[cfg(feature = "engine")]
pub mod approval;
pub mod attribute;
pub mod change;
pub mod context;
pub mod csv;
#[cfg(feature = "engine")]
pub mod deferred;
pub mod deletion;
pub mod error;
#[cfg(feature = "engine")]
pub mod expression;
pub mod form;
#[cfg(feature = "engine")]
pub mod fulfil;
pub mod glob;
#[cfg(feature = "engine")]
pub mod health;
pub mod identity;
pub mod invisible;
#[cfg(feature = "engine")]
pub mod keyed;
pub mod ledger;
pub mod merge;
pub mod names;
pub mod notify;
#[cfg(feature = "engine")]
pub mod outdated;
pub mod path;
#[cfg(feature = "engine")]
pub mod placement;
pub mod policy;
#[cfg(feature = "engine")]
pub mod preflight;
pub mod price;
#[cfg(feature = "engine")]
pub mod publish;
#[cfg(feature = "engine")]
pub mod purpose;
#[cfg(feature = "engine")]
pub mod release;
#[cfg(feature = "engine")]
pub mod render;
pub mod requirements;
#[cfg(feature = "engine")]
pub mod resolve;
#[cfg(feature = "engine")]
pub mod revision;
pub mod risk;
pub mod sentence;
pub mod shape;
#[cfg(feature = "engine")]
mod spelling;
#[cfg(feature = "engine")]
pub mod status;
pub mod upgrade;
pub mod view;
pub mod visibility;
pub mod wording;

pub use error::{Contested, Error, Problem, Result};

#[cfg(test)]
#[cfg(feature = "engine")]
mod examples;
