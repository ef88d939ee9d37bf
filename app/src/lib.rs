//! Pages and forms of the portal, rendered on the server; in the browser only islands run.
//!
//! It must never know SQL, Kubernetes or sessions: pages ask through the ports of [`backend`], and every address comes from [`routes`].
//! To add a page: a file in `pages/<noun>/`, a line in [`routes::page`] and in the router, a method on a port.

#[cfg(feature = "ssr")]
pub mod backend;
pub mod routes;
