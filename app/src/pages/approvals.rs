//! Decisions: the inbox with the one that is looked at, one alone on a light page, and several of one shape.

mod alike;
mod form;
mod inbox;
mod light;
mod pane;
mod parts;
mod thread;

pub use alike::alike;
pub(super) use form::{About, ask_again, decide, withdraw};
pub use inbox::inbox;
pub use light::light;
pub(super) use parts::{said, standing};
pub(super) use thread::thread;

use crate::backend::Vote;

/// A decision that was not taken: what was typed, and what stands against it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// What was typed.
    pub vote: Vote,
    /// Why it was not taken, a sentence.
    pub why: String,
    /// Input that it is about; empty for the whole.
    pub field: String,
    /// HTTP status of the answer.
    pub status: u16,
}
