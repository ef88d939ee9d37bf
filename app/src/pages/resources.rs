//! `/w/{workspace}/resources`: what was made for the requests of a workspace, and of those below it.

mod object;

use leptos::prelude::*;
use promise::api::Health;
use promise::view::{Drift, Facet, ObjectKey, ResourceColumn, ResourceQuery, ResourcesPage, SavedList, Total};
use promise::wording::all_of;
use promise::{Error, Result};

pub use object::object;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::{Heading, Listing};
use crate::pages::requests::{health, stale};
use crate::pages::views;
use crate::routes;
use crate::ui::{Banner, Empty, LinkButton, Moment, PageHead, Shape, Status};

/// The columns that people sort by.
const HEADINGS: [Heading<ResourceColumn>; 7] = [
    (ResourceColumn::Name, "Resource"),
    (ResourceColumn::Kind, "Kind"),
    (ResourceColumn::Instance, "Instance"),
    (ResourceColumn::Promise, "Promise"),
    (ResourceColumn::Health, "Healthy"),
    (ResourceColumn::Drift, "Drift"),
    (ResourceColumn::Since, "Instance since"),
];

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &ResourceQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let about = About {
        title: "Resources".to_owned(),
        workspace: Some(workspace.to_owned()),
        section: routes::resources(workspace),
        ..About::default()
    };
    let page = match backend.resources(workspace, query).await {
        Ok(page) => page,
        Err(Error::Denied { why }) => return Ok(denied(visit, about, workspace, query, why)),
        Err(error) => return Err(error),
    };
    let listing = Listing::new(routes::resources(workspace), &page.query);
    let filter = SavedList::Resources.filter(listing.pairs());
    let views = backend.saved_views(SavedList::Resources, workspace, filter).await;
    let (workspace, now, token) = (workspace.to_owned(), visit.now.clone(), backend.viewer().form_token);
    Ok(framed(visit, about, move || {
        let below = page.query.below;
        // A workspace that was chosen of several is no choice in one alone.
        let other = if below { listing.without(&["workspace"]).choose("below", "") } else { listing.choose("below", "true") };
        let csv = listing.at(routes::resources_csv(&workspace)).address();
        let actions = view! {
            <LinkButton href=other label=if below { "This workspace alone" } else { "With workspaces below" }/>
            <LinkButton href=csv label="CSV"/>
        };
        let place = if below { " and the workspaces below it" } else { "" };
        view! {
            <PageHead title="Resources" meta=view! { <span>"What was made for the requests of "<span class="mono">{workspace.clone()}</span>{place}</span> }.into_any() actions=actions.into_any()/>
            {page.all.as_of().map(|at| stale(at, &now))}
            {unseen(&page.all)}
            {figures(&page)}
            {views::bar(&views, &token)}
            {filters(&listing, &page)}
            <div class="section-head"><p class="basis">{format!("{} shown, {} fit, {} in all", page.rows.len(), page.fit, page.all)}</p><div class="sort-narrow">{listing.sort_menu(page.query.sort, "Problems first", &HEADINGS)}</div></div>
            {if page.rows.is_empty() { nothing(&workspace, &page, &listing).into_any() } else { table(&workspace, &listing, &page, &now).into_any() }}
            {listing.pager(page.query.page, page.pages)}
        }
    }))
}

/// A workspace that a person may enter without seeing its requests.
fn denied(visit: &Visit, about: About, workspace: &str, query: &ResourceQuery, why: String) -> Page {
    let (href, label) = if query.below {
        (routes::catalog(workspace), "Open the catalog")
    } else {
        (Listing::new(routes::resources(workspace), query).choose("below", "true"), "Look into workspaces below")
    };
    framed(visit, about, move || {
        view! {
            <PageHead title="Resources"/>
            <Empty title="You may not see resources here" text=why shape=Shape::Denied><LinkButton href=href label=label/></Empty>
        }
    })
}

/// What is missing, where numbers are bounds.
fn unseen(total: &Total) -> Option<impl IntoView + use<>> {
    (!total.is_exact()).then(|| {
        let places = all_of(total.unseen());
        view! { <Banner shape=Shape::Unknown title="Not everything could be read"><p>{format!("No answer from {places}. Numbers are without them.")}</p></Banner> }
    })
}

