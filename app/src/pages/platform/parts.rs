//! What requests depend on: the control plane, the controller, destinations and endpoints.

use leptos::prelude::*;

use crate::texts::platform as texts;
use crate::ui::{Moment, Shape};
use crate::view::{PartKind, PartState, PlatformPart};

/// The card.
pub(super) fn parts(parts: &[PlatformPart], now: &str) -> impl IntoView + use<> {
    let lines = parts.iter().map(|part| line(part, now)).collect_view();
    let no_destination = parts.iter().all(|part| part.kind != PartKind::Destination);
    let none = no_destination.then(|| view! { <p class="small muted p-pad">{texts::NO_DESTINATIONS}</p> });
    view! { <section class="card" aria-labelledby="parts"><div class="card-head"><h2 id="parts">{texts::DEPENDENCIES}</h2></div><ul class="lines">{lines}</ul>{none}</section> }
}

fn line(part: &PlatformPart, now: &str) -> impl IntoView + use<> {
    let shape = match part.state {
        PartState::Works => Shape::Ready,
        PartState::Waits => Shape::Waiting,
        PartState::Fails => Shape::Failed,
        PartState::Unknown => Shape::Unknown,
    };
    let (title, name) = match part.kind {
        PartKind::Plane => (texts::CONTROL_PLANE.to_owned(), part.name.clone()),
        PartKind::Controller => (texts::CONTROLLER.to_owned(), part.name.clone()),
        PartKind::Destination | PartKind::Endpoint => (part.name.clone(), part.version.clone()),
    };
    let since = part.since.clone().map(|at| view! { " · "{texts::SINCE_WHEN}" "<Moment at=at now=now/> });
    view! {
        <li><span class="st self-start mt-1" data-st=shape.word()>{shape.svg()}</span>
            <div><b>{title}</b>" "<span class="subtle">{name}</span><p class="what">{about(part)}{since}</p></div></li>
    }
}

/// How a part is, in a sentence without a full stop.
fn about(part: &PlatformPart) -> String {
    let state = match (part.kind, part.state) {
        (_, PartState::Works) => texts::WORKS,
        (_, PartState::Waits) => texts::WAITS,
        (PartKind::Plane, _) => texts::UNREACHABLE,
        (PartKind::Controller, _) => texts::SEE_THE_LOG,
        (PartKind::Destination | PartKind::Endpoint, PartState::Fails) => texts::FAILS,
        (PartKind::Destination | PartKind::Endpoint, PartState::Unknown) => texts::NOT_CHECKED,
    };
    let state = if part.message.is_empty() { state.to_owned() } else { part.message.trim_end_matches('.').to_owned() };
    match part.kind {
        PartKind::Plane => texts::watches(&state, part.watched),
        PartKind::Controller => state,
        PartKind::Endpoint => texts::called_by_workflows(&state),
        PartKind::Destination => texts::has_instances(&state, part.instances),
    }
}
