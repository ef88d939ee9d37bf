//! `/w/{workspace}/resources`: the resources of the requests of a workspace, and of its child workspaces.

mod object;

use crate::view::{Facet, ObjectKey, ResourceColumn, ResourceQuery, ResourcesPage, SavedList, Total};
use leptos::prelude::*;
use promise::api::Health;
use promise::{Error, Result};

pub use object::object;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::{Heading, Listing};
use crate::pages::requests::{health, stale};
use crate::pages::views;
use crate::routes;
use crate::texts::resources as texts;
use crate::ui::{Banner, Empty, LinkButton, Moment, PageHead, Shape, Status, Weight};

/// Sortable columns.
const HEADINGS: [Heading<ResourceColumn>; 7] = [
    (ResourceColumn::Name, texts::RESOURCE),
    (ResourceColumn::Kind, texts::KIND),
    (ResourceColumn::Instance, texts::INSTANCE),
    (ResourceColumn::Promise, texts::PROMISE),
    (ResourceColumn::Health, texts::HEALTHY),
    (ResourceColumn::Drift, texts::DRIFT),
    (ResourceColumn::Since, texts::INSTANCE_CREATED),
];

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &ResourceQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let about = About {
        title: texts::RESOURCES.to_owned(),
        workspace: Some(workspace.to_owned()),
        section: routes::resources(workspace),
        ..About::default()
    };
    let page = match backend.resources(workspace, query).await {
        Ok(page) => page,
        Err(Error::Denied { reason }) => return Ok(denied(visit, about, workspace, query, reason.to_string())),
        Err(error) => return Err(error),
    };
    let listing = Listing::new(routes::resources(workspace), &page.query);
    let filter = SavedList::Resources.filter(listing.pairs());
    let views = backend.saved_views(SavedList::Resources, workspace, filter).await;
    let (workspace, now, token) = (workspace.to_owned(), visit.now.clone(), backend.viewer().form_token);
    Ok(framed(visit, about, move || {
        let below = page.query.below;
        // Within one workspace, the filter by workspace has no meaning.
        let other = if below { listing.without(&["workspace"]).choose("below", "") } else { listing.choose("below", "true") };
        let csv = listing.at(routes::resources_csv(&workspace)).address();
        let actions = view! {
            <LinkButton href=other label=if below { texts::ONLY_THIS_WORKSPACE } else { texts::INCLUDE_CHILD_WORKSPACES }/>
            <LinkButton href=csv label=texts::CSV/>
        };
        let children = below.then(|| view! { <span>{texts::INCLUDES_CHILD_WORKSPACES}</span> });
        view! {
            <PageHead title=texts::RESOURCES meta=view! { <span>{texts::RESOURCES_OF_REQUESTS_IN}" "<span class="mono">{workspace.clone()}</span></span>{children} }.into_any() actions=actions.into_any()/>
            {page.all.as_of().map(|at| stale(at, &now))}
            {unseen(&page.all)}
            {figures(&page)}
            {views::bar(&views, &token)}
            {filters(&listing, &page)}
            <div class="section-head"><p class="basis">{texts::shown_of_total(page.rows.len(), &page.fit, &page.all)}</p><div class="sort-narrow">{listing.sort_menu(page.query.sort, texts::UNHEALTHY_FIRST, &HEADINGS)}</div></div>
            {if page.rows.is_empty() { nothing(&workspace, &page, &listing).into_any() } else { table(&workspace, &listing, &page, &now).into_any() }}
            {listing.pager(page.query.page, page.pages)}
        }
    }))
}

/// The page of a workspace that a user can enter without access to its requests.
fn denied(visit: &Visit, about: About, workspace: &str, query: &ResourceQuery, why: String) -> Page {
    let (href, label) = if query.below {
        (routes::catalog(workspace), texts::BROWSE_CATALOG)
    } else {
        (Listing::new(routes::resources(workspace), query).choose("below", "true"), texts::VIEW_CHILD_WORKSPACES)
    };
    framed(visit, about, move || {
        view! {
            <PageHead title=texts::RESOURCES/>
            <Empty title=texts::DENIED text=why shape=Shape::Denied><LinkButton href=href label=label/></Empty>
        }
    })
}

/// Which workspaces did not respond, where numbers are lower bounds.
fn unseen(total: &Total) -> Option<impl IntoView + use<>> {
    (!total.is_exact()).then(|| {
        let text = texts::unseen(total.unseen());
        view! { <Banner shape=Shape::Unknown title=texts::INCOMPLETE><p>{text}</p></Banner> }
    })
}

