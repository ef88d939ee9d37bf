//! Copy buttons: shown where scripting runs, because nothing else can reach the clipboard.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, Element, Event, Window};

/// How long a button says that it copied, in milliseconds.
const SAID: i32 = 2_000;

/// Shows the copy buttons of the page, now and after its regions were swapped, and makes them work.
pub fn start(window: &Window, document: &Document) -> Result<(), JsValue> {
    // Without the attribute the style sheet hides them.
    if let Some(root) = document.document_element() {
        root.set_attribute("data-scripted", "")?;
    }
    let (window, page) = (window.clone(), document.clone());
    let pressed = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let button = element.and_then(|element| element.closest("[data-copy]").ok().flatten());
        if let Some(button) = button {
            copy(window.clone(), &page, button);
        }
    });
    document.add_event_listener_with_callback("click", pressed.as_ref().unchecked_ref())?;
    pressed.forget();
    Ok(())
}

fn copy(window: Window, document: &Document, button: Element) {
    let of = button.get_attribute("data-copy").unwrap_or_default();
    let Some(text) = document.get_element_by_id(&of).and_then(|element| element.text_content()) else { return };
    let name = button.get_attribute("aria-label").unwrap_or_default();
    spawn_local(async move {
        let copied = JsFuture::from(window.navigator().clipboard().write_text(&text)).await.is_ok();
        let (state, said) = if copied { ("done", "Copied") } else { ("failed", "The browser did not allow copying") };
        // A changed name of the focused button is read out.
        let _ = button.set_attribute("data-copied", state);
        let _ = button.set_attribute("aria-label", said);
        let back = Closure::once_into_js(move || {
            let _ = button.remove_attribute("data-copied");
            let _ = button.set_attribute("aria-label", &name);
        });
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(back.unchecked_ref(), SAID);
    });
}
