//! Plans the next steps for one request: observed state in, ordered actions out. Pure.
//!
//! The controller observes everything that [`Facts::to_observe`] names, calls [`plan`], executes the actions in order until one fails,
//! and reconciles again when something changes. A crash at any point is harmless: an object is recorded in the inventory before it is
//! created, names are deterministic, and every action is idempotent.

mod action;
mod drift;
mod facts;
mod mark;
mod removal;
mod repair;
mod revise;
mod rewrite;
mod steps;
mod terminating;

pub use action::{Action, Hold, Plan, Why};
pub use drift::{drifted, kept};
pub use facts::{Desired, Facts, Key, Pending, Seen, Subject, job_id, resource_of};
pub use mark::MarkError;
pub(crate) use mark::label_value;
pub use revise::{accounted, revised};
pub use rewrite::Rewrites;
pub use steps::plan;

#[cfg(test)]
mod tests;
