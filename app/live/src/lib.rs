//! What a live page loads, without Leptos: it weighs half as much as with it.

use js_sys::Function;
use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the script of a live page with the address of its stream, and the function that changes a part of the page into another.
#[wasm_bindgen]
pub fn live(address: String, morph: Function) {
    // A page that cannot be kept live is a page with a "Refresh" link.
    let _ = app::live::start(address, morph);
}
