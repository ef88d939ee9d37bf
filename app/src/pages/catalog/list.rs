//! `/w/{workspace}/catalog`: search, facets with counts, a grid of offers.

use leptos::prelude::*;
use promise::view::{CatalogPage, CatalogQuery, Facet, OfferRow};

use super::{availability, lifecycle};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::refused;
use crate::routes;
use crate::ui::{Empty, Icon, LinkButton, PageHead, Pager, Tile};

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &CatalogQuery) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    let catalog = match backend.catalog(workspace, query).await {
        Ok(catalog) => catalog,
        Err(error) => return refused(visit, Some(workspace), &error),
    };
    let workspace = workspace.to_owned();
    let about =
        About { title: "Catalog".to_owned(), workspace: Some(workspace.clone()), section: routes::catalog(&workspace), ..About::default() };
    framed(visit, about, move || {
        let pager = {
            let (workspace, query) = (workspace.clone(), catalog.query.clone());
            Box::new(move |number: usize| narrowed(&workspace, &CatalogQuery { page: number, ..query.clone() }))
        };
        let basis = if catalog.pages > 1 {
            format!("{} shown, {} fit, {} in all", catalog.rows.len(), catalog.fit, catalog.total)
        } else {
            format!("{} of {} promises", catalog.fit, catalog.total)
        };
        let of = |query: CatalogQuery| narrowed(&workspace, &CatalogQuery { page: 1, ..query });
        let query = || catalog.query.clone();
        view! {
            <PageHead title="Catalog" meta=view! { <span>"What "<span class="mono">{workspace.clone()}</span>" can have"</span> }.into_any()/>
            {search(&workspace, &catalog)}
            <div class="split split-left">
                <nav class="facets" aria-label="Filters">
                    {facet("Category", &catalog.categories, &|value| of(CatalogQuery { category: value, ..query() }))}
                    {facet("Tag", &catalog.tags, &|value| of(CatalogQuery { tag: value, ..query() }))}
                    {facet("Team", several(&catalog.owners), &|value| of(CatalogQuery { owner: value, ..query() }))}
                    {facet("Lifecycle", several(&catalog.lifecycles), &|value| of(CatalogQuery { lifecycle: value, ..query() }))}
                </nav>
                <div>
                    <div class="section-head"><h2 class="h4">{format!("{} available here", catalog.available)}</h2><p class="basis">{basis}</p></div>
                    {if catalog.rows.is_empty() { nothing(&workspace, catalog.total).into_any() } else {
                        shelves(&workspace, &catalog).into_any()
                    }}
                    <Pager page=catalog.query.page.max(1) pages=catalog.pages href=pager/>
                </div>
            </div>
        }
    })
}

fn search(workspace: &str, catalog: &CatalogPage) -> impl IntoView + use<> {
    let query = &catalog.query;
    let hidden = [("category", &query.category), ("tag", &query.tag), ("owner", &query.owner), ("lifecycle", &query.lifecycle)];
    let chosen = CatalogQuery { page: 0, ..query.clone() } != CatalogQuery::default();
    let hidden = hidden
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| view! { <input type="hidden" name=name value=value.clone()/> });
    view! {
        <form class="filters" role="search" aria-label="Catalog" action=routes::catalog(workspace)>
            {hidden.collect_view()}
            <div class="search"><Icon name="search"/><input class="input" type="search" name="q" value=catalog.query.q.clone() aria-label="Search the catalog" placeholder="Search by name, tag or purpose"/></div>
            <button class="btn">"Search"</button>
            {chosen.then(|| view! { <a class="small" href=routes::catalog(workspace)>"Clear all"</a> })}
        </form>
    }
}

/// A facet that divides nothing is not worth a place, unless it is in force.
fn several(facet: &Facet) -> &Facet {
    static NONE: Facet = Facet { values: Vec::new(), left_out: 0 };
    if facet.values.len() > 1 || facet.values.iter().any(|value| value.chosen) { facet } else { &NONE }
}

