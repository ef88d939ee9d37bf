//! The only Rust that runs in the browser: it keeps a page live and changes nothing else. The rest is `browser/page.js`.
//!
//! One event stream per page. On a change the page is fetched again and its `[data-live]` regions are swapped, unless a region holds the focus
//! in an input. Open `<details>` stay open. The stream is closed while the tab is hidden, because browsers allow six connections to a host.
//! Without it the page has a "Refresh" link at the same place.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, DomParser, Element, EventSource, HtmlElement, Response, SupportedType, VisibilityState, Window};

/// First pause before another attempt, in milliseconds.
const FIRST: i32 = 1_000;
/// Longest one.
const LONGEST: i32 = 30_000;

struct Live {
    window: Window,
    document: Document,
    address: String,
    stream: RefCell<Option<EventSource>>,
    pause: RefCell<i32>,
    busy: RefCell<bool>,
    again: RefCell<bool>,
}

/// Keeps this page live by the stream at `address`.
pub fn start(address: String) -> Option<()> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let live = Rc::new(Live {
        window,
        document: document.clone(),
        address,
        stream: RefCell::new(None),
        pause: RefCell::new(FIRST),
        busy: RefCell::new(false),
        again: RefCell::new(false),
    });
    let watched = live.clone();
    let visibility = Closure::<dyn FnMut()>::new(move || watched.follow_visibility());
    document.add_event_listener_with_callback("visibilitychange", visibility.as_ref().unchecked_ref()).ok()?;
    visibility.forget();
    live.open();
    Some(())
}

impl Live {
    fn follow_visibility(self: &Rc<Self>) {
        if self.document.visibility_state() == VisibilityState::Hidden {
            self.close();
        } else if self.stream.borrow().is_none() {
            self.open();
            self.refresh();
        }
    }

    fn close(&self) {
        if let Some(stream) = self.stream.borrow_mut().take() {
            stream.close();
        }
    }

    fn open(self: &Rc<Self>) {
        let Ok(stream) = EventSource::new(&self.address) else { return };
        let opened = self.clone();
        let on_open = Closure::<dyn FnMut()>::new(move || {
            opened.say("live", "Live");
            opened.settled();
        });
        stream.set_onopen(Some(on_open.as_ref().unchecked_ref()));
        on_open.forget();
        let changed = self.clone();
        let on_change = Closure::<dyn FnMut()>::new(move || changed.refresh());
        for name in ["change", "message"] {
            if stream.add_event_listener_with_callback(name, on_change.as_ref().unchecked_ref()).is_err() {
                return;
            }
        }
        on_change.forget();
        let failed = self.clone();
        let on_error = Closure::<dyn FnMut()>::new(move || failed.reopen_later());
        stream.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        on_error.forget();
        *self.stream.borrow_mut() = Some(stream);
    }

    fn reopen_later(self: &Rc<Self>) {
        self.close();
        self.say("paused", "Connection lost, trying again");
        let pause = *self.pause.borrow();
        *self.pause.borrow_mut() = (pause * 2).min(LONGEST);
        let later = self.clone();
        let attempt = Closure::once_into_js(move || {
            if later.stream.borrow().is_none() && later.document.visibility_state() != VisibilityState::Hidden {
                later.open();
                later.refresh();
            }
        });
        // Without a timer the page is as live as without scripting: the link is still there.
        let _ = self.window.set_timeout_with_callback_and_timeout_and_arguments_0(attempt.unchecked_ref(), pause);
    }

    /// Changes that come while one is being fetched are answered by one more fetch.
    fn refresh(self: &Rc<Self>) {
        if self.busy.replace(true) {
            self.again.replace(true);
            return;
        }
        let live = self.clone();
        spawn_local(async move {
            match live.fetch().await {
                Ok(page) => live.swap(&page),
                // What is shown stays: an old page is worth more than none.
                Err(_) => live.reopen_later(),
            }
            live.busy.replace(false);
            live.settled();
            if live.again.replace(false) {
                live.refresh();
            }
        });
    }

    fn is_open(&self) -> bool {
        self.stream.borrow().as_ref().is_some_and(|stream| stream.ready_state() == EventSource::OPEN)
    }

    /// Page and stream both answer again: the next loss is a new one. A page that answers while its stream is refused must not be
    /// fetched each second.
    fn settled(&self) {
        if self.is_open() && !*self.busy.borrow() {
            *self.pause.borrow_mut() = FIRST;
        }
    }

