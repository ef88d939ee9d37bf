//! The islands of the application, loaded when the first of them is needed.

use wasm_bindgen::prelude::wasm_bindgen;

/// Prepares islands; the script then hydrates each by its name.
#[wasm_bindgen]
pub fn hydrate() {
    app::hydrate();
}