fn facet(title: &'static str, facet: &Facet, href: &dyn Fn(String) -> String) -> Option<impl IntoView + use<>> {
    let links = facet.values.iter().map(|value| {
        let target = if value.chosen { String::new() } else { value.value.clone() };
        view! { <li><a href=href(target) aria-current=value.chosen.then_some("true")><span class="grow">{value.label.clone()}</span>{value.chosen.then(|| view! { <Icon name="x"/><span class="vh">", remove"</span> })}<span class="n">{value.count}</span></a></li> }
    });
    let links = links.collect_view();
    let more = (facet.left_out > 0).then(|| view! { <p class="small subtle">{format!("{} more: search for them", facet.left_out)}</p> });
    (!facet.values.is_empty()).then(|| view! { <h2 class="facet">{title}</h2><ul>{links}</ul>{more} })
}

fn narrowed(workspace: &str, query: &CatalogQuery) -> String {
    let page = if query.page > 1 { query.page.to_string() } else { String::new() };
    let pairs = [
        ("q", &query.q),
        ("category", &query.category),
        ("tag", &query.tag),
        ("owner", &query.owner),
        ("lifecycle", &query.lifecycle),
        ("page", &page),
    ];
    routes::with_query(&routes::catalog(workspace), &pairs.map(|(name, value)| (name, value.as_str())))
}

/// Rows shelf by shelf; a single shelf needs no heading unless it says something.
fn shelves(workspace: &str, catalog: &CatalogPage) -> impl IntoView + use<> {
    let grid = |rows: Vec<&OfferRow>| view! { <ul class="grid">{rows.into_iter().map(|row| offer(workspace, row)).collect_view()}</ul> };
    let of = |id: &str| catalog.rows.iter().filter(|row| row.shelf == id).collect::<Vec<_>>();
    let named = catalog.shelves.iter().map(|shelf| {
        let description = (!shelf.description.is_empty()).then(|| view! { <p class="muted">{shelf.description.clone()}</p> });
        let heading = format!("shelf-{}", promise::form::part_of_id(&shelf.id));
        view! { <section class="shelf" aria-labelledby=heading.clone()><h2 id=heading.clone()>{shelf.title.clone()}</h2>{description}{grid(of(&shelf.id))}</section> }
    });
    let named = named.collect_view();
    let others = of("");
    let others = (!others.is_empty()).then(|| {
        let heading = (!catalog.shelves.is_empty()).then(|| view! { <h2>"Others"</h2> });
        view! { <section class="shelf">{heading}{grid(others)}</section> }
    });
    view! { {named}{others} }
}

fn offer(workspace: &str, row: &OfferRow) -> impl IntoView + use<> {
    let home = row.shadowed.then_some(row.home.as_str());
    view! {
        <li class="offer">
            <div class="row row-top"><Tile icon=row.icon.clone()/>
                <div class="grow"><h3><a href=routes::promise(workspace, &row.name, home)>{row.display_name.clone()}</a></h3><span class="small subtle">{format!("{} · {}", row.name, row.version)}</span></div>
                {lifecycle(row)}
            </div>
            <p class="sum">{row.summary.clone()}</p>
            <p class="row tags">{row.tags.iter().map(|tag| view! { <a class="tag" href=routes::with_query(&routes::catalog(workspace), &[("tag", tag)])>{tag.clone()}</a> }).collect_view()}</p>
            {(!row.price.is_empty()).then(|| view! { <p class="small from">{row.price.clone()}</p> })}
            <div class="foot">{availability(&row.availability)}{row.availability.reason.clone().map(|reason| view! { <span class="why">{reason}</span> })}{row.shadowed.then(|| view! { <span class="why">{format!("From {}; a nearer one has the same name", row.home)}</span> })}</div>
        </li>
    }
}

fn nothing(workspace: &str, total: usize) -> impl IntoView + use<> {
    if total == 0 {
        return view! { <Empty title="Nothing is offered here yet" text="A platform team offers promises to workspaces. Ask yours which ones are meant for this one."/> }.into_any();
    }
    let all = routes::catalog(workspace);
    view! { <Empty title="Nothing fits these filters" text="Take a filter away, or search for another word."><LinkButton href=all label="Show all"/></Empty> }.into_any()
}
