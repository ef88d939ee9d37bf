//! Confirms the deletion of a request: what is deleted, what is kept, and its name to type.

use leptos::prelude::*;
use promise::Result;
use promise::deletion::Fate;

use super::detail::identity;
use crate::actions::{self, DeleteRequest};
use crate::backend::{Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::form::Text;
use crate::routes;
use crate::texts::{forms, request, requests as texts};
use crate::ui::{Crumb, Crumbs, HiddenToken, LinkButton, PageHead, SubmitButton, Weight};
use crate::view::{RelatedLine, RequestPart};

/// The page; `refused` is a deletion that was refused.
pub async fn delete(visit: &Visit, workspace: &str, namespace: &str, name: &str, refused: Option<&Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let page = backend.request(workspace, namespace, name, RequestPart::Resources).await?;
    let problem = refused.map(Refusal::message);
    let typed = refused.map(|refused| refused.typed("confirmation").to_owned()).unwrap_or_default();
    let title = texts::delete_named(name);
    let about = About {
        title: if problem.is_some() { forms::error_title(&title) } else { title },
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: if problem.is_some() { 422 } else { 200 },
        ..About::default()
    };
    let token = backend.viewer().form_token;
    Ok(framed(visit, about, move || {
        let row = page.row.clone();
        let address = routes::request(&row.workspace, &row.namespace, &row.name);
        let goes = page
            .resources
            .iter()
            .rev()
            .map(|resource| view! { <li><b>{resource.name.clone()}</b>" "<span class="subtle">{resource.kind.clone()}</span></li> });
        let goes = goes.collect_view();
        let is_bare = page.resources.is_empty();
        // What stays keeps costing, and what was never accepted never cost anything.
        let costs = page.accepted.is_some() && page.fate != Fate::Stays;
        let money = page.price.monthly.as_ref().filter(|_| costs).map(|monthly| texts::cost_ends(monthly));
        let label = texts::delete_named(&row.name);
        let button = match &page.allowed.delete {
            Ok(()) => view! { <SubmitButton label=label weight=Weight::Danger icon="trash-2"/> }.into_any(),
            Err(reason) => {
                view! { <SubmitButton label=label weight=Weight::Danger icon="trash-2" why=request::disabled(reason)/> }.into_any()
            }
        };
        view! {
            <Crumbs steps=vec![Crumb::link(texts::REQUESTS, routes::requests(&row.workspace)), Crumb::link(row.name.clone(), address.clone()), Crumb::here(texts::DELETE)]/>
            <PageHead title=texts::delete_named(&row.name)/>
            <form method="post" action={actions::path::<DeleteRequest>()} novalidate class="card danger-zone">
                <HiddenToken token=token/>{identity(&row)}
                {page.created_for.as_ref().map(again)}
                <p>{if is_bare { texts::DELETES_REQUEST_ONLY } else { fate(page.fate) }}</p>
                {(!is_bare).then(|| view! { <ul class="goes">{goes}</ul> })}
                <p class="muted">{if is_bare { texts::OTHERS_UNAFFECTED } else { after(page.fate) }}</p>
                {money.map(|money| view! { <p class="muted">{money}</p> })}
                <Text id="confirmation" name="confirmation" label=texts::type_to_confirm(&row.name) value=typed problem=problem focus=true/>
                <div class="submit-bar">{button}<LinkButton href=address label=texts::CANCEL/></div>
            </form>
        }
    }))
}

/// Which request creates it again.
fn again(owner: &RelatedLine) -> impl IntoView + use<> {
    let href = routes::request(&owner.workspace, &owner.namespace, &owner.name);
    view! { <p>{texts::created_again(&owner.name)}" "<a href=href>{texts::view_named(&owner.name)}</a></p> }
}

/// What happens to the resources that are listed below.
fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Goes => texts::DELETES_RESOURCES,
        Fate::Stays => texts::KEEPS_RESOURCES,
        Fate::GoesUnlessAgreed => texts::DELETES_UNLESS_APPROVED,
    }
}

/// What that means for everything else.
fn after(fate: Fate) -> &'static str {
    match fate {
        Fate::Goes | Fate::GoesUnlessAgreed => texts::DATA_IS_LOST,
        Fate::Stays => texts::MONITORING_STOPS,
    }
}