    async fn fetch(&self) -> Result<Document, JsValue> {
        let here = self.window.location().href()?;
        let response: Response = JsFuture::from(self.window.fetch_with_str(&here)).await?.unchecked_into();
        // Another page by now: signed out, deleted, or closed to this person.
        if response.redirected() || matches!(response.status(), 401 | 403 | 404) {
            self.window.location().reload()?;
            return Err(JsValue::NULL);
        }
        if !response.ok() {
            return Err(JsValue::NULL);
        }
        let html = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
        DomParser::new()?.parse_from_string(&html, SupportedType::TextHtml)
    }

    fn swap(&self, page: &Document) {
        let Ok(regions) = self.document.query_selector_all("[data-live]") else { return };
        // As it is here already, so that a region differs only where something changed. Without a stream its link comes back.
        if self.is_open() {
            say(page, "live", "Live");
        }
        let mut replaced = 0;
        for index in 0..regions.length() {
            let Some(old) = regions.get(index).and_then(|node| node.dyn_into::<Element>().ok()) else { continue };
            let selector = format!("[data-live=\"{}\"]", old.get_attribute("data-live").unwrap_or_default());
            match page.query_selector(&selector) {
                Ok(Some(new)) => self.replace(&old, &new),
                _ => old.set_inner_html(""),
            }
            replaced += 1;
        }
        // A page without regions is another page by now: deleted, or refused.
        if replaced == 0 || page.query_selector("[data-live]").ok().flatten().is_none() {
            let _ = self.window.location().reload();
        }
        self.document.set_title(&page.title());
    }

    fn replace(&self, old: &Element, new: &Element) {
        if old.inner_html() == new.inner_html() {
            return;
        }
        let focused = self.document.active_element().filter(|element| old.contains(Some(element)));
        if focused.as_ref().is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")) {
            return;
        }
        let path = focused.as_ref().map(|element| place_of(element, old));
        let (was_open, was_checked) = (opened(old), checked(old));
        old.set_inner_html(&new.inner_html());
        for value in was_checked {
            if let Ok(Some(checkbox)) = old.query_selector(&format!("[type=checkbox][value=\"{value}\"]")) {
                let _ = checkbox.set_attribute("checked", "");
            }
        }
        for index in was_open {
            if let Some(details) = nth(old, "details", index) {
                let _ = details.set_attribute("open", "");
            }
        }
        let target = path.and_then(|(tag, index)| nth(old, &tag, index)).and_then(|element| element.dyn_into::<HtmlElement>().ok());
        if let Some(target) = target {
            let _ = target.focus();
        }
    }

    fn say(&self, state: &str, words: &str) {
        say(&self.document, state, words);
    }
}

/// Says the state in the place of the link "Refresh", which a live page does not need; `state` gives its look.
fn say(document: &Document, state: &str, words: &str) {
    let Ok(places) = document.query_selector_all("[data-live-state]") else { return };
    let places = (0..places.length()).filter_map(|index| places.get(index)?.dyn_into::<Element>().ok());
    for place in places.filter(|place| place.text_content().as_deref() != Some(words)) {
        place.set_text_content(Some(words));
        // The words say the same; without the attribute only a dot is missing.
        let _ = place.set_attribute("data-live-state", state);
    }
}

/// Tag of an element and its place among the same tags of a region.
fn place_of(element: &Element, region: &Element) -> (String, u32) {
    let tag = element.tag_name().to_lowercase();
    let index = region
        .query_selector_all(&tag)
        .ok()
        .and_then(|list| (0..list.length()).find(|index| list.get(*index).is_some_and(|node| node.is_same_node(Some(element)))));
    (tag, index.unwrap_or_default())
}

fn nth(region: &Element, tag: &str, index: u32) -> Option<Element> {
    region.query_selector_all(tag).ok()?.get(index)?.dyn_into::<Element>().ok()
}

/// Values of the rows that are selected. Ids need no escaping in a selector; other values are not looked for.
fn checked(region: &Element) -> Vec<String> {
    let Ok(list) = region.query_selector_all("[type=checkbox]:checked") else { return Vec::new() };
    let boxes = (0..list.length()).filter_map(|index| list.get(index)?.dyn_into::<Element>().ok());
    let values = boxes.filter_map(|checkbox| checkbox.get_attribute("value"));
    values.filter(|value| value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')).collect()
}

fn opened(region: &Element) -> Vec<u32> {
    let Ok(list) = region.query_selector_all("details") else { return Vec::new() };
    (0..list.length())
        .filter(|index| {
            list.get(*index).and_then(|node| node.dyn_into::<Element>().ok()).is_some_and(|details| details.has_attribute("open"))
        })
        .collect()
}
