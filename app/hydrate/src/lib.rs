//! The islands of the application. Built twice: the palette, loaded when it is first opened, and what pages load that rendered another island.

use js_sys::Function;
use wasm_bindgen::prelude::wasm_bindgen;

/// Prepares islands; the script then hydrates each by its name. `morph` changes a part of the page into another.
#[wasm_bindgen]
pub fn hydrate(morph: Function) {
    app::hydrate(morph);
}

/// Keeps a page live that has islands, with the address of its stream: what both need is loaded once.
#[cfg(feature = "islands")]
#[wasm_bindgen]
pub fn live(address: String, morph: Function) {
    // A page that cannot be kept live is a page with a "Refresh" link.
    let _ = app::live::start(address, morph);
}
