//! The portal as a Leptos application: pages, forms and actions. In the browser, the live part, the islands and the modules in `browser/` run.
//!
//! It must never know SQL, Kubernetes or sessions: pages call the ports of [`backend`], and every address comes from [`routes`].
//! A page is an async function of a [`backend::Visit`] and of the parameters in the address; it calls one port and renders the answer as a
//! [`document::Page`]. [`app::App`] has a route to each. To add a page: a file in `pages/<noun>/`, an address in [`routes::page`], a route
//! in [`app`], a line in the server's table, and a method on a port. To add an operation: see [`actions`].

// A view is one nested type; the layout of the largest pages is deeper than the default limit allows.
#![recursion_limit = "512"]

#[cfg(feature = "ssr")]
pub mod actions;
#[cfg(feature = "ssr")]
pub mod app;
#[cfg(feature = "ssr")]
pub mod backend;
#[cfg(feature = "ssr")]
pub mod document;
#[cfg(feature = "ssr")]
mod form;
#[cfg(feature = "ssr")]
mod frame;
#[cfg(feature = "ssr")]
mod invisible;
#[cfg(any(feature = "ssr", feature = "islands"))]
mod islands;
#[cfg(feature = "ssr")]
mod listing;
#[cfg(feature = "live")]
pub mod live;
#[cfg(feature = "ssr")]
mod markdown;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(any(feature = "ssr", feature = "palette"))]
mod palette;
#[cfg(feature = "ssr")]
pub mod routes;
#[cfg(feature = "ssr")]
mod texts;
#[cfg(feature = "ssr")]
pub mod ui;
#[cfg(feature = "ssr")]
pub mod view;

/// Name of the header in which scripts send the form token, and in which the server says what is wrong with one.
pub const TOKEN_HEADER: &str = "x-form-token";
/// Value of that header in an answer: the token belongs to another session.
pub const OTHER_SESSION: &str = "other-session";

/// Starts the reactive system in which islands are hydrated. They change parts of the page by `morph`, which is `browser/morph.js`.
#[cfg(feature = "hydrate")]
pub fn hydrate(morph: js_sys::Function) {
    #[cfg(feature = "islands")]
    islands::morph_by(morph);
    // The palette changes nothing but itself.
    #[cfg(not(feature = "islands"))]
    drop(morph);
    leptos::mount::hydrate_islands();
}
