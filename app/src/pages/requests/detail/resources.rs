//! Every resource, with Applied and Healthy apart.

use crate::view::{ObjectKey, RequestPage, RequestPart, ResourceLine};
use leptos::prelude::*;
use promise::api::Health;

use super::graph::graph;
use super::needs::Needs;
use super::tree::{layouts, tree};
use super::{ROWS, View, address};
use crate::islands::Graph;
use crate::pages::requests::health;
use crate::routes;
use crate::texts::request as texts;
use crate::ui::{Empty, Pager, Shape, Status, paged};

/// The part.
pub(super) fn part(page: &RequestPage, view: &View) -> impl IntoView + use<> {
    let (rows, number, pages) = paged(&page.resources, view.page, ROWS);
    let pages = if view.is_tree { 1 } else { pages };
    let some = !rows.is_empty();
    let rows = match rows {
        [] => view! { <Empty title=texts::NO_RESOURCES_YET text=texts::RESOURCES_APPEAR_HERE/> }.into_any(),
        _ if view.is_tree => tree(page, &view.open).into_any(),
        rows => table(page, rows, (number - 1) * ROWS).into_any(),
    };
    let graph = (number == 1 && !view.is_tree).then(|| graph(page, &view.fold, &view.open)).flatten();
    let page_of = page.clone();
    view! {
        <section aria-labelledby="resources" data-live="resources">
            <div class="section-head"><div class="row items-baseline gap-3"><h2 id="resources">{texts::RESOURCES}</h2><p class="basis">{basis(page)}</p></div>{some.then(|| layouts(page, view.is_tree))}</div>
            <p class="vh" role="status" data-said=""></p>
            <Graph/>
            {graph}
            {rows}
            <Pager page=number pages=pages href=Box::new(move |number| address(&page_of, RequestPart::Resources, number))/>
        </section>
    }
}

/// How many are applied, and how many are healthy: two counts, never merged.
pub(super) fn basis(page: &RequestPage) -> String {
    let healthy = page.resources.iter().filter(|resource| resource.health == Health::Healthy).count();
    let applied = page.resources.iter().filter(|resource| resource.applied).count();
    texts::applied_and_healthy(applied, healthy, page.resources.len())
}

/// Rows of resources, after `before` others.
pub(super) fn table(page: &RequestPage, resources: &[ResourceLine], before: usize) -> impl IntoView + use<> {
    let (row, needs) = (&page.row, Needs::of(page));
    let lines = resources.iter().enumerate().map(|(index, resource)| {
        let (shape, word) = health(resource.health);
        let (applied, applied_word) = if resource.applied { (Shape::Ready, texts::APPLIED) } else { (Shape::Ahead, texts::PENDING) };
        let needs = needs.words(resource).map(|words| view! { <span class="under">{words}</span> });
        view! {
            <tr id=format!("object-{}", before + index + 1)><th scope="row"><a class="name" href=routes::object(&row.workspace, &row.namespace, &row.name, &ObjectKey::from(resource))>{resource.name.clone()}</a><span class="under">{texts::kind_at(&resource.kind, &resource.destination)}</span>{needs}</th>
                <td data-label=texts::APPLIED><Status shape=applied word=applied_word/></td><td data-label=texts::HEALTHY><Status shape=shape word=word/></td><td data-label=texts::MESSAGE>{(!resource.message.is_empty()).then(|| resource.message.clone())}</td></tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table" aria-labelledby="resources"><thead><tr><th scope="col">{texts::RESOURCE}</th><th scope="col">{texts::APPLIED}</th><th scope="col">{texts::HEALTHY}</th><th scope="col">{texts::MESSAGE}</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}
