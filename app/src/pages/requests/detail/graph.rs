//! The resources as a graph: request, version, objects, and where they are. The table below has the same information.

use std::collections::{BTreeMap, BTreeSet};

use crate::view::{ObjectKey, RequestPage, RequestPart, ResourceLine};
use leptos::prelude::*;
use promise::api::Health;

use super::address;
use super::needs::Needs;
use super::tree::panel;
use crate::pages::requests::health;
use crate::pages::requests::state;
use crate::routes;
use crate::texts::request as texts;
use crate::ui::{Graph, Layers, Node, Shape};

/// Above this number, objects are drawn as one box for each kind, unless the address says otherwise.
const SINGLE: usize = 30;
/// Maximum number of arrows drawn between objects, to keep the page small.
const ARROWS: usize = 200;
/// The word for no kind in addresses.
const NONE: &str = "none";

/// Kinds whose objects are grouped, as listed in `fold` of the address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fold(Option<BTreeSet<String>>);

impl Fold {
    /// Parses kinds separated by commas; if there are none, the number of objects decides.
    pub fn parse(text: &str) -> Self {
        Self((!text.is_empty()).then(|| text.split(',').filter(|kind| !kind.is_empty() && *kind != NONE).map(str::to_owned).collect()))
    }

    /// Returns how the address lists them.
    fn word(&self) -> String {
        match &self.0 {
            Some(kinds) if kinds.is_empty() => NONE.to_owned(),
            kinds => kinds.iter().flatten().cloned().collect::<Vec<_>>().join(","),
        }
    }

    /// Returns the kinds that are grouped here; a kind with a single object has nothing to group.
    fn of(&self, page: &RequestPage) -> BTreeSet<String> {
        let many = kinds(page).into_iter().filter(|(_, count)| *count > 1).map(|(kind, _)| kind.to_owned());
        match &self.0 {
            Some(chosen) => many.filter(|kind| chosen.contains(kind)).collect(),
            None if page.resources.len() > SINGLE => many.collect(),
            None => BTreeSet::new(),
        }
    }
}

fn kinds(page: &RequestPage) -> BTreeMap<&str, usize> {
    let mut kinds = BTreeMap::new();
    for resource in &page.resources {
        *kinds.entry(resource.kind.as_str()).or_default() += 1;
    }
    kinds
}

/// Returns the address of the graph with these kinds grouped.
fn folded(page: &RequestPage, kinds: &BTreeSet<String>) -> String {
    routes::with_query(&address(page, RequestPart::Resources, 1), &[("fold", &Fold(Some(kinds.clone())).word())])
}

/// Returns the same address with one kind toggled.
fn turned(page: &RequestPage, folds: &BTreeSet<String>, kind: &str) -> String {
    let mut folds = folds.clone();
    if !folds.remove(kind) {
        folds.insert(kind.to_owned());
    }
    folded(page, &folds)
}

/// The graph with the links that group kinds, and the object that is open; nothing while there are no resources.
pub(super) fn graph(page: &RequestPage, fold: &Fold, open: &str) -> Option<impl IntoView + use<>> {
    let folds = fold.of(page);
    let layers = layers(page, &folds, open)?;
    let chips = chips(page, &folds);
    let opened = |id: &str| routes::with_query(&address(page, RequestPart::Resources, 1), &[("fold", &fold.word()), ("open", id)]);
    let panel = page.resources.iter().find(|resource| resource.id == open).map(|resource| panel(page, resource, &Needs::of(page), &opened));
    Some(view! { {chips}<Graph layers=layers/>{panel.map(|panel| view! { <div class="mb-6">{panel}</div> })} })
}

/// Links that group the objects of a kind, or show each of them.
fn chips(page: &RequestPage, folds: &BTreeSet<String>) -> Option<impl IntoView + use<>> {
    let many: Vec<(String, usize)> =
        kinds(page).into_iter().filter(|(_, count)| *count > 1).map(|(kind, count)| (kind.to_owned(), count)).collect();
    let links = many.iter().map(|(kind, count)| {
        let chosen = folds.contains(kind).then_some("true");
        view! { <a href=turned(page, folds, kind) aria-current=chosen>{kind.clone()}" "<span class="n">{*count}</span></a> }
    });
    let links = links.collect_view();
    let (all, none) = (many.iter().map(|(kind, _)| kind.clone()).collect(), BTreeSet::new());
    let each = (!folds.is_empty()).then(|| view! { <a href=folded(page, &none)>{texts::UNGROUP_ALL}</a> });
    let every = (many.len() > 1 && folds.len() < many.len()).then(|| view! { <a href=folded(page, &all)>{texts::ALL_KINDS}</a> });
    (!many.is_empty()).then(|| view! { <nav class="chips graph-kinds" aria-label=texts::GROUP_OBJECTS_BY_KIND><span class="chip-label">{texts::GROUP}</span>{links}{every}{each}</nav> })
}

