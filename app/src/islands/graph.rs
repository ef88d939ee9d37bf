//! The graph and the tree of a request's resources: links to another choice show it in place, arrow keys move between the objects, and a graph
//! is zoomed with buttons, with `+`, `-` and `0`, and with Control and the wheel. A mouse drags it. Everything else is scrolling, which works
//! with keys and touch without this.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, PointerEvent, WheelEvent};

use super::in_browser;
use super::place::Place;

/// Zoom factor of one step, and the minimum and maximum zoom.
const STEP: f64 = 1.25;
const SMALLEST: f64 = 0.1;
const LARGEST: f64 = 4.0;
/// Space around a graph in its frame, both sides together, in pixels.
const FRAME: f64 = 26.0;
/// Distance that a pointer moves before it drags, in pixels.
const DRAG: i32 = 4;
/// The part of the page that the graph and the tree are in.
const PART: &str = "[data-live=resources]";
/// The name of the chosen object.
const CHOSEN: &str = "#chosen";
const FRAMED: &str = ".graph";
/// Objects, between which arrow keys move.
const OBJECTS: &str = ".graph a, .tree a";
const EVENTS: [&str; 7] = ["click", "keydown", "wheel", "pointerdown", "pointermove", "pointerup", "dragstart"];
/// By this the style sheet shows the tools of graphs.
const WORKS: &str = "data-zooms";
/// Where the page says how large the graph is.
const ZOOMED: &str = "[data-zoomed]";

/// Moves the graph and the tree, which the page renders.
#[island]
pub fn Graph() -> impl IntoView {
    in_browser(|| _ = follow());
}

fn follow() -> Option<()> {
    document().document_element()?.set_attribute(WORKS, "").ok()?;
    Place::follow(PART, CHOSEN);
    let part = document().query_selector(PART).ok()??;
    let tools = Rc::new(Tools { drag: Cell::new(None) });
    let listener = Closure::<dyn Fn(Event)>::new(move |event| _ = tools.on(&event));
    for name in EVENTS {
        part.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref()).ok()?;
    }
    listener.forget();
    Some(())
}

/// A pressed pointer: where it was, and how far the graph was scrolled.
#[derive(Clone, Copy)]
struct Drag {
    pointer: (i32, i32),
    scrolled: (i32, i32),
    has_moved: bool,
}

struct Tools {
    drag: Cell<Option<Drag>>,
}

impl Tools {
    fn on(&self, event: &Event) -> Option<()> {
        let target = event.target()?.dyn_into::<Element>().ok()?;
        if event.type_() == "click" {
            let how = target.closest("[data-zoom]").ok()??.get_attribute("data-zoom")?;
            return self.zoom(&document().query_selector(FRAMED).ok()??, &how, None);
        }
        if let Some(key) = event.dyn_ref::<KeyboardEvent>() {
            return self.pressed(key, &target);
        }
        let graph = target.closest(FRAMED).ok()??;
        match event.type_().as_str() {
            "wheel" => self.turned(event.dyn_ref()?, &graph),
            // A link can't be dragged out of the page.
            "dragstart" => {
                event.prevent_default();
                Some(())
            }
            _ => self.moved(event.dyn_ref()?, &graph),
        }
    }

