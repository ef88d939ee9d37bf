//! The interface for programs, below `/api/v1`: JSON, bearer tokens of the plane alone, errors as problems (RFC 9457).
//!
//! A handler parses, calls one method of [`crate::auth::Caller`] and renders. To add one: a file named after its noun, a line in
//! [`crate::routes`] with the access `Bearer`, and a type in `promise::api` that says what it answers.

pub(crate) mod preflight;

/// What would become of a request.
pub const PREFLIGHT: &str = "/api/v1/workspaces/{workspace}/preflight";