fn layers(page: &RequestPage, folds: &BTreeSet<String>, open: &str) -> Option<Layers> {
    if page.resources.is_empty() {
        return None;
    }
    let Boxes { nodes: objects, places: members, of } = boxes(page, folds, open);
    let (arrows, key) = arrows(page, &of);
    let mut places: Vec<&str> = page.resources.iter().map(|resource| resource.destination.as_str()).collect();
    places.sort_unstable();
    places.dedup();
    let troubled = page.resources.iter().any(broken);
    let (shape, word) = state(page.row.states.state);
    let request = Node { title: page.row.name.clone(), under: word.to_owned(), shape, problem: troubled, ..Node::default() };
    let version = Node {
        title: format!("{} {}", page.row.promise_title, page.row.version),
        under: page.row.promise.clone(),
        shape: Shape::Ready,
        href: Some(routes::promise(&page.row.workspace, &page.row.promise, None)),
        problem: troubled,
        ..Node::default()
    };
    let targets = places.iter().map(|place| {
        let at = || page.resources.iter().filter(|resource| resource.destination == **place);
        let problem = at().any(broken);
        let title = if place.is_empty() { page.row.workspace.clone() } else { (*place).to_owned() };
        let shape = if problem { Shape::Degraded } else { Shape::Ready };
        Node { title, under: texts::objects(at().count()), shape, problem, ..Node::default() }
    });
    let mut links = vec![(0, 0, 0)];
    for (object, destinations) in members.iter().enumerate() {
        links.push((1, 0, object));
        for destination in destinations {
            links.extend(places.iter().position(|place| place == destination).map(|place| (2, object, place)));
        }
    }
    let unhealthy = page.resources.iter().filter(|resource| broken(resource)).count();
    Some(Layers {
        id: "graph".to_owned(),
        title: texts::resources_of(&page.row.name),
        description: texts::graph_description(!arrows.is_empty(), unhealthy),
        layers: vec![
            (texts::LAYER_REQUEST.to_owned(), vec![request]),
            (texts::LAYER_VERSION.to_owned(), vec![version]),
            (texts::LAYER_OBJECTS.to_owned(), objects),
            (texts::LAYER_LOCATION.to_owned(), targets.collect()),
        ],
        links,
        arrows,
        key,
    })
}

/// Returns the arrows between boxes of objects, and what they mean. `of` is the box of each object.
fn arrows(page: &RequestPage, of: &[usize]) -> (Vec<(usize, usize, usize)>, String) {
    let boxes = Needs::of(page).pairs().filter_map(|(from, to)| Some((*of.get(from)?, *of.get(to)?))).collect::<BTreeSet<_>>();
    let arrows: Vec<_> = boxes.into_iter().filter(|(from, to)| from != to).map(|(from, to)| (2, from, to)).collect();
    let key = texts::arrows(ARROWS.min(arrows.len()), arrows.len());
    (arrows.into_iter().take(ARROWS).collect(), key)
}

/// Whether a resource needs attention.
fn broken(resource: &ResourceLine) -> bool {
    matches!(resource.health, Health::Degraded | Health::Missing)
}

/// Boxes that are drawn for the objects.
#[derive(Default)]
struct Boxes<'a> {
    nodes: Vec<Node>,
    /// For each box, the Destinations of the objects in it.
    places: Vec<Vec<&'a str>>,
    /// The box of each object.
    of: Vec<usize>,
}

/// Returns a box for each object in the order of the table, and one for each grouped kind at the position of its first object.
fn boxes<'a>(page: &'a RequestPage, folds: &BTreeSet<String>, open: &str) -> Boxes<'a> {
    let mut drawn: BTreeMap<&str, usize> = BTreeMap::new();
    let mut boxes = Boxes::default();
    for resource in &page.resources {
        if let Some(known) = drawn.get(resource.kind.as_str()) {
            boxes.of.push(*known);
            continue;
        }
        let (node, places) = if folds.contains(&resource.kind) {
            drawn.insert(&resource.kind, boxes.nodes.len());
            together(page, folds, &resource.kind)
        } else {
            single(page, resource, open)
        };
        boxes.of.push(boxes.nodes.len());
        boxes.nodes.push(node);
        boxes.places.push(places);
    }
    boxes
}

/// Returns the box of an object; it links to the object's page, and opens the object here where scripting runs.
fn single<'a>(page: &RequestPage, resource: &'a ResourceLine, open: &str) -> (Node, Vec<&'a str>) {
    let (shape, word) = health(resource.health);
    let row = &page.row;
    let node = Node {
        title: resource.name.clone(),
        under: format!("{}, {}", resource.kind, word.to_lowercase()),
        shape,
        href: Some(routes::object(&row.workspace, &row.namespace, &row.name, &ObjectKey::from(resource))),
        problem: broken(resource),
        open: resource.id.clone(),
        is_open: resource.id == open,
    };
    (node, vec![resource.destination.as_str()])
}

/// Returns the box of all objects of a kind, in the state of the one that most needs attention; it links to each of them.
fn together<'a>(page: &'a RequestPage, folds: &BTreeSet<String>, kind: &str) -> (Node, Vec<&'a str>) {
    let resources: Vec<&ResourceLine> = page.resources.iter().filter(|resource| resource.kind == kind).collect();
    let worst = resources.iter().map(|resource| resource.health).max_by_key(|health| health.urgency()).unwrap_or_default();
    let healthy = resources.iter().filter(|resource| resource.health == Health::Healthy).count();
    let node = Node {
        title: texts::grouped(kind, resources.len()),
        under: texts::healthy(healthy),
        shape: health(worst).0,
        href: Some(turned(page, folds, kind)),
        problem: resources.iter().any(|resource| broken(resource)),
        ..Node::default()
    };
    let mut places: Vec<&str> = resources.iter().map(|resource| resource.destination.as_str()).collect();
    places.sort_unstable();
    places.dedup();
    (node, places)
}

#[cfg(test)]
mod tests {
    use super::Fold;

    #[test]
    fn an_address_names_kinds_or_none() {
        assert_eq!(Fold::parse(""), Fold(None));
        assert_eq!(Fold::parse("none"), Fold(Some([].into())));
        for word in ["", "none", "ConfigMap,Secret"] {
            assert_eq!(Fold::parse(word).word(), word);
        }
        assert_eq!(Fold::parse("Secret,,ConfigMap"), Fold(Some(["ConfigMap".to_owned(), "Secret".to_owned()].into())));
    }
}