    fn pressed(&self, event: &KeyboardEvent, target: &Element) -> Option<()> {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return None;
        }
        let key = event.key();
        let how = match key.as_str() {
            "+" | "=" => "in",
            "-" => "out",
            "0" => "once",
            _ => {
                let next = beside(target, &key)?;
                event.prevent_default();
                return next.focus().ok();
            }
        };
        let graph = target.closest(FRAMED).ok()??;
        event.prevent_default();
        self.zoom(&graph, how, None)
    }

    fn turned(&self, event: &WheelEvent, graph: &Element) -> Option<()> {
        if !event.ctrl_key() {
            return None;
        }
        event.prevent_default();
        let frame = graph.get_bounding_client_rect();
        let at = (f64::from(event.client_x()) - frame.left(), f64::from(event.client_y()) - frame.top());
        self.zoom(graph, if event.delta_y() < 0.0 { "in" } else { "out" }, Some(at))
    }

    /// Drags the graph with a mouse.
    fn moved(&self, event: &PointerEvent, graph: &Element) -> Option<()> {
        let pointer = (event.client_x(), event.client_y());
        match event.type_().as_str() {
            "pointerdown" if event.pointer_type() == "mouse" && event.button() == 0 => {
                self.drag.set(Some(Drag { pointer, scrolled: (graph.scroll_left(), graph.scroll_top()), has_moved: false }));
            }
            "pointermove" if event.buttons() == 1 => {
                let mut drag = self.drag.get()?;
                let (right, down) = (pointer.0 - drag.pointer.0, pointer.1 - drag.pointer.1);
                if !drag.has_moved && right * right + down * down > DRAG * DRAG {
                    drag.has_moved = true;
                    self.drag.set(Some(drag));
                    // From here on, a click is one on the graph: dragging an object doesn't follow its link.
                    graph.set_pointer_capture(event.pointer_id()).ok()?;
                    graph.set_attribute("data-dragged", "").ok()?;
                }
                if drag.has_moved {
                    graph.set_scroll_left(drag.scrolled.0 - right);
                    graph.set_scroll_top(drag.scrolled.1 - down);
                }
            }
            _ => {
                self.drag.take()?;
                graph.remove_attribute("data-dragged").ok()?;
            }
        }
        Some(())
    }

    /// Zooms a graph. The point in the middle of its frame, or this one, stays in place.
    fn zoom(&self, graph: &Element, how: &str, at: Option<(f64, f64)>) -> Option<()> {
        let svg = graph.query_selector("svg").ok()??;
        let whole = svg.get_attribute("viewBox")?;
        let mut whole = whole.split(' ').skip(2).map(number);
        let (width, height) = (whole.next()?, whole.next()?);
        let frame = (f64::from(graph.client_width()), f64::from(graph.client_height()));
        let before = number(&svg.get_attribute("width")?) / width;
        let scale = match how {
            "in" => before * STEP,
            "out" => before / STEP,
            "whole" => {
                let most = number(&window().get_computed_style(graph).ok()??.get_property_value("max-height").ok()?);
                ((frame.0 - FRAME) / width).min((most - FRAME) / height).min(1.0)
            }
            _ => 1.0,
        };
        let scale = scale.clamp(SMALLEST, LARGEST);
        svg.set_attribute("width", &rounded(width * scale)).ok()?;
        svg.set_attribute("height", &rounded(height * scale)).ok()?;
        let (x, y) = at.unwrap_or((frame.0 / 2.0, frame.1 / 2.0));
        let moved = |scrolled: i32, at: f64| ((f64::from(scrolled) + at) * (scale / before) - at) as i32;
        graph.set_scroll_left(moved(graph.scroll_left(), x));
        graph.set_scroll_top(moved(graph.scroll_top(), y));
        document().query_selector(ZOOMED).ok()??.set_text_content(Some(&[&rounded(scale * 100.0), " %"].concat()));
        Some(())
    }
}

/// The nearest object in the direction of an arrow key.
fn beside(object: &Element, key: &str) -> Option<HtmlElement> {
    let object = object.closest(OBJECTS).ok()??;
    let (x, y) = middle(&object);
    let objects = document().query_selector_all(OBJECTS).ok()?;
    let mut nearest: Option<(f64, Element)> = None;
    for other in (0..objects.length()).filter_map(|index| objects.get(index)?.dyn_into::<Element>().ok()) {
        let (right, down) = middle(&other);
        let (right, down) = (right - x, down - y);
        let (along, across) = match key {
            "ArrowRight" => (right, down),
            "ArrowLeft" => (-right, down),
            "ArrowDown" => (down, right),
            "ArrowUp" => (-down, right),
            _ => return None,
        };
        // What is straight ahead comes before what is aside.
        let distance = along + 2.0 * across.abs();
        if along > 1.0 && nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
            nearest = Some((distance, other));
        }
    }
    // An object of a drawing is no HTML, and takes the focus all the same.
    nearest.map(|(_, other)| other.unchecked_into())
}

fn middle(element: &Element) -> (f64, f64) {
    let place = element.get_bounding_client_rect();
    (place.left() + place.width() / 2.0, place.top() + place.height() / 2.0)
}

/// The number that a text begins with. The browser's own parser and integers keep those of Rust out of the wasm.
fn number(text: &str) -> f64 {
    js_sys::Number::parse_float(text)
}

fn rounded(number: f64) -> String {
    ((number + 0.5) as i32).to_string()
}
