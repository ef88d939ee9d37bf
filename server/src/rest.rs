//! The REST API for programs, below `/api/v1`: JSON, only bearer tokens of the plane, errors as problems (RFC 9457).
//!
//! A handler parses the call, calls one method of [`crate::portal::Caller`] and renders the result. To add an operation: its description in
//! `promise::rest::operation`, its types in `promise::rest`, a handler in the file of its noun, and a line in [`crate::routes`] with the access
//! `Bearer`. A test compares routes and descriptions.

mod answer;
pub(crate) mod approvals;
pub(crate) mod cost;
mod fields;
pub(crate) mod openapi;
mod parameters;
pub(crate) mod preflight;
pub(crate) mod promises;
pub(crate) mod requests;
pub(crate) mod resources;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod sign_in;
pub(crate) mod steps;
pub(crate) mod troubleshooting;
pub(crate) mod watch;
pub(crate) mod workspaces;
