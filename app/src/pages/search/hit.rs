//! A result: what it is, where it is, and where it leads.

use leptos::prelude::*;

use crate::pages::requests::state;
use crate::routes;
use crate::texts::search as texts;
use crate::ui::{Icon, Status};
use crate::view::{SearchHit, SearchKind, SearchTarget};

/// A line of the page.
pub(super) fn line(hit: &SearchHit) -> impl IntoView + use<> {
    let request = request_address(&hit.target).map(|address| {
        view! { <a class="btn btn-sm" href=address>{texts::REQUEST}<span class="vh">{format!(" {}", hit.title)}</span></a> }
    });
    view! {
        <li>
            <Icon name=icon(&hit.target)/>
            <div class="grow"><a class="name" href=address(&hit.target)>{hit.title.clone()}</a>{words(hit)}</div>
            {status(hit)}
            <span class="small subtle">{texts::one_of(hit.target.kind())}</span>
            {request}
        </li>
    }
}

/// What is known of it, in one line: what it is and where.
pub(super) fn words(hit: &SearchHit) -> impl IntoView + use<> {
    let place = Some(hit.target.workspace().to_owned()).filter(|_| hit.target.kind() != SearchKind::Promise);
    let parts: Vec<String> = [Some(hit.detail.clone()), place].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    view! { <span class="under">{parts.join(" · ")}</span> }
}

pub(super) fn status(hit: &SearchHit) -> impl IntoView + use<> {
    hit.states.map(|states| {
        let (shape, word) = state(states.state);
        view! { <Status shape=shape word=word/> }
    })
}

pub(super) fn icon(target: &SearchTarget) -> String {
    match target {
        SearchTarget::Promise { icon, .. } => icon.clone(),
        SearchTarget::Request { .. } => "git-pull-request-arrow".to_owned(),
        SearchTarget::Resource { .. } => "layers".to_owned(),
        SearchTarget::Workspace(_) => "network".to_owned(),
        SearchTarget::Policy { .. } => "shield-check".to_owned(),
    }
}

/// Returns the address of a result.
pub(super) fn address(target: &SearchTarget) -> String {
    match target {
        SearchTarget::Promise { workspace, name, home, .. } => routes::promise(workspace, name, home.as_deref()),
        SearchTarget::Request { workspace, namespace, name } => routes::request(workspace, namespace, name),
        SearchTarget::Resource { workspace, namespace, request, object } => routes::object(workspace, namespace, request, object),
        SearchTarget::Workspace(path) => routes::workspace(path),
        SearchTarget::Policy { workspace, name } => routes::policy(workspace, name, ""),
    }
}

/// Returns the address of the form of a promise that the user can request.
pub(super) fn request_address(target: &SearchTarget) -> Option<String> {
    match target {
        SearchTarget::Promise { workspace, name, home, requestable: true, .. } => {
            Some(routes::request_new(workspace, name, home.as_deref()))
        }
        _ => None,
    }
}
