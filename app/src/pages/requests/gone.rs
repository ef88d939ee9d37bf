//! The page of a request that was deleted: by whom, when, and what next.

use leptos::prelude::*;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes;
use crate::texts::request as texts;
use crate::ui::{Empty, LinkButton, Moment, Shape, Weight, person_name};
use crate::view::GoneView;

/// The page, with status 404.
pub(super) fn page(visit: &Visit, workspace: &str, name: &str, gone: GoneView) -> Page {
    let title = texts::was_deleted(name);
    let about = About {
        title: title.clone(),
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: 404,
        ..About::default()
    };
    let (now, requests) = (visit.now.clone(), routes::requests(workspace));
    let again = (!gone.promise.is_empty()).then(|| routes::promise(workspace, &gone.promise, None));
    framed(visit, about, move || {
        view! {
            <h1 class="vh">{title.clone()}</h1>
            <Empty title=title text=texts::deleted_by(&person_name(&gone.by)) shape=Shape::Deleting>
                <LinkButton href=requests label=texts::VIEW_REQUESTS weight=Weight::Primary/>
                {again.map(|href| view! { <LinkButton href=href label=texts::REQUEST_AGAIN/> })}
            </Empty>
            <p class="small muted">{texts::DELETED}" "<Moment at=gone.at now=now/>". "{texts::DELETED_TRACE}</p>
        }
    })
}
