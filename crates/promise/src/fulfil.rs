//! Plans the next steps for one request: observed state in, ordered actions out. Pure.
//!
//! The controller observes everything that [`Situation::to_observe`] names, calls [`plan`], executes the actions in order until one fails,
//! and reconciles again when something changes. A crash at any point is harmless: an object is recorded in the inventory before it is
//! created, names are deterministic, and every action is idempotent.

mod action;
mod drift;
mod mark;
mod plan;
mod repair;
mod revise;
mod situation;

pub use action::{Action, Hold, Plan, Why};
pub use drift::{drifted, kept};
pub use mark::MarkError;
pub(crate) use mark::label_value;
pub use plan::plan;
pub use revise::{accounted, revised};
pub use situation::{Desired, Key, Pending, Seen, Situation, Subject};

#[cfg(test)]
mod tests;
