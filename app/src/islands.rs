//! What moves in the browser besides the palette: what it moves is rendered by the server, and works without it. `browser/keys.js` loads islands on
//! pages that have one. They have no view and no signals: those alone would weigh more than pages can load (`docs/measurements/2026-11-25-islands.md`).

mod fetched;
mod graph;
mod list_filter;
mod place;
mod preflight;

#[cfg(feature = "islands")]
pub(crate) use fetched::morph_by;
#[cfg(feature = "ssr")]
pub(crate) use graph::Graph;
#[cfg(feature = "ssr")]
pub(crate) use list_filter::ListFilter;
#[cfg(feature = "ssr")]
pub(crate) use preflight::Preflight;

/// Runs what an island does, which is nothing on the server.
fn in_browser(does: fn()) {
    if cfg!(feature = "islands") {
        does();
    }
}
