//! The search and the facets of a list: what is typed or chosen shows without loading the page again.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, FormData, HtmlFormElement, UrlSearchParams};

use super::in_browser;
use super::place::{Entry, Place};

/// Pause in typing before the search.
const PAUSE: Duration = Duration::from_millis(250);
/// What the links of the list are in.
const LIST: &str = "#main";
/// The search of the list.
const SEARCH: &str = "#main form[role=search]";
/// How many rows there are, or why there is none.
const COUNT: &str = "#main .section-head .basis, #main .empty h2";

/// Narrows the list that the page renders, and says how many rows it has after each choice.
#[island]
pub fn ListFilter() -> impl IntoView {
    in_browser(follow);
}

fn follow() {
    let filter = Rc::new(Filter { place: Place::follow(LIST, COUNT), inputs: Cell::new(0) });
    for name in ["input", "submit"] {
        let filter = filter.clone();
        drop(window_event_listener_untyped(name, move |event| _ = filter.on(&event)));
    }
}

struct Filter {
    place: Rc<Place>,
    /// Number of the last input: a pause that ends after another one doesn't count.
    inputs: Cell<u32>,
}

impl Filter {
    fn on(self: &Rc<Self>, event: &Event) -> Option<()> {
        let form = event.target()?.dyn_into::<Element>().ok()?.closest(SEARCH).ok()??.dyn_into::<HtmlFormElement>().ok()?;
        let number = self.inputs.get() + 1;
        self.inputs.set(number);
        if event.type_() == "submit" {
            event.prevent_default();
            self.place.go(address(&form)?, Entry::Added);
            return Some(());
        }
        let filter = self.clone();
        let search = move || {
            if let Some(address) = address(&form).filter(|_| filter.inputs.get() == number) {
                filter.place.go(address, Entry::Replaced);
            }
        };
        set_timeout(search, PAUSE);
        Some(())
    }
}

/// The address that the form leads to. It says nothing about words where there are none.
fn address(form: &HtmlFormElement) -> Option<String> {
    let query = UrlSearchParams::new_with_str_sequence_sequence(FormData::new_with_form(form).ok()?.as_ref()).ok()?;
    if query.get("q").is_some_and(|words| words.is_empty()) {
        query.delete("q");
    }
    let query = String::from(query.to_string());
    let start = if query.is_empty() { "" } else { "?" };
    Some([&form.get_attribute("action")?, start, &query].concat())
}
