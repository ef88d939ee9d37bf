//! The files that every page loads.

/// Addresses of the files that the browser loads, named by content.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Assets {
    /// Style sheet.
    pub style: String,
    /// Script for copying, and for secrets in place.
    #[serde(default)]
    pub page: String,
    /// Script that changes a part of a page into how it looks now.
    #[serde(default)]
    pub morph: String,
    /// Script for the keyboard shortcuts of the inbox.
    #[serde(default)]
    pub inbox: String,
    /// Script for keyboard shortcuts, which loads the palette and the islands.
    #[serde(default)]
    pub keys: String,
    /// Script of the palette.
    #[serde(default)]
    pub palette: String,
    /// Its wasm.
    #[serde(default)]
    pub palette_wasm: String,
    /// Script of the other islands and the live part.
    #[serde(default)]
    pub islands: String,
    /// Its wasm.
    #[serde(default)]
    pub islands_wasm: String,
    /// Script of the live part, for pages without islands.
    pub script: String,
    /// Its wasm.
    pub wasm: String,
}
