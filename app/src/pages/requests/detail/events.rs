//! What the cluster reports about the objects of a request and their pods.

use leptos::prelude::*;
use promise::rest::{EventItem, NotRead, RequestEvents};

use super::{ROWS, address};
use crate::routes;
use crate::texts::troubleshooting as texts;
use crate::ui::{Banner, Moment, Pager, Shape, Status, paged};
use crate::view::{ObjectKey, RequestPage, RequestPart, ResourceLine};

/// The part.
pub(super) fn part(page: &RequestPage, events: &RequestEvents, number: usize, now: &str) -> impl IntoView + use<> {
    let (rows, number, pages) = paged(&events.items, number, ROWS);
    let list =
        if rows.is_empty() { view! { <p class="muted">{texts::NO_EVENTS}</p> }.into_any() } else { table(page, rows, now).into_any() };
    let older = (events.left_out > 0 && number == pages).then(|| view! { <p class="basis">{texts::older_events(events.left_out)}</p> });
    let page_of = page.clone();
    view! {
        <section class="stack" aria-labelledby="object-events" data-live="object-events">
            <div><h2 id="object-events">{texts::EVENTS_OF_RESOURCES}</h2><p class="muted">{texts::EVENTS_HINT}</p></div>
            {not_read(texts::NOT_EVERYTHING, &events.not_read)}
            {list}
            {older}
            <Pager page=number pages=pages href=Box::new(move |number| address(&page_of, RequestPart::Events, number))/>
        </section>
    }
}

/// Why something isn't shown, in a sentence each.
pub(super) fn not_read(title: &'static str, reasons: &[NotRead]) -> Option<impl IntoView + use<>> {
    let lines = reasons.iter().map(|reason| view! { <p>{reason.message.clone()}</p> }).collect_view();
    (!reasons.is_empty()).then(|| view! { <Banner shape=Shape::Unknown title=title>{lines}</Banner> })
}

fn table(page: &RequestPage, events: &[EventItem], now: &str) -> impl IntoView + use<> {
    let lines = events.iter().map(|event| {
        let shape = if event.r#type == "Warning" { Shape::Degraded } else { Shape::Ready };
        let times = (event.count > 1).then(|| view! { <span class="under">{texts::times(event.count)}</span> });
        let source = event.source.clone().map(|source| view! { <span class="under">{source}</span> });
        view! {
            <tr><th scope="row"><span class="name">{event.reason.clone()}</span>{times}</th>
                <td data-label=texts::TYPE><Status shape=shape word=event.r#type.clone()/></td>
                <td data-label=texts::OBJECT>{object(page, event)}</td>
                <td data-label=texts::MESSAGE><span class="break">{event.message.clone()}</span>{source}</td>
                <td data-label=texts::LAST_SEEN class="nowrap"><Moment at=event.last_seen.clone() now=now/></td></tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table" aria-labelledby="object-events"><thead><tr><th scope="col">{texts::REASON}</th><th scope="col">{texts::TYPE}</th><th scope="col">{texts::OBJECT}</th><th scope="col">{texts::MESSAGE}</th><th scope="col">{texts::LAST_SEEN}</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}

/// The object of an event, as a link if it is one of the request.
fn object(page: &RequestPage, event: &EventItem) -> AnyView {
    let row = &page.row;
    let name = texts::object(&event.kind, &event.name);
    let namespace = event.namespace.as_deref().unwrap_or_default();
    let is_it = |line: &&ResourceLine| {
        line.kind == event.kind && line.name == event.name && line.namespace == namespace && line.destination.is_empty()
    };
    match page.resources.iter().find(is_it) {
        Some(line) => {
            let href = routes::object(&row.workspace, &row.namespace, &row.name, &ObjectKey::from(line));
            view! { <a class="name break" href=href>{name}</a> }.into_any()
        }
        None => view! { <span class="break">{name}</span> }.into_any(),
    }
}
