//! Requests as rows and as lines: state, name, promise, what is waited for.

use leptos::prelude::*;
use promise::api::{CandidateState, Health, Phase};
use promise::view::RequestRow;

use crate::routes;
use crate::ui::{Banner, Moment, Shape, Status, Tile};

/// Shape and word of a phase.
pub(crate) fn phase(phase: Phase) -> (Shape, &'static str) {
    match phase {
        Phase::Pending => (Shape::Ahead, "Pending"),
        Phase::AwaitingApproval => (Shape::Waiting, "Awaiting approval"),
        Phase::Provisioning => (Shape::Provisioning, "Provisioning"),
        Phase::Ready => (Shape::Ready, "Ready"),
        Phase::Degraded => (Shape::Degraded, "Degraded"),
        Phase::Updating => (Shape::Provisioning, "Updating"),
        Phase::Failed => (Shape::Failed, "Failed"),
        Phase::Rejected => (Shape::Denied, "Rejected"),
        Phase::Deleting => (Shape::Deleting, "Deleting"),
    }
}

/// Shape and word of a request: its phase, and while nothing of it runs how far its approval is.
pub(crate) fn state(row: &RequestRow) -> (Shape, &'static str) {
    match row.undecided.filter(|_| !row.runs && matches!(row.phase, Phase::AwaitingApproval | Phase::Rejected)) {
        Some(CandidateState::ChangesRequested) => (Shape::Degraded, "Changes requested"),
        Some(CandidateState::Expired) => (Shape::Denied, "Expired"),
        Some(CandidateState::Withdrawn) => (Shape::Ahead, "Withdrawn"),
        _ => phase(row.phase),
    }
}

/// Shape and label of a pending change of a running instance.
pub(crate) fn change(row: &RequestRow) -> Option<(Shape, &'static str)> {
    match row.undecided.filter(|_| row.runs)? {
        CandidateState::AwaitingApproval => Some((Shape::Waiting, "Change awaiting approval")),
        CandidateState::ChangesRequested => Some((Shape::Degraded, "Changes requested")),
        CandidateState::Rejected => Some((Shape::Denied, "Change rejected")),
        CandidateState::Expired => Some((Shape::Denied, "Change expired")),
        CandidateState::Withdrawn => Some((Shape::Ahead, "Change withdrawn")),
        CandidateState::Evaluating | CandidateState::Accepted | CandidateState::Failed => None,
    }
}

/// Shape and word of an object's health.
pub(crate) fn health(health: Health) -> (Shape, &'static str) {
    match health {
        Health::Healthy => (Shape::Ready, "Healthy"),
        Health::Progressing => (Shape::Provisioning, "On its way"),
        Health::Degraded => (Shape::Degraded, "Degraded"),
        Health::Missing => (Shape::Failed, "Missing"),
        Health::Unknown => (Shape::Unknown, "Unknown"),
    }
}

/// Requests of several workspaces as lines to recognise: a sentence under the name, the state beside it.
pub(crate) fn lines(rows: &[RequestRow], now: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let (shape, word) = state(row);
        let changed = change(row).map(|(shape, word)| view! { <Status shape=shape word=word/> });
        view! {
            <li><Tile icon=row.icon.clone()/>
                <div><a class="name" href=routes::request(&row.workspace, &row.namespace, &row.name)>{row.name.clone()}</a><p class="what">{row.ball.what.clone()}</p></div>
                <div class="side"><Status shape=shape word=word/>{changed}<span class="subtle"><span class="mono">{row.workspace.clone()}</span>" · "<Moment at=row.created.clone() now=now/></span></div>
            </li>
        }
    });
    view! { <ul class="card lines">{lines.collect_view()}</ul> }
}

/// Says of a list that it is as old as `at`.
pub(crate) fn stale(at: &str, now: &str) -> impl IntoView + use<> {
    let (at, now) = (at.to_owned(), now.to_owned());
    view! { <Banner shape=Shape::Unknown title="This list is not up to date"><p>"The plane was last heard "<Moment at=at now=now/>". What changed since then is missing; the page of a request is read anew each time."</p></Banner> }
}

/// Requests of one workspace as rows to compare.
pub(crate) fn table(rows: &[RequestRow], now: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let (shape, word) = state(row);
        let changed = change(row).map(|(shape, word)| view! { " "<Status shape=shape word=word/> });
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::request(&row.workspace, &row.namespace, &row.name)>{row.name.clone()}</a><span class="under nowrap">{format!("{} {}", row.promise_title, row.version)}</span></th>
                <td data-label="State"><Status shape=shape word=word/>{changed}</td>
                <td data-label="Waits for">{row.ball.what.clone()}</td>
                <td data-label="Asked by" class="nowrap">{row.requester.clone()}</td>
                <td data-label="Asked" class="nowrap"><Moment at=row.created.clone() now=now/></td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table"><thead><tr><th scope="col">"Request"</th><th scope="col">"State"</th><th scope="col">"Waits for"</th><th scope="col">"Asked by"</th><th scope="col">"Asked"</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}
