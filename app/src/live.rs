//! Keeps a page live in the browser, without Leptos. What changes the page is `browser/morph.js`.
//!
//! One event stream per page. On a change the page is fetched again and its `[data-live]` regions are changed into how they look now; what has
//! the focus, is typed or is open stays (`browser/morph.js`). The stream is closed while the tab is hidden, because browsers allow six connections to a host.
//! Without it the page has a "Refresh" link at the same place.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, DomParser, Element, EventSource, Response, SupportedType, VisibilityState, Window};

/// First pause before another attempt, in milliseconds.
const FIRST: i32 = 1_000;
/// Longest one.
const LONGEST: i32 = 30_000;

struct Live {
    window: Window,
    document: Document,
    address: String,
    morph: Function,
    stream: RefCell<Option<EventSource>>,
    pause: RefCell<i32>,
    busy: RefCell<bool>,
    again: RefCell<bool>,
}

/// Keeps this page live by the stream at `address`. `morph` changes an element into another.
pub fn start(address: String, morph: Function) -> Option<()> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let live = Rc::new(Live {
        window,
        document: document.clone(),
        address,
        morph,
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
                // A list that was narrowed meanwhile shows something else.
                Ok((address, _)) if live.window.location().href().ok().as_ref() != Some(&address) => drop(live.again.replace(true)),
                Ok((_, page)) => live.swap(&page),
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

    /// Fetches the page; answers with its address.
    async fn fetch(&self) -> Result<(String, Document), JsValue> {
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
        Ok((here, DomParser::new()?.parse_from_string(&html, SupportedType::TextHtml)?))
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
                // A region that can't be changed shows an older state.
                Ok(Some(new)) => drop(self.morph.call2(&JsValue::NULL, &old, &new)),
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
