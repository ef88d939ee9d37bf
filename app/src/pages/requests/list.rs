//! `/w/{workspace}/requests` and `/requests`: filters with counts, rows, pages; live.

use crate::view::{GoneView, RequestColumn, RequestQuery, RequestsPage, SavedList, Total};
use leptos::prelude::*;
use promise::{Error, Result};

use super::{drafts, stale, table};
use crate::backend::{Backend, Visit};
use crate::document::{About, Page, Script, framed};
use crate::listing::{Heading, Listing};
use crate::pages::views;
use crate::routes::{self, page};
use crate::texts::{frame, requests as texts, resources, workspaces};
use crate::ui::{Banner, Empty, LinkButton, LiveState, Moment, PageHead, Person, Shape, Weight, day};

/// The columns that people sort by.
pub(super) const HEADINGS: [Heading<RequestColumn>; 6] = [
    (RequestColumn::Name, texts::REQUEST),
    (RequestColumn::Promise, texts::PROMISE),
    (RequestColumn::State, texts::STATE),
    (RequestColumn::Requester, texts::REQUESTED_BY),
    (RequestColumn::Created, texts::REQUESTED),
    (RequestColumn::Price, texts::PER_MONTH),
];

/// The page; an empty path stands for all workspaces.
pub async fn list(visit: &Visit, workspace: &str, query: &RequestQuery, deleted: (&str, &str)) -> Result<Page> {
    let backend = visit.backend()?;
    let gone = going(&*backend, workspace, deleted).await;
    let page = match backend.requests(workspace, query).await {
        Ok(page) => page,
        Err(Error::Denied { reason }) => return Ok(denied(visit, workspace, query, reason.to_string())),
        Err(error) => return Err(error),
    };
    let listing = Listing::new(routes::requests(workspace), &page.query);
    let filter = SavedList::Requests.filter(listing.pairs());
    let views = backend.saved_views(SavedList::Requests, workspace, filter).await;
    let (workspace, now, address, token) = (workspace.to_owned(), visit.now.clone(), visit.address.clone(), backend.viewer().form_token);
    let live = match (workspace.as_str(), page.query.below) {
        ("", _) => routes::live_platform(&page.seen),
        (_, true) => routes::live_requests_below(&workspace, &page.seen),
        (_, false) => routes::live_requests(&workspace, &page.seen),
    };
    let about = About { script: Some(Script::Live(live)), ..about(&workspace) };
    Ok(framed(visit, about, move || {
        view! {
            <PageHead title=texts::REQUESTS meta=place(&workspace, page.query.below).into_any() actions=actions(&workspace, &page, &listing).into_any()/>
            {gone.map(|(name, address, gone)| {
                let now = now.clone();
                view! { <div role="status"><Banner shape=Shape::Deleting title=texts::is_being_deleted(&name)><p>{texts::REQUESTED_BY}" "<Person username=gone.by/>" "<Moment at=gone.at now=now/>". "<a href=address>{texts::VIEW_PROGRESS}</a></p></Banner></div> }
            })}
            {drafts(&page.drafts, &routes::requests(&workspace), &token, &now)}
            {views::bar(&views, &token)}
            {listing.search(texts::REQUESTS, texts::SEARCH_PLACEHOLDER)}
            <div data-live="filters">{filters(&page, &listing)}</div>
            <div data-live="requests">
                {page.as_of.clone().map(|at| stale(&at, &now))}
                {unseen(&page.all)}
                <div class="section-head"><p class="basis">{texts::shown_of_total(page.rows.len(), &page.total, &page.all)}</p><LiveState address=address/><div class="sort-narrow">{listing.sort_menu(page.query.sort, texts::NEWEST_FIRST, &HEADINGS)}</div></div>
                {if page.rows.is_empty() { nothing(&workspace, &page, &listing).into_any() } else { table(&workspace, &listing, page.query.sort, &page.rows, &now).into_any() }}
                {listing.pager(page.query.page, page.pages)}
            </div>
        }
    }))
}

fn about(workspace: &str) -> About {
    About {
        title: texts::REQUESTS.to_owned(),
        workspace: Some(workspace.to_owned()).filter(|workspace| !workspace.is_empty()),
        section: routes::requests(workspace),
        ..About::default()
    }
}

