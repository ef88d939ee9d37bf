//! A graph of boxes in layers, from left to right: rendered on the server, each box with shape and word, and in keyboard order.

use leptos::prelude::*;

use super::{Shape, texts};

const BOX: (usize, usize) = (208, 46);
const BETWEEN: (usize, usize) = (56, 16);
/// Height above the boxes, for the names of the layers.
const HEAD: usize = 28;
const EDGE: usize = 8;
/// Buttons, which work if scripting runs: zoom action and label.
const TOOLS: [(&str, &str); 3] = [("in", texts::ZOOM_IN), ("out", texts::ZOOM_OUT), ("whole", texts::FIT)];
/// Number of characters of a box's title, and of the text under it, that fit.
const FITS: (usize, usize) = (18, 22);

/// A box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Title.
    pub title: String,
    /// Text under the title, a few words.
    pub under: String,
    /// Its state.
    pub shape: Shape,
    /// Address it links to; `None` if there is nothing more to see.
    pub href: Option<String>,
    /// Whether it leads to a problem.
    pub problem: bool,
    /// The object that opens beside the graph instead, where scripting runs; empty if there is none.
    pub open: String,
    /// Whether that is open.
    pub is_open: bool,
}

/// Layers from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Unique on the page.
    pub id: String,
    /// Title.
    pub title: String,
    /// What the graph shows, in a sentence.
    pub description: String,
    /// Layers: name and boxes of each.
    pub layers: Vec<(String, Vec<Node>)>,
    /// Lines from a box of one layer to a box of the next: index of the layer, and of both boxes.
    pub links: Vec<(usize, usize, usize)>,
    /// Dashed arrows from a box to another one of the same layer, which is not the last: index of the layer, and of both boxes.
    pub arrows: Vec<(usize, usize, usize)>,
    /// What an arrow means.
    pub key: String,
}

/// Draws the layers. A graph that doesn't fit scrolls; the island of the same name zooms it and lets a pointer drag it.
#[component]
pub fn Graph(layers: Layers) -> impl IntoView {
    let most = layers.layers.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or_default().max(1);
    let count = layers.layers.len().max(1);
    let width = 2 * EDGE + count * BOX.0 + (count - 1) * BETWEEN.0;
    let height = HEAD + EDGE + most * BOX.1 + (most - 1) * BETWEEN.1;
    let place = |layer: usize, index: usize| {
        let of = layers.layers.get(layer).map_or(1, |(_, nodes)| nodes.len().max(1));
        let free = (most - of) * (BOX.1 + BETWEEN.1) / 2;
        (EDGE + layer * (BOX.0 + BETWEEN.0), HEAD + free + index * (BOX.1 + BETWEEN.1))
    };
    let node = |layer: usize, index: usize| layers.layers.get(layer).and_then(|(_, nodes)| nodes.get(index));
    let links = layers.links.iter().filter_map(|(layer, from, to)| {
        let (start, end) = (node(*layer, *from)?, node(*layer + 1, *to)?);
        let ((left, above), (right, below)) = (place(*layer, *from), place(*layer + 1, *to));
        let (left, above, below) = (left + BOX.0, above + BOX.1 / 2, below + BOX.1 / 2);
        let middle = (left + right) / 2;
        let class = if start.problem && end.problem { "graph-link graph-problem" } else { "graph-link" };
        Some(view! { <path class=class d=format!("M{left} {above}C{middle} {above} {middle} {below} {right} {below}")></path> })
    });
    let links = links.collect_view();
    let arrows = layers.arrows.iter().filter_map(|(layer, from, to)| {
        node(*layer, *from).zip(node(*layer, *to))?;
        let ((left, above), (_, below)) = (place(*layer, *from), place(*layer, *to));
        Some(arrow(left + BOX.0, above, below))
    });
    let arrows = arrows.collect_view();
    let key = (!layers.arrows.is_empty()).then(|| key(&layers.key));
    let heads = layers.layers.iter().enumerate().map(|(layer, (name, _))| {
        view! { <text class="graph-head" x=place(layer, 0).0 y="14">{name.clone()}</text> }
    });
    let heads = heads.collect_view();
    let boxes = layers
        .layers
        .iter()
        .enumerate()
        .flat_map(|(layer, (_, nodes))| nodes.iter().enumerate().map(move |(index, node)| (layer, index, node)));
    let boxes = boxes.map(|(layer, index, node)| boxed(node, place(layer, index))).collect_view();
    let (title, about) = (format!("{}-title", layers.id), format!("{}-about", layers.id));
    let named = format!("{title} {about}");
    view! {
        {key}
        <div class="graph-tools" role="group" aria-label=texts::ZOOM>
            {TOOLS.map(|(zoom, label)| view! { <button class="btn btn-sm" type="button" data-zoom=zoom>{label}</button> }).collect_view()}
            <span class="basis" role="status" data-zoomed=""></span>
        </div>
        <div class="graph" role="region" tabindex="0" aria-label=layers.title.clone()>
            <svg width=width height=height viewBox=format!("0 0 {width} {height}") role="group" aria-labelledby=named>
                <title id=title>{layers.title.clone()}</title><desc id=about>{layers.description.clone()}</desc>
                {links}{arrows}{heads}{boxes}
            </svg>
        </div>
    }
}

