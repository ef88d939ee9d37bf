//! The palette: search and commands in a dialog. It is an island without content, which `browser/keys.js` loads when the palette is first
//! opened; the dialog is made then. Results are a fragment of HTML (`pages::search::suggestions`), so nothing here knows what can be found.

use std::time::Duration;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Dialog;
use leptos::mount::mount_to_body;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlAnchorElement, HtmlElement, HtmlInputElement, Response};

/// Pause in typing before the search, in milliseconds.
const PAUSE: Duration = Duration::from_millis(120);
/// Where the results come from; the search page itself is the address of the link that opens the palette.
const SUGGESTIONS: &str = "/search/suggestions";
/// The event that opens it.
const OPEN: &str = "palette";
/// The link that opens it.
const LINK: &str = "[data-palette]";
/// Id of the results.
const HITS: &str = "palette-hits";
/// Attribute of the option that Enter opens.
const CHOSEN: &str = "aria-selected";
// The texts of this view are here, because `texts` is a part of the server.
const LABEL: &str = "Search and commands";
const PLACEHOLDER: &str = "Search, or type a command";
const UNAVAILABLE: &str = "The search didn't respond. Press Enter to try it on a page of its own.";
const CHOICES: &str = "Choices: ";
const KEYS: &str = "↑ ↓ to choose, Enter to open, Esc to close";

/// Adds the dialog to the end of the page when its script is loaded. On the server, it renders nothing.
#[island]
pub fn Palette() -> impl IntoView {
    if cfg!(feature = "palette") {
        mount_to_body(dialog);
    }
}

/// The dialog, closed until the event `palette`.
fn dialog() -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    let (hits, said) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    // Only the answer to the latest question counts.
    let latest = StoredValue::new(0_u32);
    let ask = move || {
        let number = latest.get_value();
        spawn_local(async move {
            let answer = fetch(&address(SUGGESTIONS, &typed(dialog))).await;
            if latest.get_value() != number {
                return;
            }
            said.set(if answer.is_ok() { String::new() } else { UNAVAILABLE.to_owned() });
            hits.set(answer.unwrap_or_default());
        });
    };
    let soon = move || {
        latest.update_value(|number| *number += 1);
        let number = latest.get_value();
        set_timeout(move || (latest.get_value() == number).then(ask).unwrap_or_default(), PAUSE);
    };
    Effect::new(move |_| {
        let open = move || {
            let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) else { return };
            if dialog.show_modal().is_ok() {
                // What was typed the last time is replaced by the next letter.
                if let Some(input) = field_of(&dialog) {
                    input.select();
                }
                soon();
            }
        };
        let listener = Closure::<dyn Fn()>::new(open);
        // Without the listener, the link leads to the search.
        let _ = document().add_event_listener_with_callback(OPEN, listener.as_ref().unchecked_ref());
        listener.forget();
    });
    // The results are in the document once the view has taken them in.
    Effect::new(move |_| {
        if !hits.get().is_empty() {
            choose(dialog, |_, _| 0);
            said.set([CHOICES, &options(dialog).len().to_string()].concat());
        }
    });
    let on_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowDown" => choose(dialog, |at, count| (at + 1) % count),
            "ArrowUp" => choose(dialog, |at, count| (at + count - 1) % count),
            "Enter" => match options(dialog).into_iter().find(is_chosen) {
                Some(option) => option.click(),
                None => {
                    let _ = window().location().assign(&address("", &typed(dialog)));
                }
            },
            _ => return,
        }
        event.prevent_default();
    };
    // The dialog covers the page, so a click beside its content is a click on itself.
    let on_click = move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(dialog) = dialog.get_untracked().filter(|dialog| target.as_ref() == Some(dialog)) {
            dialog.close();
        }
    };
    view! {
        <dialog class="palette" aria-label=LABEL node_ref=dialog on:click=on_click>
            <div class="palette-box">
                <input class="input" type="text" enterkeyhint="search" role="combobox" autocomplete="off" spellcheck="false" aria-label=LABEL placeholder=PLACEHOLDER aria-controls=HITS aria-expanded="true" on:input=move |_| soon() on:keydown=on_key/>
                <div class="palette-hits" id=HITS role="listbox" aria-label=LABEL inner_html=move || hits.get()></div>
                <p class="palette-foot"><span role="status">{move || said.get()}</span><span aria-hidden="true">{KEYS}</span></p>
            </div>
        </dialog>
    }
}

/// Returns the address of the page, or of another path, with the query of the link that opens the palette and these words.
fn address(path: &str, words: &str) -> String {
    let link = document().query_selector(LINK).ok().flatten().and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok());
    let (page, query) = link.map(|link| (link.pathname(), link.search())).unwrap_or_default();
    let path = if path.is_empty() { page.as_str() } else { path };
    let start = if query.is_empty() { "?q=" } else { "&q=" };
    [path, &query, start, &String::from(js_sys::encode_uri_component(words))].concat()
}

async fn fetch(address: &str) -> Result<String, JsValue> {
    let answer: Response = JsFuture::from(window().fetch_with_str(address)).await?.unchecked_into();
    if answer.redirected() || !answer.ok() {
        return Err(JsValue::NULL);
    }
    Ok(JsFuture::from(answer.text()?).await?.as_string().unwrap_or_default())
}

/// Returns what is in the field.
fn typed(dialog: NodeRef<Dialog>) -> String {
    field(dialog).map(|input| input.value()).unwrap_or_default()
}

fn field(dialog: NodeRef<Dialog>) -> Option<HtmlInputElement> {
    let dialog: HtmlElement = dialog.get_untracked()?.into();
    field_of(&dialog)
}

fn field_of(dialog: &HtmlElement) -> Option<HtmlInputElement> {
    dialog.query_selector("input").ok()??.dyn_into().ok()
}

fn options(dialog: NodeRef<Dialog>) -> Vec<HtmlElement> {
    let Some(found) = dialog.get_untracked().and_then(|dialog| dialog.query_selector_all("[role=option]").ok()) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
}

fn is_chosen(option: &HtmlElement) -> bool {
    option.get_attribute(CHOSEN).as_deref() == Some("true")
}

/// Chooses another option, given the present one and their number, for eyes and for screen readers: the focus stays in the field.
fn choose(dialog: NodeRef<Dialog>, next: impl FnOnce(usize, usize) -> usize) {
    let options = options(dialog);
    let Some(input) = field(dialog).filter(|_| !options.is_empty()) else { return };
    let chosen = next(options.iter().position(is_chosen).unwrap_or_default(), options.len());
    for (at, option) in options.iter().enumerate() {
        let id = ["palette-", &at.to_string()].concat();
        option.set_id(&id);
        let _ = option.set_attribute(CHOSEN, if at == chosen { "true" } else { "false" });
        if at == chosen {
            let _ = input.set_attribute("aria-activedescendant", &id);
            option.scroll_into_view_with_bool(false);
        }
    }
}
