//! Day-2 actions of requests: the form of one, and its runs.

mod beside;
mod form;
mod run;
mod skip;

pub use form::form;
use promise::api::ActionPhase;
pub use run::{run, with_message};
pub use skip::skip;

use crate::ui::Shape;

/// Returns the shape of a state.
pub(super) fn shape(phase: ActionPhase) -> Shape {
    match phase {
        ActionPhase::Pending => Shape::Waiting,
        ActionPhase::Running => Shape::Provisioning,
        ActionPhase::Succeeded => Shape::Ready,
        ActionPhase::Failed => Shape::Failed,
        ActionPhase::Refused => Shape::Denied,
        ActionPhase::Cancelled => Shape::Deleting,
    }
}
