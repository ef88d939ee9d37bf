//! Approvals: the inbox with the selected one, one alone on a light page, and several similar ones together.

mod alike;
mod form;
mod inbox;
mod light;
mod pane;
mod parts;
mod thread;

pub use alike::alike;
pub(super) use form::{About, Buttons, ask_again, decide, withdraw};
pub use inbox::inbox;
pub use light::light;
pub(super) use pane::price as price_step;
pub(super) use parts::{changes, checks, note, said, standing};
pub(super) use thread::thread;

use promise::{Error, Problem};

use crate::backend::{Refusal, Vote};
use crate::document::status_of;

/// A decision that was refused: what was typed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// What was typed.
    pub vote: Vote,
    /// A comment that was typed without a decision.
    pub remark: String,
    /// Why it was refused, a sentence.
    pub why: String,
    /// Input that the error is about; empty for the whole form.
    pub field: String,
    /// HTTP status of the answer.
    pub status: u16,
    refused: Error,
}

impl Again {
    /// Returns the refusal, if it is about what was typed.
    pub fn of(refusal: Refusal) -> Option<Self> {
        let status = status_of(&refusal.error);
        let field = match &refusal.error {
            Error::Invalid { problems } => problems.first().map(|problem| problem.path.clone()).unwrap_or_default(),
            Error::Conflict { .. } => String::new(),
            _ => return None,
        };
        let mut vote = Vote::of(&refusal.fields);
        // A decision names the content that it is about; a comment is about the request.
        let decides = refusal.fields.iter().any(|(name, _)| name == "hash" || name == "like");
        let remark = if decides { String::new() } else { std::mem::take(&mut vote.comment) };
        Some(Self { vote, remark, why: refusal.message(), field, status, refused: refusal.error })
    }

    /// Returns the error, for when the page of the decision can't be shown.
    fn error(&self) -> Error {
        match &self.refused {
            // Another page doesn't show the fields.
            Error::Invalid { .. } => Error::Invalid { problems: vec![Problem { path: String::new(), message: self.why.clone() }] },
            other => other.clone(),
        }
    }
}
