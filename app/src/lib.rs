//! The portal as a Leptos application: pages, forms and what people do there. In the browser run the live part and `browser/page.js`.
//!
//! It must never know SQL, Kubernetes or sessions: pages ask through the ports of [`backend`], and every address comes from [`routes`].
//! A page is an async function of a [`backend::Visit`] and of what the address says; it asks one port and renders the answer as a
//! [`document::Page`]. [`app::App`] has a route to each. To add one: a file in `pages/<noun>/`, an address in [`routes::page`], a route in
//! [`app`], a line in the server's table, and a method on a port. To add something that people do: see [`actions`].

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
#[cfg(feature = "ssr")]
mod listing;
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
