//! The resources as a tree: what depends on something is below it. The chosen one is described beside the tree.

use std::collections::BTreeSet;

use leptos::prelude::*;
use promise::api::Health;

use super::address;
use super::needs::Needs;
use crate::pages::requests::{health, state};
use crate::routes;
use crate::texts::request as texts;
use crate::ui::{Icon, LinkButton, Shape, Status};
use crate::view::{ObjectKey, RequestPage, RequestPart, ResourceLine};

/// Depth below which entries are no longer indented.
const DEEPEST: usize = 4;

/// Returns the address of the tree with an object chosen; without one, that of the tree.
pub(super) fn tree_address(page: &RequestPage, open: &str) -> String {
    routes::with_query(&address(page, RequestPart::Resources, 1), &[("layout", "tree"), ("open", open)])
}

/// The tree, and the chosen object. Without a choice, that which most needs attention is shown.
pub(super) fn tree(page: &RequestPage, open: &str) -> impl IntoView + use<> {
    let needs = Needs::of(page);
    let worst = || page.resources.iter().max_by_key(|resource| resource.health.urgency());
    let chosen = page.resources.iter().find(|resource| resource.id == open).or_else(worst);
    let entries = ordered(page, &needs).into_iter().filter_map(|(index, depth)| Some((page.resources.get(index)?, depth)));
    let entries = entries.map(|(resource, depth)| entry(page, resource, depth, chosen.is_some_and(|chosen| chosen.id == resource.id)));
    let (shape, word) = state(page.row.states.state);
    view! {
        <div class="grid gap-4 grid-cols-fit-70 items-start">
            <nav aria-label=texts::resources_of(&page.row.name)><ul class="tree">
                <li data-depth="0"><span class="st" data-st=shape.word()>{shape.svg()}</span><b class="grow">{page.row.name.clone()}</b><span class="subtle">{word}</span></li>
                {entries.collect_view()}
            </ul></nav>
            {chosen.map(|chosen| panel(page, chosen, &needs, &|id| tree_address(page, id)))}
        </div>
    }
}

/// Returns the objects as the tree lists them, each with its depth: below the last one that it depends on, or else below the request.
fn ordered(page: &RequestPage, needs: &Needs<'_>) -> Vec<(usize, usize)> {
    let mut parents: Vec<Option<usize>> = vec![None; page.resources.len()];
    for (index, needed) in needs.pairs() {
        // An object is created after what it depends on, so that there is no circle.
        if let Some(parent) = parents.get_mut(index)
            && needed < index
        {
            *parent = (*parent).max(Some(needed));
        }
    }
    let mut found = Vec::with_capacity(parents.len());
    below(None, 1, &parents, &mut BTreeSet::new(), &mut found);
    found
}

fn below(parent: Option<usize>, depth: usize, parents: &[Option<usize>], seen: &mut BTreeSet<usize>, found: &mut Vec<(usize, usize)>) {
    for index in (0..parents.len()).filter(|index| parents.get(*index) == Some(&parent)) {
        if seen.insert(index) {
            found.push((index, depth));
            below(Some(index), depth + 1, parents, seen, found);
        }
    }
}

fn entry(page: &RequestPage, resource: &ResourceLine, depth: usize, is_chosen: bool) -> impl IntoView + use<> {
    let (shape, word) = health(resource.health);
    let class = if is_chosen { "grow font-semibold" } else { "grow" };
    view! {
        <li data-depth=depth.min(DEEPEST).to_string()><span class="st" data-st=shape.word()>{shape.svg()}<span class="vh">{word}</span></span>
            // Named, so that it keeps the focus when it is chosen.
            <a class=class data-key="name" href=tree_address(page, &resource.id) aria-current=is_chosen.then_some("true")>{resource.name.clone()}</a><span class="subtle">{resource.kind.clone()}</span></li>
    }
}

/// Everything that the request knows about an object, and the link to its own page. `opened` is the address of this page with another object.
pub(super) fn panel(
    page: &RequestPage,
    resource: &ResourceLine,
    needs: &Needs<'_>,
    opened: &dyn Fn(&str) -> String,
) -> impl IntoView + use<> {
    let row = &page.row;
    let (shape, word) = health(resource.health);
    let (applied, applied_word) = if resource.applied { (Shape::Ready, texts::APPLIED) } else { (Shape::Ahead, texts::PENDING) };
    let place = if resource.destination.is_empty() { texts::THIS_WORKSPACE.to_owned() } else { resource.destination.clone() };
    let fact = |name: &'static str, value: String| (!value.is_empty()).then(|| view! { <dt>{name}</dt><dd>{value}</dd> });
    let others: Vec<&ResourceLine> =
        needs.pairs().filter(|(_, needed)| is(page, *needed, resource)).filter_map(|(index, _)| page.resources.get(index)).collect();
    let used_by =
        others.iter().map(|other| view! { <li><a href=opened(&other.id)>{texts::named_object(&other.name, &other.kind)}</a></li> });
    let used_by = used_by.collect_view();
    let needed = needs.words(resource).map(|words| view! { <p class="small muted">{words}</p> });
    let open = routes::object(&row.workspace, &row.namespace, &row.name, &ObjectKey::from(resource));
    let broken = matches!(resource.health, Health::Degraded | Health::Missing);
    view! {
        <section class="card" aria-labelledby="chosen"><div class="card-head"><h2 id="chosen">{resource.name.clone()}</h2><span class="basis">{resource.kind.clone()}</span></div>
            <div class="grid gap-3 p-pad">
                <p class="row gap-4"><Status shape=applied word=applied_word/><Status shape=shape word=word/></p>
                {(!resource.message.is_empty()).then(|| view! { <p class=if broken { "" } else { "muted" }>{resource.message.clone()}</p> })}
                <dl class="kv">{fact(texts::LAYER_LOCATION, place)}{fact(texts::NAMESPACE, resource.namespace.clone())}{fact(texts::API_VERSION, resource.api_version.clone())}</dl>
                {needed}
                {(!others.is_empty()).then(|| view! { <div class="small"><p class="muted">{texts::NEEDED_BY}</p><ul>{used_by}</ul></div> })}
                <p><LinkButton href=open label=texts::OPEN_OBJECT/></p>
            </div>
        </section>
    }
}

fn is(page: &RequestPage, index: usize, resource: &ResourceLine) -> bool {
    page.resources.get(index).is_some_and(|known| known.id == resource.id)
}

/// Links that switch between the table and the tree.
pub(super) fn layouts(page: &RequestPage, is_tree: bool) -> impl IntoView + use<> {
    let link = |href: String, icon: &'static str, label: &'static str, is_current: bool| {
        view! { <li><a href=href aria-current=is_current.then_some("true")><Icon name=icon/>{label}</a></li> }
    };
    view! { <ul class="chips" aria-label=texts::LAYOUT>{link(address(page, RequestPart::Resources, 1), "layers", texts::TABLE, !is_tree)}{link(tree_address(page, ""), "network", texts::TREE, is_tree)}</ul> }
}
