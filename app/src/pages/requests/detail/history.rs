//! Activity of the request, and the events of the control plane.

use crate::view::{Happening, HappeningState, RequestPage, RequestPart};
use leptos::prelude::*;

use super::{ROWS, address};
use crate::pages::approvals::changes;
use crate::texts::{request as texts, runs};
use crate::ui::{Moment, Pager, Person, Shape, paged};

/// The part.
pub(super) fn part(page: &RequestPage, number: usize, now: &str) -> impl IntoView + use<> {
    let newest: Vec<Happening> = page.timeline.iter().rev().cloned().collect();
    view! {
        <div class="stack">
            <section aria-labelledby="timeline" data-live="timeline"><h2 id="timeline">{texts::ACTIVITY}</h2>{timeline(&newest, now)}{earlier(page)}</section>
            <section aria-labelledby="events" data-live="events"><h2 id="events">{texts::EVENTS}</h2>{events(page, number, now)}</section>
        </div>
    }
}

/// A link to the runs of actions that the activity leaves out.
fn earlier(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let href = address(page, RequestPart::Actions, 1);
    (page.earlier_runs > 0).then(|| view! { <p class="small"><a href=href>{runs::earlier(page.earlier_runs)}</a></p> })
}

/// Activity, one entry below the other.
pub(crate) fn timeline(happenings: &[Happening], now: &str) -> impl IntoView + use<> {
    let lines = happenings.iter().map(|happening| {
        let shape = shape(happening.state);
        let differences = (!happening.changes.is_empty()).then(|| changes(&happening.changes));
        view! { <li data-st=shape.word()>{shape.svg()}<div><p>{what(happening)}{who(happening)}</p>{differences}</div><Moment at=happening.at.clone() now=now/></li> }
    });
    view! { <ol class="timeline">{lines.collect_view()}</ol> }
}

/// What happened, as a link if it has a page of its own.
fn what(happening: &Happening) -> AnyView {
    let (what, href) = (happening.what.clone(), happening.href.clone());
    if href.is_empty() { what.into_any() } else { view! { <a href=href>{what}</a> }.into_any() }
}

fn shape(state: HappeningState) -> Shape {
    match state {
        HappeningState::Done => Shape::Ready,
        HappeningState::InProgress => Shape::Provisioning,
        HappeningState::Waiting => Shape::Waiting,
        HappeningState::Neutral => Shape::Ahead,
        HappeningState::Warning => Shape::Degraded,
        HappeningState::Refused => Shape::Denied,
        HappeningState::Deleting => Shape::Deleting,
    }
}

/// Who did it: a person, or a part of the platform.
fn who(happening: &Happening) -> Option<AnyView> {
    let who = happening.who.clone();
    let named = match happening.is_person {
        true => view! { <Person username=who.clone()/> }.into_any(),
        false => who.clone().into_any(),
    };
    (!who.is_empty()).then(|| view! { <span class="subtle">" · "{named}</span> }.into_any())
}

fn events(page: &RequestPage, number: usize, now: &str) -> AnyView {
    let Some(events) = &page.events else {
        return view! { <p class="muted">{texts::EVENTS_DENIED}</p> }.into_any();
    };
    if events.is_empty() {
        return view! { <p class="muted">{texts::NO_EVENTS}</p> }.into_any();
    }
    let (rows, number, pages) = paged(events, number, ROWS);
    let page_of = page.clone();
    view! { {timeline(rows, now)}<Pager page=number pages=pages href=Box::new(move |number| address(&page_of, RequestPart::History, number))/> }
        .into_any()
}
