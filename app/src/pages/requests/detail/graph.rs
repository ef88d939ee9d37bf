//! What was made as a graph: request, version, objects, and where they are. The table below says the same.

use std::collections::BTreeMap;

use promise::api::Health;
use promise::view::{RequestPage, ResourceLine};
use promise::wording::counted;

use super::phase;
use crate::pages::requests::health;
use crate::routes;
use crate::ui::{Layers, Node, Shape};

/// More objects than this are drawn as one box for each kind.
const SINGLE: usize = 30;

/// The layers; none while nothing was made.
pub(super) fn layers(page: &RequestPage) -> Option<Layers> {
    if page.resources.is_empty() {
        return None;
    }
    let (objects, members) = if page.resources.len() <= SINGLE { single(page) } else { by_kind(page) };
    let mut places: Vec<&str> = page.resources.iter().map(|resource| resource.destination.as_str()).collect();
    places.sort_unstable();
    places.dedup();
    let troubled = page.resources.iter().any(broken);
    let (shape, word) = phase(page.row.phase);
    let request = Node { title: page.row.name.clone(), under: word.to_owned(), shape, href: None, problem: troubled };
    let version = Node {
        title: format!("{} {}", page.row.promise_title, page.row.version),
        under: page.row.promise.clone(),
        shape: Shape::Ready,
        href: Some(routes::promise(&page.row.workspace, &page.row.promise, None)),
        problem: troubled,
    };
    let targets = places.iter().map(|place| {
        let at = || page.resources.iter().filter(|resource| resource.destination == **place);
        let problem = at().any(broken);
        let title = if place.is_empty() { page.row.workspace.clone() } else { (*place).to_owned() };
        let shape = if problem { Shape::Degraded } else { Shape::Ready };
        Node { title, under: counted(at().count() as u64, "object"), shape, href: None, problem }
    });
    let mut links = vec![(0, 0, 0)];
    for (object, destinations) in members.iter().enumerate() {
        links.push((1, 0, object));
        for destination in destinations {
            links.extend(places.iter().position(|place| place == destination).map(|place| (2, object, place)));
        }
    }
    Some(Layers {
        id: "graph".to_owned(),
        title: format!("What was made for {}", page.row.name),
        description: "From the request over the version of its promise to every object and where it is. The table below says the same."
            .to_owned(),
        layers: vec![
            ("Request".to_owned(), vec![request]),
            ("Version".to_owned(), vec![version]),
            ("Objects".to_owned(), objects),
            ("Where".to_owned(), targets.collect()),
        ],
        links,
    })
}

/// Whether somebody has to look at it.
fn broken(resource: &ResourceLine) -> bool {
    matches!(resource.health, Health::Degraded | Health::Missing)
}

/// Boxes, and for each the Destinations of what is in it.
type Boxes<'a> = (Vec<Node>, Vec<Vec<&'a str>>);

/// A box for each object; each leads to its row.
fn single<'a>(page: &'a RequestPage) -> Boxes<'a> {
    let node = |(index, resource): (usize, &'a ResourceLine)| {
        let (shape, word) = health(resource.health);
        let node = Node {
            title: resource.name.clone(),
            under: format!("{}, {}", resource.kind, word.to_lowercase()),
            shape,
            href: Some(format!("#object-{}", index + 1)),
            problem: broken(resource),
        };
        (node, vec![resource.destination.as_str()])
    };
    page.resources.iter().enumerate().map(node).unzip()
}

/// A box for each kind; each leads to its objects in the list of all resources.
fn by_kind<'a>(page: &'a RequestPage) -> Boxes<'a> {
    let mut kinds: BTreeMap<&str, Vec<&ResourceLine>> = BTreeMap::new();
    for resource in &page.resources {
        kinds.entry(&resource.kind).or_default().push(resource);
    }
    let node = |(kind, resources): (&str, Vec<&'a ResourceLine>)| {
        let worst = resources.iter().map(|resource| resource.health).max_by_key(|health| health.urgency()).unwrap_or_default();
        let healthy = resources.iter().filter(|resource| resource.health == Health::Healthy).count();
        let list = routes::resources(&page.row.workspace);
        let node = Node {
            title: format!("{} {kind}", resources.len()),
            under: format!("{healthy} healthy"),
            shape: health(worst).0,
            href: Some(routes::with_query(&list, &[("kind", kind), ("q", &page.row.name)])),
            problem: resources.iter().any(|resource| broken(resource)),
        };
        let mut places: Vec<&str> = resources.iter().map(|resource| resource.destination.as_str()).collect();
        places.sort_unstable();
        places.dedup();
        (node, places)
    };
    kinds.into_iter().map(node).unzip()
}
