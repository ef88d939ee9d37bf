//! `/w/{workspace}/catalog`: search, facets with counts, a grid of offers.

use crate::view::{AvailabilityState, CatalogColumn, CatalogPage, CatalogQuery, FAVOURITES, OfferRow, Sort};
use leptos::prelude::*;
use promise::Result;

use super::favourites::Stars;
use super::{availability, lifecycle};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::{Heading, Listing};
use crate::routes;
use crate::texts::search::FAVOURITES as FAVOURITES_TITLE;
use crate::texts::{catalog as texts, frame};
use crate::ui::{Badge, Empty, PageHead, Shape, Tile};

/// Sortable columns.
const HEADINGS: [Heading<CatalogColumn>; 2] = [(CatalogColumn::Name, texts::NAME), (CatalogColumn::Published, texts::PUBLISHED)];

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &CatalogQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let catalog = backend.catalog(workspace, query).await?;
    let workspace = workspace.to_owned();
    let stars = Stars::of(visit, &workspace);
    let about = About {
        title: frame::CATALOG.to_owned(),
        workspace: Some(workspace.clone()),
        section: routes::catalog(&workspace),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(routes::catalog(&workspace), &catalog.query);
        let basis = texts::shown_of(catalog.rows.len(), catalog.fit, catalog.total);
        view! {
            <PageHead title=frame::CATALOG meta=view! { <span>{texts::SERVICES_IN}" "<span class="mono">{workspace.clone()}</span></span> }.into_any()/>
            {listing.search(frame::CATALOG, texts::SEARCH_HINT)}
            <div class="split split-left">
                <nav class="facets" aria-label=texts::FILTERS>
                    {listing.side_facet(texts::CATEGORY, "category", &catalog.categories)}
                    {listing.side_facet(texts::TAG, "tag", &catalog.tags)}
                    {listing.side_facet(texts::TEAM, "owner", &catalog.owners)}
                    {listing.side_facet(texts::LIFECYCLE, "lifecycle", &catalog.lifecycles)}
                </nav>
                <div>
                    <div class="section-head"><h2>{texts::available_here(catalog.available)}</h2><p class="basis">{basis}</p>{listing.sort_menu(catalog.query.sort, texts::FEATURED, &HEADINGS)}</div>
                    {if catalog.rows.is_empty() { nothing(&listing, catalog.total) } else { offers(&workspace, &catalog, &stars) }}
                    {listing.pager(catalog.query.page, catalog.pages)}
                    {stars.form()}
                </div>
            </div>
        }
    }))
}

/// Rows in the chosen order, or shelf by shelf in the default order.
fn offers(workspace: &str, catalog: &CatalogPage, stars: &Stars) -> AnyView {
    match catalog.query.sort {
        Sort::Usual => shelves(workspace, catalog, stars).into_any(),
        Sort::By { .. } => grid(workspace, &catalog.rows.iter().collect::<Vec<_>>(), stars).into_any(),
    }
}

fn grid(workspace: &str, rows: &[&OfferRow], stars: &Stars) -> impl IntoView + use<> {
    let offers = rows.iter().map(|row| offer(workspace, row, stars)).collect_view();
    view! { <ul class="grid grid-cols-fill-70 gap-4">{offers}</ul> }
}

/// Rows shelf by shelf; a single shelf has no heading unless it says something.
fn shelves(workspace: &str, catalog: &CatalogPage, stars: &Stars) -> impl IntoView + use<> {
    let of = |id: &str| catalog.rows.iter().filter(|row| row.shelf == id).collect::<Vec<_>>();
    let named = catalog.shelves.iter().map(|shelf| {
        let description = (!shelf.description.is_empty()).then(|| view! { <p class="muted -mt-2 mb-3">{shelf.description.clone()}</p> });
        let heading = format!("shelf-{}", promise::form::part_of_id(&shelf.id));
        let title = if shelf.id == FAVOURITES { FAVOURITES_TITLE.to_owned() } else { shelf.title.clone() };
        view! { <section class="[&+&]:mt-8" aria-labelledby=heading.clone()><h2 id=heading.clone()>{title}</h2>{description}{grid(workspace, &of(&shelf.id), stars)}</section> }
    });
    let named = named.collect_view();
    let others = of("");
    let others = (!others.is_empty()).then(|| {
        let heading = (!catalog.shelves.is_empty()).then(|| view! { <h2>{texts::OTHER_SERVICES}</h2> });
        view! { <section class="[&+&]:mt-8">{heading}{grid(workspace, &others, stars)}</section> }
    });
    view! { {named}{others} }
}