/// How many there are, and how they are: Applied and Healthy are two lights, never merged.
fn figures(page: &ResourcesPage) -> impl IntoView + use<> {
    let figure = |name: &'static str, total: &Total, beside: String| {
        view! { <div class="figure"><dt>{name}</dt><dd><b>{total.to_string()}</b><span class="subtle">{beside}</span></dd></div> }
    };
    let unsaid = page.all.counted().saturating_sub(page.healthy.counted() + page.broken.counted());
    view! {
        <dl class="figures">
            {figure("Resources", &page.all, format!("of {} instances", page.instances))}
            {figure("Applied", &page.applied, format!("{} not yet", page.all.counted() - page.applied.counted()))}
            {figure("Healthy", &page.healthy, format!("{} not, {unsaid} on their way or unknown", page.broken))}
            {figure("Drifted", &page.drifted, "changed by somebody else".to_owned())}
        </dl>
    }
}

fn filters(listing: &Listing, page: &ResourcesPage) -> impl IntoView + use<> {
    let mut healths: Facet = page.healths.clone();
    for value in &mut healths.values {
        state(&value.value).clone_into(&mut value.label);
    }
    view! {
        {listing.search("Resources", "Search by name, kind or instance")}
        <nav class="row chip-rows" aria-label="Filters">
            {listing.flag("drifted", "Drifted", Some(page.drifted_fit.to_string()))}
            {listing.facet("Health", "health", &healths)}
            {listing.facet("Kind", "kind", &page.kinds)}
            {listing.facet("Promise", "promise", &page.promises)}
            {listing.facet("Workspace", "workspace", &page.workspaces)}
        </nav>
    }
}

/// A health as people say it.
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
        return listing.nothing_fits("No resources match");
    }
    if !page.all.is_exact() {
        return view! { <Empty title="Nothing could be read" text="What was made appears here as soon as its workspaces answer." shape=Shape::Unknown/> }.into_any();
    }
    let requests = routes::requests(workspace);
    view! { <Empty title="Nothing was made here yet" text="What requests need appears here as soon as it is being made."><LinkButton href=requests label="Open the requests"/></Empty> }.into_any()
}

fn table(here: &str, listing: &Listing, page: &ResourcesPage, now: &str) -> impl IntoView + use<> {
    let lines = page.rows.iter().map(|row| {
        let (shape, word) = health(row.health);
        let (applied, applied_word) = if row.applied { (Shape::Ready, "Applied") } else { (Shape::Ahead, "Not yet") };
        let place = (!row.destination.is_empty()).then(|| view! { <span class="under">{format!("at {}", row.destination)}</span> });
        let instance = routes::request(&row.workspace, &row.request_namespace, &row.instance);
        let elsewhere = (row.workspace != here).then(|| view! { <span class="under mono">{row.workspace.clone()}</span> });
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::object(&row.workspace, &row.request_namespace, &row.instance, &ObjectKey::from(row))>{row.name.clone()}</a></th>
                <td data-label="Kind"><span>{row.kind.clone()}</span>{place}</td>
                <td data-label="Instance"><a class="name" href=format!("{instance}?view=resources")>{row.instance.clone()}</a>{elsewhere}</td>
                <td data-label="Promise" class="nowrap">{format!("{} {}", row.promise_title, row.version)}</td>
                <td data-label="Applied"><Status shape=applied word=applied_word/></td>
                <td data-label="Healthy"><Status shape=shape word=word/>{(!row.message.is_empty()).then(|| view! { <span class="under">{row.message.clone()}</span> })}</td>
                <td data-label="Drift">{drift(row.drift)}</td>
                <td data-label="Instance since" class="nowrap"><Moment at=row.since.clone() now=now/></td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let [name, kind, instance, promise, health, drift, since] = HEADINGS.map(|heading| listing.heading(page.query.sort, heading));
    view! {
        <div class="card"><table class="table"><thead><tr>{name}{kind}{instance}{promise}<th scope="col">"Applied"</th>{health}{drift}{since}</tr></thead><tbody>{lines}</tbody></table></div>
    }
}

fn drift(drift: Drift) -> String {
    match drift {
        Drift::Unknown => "not known".to_owned(),
        Drift::None => "none".to_owned(),
        Drift::PutBack(1) => "put back once".to_owned(),
        Drift::PutBack(times) => format!("put back {times} times"),
        Drift::Contested(times) => format!("somebody keeps changing it; put back {times} times"),
    }
}
