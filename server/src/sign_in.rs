//! Signing in and out of the running portal: sessions, the visitor of a request, and forms that were posted without a session.

pub(crate) mod browser;
pub(crate) mod federated;
pub mod session;
pub(crate) mod unsent;
mod visitor;

pub use visitor::Visitor;