fn offer(workspace: &str, row: &OfferRow, stars: &Stars) -> impl IntoView + use<> {
    let home = row.shadowed.then_some(row.home.as_str());
    let tags = row.tags.iter().map(
        |tag| view! { <a class="tag relative z-1" href=routes::with_query(&routes::catalog(workspace), &[("tag", tag)])>{tag.clone()}</a> },
    );
    view! {
        <li class="offer">
            <div class="row items-start gap-3"><Tile icon=row.icon.clone()/>
                <div class="grow min-w-34"><h3><a href=routes::promise(workspace, &row.name, home)>{row.display_name.clone()}</a></h3><span class="small subtle">{format!("{} · {}", row.name, row.version)}</span></div>
                {stars.button(row)}
            </div>
            <p class="muted">{row.summary.clone()}</p>
            <p class="row gap-1 grow content-start">{tags.collect_view()}</p>
            {facts(row)}
            <div class="small grid gap-1">
                <p class="row justify-between">{state(row)}{running(workspace, row, home)}</p>
                {row.availability.reason.clone().map(|reason| view! { <span class="why">{reason}</span> })}{row.shadowed.then(|| view! { <span class="why">{texts::from_farther_home(&row.home)}</span> })}
            </div>
        </li>
    }
}

/// Price, and how long instances here took to get ready.
fn facts(row: &OfferRow) -> impl IntoView + use<> {
    let price = (!row.price.is_empty()).then(|| view! { <dt>{texts::PRICE}</dt><dd>{row.price.clone()}</dd> });
    // A card without a time keeps the line, so that prices of a row of cards are at one height.
    let ready = row.here.map(|here| {
        let ready = here.ready_in.map_or_else(
            || view! { <span class="subtle">{texts::NOT_MEASURED}</span> }.into_any(),
            |ready| view! { {texts::about(ready.median)}<span class="subtle">{texts::median_of(ready.measured)}</span> }.into_any(),
        );
        view! { <dt class="whitespace-nowrap">{texts::READY_IN}</dt><dd>{ready}</dd> }
    });
    view! { <dl class="sums pt-3 border-t border-line-soft">{price}{ready}</dl> }
}

/// The lifecycle and a new version; without them, whether it can be requested.
fn state(row: &OfferRow) -> impl IntoView + use<> {
    let ends = row.ends.as_ref().map(|day| view! { <span class="subtle">{texts::ends(day)}</span> });
    let new = row.new_version.then(|| view! { <Badge shape=Shape::Ready word=texts::NEW_VERSION/> });
    let badge = lifecycle(row);
    let is_plain = badge.is_none() && new.is_none();
    let available = (is_plain || row.availability.state != AvailabilityState::Available).then(|| availability(&row.availability));
    view! { <span class="row">{badge}{ends}{new}{available}</span> }
}

/// How many instances run here, as a link to them.
fn running(workspace: &str, row: &OfferRow, home: Option<&str>) -> Option<impl IntoView + use<>> {
    let here = row.here.filter(|here| here.running > 0)?;
    let href = routes::promise_tab(workspace, &row.name, home, "used-by");
    let words = texts::running_here(here.running, here.older);
    Some(view! { <a class="relative z-1 inline-block py-0.5" href=href>{words}</a> })
}

fn nothing(listing: &Listing, total: usize) -> AnyView {
    if total > 0 {
        return listing.nothing_fits(texts::NO_MATCHING_SERVICES);
    }
    view! { <Empty title=texts::NO_SERVICES text=texts::ASK_FOR_SERVICES/> }.into_any()
}
