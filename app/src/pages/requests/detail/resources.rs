//! Everything that was made, with Applied and Healthy apart.

use leptos::prelude::*;
use promise::api::Health;
use promise::view::{ObjectKey, RequestPage, ResourceLine};

use super::graph::{Fold, graph};
use super::needs::Needs;
use super::{Part, ROWS, address};
use crate::pages::requests::health;
use crate::routes;
use crate::ui::{Empty, Pager, Shape, Status, paged};

/// The part.
pub(super) fn part(page: &RequestPage, number: usize, fold: &Fold) -> impl IntoView + use<> {
    let (rows, number, pages) = paged(&page.resources, number, ROWS);
    let rows = if rows.is_empty() {
        view! { <Empty title="Nothing was made yet" text="What the request needs appears here as soon as it is being made."/> }.into_any()
    } else {
        table(page, rows, (number - 1) * ROWS).into_any()
    };
    let graph = (number == 1).then(|| graph(page, fold)).flatten();
    let page_of = page.clone();
    view! {
        <section aria-labelledby="resources" data-live="resources">
            <div class="section-head"><h2 id="resources">"What was made"</h2><p class="basis">{basis(page)}</p></div>
            {graph}
            {rows}
            <Pager page=number pages=pages href=Box::new(move |number| address(&page_of, Part::Resources, number))/>
        </section>
    }
}

/// How many are applied, and how many are healthy: two lights, never merged.
pub(super) fn basis(page: &RequestPage) -> String {
    let healthy = page.resources.iter().filter(|resource| resource.health == Health::Healthy).count();
    let applied = page.resources.iter().filter(|resource| resource.applied).count();
    let all = page.resources.len();
    format!("{applied} of {all} applied, {healthy} of {all} healthy")
}

/// Rows of resources, after `before` others.
pub(super) fn table(page: &RequestPage, resources: &[ResourceLine], before: usize) -> impl IntoView + use<> {
    let (row, needs) = (&page.row, Needs::of(page));
    let lines = resources.iter().enumerate().map(|(index, resource)| {
        let (shape, word) = health(resource.health);
        let (applied, applied_word) = if resource.applied { (Shape::Ready, "Applied") } else { (Shape::Ahead, "Not yet") };
        let place = if resource.destination.is_empty() { String::new() } else { format!(" at {}", resource.destination) };
        let needs = needs.words(resource).map(|words| view! { <span class="under">{words}</span> });
        view! {
            <tr id=format!("object-{}", before + index + 1)><th scope="row"><a class="name" href=routes::object(&row.workspace, &row.namespace, &row.name, &ObjectKey::from(resource))>{resource.name.clone()}</a><span class="under">{format!("{}{place}", resource.kind)}</span>{needs}</th>
                <td data-label="Applied"><Status shape=applied word=applied_word/></td><td data-label="Healthy"><Status shape=shape word=word/></td><td data-label="Note">{(!resource.message.is_empty()).then(|| resource.message.clone())}</td></tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table"><thead><tr><th scope="col">"Resource"</th><th scope="col">"Applied"</th><th scope="col">"Healthy"</th><th scope="col">"Note"</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}
