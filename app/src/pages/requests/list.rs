//! `/w/{workspace}/requests`: filters with counts, rows, pages; live.

use crate::view::{AvailabilityState, GoneView, RequestColumn, RequestQuery, RequestsPage, SavedList};
use leptos::prelude::*;
use promise::{Error, Result};

use super::{drafts, stale, table};
use crate::backend::{Backend, Visit};
use crate::document::{About, Page, Script, framed};
use crate::listing::{Heading, Listing};
use crate::pages::views;
use crate::routes;
use crate::texts::requests as texts;
use crate::ui::{Banner, Empty, LinkButton, LiveState, Moment, PageHead, Person, Shape, Weight};

/// The columns that people sort by.
pub(super) const HEADINGS: [Heading<RequestColumn>; 5] = [
    (RequestColumn::Name, texts::REQUEST),
    (RequestColumn::Promise, texts::PROMISE),
    (RequestColumn::State, texts::STATE),
    (RequestColumn::Requester, texts::REQUESTED_BY),
    (RequestColumn::Created, texts::REQUESTED),
];

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &RequestQuery, deleted: (&str, &str)) -> Result<Page> {
    let backend = visit.backend()?;
    let gone = going(&*backend, workspace, deleted).await;
    let page = match backend.requests(workspace, query).await {
        Ok(page) => page,
        Err(Error::Denied { why }) => return Ok(denied(visit, workspace, why)),
        Err(error) => return Err(error),
    };
    let listing = Listing::new(routes::requests(workspace), &page.query);
    let filter = SavedList::Requests.filter(listing.pairs());
    let views = backend.saved_views(SavedList::Requests, workspace, filter).await;
    let (workspace, now, address, token) = (workspace.to_owned(), visit.now.clone(), visit.address.clone(), backend.viewer().form_token);
    let about = About {
        title: texts::REQUESTS.to_owned(),
        workspace: Some(workspace.clone()),
        section: routes::requests(&workspace),
        script: Some(Script::Live(routes::live_requests(&workspace, &page.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let action = (page.create.state == AvailabilityState::Available)
            .then(|| view! { <LinkButton href=routes::catalog(&workspace) label=texts::NEW_REQUEST icon="plus"/> });
        let basis = texts::shown_of_total(page.rows.len(), page.total, page.all);
        view! {
            <PageHead title=texts::REQUESTS meta=view! { <span>{texts::IN}" "<span class="mono">{workspace.clone()}</span></span> }.into_any() actions=action.into_any()/>
            {gone.map(|(name, address, gone)| {
                let now = now.clone();
                view! { <div role="status"><Banner shape=Shape::Deleting title=texts::is_being_deleted(&name)><p>{texts::REQUESTED_BY}" "<Person username=gone.by/>" "<Moment at=gone.at now=now/>". "<a href=address>{texts::VIEW_PROGRESS}</a></p></Banner></div> }
            })}
            {drafts(&page.drafts, &routes::requests(&workspace), &token, &now)}
            {views::bar(&views, &token)}
            {listing.search(texts::REQUESTS, texts::SEARCH_PLACEHOLDER)}
            {Listing::filter_rows([
                Some(listing.flag("mine", texts::MINE, None)),
                listing.facet(texts::STATE, "phase", &page.states),
                listing.facet(texts::PROMISE, "promise", &page.promises),
            ])}
            <div data-live="requests">
                {page.as_of.clone().map(|at| stale(&at, &now))}
                <div class="section-head"><p class="basis">{basis}</p><LiveState address=address/><div class="sort-narrow">{listing.sort_menu(page.query.sort, texts::NEWEST_FIRST, &HEADINGS)}</div></div>
                {if page.rows.is_empty() { nothing(&workspace, &page, &listing).into_any() } else { table(&listing, page.query.sort, &page.rows, &now).into_any() }}
                {listing.pager(page.query.page, page.pages)}
            </div>
        }
    }))
}

/// The request in the address that the user just deleted: its name, its address, and what is known about its deletion.
async fn going(backend: &dyn Backend, workspace: &str, (namespace, name): (&str, &str)) -> Option<(String, String, GoneView)> {
    if name.is_empty() {
        return None;
    }
    // The list doesn't need the message.
    let gone = backend.gone(workspace, namespace, name).await.ok()??;
    Some((name.to_owned(), routes::request(workspace, namespace, name), gone))
}

/// The page of a workspace that a user can enter without access to its requests.
fn denied(visit: &Visit, workspace: &str, why: String) -> Page {
    let about = About {
        title: texts::REQUESTS.to_owned(),
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        ..About::default()
    };
    let catalog = routes::catalog(workspace);
    framed(visit, about, move || {
        view! {
            <PageHead title=texts::REQUESTS/>
            <Empty title=texts::CANT_VIEW_REQUESTS text=why shape=Shape::Denied><LinkButton href=catalog label=texts::BROWSE_CATALOG/></Empty>
        }
    })
}

fn nothing(workspace: &str, page: &RequestsPage, listing: &Listing) -> impl IntoView + use<> {
    let catalog = routes::catalog(workspace);
    if page.all > 0 {
        return listing.nothing_fits(texts::NO_MATCH);
    }
    let why = page.create.reason.clone().unwrap_or_else(|| texts::NO_REQUESTS_YET_TEXT.to_owned());
    view! { <Empty title=texts::NO_REQUESTS_YET text=why><LinkButton href=catalog label=texts::BROWSE_CATALOG weight=Weight::Primary/></Empty> }.into_any()
}
