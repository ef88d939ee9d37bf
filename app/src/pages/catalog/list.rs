//! `/w/{workspace}/catalog`: search, facets with counts, a grid of offers.

use leptos::prelude::*;
use promise::Result;
use promise::view::{CatalogColumn, CatalogPage, CatalogQuery, OfferRow, Sort};

use super::{availability, lifecycle};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::{Heading, Listing};
use crate::routes;
use crate::ui::{Empty, PageHead, Tile};

/// What people sort by.
const HEADINGS: [Heading<CatalogColumn>; 2] = [(CatalogColumn::Name, "Name"), (CatalogColumn::Published, "Published")];

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &CatalogQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let catalog = backend.catalog(workspace, query).await?;
    let workspace = workspace.to_owned();
    let about =
        About { title: "Catalog".to_owned(), workspace: Some(workspace.clone()), section: routes::catalog(&workspace), ..About::default() };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(routes::catalog(&workspace), &catalog.query);
        let basis = if catalog.pages > 1 {
            format!("{} shown, {} fit, {} in all", catalog.rows.len(), catalog.fit, catalog.total)
        } else {
            format!("{} of {} promises", catalog.fit, catalog.total)
        };
        view! {
            <PageHead title="Catalog" meta=view! { <span>"What "<span class="mono">{workspace.clone()}</span>" can have"</span> }.into_any()/>
            {listing.search("Catalog", "Search by name, tag or purpose")}
            <div class="split split-left">
                <nav class="facets" aria-label="Filters">
                    {listing.side_facet("Category", "category", &catalog.categories)}
                    {listing.side_facet("Tag", "tag", &catalog.tags)}
                    {listing.side_facet("Team", "owner", &catalog.owners)}
                    {listing.side_facet("Lifecycle", "lifecycle", &catalog.lifecycles)}
                </nav>
                <div>
                    <div class="section-head"><h2 class="h4">{format!("{} available here", catalog.available)}</h2><p class="basis">{basis}</p>{listing.sort_menu(catalog.query.sort, "Featured", &HEADINGS)}</div>
                    {if catalog.rows.is_empty() { nothing(&listing, catalog.total) } else { offers(&workspace, &catalog) }}
                    {listing.pager(catalog.query.page, catalog.pages)}
                </div>
            </div>
        }
    }))
}

/// Rows in the order that was chosen, and in the usual order shelf by shelf.
fn offers(workspace: &str, catalog: &CatalogPage) -> AnyView {
    match catalog.query.sort {
        Sort::Usual => shelves(workspace, catalog).into_any(),
        Sort::By { .. } => grid(workspace, &catalog.rows.iter().collect::<Vec<_>>()).into_any(),
    }
}

fn grid(workspace: &str, rows: &[&OfferRow]) -> impl IntoView + use<> {
    let offers = rows.iter().map(|row| offer(workspace, row)).collect_view();
    view! { <ul class="grid">{offers}</ul> }
}

/// Rows shelf by shelf; a single shelf needs no heading unless it says something.
fn shelves(workspace: &str, catalog: &CatalogPage) -> impl IntoView + use<> {
    let of = |id: &str| catalog.rows.iter().filter(|row| row.shelf == id).collect::<Vec<_>>();
    let named = catalog.shelves.iter().map(|shelf| {
        let description = (!shelf.description.is_empty()).then(|| view! { <p class="muted">{shelf.description.clone()}</p> });
        let heading = format!("shelf-{}", promise::form::part_of_id(&shelf.id));
        view! { <section class="shelf" aria-labelledby=heading.clone()><h2 id=heading.clone()>{shelf.title.clone()}</h2>{description}{grid(workspace, &of(&shelf.id))}</section> }
    });
    let named = named.collect_view();
    let others = of("");
    let others = (!others.is_empty()).then(|| {
        let heading = (!catalog.shelves.is_empty()).then(|| view! { <h2>"Others"</h2> });
        view! { <section class="shelf">{heading}{grid(workspace, &others)}</section> }
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

fn nothing(listing: &Listing, total: usize) -> AnyView {
    if total > 0 {
        return listing.nothing_fits("No promises match");
    }
    view! { <Empty title="Nothing is offered here yet" text="A platform team offers promises to workspaces. Ask yours which ones are meant for this one."/> }.into_any()
}
