//! `/w/{workspace}/resources`: what was made for the requests of a workspace, and of those below it.

mod object;

use leptos::prelude::*;
use promise::api::Health;
use promise::view::{Drift, Facet, FacetValue, ObjectKey, ResourceQuery, ResourceRow, ResourcesPage, SavedList, Total};
use promise::wording::all_of;

pub use object::object;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::requests::{health, stale};
use crate::pages::{refused, views};
use crate::routes;
use crate::ui::{Banner, Empty, Icon, LinkButton, Moment, PageHead, Pager, Shape, Status};

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &ResourceQuery) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    let about = About {
        title: "Resources".to_owned(),
        workspace: Some(workspace.to_owned()),
        section: routes::resources(workspace),
        ..About::default()
    };
    let page = match backend.resources(workspace, query).await {
        Ok(page) => page,
        Err(promise::Error::Denied { why }) => return denied(visit, about, workspace, query, why),
        Err(error) => return refused(visit, Some(workspace), &error),
    };
    let filter = SavedList::Resources.filter(&pairs(&page.query));
    let views = backend.saved_views(SavedList::Resources, workspace, filter).await;
    let (workspace, now, token) = (workspace.to_owned(), visit.now.clone(), backend.viewer().form_token);
    framed(visit, about, move || {
        let below = page.query.below;
        // A workspace that was chosen of several is no choice in one alone.
        let chosen = if below { String::new() } else { page.query.workspace.clone() };
        let other = ResourceQuery { below: !below, workspace: chosen, page: 1, ..page.query.clone() };
        let actions = view! {
            <LinkButton href=address(&workspace, &other) label=if below { "This workspace alone" } else { "With workspaces below" }/>
            <LinkButton href=csv_address(&workspace, &page.query) label="CSV"/>
        };
        let pager = {
            let (workspace, query) = (workspace.clone(), page.query.clone());
            Box::new(move |number: usize| address(&workspace, &ResourceQuery { page: number, ..query.clone() }))
        };
        let place = if below { " and the workspaces below it" } else { "" };
        view! {
            <PageHead title="Resources" meta=view! { <span>"What was made for the requests of "<span class="mono">{workspace.clone()}</span>{place}</span> }.into_any() actions=actions.into_any()/>
            {page.all.as_of().map(|at| stale(at, &now))}
            {unseen(&page.all)}
            {figures(&page)}
            {views::bar(&views, &token)}
            {filters(&workspace, &page)}
            <div class="section-head"><p class="basis">{format!("{} shown, {} fit, {} in all; what does not work first", page.rows.len(), page.fit, page.all)}</p></div>
            {if page.rows.is_empty() { nothing(&workspace, &page).into_any() } else { table(&workspace, &page.rows, &now).into_any() }}
            <Pager page=page.query.page pages=page.pages href=pager/>
        }
    })
}

