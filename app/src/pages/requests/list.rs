//! `/w/{workspace}/requests`: filters with counts, rows, pages; live.

use leptos::prelude::*;
use promise::view::{AvailabilityState, RequestColumn, RequestQuery, RequestsPage, SavedList};
use promise::{Error, Result};

use super::{stale, table};
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::listing::{Heading, Listing};
use crate::pages::views;
use crate::routes;
use crate::ui::{Empty, LinkButton, LiveState, PageHead, Shape, Weight};

/// The columns that people sort by.
pub(super) const HEADINGS: [Heading<RequestColumn>; 5] = [
    (RequestColumn::Name, "Request"),
    (RequestColumn::Promise, "Promise"),
    (RequestColumn::State, "State"),
    (RequestColumn::Requester, "Asked by"),
    (RequestColumn::Created, "Asked"),
];

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &RequestQuery) -> Result<Page> {
    let backend = visit.backend()?;
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
        title: "Requests".to_owned(),
        workspace: Some(workspace.clone()),
        section: routes::requests(&workspace),
        script: Some(Script::Live(routes::live_requests(&workspace, &page.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let action = (page.create.state == AvailabilityState::Available)
            .then(|| view! { <LinkButton href=routes::catalog(&workspace) label="New request" icon="plus"/> });
        let all = page.rows.len() == page.all;
        let basis = if all {
            format!("{} of {} requests", page.rows.len(), page.all)
        } else {
            format!("{} shown, {} fit, {} in all", page.rows.len(), page.total, page.all)
        };
        view! {
            <PageHead title="Requests" meta=view! { <span>"in "<span class="mono">{workspace.clone()}</span></span> }.into_any() actions=action.into_any()/>
            {views::bar(&views, &token)}
            {listing.search("Requests", "Search by name or promise")}
            <nav class="row chip-rows" aria-label="Filters">
                {listing.flag("mine", "Mine", None)}
                {listing.facet("State", "phase", &page.states)}
                {listing.facet("Promise", "promise", &page.promises)}
            </nav>
            <div data-live="requests">
                {page.as_of.clone().map(|at| stale(&at, &now))}
                <div class="section-head"><p class="basis">{basis}</p><LiveState address=address/><div class="sort-narrow">{listing.sort_menu(page.query.sort, "Newest first", &HEADINGS)}</div></div>
                {if page.rows.is_empty() { nothing(&workspace, &page, &listing).into_any() } else { table(&listing, page.query.sort, &page.rows, &now).into_any() }}
                {listing.pager(page.query.page, page.pages)}
            </div>
        }
    }))
}

/// A workspace that a person may enter without seeing its requests: the page is there, and says so.
fn denied(visit: &Visit, workspace: &str, why: String) -> Page {
    let about = About {
        title: "Requests".to_owned(),
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        ..About::default()
    };
    let catalog = routes::catalog(workspace);
    framed(visit, about, move || {
        view! {
            <PageHead title="Requests"/>
            <Empty title="You may not see requests here" text=why shape=Shape::Denied><LinkButton href=catalog label="Open the catalog"/></Empty>
        }
    })
}

fn nothing(workspace: &str, page: &RequestsPage, listing: &Listing) -> impl IntoView + use<> {
    let catalog = routes::catalog(workspace);
    if page.all > 0 {
        return listing.nothing_fits("No requests match");
    }
    let why =
        page.create.reason.clone().unwrap_or_else(|| "Pick what you need from the catalog; you see what happens to it here.".to_owned());
    view! { <Empty title="Nobody has asked for anything here" text=why><LinkButton href=catalog label="Open the catalog" weight=Weight::Primary/></Empty> }.into_any()
}
