//! The catalog of a workspace, and the page of a promise.

mod favourites;
mod list;
mod promise;

pub use list::list;
pub use promise::{Shown, promise};

use crate::view::{Availability, AvailabilityState, OfferRow};
use ::promise::api::Lifecycle;
use leptos::prelude::*;

use crate::texts::catalog as texts;
use crate::ui::{Badge, Shape, Status};

/// Availability as a state with its word; the reason is shown beside it.
pub(crate) fn availability(availability: &Availability) -> impl IntoView + use<> {
    let (shape, word) = match availability.state {
        AvailabilityState::Available => (Shape::Ready, texts::AVAILABLE),
        AvailabilityState::Disabled => (Shape::Waiting, texts::NOT_ENABLED),
        AvailabilityState::Denied => (Shape::Denied, texts::NOT_AVAILABLE_TO_YOU),
        AvailabilityState::Closed => (Shape::Unknown, texts::NOT_OFFERED),
    };
    view! { <Status shape=shape word=word/> }
}

/// A badge for promises that are not simply published.
pub(crate) fn lifecycle(row: &OfferRow) -> Option<impl IntoView + use<>> {
    let shape = match row.lifecycle {
        Lifecycle::Published => return None,
        Lifecycle::Draft => Shape::Ahead,
        Lifecycle::Deprecated => Shape::Degraded,
        Lifecycle::Retired => Shape::Deleting,
    };
    Some(view! { <Badge shape=shape word=lifecycle_word(row.lifecycle)/> })
}

/// Where in its life a promise is, in a word.
pub(crate) fn lifecycle_word(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::Draft => texts::DRAFT,
        Lifecycle::Published => texts::PUBLISHED,
        Lifecycle::Deprecated => texts::DEPRECATED,
        Lifecycle::Retired => texts::RETIRED,
    }
}