/// Where the list looks.
fn place(workspace: &str, below: bool) -> impl IntoView + use<> {
    let place = match workspace {
        "" => view! { <span>{texts::IN_ALL_WORKSPACES}</span> }.into_any(),
        _ => view! { <span>{texts::IN}" "<span class="mono">{workspace.to_owned()}</span></span> }.into_any(),
    };
    let children = (below && !workspace.is_empty()).then(|| view! { <span>{texts::INCLUDES_CHILD_WORKSPACES}</span> });
    view! { {place}{children} }
}

fn actions(workspace: &str, page: &RequestsPage, listing: &Listing) -> impl IntoView + use<> {
    let below = page.query.below;
    let children = (!workspace.is_empty()).then(|| {
        // Within one workspace, the filter by workspace has no meaning.
        let href = if below { listing.without(&["workspace"]).choose("below", "") } else { listing.choose("below", "true") };
        let label = if below { texts::ONLY_THIS_WORKSPACE } else { texts::INCLUDE_CHILD_WORKSPACES };
        view! { <LinkButton href=href label=label/> }
    });
    let csv = listing.at(routes::requests_csv(workspace)).without(&["page"]).address();
    view! { {children}<LinkButton href=csv label=texts::CSV/> }
}

fn filters(page: &RequestsPage, listing: &Listing) -> impl IntoView + use<> {
    let mut labels = page.labels.clone();
    labels.values.retain(|value| value.chosen || value.count > 0);
    Listing::filter_rows([
        Some(listing.flag("attention", texts::NEEDS_ATTENTION, Some(page.attention.to_string()))),
        Some(listing.flag("mine", texts::MINE, None)),
        listing.facet(texts::STATE, "phase", &page.states),
        listing.facet(texts::PROMISE, "promise", &page.promises),
        listing.facet(texts::LABEL, "label", &labels),
        listing.facet(texts::WORKSPACE, "workspace", &page.workspaces),
        listing.in_force(texts::OUTCOME, "outcome", texts::outcome(&page.query.outcome)),
        listing.in_force(texts::WEEK_OF, "week", &day(&page.query.week)),
    ])
}

/// Which workspaces did not respond, where numbers are lower bounds.
fn unseen(total: &Total) -> Option<impl IntoView + use<>> {
    (!total.is_exact()).then(|| {
        let text = resources::unseen(total.unseen());
        view! { <Banner shape=Shape::Unknown title=texts::SOME_NOT_SHOWN><p>{text}</p></Banner> }
    })
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
fn denied(visit: &Visit, workspace: &str, query: &RequestQuery, why: String) -> Page {
    let catalog = routes::catalog(workspace);
    let below = (!query.below).then(|| Listing::new(routes::requests(workspace), query).choose("below", "true"));
    framed(visit, about(workspace), move || {
        view! {
            <PageHead title=texts::REQUESTS/>
            <Empty title=texts::CANT_VIEW_REQUESTS text=why shape=Shape::Denied>
                <LinkButton href=catalog label=texts::BROWSE_CATALOG/>{below.map(|href| view! { <LinkButton href=href label=texts::INCLUDE_CHILD_WORKSPACES/> })}
            </Empty>
        }
    })
}

fn nothing(workspace: &str, page: &RequestsPage, listing: &Listing) -> AnyView {
    if page.all.counted() > 0 {
        return listing.nothing_fits(texts::NO_MATCH);
    }
    if let Some(below) = page.below.as_ref().filter(|below| below.counted() > 0) {
        let (href, text) = (listing.choose("below", "true"), workspaces::requests_in_child_workspaces(below));
        return view! { <Empty title=workspaces::NOTHING_HERE text=text><LinkButton href=href label=texts::INCLUDE_CHILD_WORKSPACES weight=Weight::Primary/></Empty> }.into_any();
    }
    if workspace.is_empty() {
        return view! { <Empty title=texts::NO_REQUESTS_YET text=texts::NO_REQUESTS_YET_ANYWHERE><LinkButton href=page::WORKSPACES label=frame::WORKSPACES/></Empty> }.into_any();
    }
    let catalog = routes::catalog(workspace);
    let why = page.create.reason.clone().unwrap_or_else(|| texts::NO_REQUESTS_YET_TEXT.to_owned());
    view! { <Empty title=texts::NO_REQUESTS_YET text=why><LinkButton href=catalog label=texts::BROWSE_CATALOG weight=Weight::Primary/></Empty> }.into_any()
}
