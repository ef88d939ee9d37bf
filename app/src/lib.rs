//! Pages and forms of the portal, rendered on the server; in the browser run the live part and `browser/page.js`.
//!
//! It must never know SQL, Kubernetes or sessions: pages ask through the ports of [`backend`], and every address comes from [`routes`].
//! A page is an async function of a [`backend::Visit`] and of what the address says; it asks one port and renders the answer as a
//! [`document::Page`]. To add one: a file in `pages/<noun>/`, a line in [`routes::page`], a handler in the server, a method on a port.

// A view is one nested type; the layout of the largest pages is deeper than the default limit allows.
#![recursion_limit = "512"]

#[cfg(feature = "ssr")]
pub mod actions;
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
#[cfg(feature = "hydrate")]
pub mod live;
#[cfg(feature = "ssr")]
mod markdown;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod routes;
#[cfg(feature = "ssr")]
pub mod ui;
