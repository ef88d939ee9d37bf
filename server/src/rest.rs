//! The HTTP API for programs, below `/api/v1`: JSON, only bearer tokens of the plane, errors as problems (RFC 9457).
//!
//! A handler parses the request, calls one method of [`crate::portal::Caller`] and renders the result. To add an endpoint, add a file named
//! after its noun, a line in [`crate::routes`] with the access `Bearer`, and a response type in `promise::api`.

pub(crate) mod preflight;

/// Preflight of a request.
pub const PREFLIGHT: &str = "/api/v1/workspaces/{workspace}/preflight";
