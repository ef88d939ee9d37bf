//! Requests as table rows and as lines: state, name, promise, what they are waiting for.

use crate::view::{RequestColumn, RequestRow, Sort};
use leptos::prelude::*;
use promise::api::Health;
use promise::state::{ChangeState, RequestState};

use super::list::HEADINGS;
use crate::listing::Listing;
use crate::routes;
use crate::texts::requests as texts;
use crate::ui::{Banner, Moment, Person, Shape, Status, Tile};

/// Shape and word of the state of a request.
pub(crate) fn state(state: RequestState) -> (Shape, &'static str) {
    let shape = match state {
        RequestState::Pending | RequestState::Withdrawn => Shape::Ahead,
        RequestState::AwaitingApproval => Shape::Waiting,
        RequestState::ChangesRequested | RequestState::Degraded => Shape::Degraded,
        RequestState::Provisioning | RequestState::Updating => Shape::Provisioning,
        RequestState::Ready => Shape::Ready,
        RequestState::Failed => Shape::Failed,
        RequestState::Rejected | RequestState::Expired => Shape::Denied,
        RequestState::Deleting => Shape::Deleting,
    };
    (shape, state.label())
}

/// Shape and label of a pending change of a running instance.
pub(crate) fn change(change: ChangeState) -> (Shape, &'static str) {
    let shape = match change {
        ChangeState::AwaitingApproval | ChangeState::AwaitingWindow => Shape::Waiting,
        ChangeState::ChangesRequested => Shape::Degraded,
        ChangeState::Rejected | ChangeState::Expired => Shape::Denied,
        ChangeState::Withdrawn => Shape::Ahead,
    };
    (shape, change.label())
}

/// Shape and word of an object's health.
pub(crate) fn health(health: Health) -> (Shape, &'static str) {
    match health {
        Health::Healthy => (Shape::Ready, texts::HEALTHY),
        Health::Progressing => (Shape::Provisioning, texts::STARTING),
        Health::Degraded => (Shape::Degraded, texts::DEGRADED),
        Health::Missing => (Shape::Failed, texts::MISSING),
        Health::Unknown => (Shape::Unknown, texts::UNKNOWN),
    }
}

/// Requests of several workspaces as lines to scan: a sentence under the name, the state beside it.
pub(crate) fn lines(rows: &[RequestRow], now: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let (shape, word) = state(row.states.state);
        let changed = row.states.change.map(change).map(|(shape, word)| view! { <Status shape=shape word=word/> });
        view! {
            <li><Tile icon=row.icon.clone()/>
                <div><a class="name" href=routes::request(&row.workspace, &row.namespace, &row.name)>{row.name.clone()}</a><p class="what">{row.sentence.what.clone()}</p></div>
                <div class="side"><Status shape=shape word=word/>{changed}<span class="subtle"><span class="mono">{row.workspace.clone()}</span>" · "<Moment at=row.created.clone() now=now/></span></div>
            </li>
        }
    });
    view! { <ul class="card lines">{lines.collect_view()}</ul> }
}

/// Says that a list was last updated at `at`.
pub(crate) fn stale(at: &str, now: &str) -> impl IntoView + use<> {
    let (at, now) = (at.to_owned(), now.to_owned());
    view! { <Banner shape=Shape::Unknown title=texts::OUT_OF_DATE><p>{texts::LAST_UPDATED}" "<Moment at=at now=now/>". "{texts::LATER_CHANGES_MISSING}</p></Banner> }
}

/// Labels of a request that a row shows.
const LABELS: usize = 3;

/// Requests as rows to compare; `here` is the workspace of the list, or empty.
pub(super) fn table(here: &str, listing: &Listing, sort: Sort<RequestColumn>, rows: &[RequestRow], now: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let (shape, word) = state(row.states.state);
        let changed = row.states.change.map(change).map(|(shape, word)| view! { " "<Status shape=shape word=word/> });
        let elsewhere = (row.workspace != here).then(|| view! { <span class="under mono">{row.workspace.clone()}</span> });
        let price = row.price.as_ref().map(|price| price.rounded().to_string());
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::request(&row.workspace, &row.namespace, &row.name)>{row.name.clone()}</a>{elsewhere}{labels(listing, &row.labels)}</th>
                <td data-label=texts::PROMISE><span class="nowrap">{row.promise_title.clone()}" "<span class="subtle">{row.version.clone()}</span></span></td>
                <td data-label=texts::STATE><Status shape=shape word=word/>{changed}</td>
                <td data-label=texts::WAITING_FOR>{waiting(row)}</td>
                <td data-label=texts::REQUESTED_BY class="nowrap">{(!row.requester.is_empty()).then(|| view! { <Person username=row.requester.clone()/> })}</td>
                <td data-label=texts::REQUESTED class="nowrap"><Moment at=row.created.clone() now=now/></td>
                <td data-label=texts::PER_MONTH class="num nowrap">{price}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let [name, promise, state, requester, created, price] = HEADINGS;
    let heading = |of| listing.heading(sort, of);
    view! {
        <div class="card"><table class="table" aria-label=texts::REQUESTS><thead><tr>{heading(name)}{heading(promise)}{heading(state)}<th scope="col">{texts::WAITING_FOR}</th>{heading(requester)}{heading(created)}{listing.number_heading(sort, price)}</tr></thead><tbody>{lines}</tbody></table></div>
    }
}

/// What a request waits for; an empty cell if nothing is left to do.
fn waiting(row: &RequestRow) -> Option<impl IntoView + use<>> {
    let text = row.sentence.waiting_for().to_owned();
    (!text.is_empty()).then(|| view! { <span class="line-clamp-3">{text}</span> })
}

/// The labels of a request, each a link to the requests that have it.
fn labels(listing: &Listing, labels: &[String]) -> Option<impl IntoView + use<>> {
    let links = labels.iter().take(LABELS).map(|label| {
        let text = label.strip_prefix(texts::OWN_LABELS).unwrap_or(label).to_owned();
        view! { <a class="tag ms-0" href=listing.choose("label", label)><span class="vh">{texts::LABEL}" "</span>{text}</a>" " }
    });
    let links: Vec<_> = links.collect();
    let more = labels.len().saturating_sub(LABELS);
    let more = (more > 0).then(|| view! { <span class="subtle">{texts::more_labels(more)}</span> });
    (!links.is_empty()).then(|| view! { <span class="block">{links}{more}</span> })
}