/// How many there are, and their state: Applied and Healthy are counted apart, never merged.
fn figures(page: &ResourcesPage) -> impl IntoView + use<> {
    let figure = |name: &'static str, total: &Total, beside: String| {
        view! { <div class="figure"><dt>{name}</dt><dd><b>{total.to_string()}</b><span class="subtle">{beside}</span></dd></div> }
    };
    let unknown = page.all.counted().saturating_sub(page.healthy.counted() + page.broken.counted());
    view! {
        <dl class="figures">
            {figure(texts::RESOURCES, &page.all, texts::in_instances(&page.instances))}
            {figure(texts::APPLIED, &page.applied, texts::pending(page.all.counted() - page.applied.counted()))}
            {figure(texts::HEALTHY, &page.healthy, texts::unhealthy_and_unknown(&page.broken, unknown))}
            {figure(texts::DRIFTED, &page.drifted, texts::CHANGED_BY_SOMEONE_ELSE.to_owned())}
        </dl>
    }
}

fn filters(listing: &Listing, page: &ResourcesPage) -> impl IntoView + use<> {
    let mut healths: Facet = page.healths.clone();
    for value in &mut healths.values {
        state(&value.value).clone_into(&mut value.label);
    }
    view! {
        {listing.search(texts::RESOURCES, texts::SEARCH_PLACEHOLDER)}
        {Listing::filter_rows([
            Some(listing.flag("drifted", texts::DRIFTED, Some(page.drifted_fit.to_string()))),
            listing.facet(texts::HEALTH, "health", &healths),
            listing.facet(texts::KIND, "kind", &page.kinds),
            listing.facet(texts::PROMISE, "promise", &page.promises),
            listing.facet(texts::WORKSPACE, "workspace", &page.workspaces),
        ])}
    }
}

/// Returns the label of a health value.
fn state(word: &str) -> &'static str {
    match word {
        "Healthy" => health(Health::Healthy).1,
        "Progressing" => health(Health::Progressing).1,
        "Degraded" => health(Health::Degraded).1,
        "Missing" => health(Health::Missing).1,
        _ => health(Health::Unknown).1,
    }
}

fn nothing(workspace: &str, page: &ResourcesPage, listing: &Listing) -> impl IntoView + use<> {
    if page.all.counted() > 0 {
        return listing.nothing_fits(texts::NO_MATCHES);
    }
    if !page.all.is_exact() {
        return view! { <Empty title=texts::UNREADABLE text=texts::APPEAR_WHEN_WORKSPACES_RESPOND shape=Shape::Unknown/> }.into_any();
    }
    if let Some(below) = page.below.as_ref().filter(|below| below.counted() > 0) {
        let (href, text) = (listing.choose("below", "true"), texts::resources_in_child_workspaces(below));
        return view! { <Empty title=texts::NOTHING_HERE text=text><LinkButton href=href label=texts::INCLUDE_CHILD_WORKSPACES weight=Weight::Primary/></Empty> }
            .into_any();
    }
    let requests = routes::requests(workspace);
    view! { <Empty title=texts::NO_RESOURCES_YET text=texts::APPEAR_WHEN_PROVISIONED><LinkButton href=requests label=texts::VIEW_REQUESTS/></Empty> }.into_any()
}

fn table(here: &str, listing: &Listing, page: &ResourcesPage, now: &str) -> impl IntoView + use<> {
    let lines = page.rows.iter().map(|row| {
        let (shape, word) = health(row.health);
        let (applied, applied_word) = if row.applied { (Shape::Ready, texts::APPLIED) } else { (Shape::Ahead, texts::PENDING) };
        let place = (!row.destination.is_empty()).then(|| view! { <span class="under">{texts::at_destination(&row.destination)}</span> });
        let instance = routes::request(&row.workspace, &row.request_namespace, &row.instance);
        let elsewhere = (row.workspace != here).then(|| view! { <span class="under mono">{row.workspace.clone()}</span> });
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::object(&row.workspace, &row.request_namespace, &row.instance, &ObjectKey::from(row))>{row.name.clone()}</a></th>
                <td data-label=texts::KIND><span>{row.kind.clone()}</span>{place}</td>
                <td data-label=texts::INSTANCE class="nowrap"><a class="name" href=format!("{instance}?view=resources")>{row.instance.clone()}</a>{elsewhere}</td>
                <td data-label=texts::PROMISE class="nowrap">{format!("{} {}", row.promise_title, row.version)}</td>
                <td data-label=texts::APPLIED><Status shape=applied word=applied_word/></td>
                <td data-label=texts::HEALTHY><Status shape=shape word=word/>{(!row.message.is_empty()).then(|| view! { <span class="under">{row.message.clone()}</span> })}</td>
                <td data-label=texts::DRIFT>{texts::drift(row.drift)}</td>
                <td data-label=texts::INSTANCE_CREATED class="nowrap"><Moment at=row.since.clone() now=now/></td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let [name, kind, instance, promise, health, drift, since] = HEADINGS.map(|heading| listing.heading(page.query.sort, heading));
    view! {
        <div class="card"><table class="table" aria-label=texts::RESOURCES><thead><tr>{name}{kind}{instance}{promise}<th scope="col">{texts::APPLIED}</th>{health}{drift}{since}</tr></thead><tbody>{lines}</tbody></table></div>
    }
}
