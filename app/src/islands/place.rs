//! Links to another state of the same page change it in place: it is fetched, and the page is changed into how it looks there. The address is the
//! same as without this, so that reload, Back and a copied link lead to what is shown.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, Event, HtmlElement, HtmlInputElement, MouseEvent, UrlSearchParams};

use super::fetched::{Missing, Questions, morph};

/// What the live part says in the place of its link.
const STATE: &str = "[data-live-state]";
/// Where the page says in words what changed.
const SAID: &str = "[data-said]";
/// The page, if it is live.
const STREAM: &str = "[data-live-page]";
/// What is searched for.
const SEARCH: &str = "#main input[type=search]";
/// The object that a link opens beside where it is, instead of on its own page.
const OPEN: &str = "data-open";

/// How an address enters the history of the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// It is there already.
    Present,
    /// Instead of the present one.
    Replaced,
    /// After the present one.
    Added,
}

/// The page in place.
pub(super) struct Place {
    /// Selects what holds the links.
    links: &'static str,
    /// Selects what says in words what is shown.
    words: &'static str,
    questions: Questions,
    shown: RefCell<String>,
}

impl Place {
    /// Changes the page at clicks on links within `links`, and when the user goes back or forward. Says the text of `words` after each.
    pub(super) fn follow(links: &'static str, words: &'static str) -> Rc<Self> {
        let place = Rc::new(Self { links, words, questions: Questions::default(), shown: RefCell::new(here()) });
        for name in ["click", "popstate"] {
            let place = place.clone();
            drop(window_event_listener_untyped(name, move |event| place.on(&event)));
        }
        place
    }

    fn on(self: &Rc<Self>, event: &Event) {
        match event.dyn_ref::<MouseEvent>() {
            Some(click) => _ = self.clicked(click),
            // A link to a part of the page changes the history, too.
            None if here() != *self.shown.borrow() => self.go(here(), Entry::Present),
            None => {}
        }
    }

    fn clicked(self: &Rc<Self>, click: &MouseEvent) -> Option<()> {
        let is_plain = click.button() == 0 && !(click.ctrl_key() || click.meta_key() || click.shift_key() || click.alt_key());
        let link = click.target()?.dyn_into::<Element>().ok()?.closest("a[href]").ok()??;
        link.closest(self.links).ok()??;
        let address = opened(&link).or_else(|| same_page(&link))?;
        if !is_plain || click.default_prevented() {
            return None;
        }
        click.prevent_default();
        // A menu closes, and its button has the focus.
        if let Some(menu) = link.closest("details.menu").ok()? {
            let _ = menu.remove_attribute("open");
            let _ = menu.query_selector("summary").ok()??.unchecked_into::<HtmlElement>().focus();
        }
        self.go(address, Entry::Added);
        Some(())
    }

    /// Shows another address of the page.
    pub(super) fn go(self: &Rc<Self>, address: String, entry: Entry) {
        let place = self.clone();
        spawn_local(async move {
            match place.questions.ask(&address, None).await {
                Ok(page) => _ = place.show(&page, &address, entry),
                Err(Missing::Superseded) => {}
                // The browser says what is wrong, or the page does that answers instead.
                Err(_) => _ = window().location().assign(&address),
            }
        });
    }

    fn show(&self, page: &Document, address: &str, entry: Entry) -> Option<()> {
        let (now, history) = (document(), window().history().ok()?);
        if stream(&now) != stream(page) {
            // What it shows is kept live by another stream.
            return window().location().assign(address).ok();
        }
        // An address that the browser doesn't take can still be fetched again.
        let _ = match entry {
            Entry::Added if address != *self.shown.borrow() => history.push_state_with_url(&JsValue::NULL, "", Some(address)),
            Entry::Present => Ok(()),
            _ => history.replace_state_with_url(&JsValue::NULL, "", Some(address)),
        };
        self.shown.replace(here());
        if let Some((old, fresh)) = now.query_selector(STATE).ok()?.zip(page.query_selector(STATE).ok()?) {
            let _ = fresh.replace_with_with_node_1(&old.clone_node_with_deep(true).ok()?);
        }
        morph(now.body()?.as_ref(), page.body()?.as_ref());
        // Who goes back is shown what was searched then, also in the field that has the focus.
        if let Some(search) = now.query_selector(SEARCH).ok()?.filter(|_| entry == Entry::Present) {
            let search: HtmlInputElement = search.unchecked_into();
            search.set_value(&search.default_value());
        }
        now.set_title(&page.title());
        let said = now.query_selector(self.words).ok()??.text_content();
        now.query_selector(SAID).ok()??.set_text_content(said.as_deref());
        Some(())
    }
}

/// The stream that keeps a page live, whatever it has seen.
fn stream(page: &Document) -> Option<String> {
    let address = page.query_selector(STREAM).ok()??.get_attribute("data-live-page")?;
    // What it has seen comes last.
    Some(address.rsplit_once('&')?.0.to_owned())
}

/// The address of the page without its origin.
fn here() -> String {
    let location = window().location();
    [location.pathname(), location.search()].map(Result::unwrap_or_default).concat()
}

/// The address with the object opened that a link names.
fn opened(link: &Element) -> Option<String> {
    let object = link.get_attribute(OPEN)?;
    let location = window().location();
    let query = UrlSearchParams::new_with_str(&location.search().ok()?).ok()?;
    query.set("open", &object);
    Some([location.pathname().ok()?, "?".to_owned(), query.to_string().into()].concat())
}

/// The address of a link, if it leads to another state of the page.
fn same_page(link: &Element) -> Option<String> {
    let address = link.get_attribute("href")?;
    let path = address.split('?').next()?;
    (window().location().pathname().ok()? == path && !address.contains('#')).then_some(address)
}
