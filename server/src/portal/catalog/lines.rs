//! Projections of promises for pages.

use app::view::{Availability, AvailabilityState, OfferRow};
use promise::api::{Lifecycle, PromiseSpec};
use promise::price::Day;
use promise::visibility::Answer;

use crate::portal::offers::Offered;

/// Returns a promise as a row of a list.
pub(in crate::portal) fn offer(offered: &Offered) -> OfferRow {
    let spec = &offered.promise.spec;
    let presentation = &spec.presentation;
    OfferRow {
        name: offered.key.name.clone(),
        home: offered.home.path.clone(),
        shadowed: offered.shadowed,
        display_name: presentation.display_name.clone().unwrap_or_else(|| offered.key.name.clone()),
        summary: presentation.summary.clone().unwrap_or_default(),
        category: presentation.category.clone().unwrap_or_default(),
        tags: presentation.tags.clone(),
        icon: presentation.icon.clone().unwrap_or_default(),
        version: spec.version.clone(),
        lifecycle: spec.lifecycle,
        featured: presentation.featured,
        team: presentation.maintainer.as_ref().and_then(|maintainer| maintainer.team.clone()).unwrap_or_default(),
        availability: availability(offered),
        price: String::new(),
        shelf: offered.shelf.as_ref().map(|shelf| shelf.id.clone()).unwrap_or_default(),
        refused: offered.refused.clone(),
        unpublished: !offered.is_published,
        new_version: false,
        ends: ends(spec),
        here: None,
    }
}

/// Returns the day until which a deprecated promise can be used.
fn ends(spec: &PromiseSpec) -> Option<String> {
    let day = spec.deprecation.as_ref()?.remove_after.as_deref()?;
    (spec.lifecycle == Lifecycle::Deprecated).then(|| Day::parse(day).map_or_else(|| day.to_owned(), Day::title))
}

/// Returns whether it can be requested, described by the first state that prevents it.
fn availability(offered: &Offered) -> Availability {
    let (lifecycle, standing) = (offered.promise.spec.lifecycle, &offered.standing);
    let refused = |state, answer: &Answer| match answer {
        Answer::Yes => None,
        Answer::No { why } | Answer::Unknown { why } => Some(Availability { state, reason: Some(why.clone()) }),
    };
    let closed = if matches!(lifecycle, Lifecycle::Draft | Lifecycle::Retired) {
        refused(AvailabilityState::Closed, &standing.visible)
    } else if offered.is_published {
        None
    } else {
        refused(AvailabilityState::Closed, &standing.requestable)
    };
    closed
        .or_else(|| refused(AvailabilityState::Disabled, &standing.enabled))
        .or_else(|| refused(AvailabilityState::Denied, &standing.requestable))
        .unwrap_or_default()
}