/// A workspace that a person may enter without seeing its requests.
fn denied(visit: &Visit, about: About, workspace: &str, query: &ResourceQuery, why: String) -> Page {
    let (href, label) = if query.below {
        (routes::catalog(workspace), "Open the catalog")
    } else {
        (address(workspace, &ResourceQuery { below: true, ..ResourceQuery::default() }), "Look into workspaces below")
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

fn filters(workspace: &str, page: &ResourcesPage) -> impl IntoView + use<> {
    let query = &page.query;
    let chips = |facet: &Facet, word: &dyn Fn(&FacetValue) -> String, link: &dyn Fn(String) -> ResourceQuery| {
        let items = facet.values.iter().map(|value| {
            let target = link(if value.chosen { String::new() } else { value.value.clone() });
            view! { <a href=address(workspace, &target) aria-current=value.chosen.then_some("true")>{word(value)}" "<span class="n">{value.count}</span></a> }
        });
        let more =
            (facet.left_out > 0).then(|| view! { <span class="subtle">{format!("{} more: search for them", facet.left_out)}</span> });
        view! { {items.collect_view()}{more} }
    };
    let plain = |value: &FacetValue| value.label.clone();
    let workspaces = (!page.workspaces.values.is_empty()).then(|| {
        let links = chips(&page.workspaces, &plain, &|value| ResourceQuery { workspace: value, page: 1, ..query.clone() });
        view! { <span class="chip-label">"Workspace"</span>{links} }
    });
    let drifted = ResourceQuery { drifted: !query.drifted, page: 1, ..query.clone() };
    let hidden = |name: &'static str, value: &str| {
        let value = value.to_owned();
        (!value.is_empty()).then(|| view! { <input type="hidden" name=name value=value/> })
    };
    view! {
        <form class="filters" role="search" aria-label="Resources" action=routes::resources(workspace)>
            <div class="search"><Icon name="search"/><input class="input" type="search" name="q" value=query.q.clone() aria-label="Search resources" placeholder="Search by name, kind or instance"/></div>
            {hidden("kind", &query.kind)}{hidden("health", &query.health)}{hidden("promise", &query.promise)}{hidden("workspace", &query.workspace)}
            {hidden("drifted", if query.drifted { "1" } else { "" })}{hidden("below", if query.below { "1" } else { "" })}
            <button class="btn">"Search"</button>
            <nav class="chips" aria-label="Filters">
                <a href=address(workspace, &drifted) aria-current=query.drifted.then_some("true")>"Drifted "<span class="n">{page.drifted_fit.to_string()}</span></a>
                <span class="chip-label">"Health"</span>
                {chips(&page.healths, &|value| state(&value.value).to_owned(), &|value| ResourceQuery { health: value, page: 1, ..query.clone() })}
                <span class="chip-label">"Kind"</span>
                {chips(&page.kinds, &plain, &|value| ResourceQuery { kind: value, page: 1, ..query.clone() })}
                <span class="chip-label">"Promise"</span>
                {chips(&page.promises, &plain, &|value| ResourceQuery { promise: value, page: 1, ..query.clone() })}
                {workspaces}
            </nav>
        </form>
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

fn pairs(query: &ResourceQuery) -> [(&'static str, String); 8] {
    let flag = |set: bool| if set { "1".to_owned() } else { String::new() };
    let page = if query.page > 1 { query.page.to_string() } else { String::new() };
    [
        ("q", query.q.clone()),
        ("kind", query.kind.clone()),
        ("health", query.health.clone()),
        ("promise", query.promise.clone()),
        ("workspace", query.workspace.clone()),
        ("drifted", flag(query.drifted)),
        ("below", flag(query.below)),
        ("page", page),
    ]
}

fn address(workspace: &str, query: &ResourceQuery) -> String {
    with(&routes::resources(workspace), query)
}

/// Everything that fits, not this page alone.
fn csv_address(workspace: &str, query: &ResourceQuery) -> String {
    with(&routes::resources_csv(workspace), &ResourceQuery { page: 0, ..query.clone() })
}

fn with(path: &str, query: &ResourceQuery) -> String {
    let pairs = pairs(query);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    routes::with_query(path, &pairs)
}

fn nothing(workspace: &str, page: &ResourcesPage) -> impl IntoView + use<> {
    if page.all.counted() > 0 {
        let all = address(workspace, &ResourceQuery { below: page.query.below, ..ResourceQuery::default() });
        return view! { <Empty title="No resource fits these filters" text="Take a filter away, or search for another word."><LinkButton href=all label="Show all"/></Empty> }.into_any();
    }
    if !page.all.is_exact() {
        return view! { <Empty title="Nothing could be read" text="What was made appears here as soon as its workspaces answer." shape=Shape::Unknown/> }.into_any();
    }
    let requests = routes::requests(workspace);
    view! { <Empty title="Nothing was made here yet" text="What requests need appears here as soon as it is being made."><LinkButton href=requests label="Open the requests"/></Empty> }.into_any()
}

fn table(here: &str, rows: &[ResourceRow], now: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let (shape, word) = health(row.health);
        let (applied, applied_word) = if row.applied { (Shape::Ready, "Applied") } else { (Shape::Ahead, "Not yet") };
        let place = if row.destination.is_empty() { String::new() } else { format!(" at {}", row.destination) };
        let instance = routes::request(&row.workspace, &row.request_namespace, &row.instance);
        let elsewhere = (row.workspace != here).then(|| view! { <span class="under mono">{row.workspace.clone()}</span> });
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::object(&row.workspace, &row.request_namespace, &row.instance, &ObjectKey::from(row))>{row.name.clone()}</a><span class="under">{format!("{}{place}", row.kind)}</span></th>
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
    view! {
        <div class="card"><table class="table"><thead><tr><th scope="col">"Resource"</th><th scope="col">"Instance"</th><th scope="col">"Promise"</th><th scope="col">"Applied"</th><th scope="col">"Healthy"</th><th scope="col">"Drift"</th><th scope="col">"Instance since"</th></tr></thead><tbody>{lines}</tbody></table></div>
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
