//! `/w/{workspace}/catalog`: search, facets with counts, a grid of offers.

use leptos::prelude::*;
use promise::view::{AvailabilityState, CatalogPage, CatalogQuery, FacetValue, OfferRow};

use super::{availability, lifecycle};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::refused;
use crate::routes;
use crate::ui::{Empty, Icon, LinkButton, PageHead, Tile};

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
        let here = catalog.rows.iter().filter(|row| row.availability.state == AvailabilityState::Available).count();
        view! {
            <PageHead title="Catalog" meta=view! { <span>"What "<span class="mono">{workspace.clone()}</span>" can have"</span> }.into_any()/>
            {search(&workspace, &catalog)}
            <div class="split split-left">
                <nav class="facets" aria-label="Filters">
                    {facet("Category", &catalog.categories, &|value| narrowed(&workspace, &CatalogQuery { category: value, ..catalog.query.clone() }))}
                    {facet("Tag", &catalog.tags, &|value| narrowed(&workspace, &CatalogQuery { tag: value, ..catalog.query.clone() }))}
                </nav>
                <div>
                    <div class="section-head"><h2 class="h4">{format!("{here} available here")}</h2><p class="basis">{format!("{} of {} promises", catalog.rows.len(), catalog.total)}</p></div>
                    {if catalog.rows.is_empty() { nothing(&workspace, catalog.total).into_any() } else {
                        view! { <ul class="grid">{catalog.rows.iter().map(|row| offer(&workspace, row)).collect_view()}</ul> }.into_any()
                    }}
                </div>
            </div>
        }
    })
}

fn search(workspace: &str, catalog: &CatalogPage) -> impl IntoView + use<> {
    let hidden = [("category", &catalog.query.category), ("tag", &catalog.query.tag)];
    let hidden = hidden
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| view! { <input type="hidden" name=name value=value.clone()/> });
    view! {
        <form class="filters" role="search" aria-label="Catalog" action=routes::catalog(workspace)>
            {hidden.collect_view()}
            <div class="search"><Icon name="search"/><input class="input" type="search" name="q" value=catalog.query.q.clone() aria-label="Search the catalog" placeholder="Search by name, tag or purpose"/></div>
            <button class="btn">"Search"</button>
            {(catalog.query != CatalogQuery::default()).then(|| view! { <a class="small" href=routes::catalog(workspace)>"Clear all"</a> })}
        </form>
    }
}

fn facet(title: &'static str, values: &[FacetValue], href: &dyn Fn(String) -> String) -> Option<impl IntoView + use<>> {
    let links = values.iter().map(|value| {
        let target = if value.chosen { String::new() } else { value.value.clone() };
        view! { <li><a href=href(target) aria-current=value.chosen.then_some("true")><span class="grow">{value.label.clone()}</span>{value.chosen.then(|| view! { <Icon name="x"/><span class="vh">", remove"</span> })}<span class="n">{value.count}</span></a></li> }
    });
    let links = links.collect_view();
    (!values.is_empty()).then(|| view! { <h2 class="facet">{title}</h2><ul>{links}</ul> })
}

fn narrowed(workspace: &str, query: &CatalogQuery) -> String {
    let pairs =
        [("q", &query.q), ("category", &query.category), ("tag", &query.tag), ("owner", &query.owner), ("lifecycle", &query.lifecycle)];
    routes::with_query(&routes::catalog(workspace), &pairs.map(|(name, value)| (name, value.as_str())))
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
