//! The catalog of a workspace, and a promise before one asks for it.

mod list;
mod promise;

pub use list::list;
pub use promise::{Shown, promise};

use ::promise::api::Lifecycle;
use ::promise::view::{Availability, AvailabilityState, OfferRow};
use leptos::prelude::*;

use crate::ui::{Badge, Shape, Status};

/// Availability as a state with its word; the reason stands beside it.
pub(crate) fn availability(availability: &Availability) -> impl IntoView + use<> {
    let (shape, word) = match availability.state {
        AvailabilityState::Available => (Shape::Ready, "Available here"),
        AvailabilityState::Disabled => (Shape::Waiting, "Not enabled here"),
        AvailabilityState::Denied => (Shape::Denied, "Not available to you"),
        AvailabilityState::Closed => (Shape::Unknown, "Not offered"),
    };
    view! { <Status shape=shape word=word/> }
}

/// A badge for promises that are not simply published.
pub(crate) fn lifecycle(row: &OfferRow) -> Option<impl IntoView + use<>> {
    let (shape, word) = match row.lifecycle {
        Lifecycle::Published => return None,
        Lifecycle::Draft => (Shape::Ahead, "Draft"),
        Lifecycle::Deprecated => (Shape::Degraded, "Deprecated"),
        Lifecycle::Retired => (Shape::Deleting, "Retired"),
    };
    Some(view! { <Badge shape=shape word=word/> })
}
