//! Notifications of a user, their settings and their delegate.

mod input;
mod list;
mod settings;
mod stand_in;

pub use list::list;
pub use settings::settings;
pub use stand_in::{covering, stand_in};

use promise::notify::Event;

use crate::ui::Shape;

/// The shape of an event.
pub(super) fn shape(event: Event) -> Shape {
    match event {
        Event::ApprovalNeeded | Event::Reminder | Event::ChangesRequested | Event::ExpiresSoon => Shape::Waiting,
        Event::Approved | Event::Ready => Shape::Ready,
        Event::Accepted => Shape::Provisioning,
        Event::Rejected | Event::Refused | Event::DecisionVoid => Shape::Denied,
        Event::Failed => Shape::Failed,
        Event::Emergency | Event::Degraded | Event::Outdated | Event::BudgetThreshold | Event::BudgetForecast => Shape::Degraded,
        Event::Expired | Event::Comment => Shape::Unknown,
        Event::Deleting => Shape::Deleting,
    }
}
