//! Built-in kinds: what they are called, what their objects look like, and what the API server does to them before it stores them.
//!
//! Pure functions over JSON; they know neither store nor http. The order of use for a write:
//!
//! 1. [`prune`] drops unknown fields and names them,
//! 2. [`decode`] reads the object as the kind: types, base64, quantities, times, then defaults,
//! 3. the bookkeeping of `managedFields` (see [`crate::apply`]),
//! 4. [`prepare`] sets what the server alone decides (status, addresses, selectors) and resets what an endpoint does not write,
//! 5. [`validate`] checks the rules of the kind.
//!
//! To add a kind: a line in `kinds`, its schema in `schemas`, and, where it has any, its defaults in `decode` and rules in `validate`.

pub mod kinds;