/// An arrow beside a layer whose boxes end at `x`, from the box at one height to the box at another. It leaves below the middle of a box
/// and arrives above the middle, so that outgoing and incoming arrows differ.
fn arrow(x: usize, above: usize, below: usize) -> impl IntoView + use<> {
    let (from, to) = (above + BOX.1 * 3 / 4, below + BOX.1 / 4);
    // The longer the arrow, the wider its curve; a curve reaches three quarters of the way to its handles, which stays between the layers.
    let handle = x + (BETWEEN.0 / 2 + from.abs_diff(to) / 8).min(BETWEEN.0);
    view! {
        <g class="graph-arrow">
            <path d=format!("M{x} {from}C{handle} {from} {handle} {to} {x} {to}")></path>
            <path d=format!("M{} {}L{x} {to}L{} {}", x + 7, to - 4, x + 7, to + 4)></path>
        </g>
    }
}

/// The legend of lines and arrows, which differ by dashes.
fn key(arrow: &str) -> impl IntoView + use<> {
    let arrow = arrow.to_owned();
    view! {
        <ul class="legend graph-legend">
            <li><svg class="graph-key" viewBox="0 0 24 10" aria-hidden="true"><path class="graph-link" d="M0 5H24"></path></svg>{texts::CREATES_OR_IS_LOCATED_IN}</li>
            <li><svg class="graph-key" viewBox="0 0 24 10" aria-hidden="true"><g class="graph-arrow"><path d="M0 5H24"></path><path d="M17 1L24 5L17 9"></path></g></svg>{arrow}</li>
        </ul>
    }
}

fn boxed(node: &Node, (x, y): (usize, usize)) -> impl IntoView + use<> {
    let inside = view! {
        <title>{format!("{}: {}, {}", node.title, node.shape.word(), node.under)}</title>
        <rect class="graph-box" x=x y=y width=BOX.0 height=BOX.1 rx="6"></rect>
        <svg class="shape" x=x + 10 y=y + 8 width="15" height="15" viewBox="0 0 16 16" aria-hidden="true" inner_html=node.shape.drawing()></svg>
        <text class="graph-name" x=x + 32 y=y + 20>{short(&node.title, FITS.0)}</text>
        <text class="graph-under" x=x + 32 y=y + 36>{short(&node.under, FITS.1)}</text>
    };
    let class = if node.problem { "graph-node graph-problem" } else { "graph-node" };
    match node.href.clone() {
        Some(href) => {
            let open = Some(node.open.clone()).filter(|open| !open.is_empty());
            view! { <a class=class data-st=node.shape.word() href=href data-open=open aria-current=node.is_open.then_some("true")>{inside}</a> }.into_any()
        }
        None => view! { <g class=class data-st=node.shape.word()>{inside}</g> }.into_any(),
    }
}

/// Returns as much of a text as fits, without its middle: names often differ at their end. Hovering over it shows all of it.
fn short(text: &str, fits: usize) -> String {
    let length = text.chars().count();
    if length <= fits {
        return text.to_owned();
    }
    let (start, end) = (fits / 2, fits - fits / 2 - 1);
    text.chars().take(start).chain(['…']).chain(text.chars().skip(length - end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(title: &str, problem: bool) -> Node {
        let shape = if problem { Shape::Degraded } else { Shape::Ready };
        let href = problem.then(|| "#there".to_owned());
        Node { title: title.into(), under: "one of a kind".into(), shape, href, problem, ..Node::default() }
    }

    #[test]
    fn an_arrow_leads_from_a_box_to_another_of_its_layer_and_is_explained() {
        let objects = vec![node("database", false), node("settings", false)];
        let layers = Layers { layers: vec![("Objects".into(), objects)], key: "needs it".into(), ..Layers::default() };
        let drawn = |layers: Layers| view! { <Graph layers=layers/> }.to_html();
        assert!(!drawn(layers.clone()).contains("needs it"), "where there is none nothing is explained");
        let html = drawn(Layers { arrows: vec![(0, 1, 0), (0, 0, 7)], ..layers });
        assert_eq!(html.matches("<g class=\"graph-arrow\"").count(), 2, "one, and what explains it: {html}");
        let right = 8 + BOX.0;
        let along = format!("M{right} 124C{turn} 124 {turn} 39 {right} 39", turn = right + 38);
        assert!(html.contains("needs it") && html.contains(&along), "from the lower box to the upper, around their right: {html}");
    }

    #[test]
    fn the_way_to_a_problem_is_marked_and_nothing_else() {
        let layers = Layers {
            id: "g".into(),
            title: "What was made".into(),
            layers: vec![
                ("Request".into(), vec![node("orders", true)]),
                ("Objects".into(), vec![node("database", false), node("a-name-that-is-longer-than-its-box", true)]),
            ],
            links: vec![(0, 0, 0), (0, 0, 1), (0, 0, 7)],
            ..Layers::default()
        };
        let html = view! { <Graph layers=layers/> }.to_html();
        assert_eq!(html.matches("graph-link graph-problem").count(), 1, "{html}");
        assert_eq!(html.matches("class=\"graph-link").count(), 2, "a line that leads nowhere is not drawn");
        assert_eq!((html.matches("<a ").count(), html.matches("<g ").count()), (2, 1), "{html}");
        assert!(html.contains("a-name-th…-its-box") && html.contains("a-name-that-is-longer-than-its-box: degraded"), "{html}");
        assert!(!html.contains("style="));
    }
}
