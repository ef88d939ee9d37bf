//! Built-in kinds: what their objects look like, and what the API server does to them before it stores them.
//! Source: kubernetes `pkg/apis` (types, defaults, validation), `pkg/registry` (strategies).
//!
//! Pure functions over JSON; they know neither store nor http. The order of use for a write:
//!
//! 1. [`prune`] drops unknown fields and names them,
//! 2. [`decode`] reads the object as the kind: types, base64, quantities, times, then defaults,
//! 3. the bookkeeping of `managedFields` (see [`crate::apply`]),
//! 4. [`prepare`] sets what the server alone decides: first status, addresses, selectors,
//! 5. [`validate`] checks the rules of the kind.
//!
//! [`shape`] does 2, 4 and 5 in one. To add a kind: a line in [`kinds`], its schema in `schemas`, and, where it has any, its
//! defaults in `defaults` and its rules in `validate`.
//!
//! What is here is enough for now: a new rule needs a behaviour of the contract that fails without it, or a sample, or a user.

mod decode;
mod defaults;
mod fields;
pub mod kinds;
mod prepare;
pub(crate) mod quantity;
mod schemas;
mod statuses;
mod tidy;
mod validate;
mod warnings;
pub mod zero;

use serde_json::Value;

pub(crate) use decode::read_metadata;
pub use decode::{decode, decode_metadata, decode_part};
pub use prepare::{Context, TEMPLATE_GENERATION, prepare};
pub use quantity::canonical as canonical_quantity;
pub use schemas::schema;
pub use validate::validate;
pub use warnings::warnings;

use crate::{
    admission, definitions,
    registry::{DEFINITIONS, Resource},
    status::{ApiError, Cause},
};

/// Drops unknown fields of a built-in object outside `metadata`; the answer is their paths, `spec.foo`.
pub fn prune(resource: &Resource, object: &mut Value) -> Vec<String> {
    let unknown = match &*resource.group {
        _ if resource.storage == *DEFINITIONS => definitions::prune(object),
        admission::GROUP => admission::fields::prune(&resource.plural, object),
        _ => Vec::new(),
    };
    let others = schema(&resource.group, &resource.kind).map(|schema| schema.prune_resource(object)).unwrap_or_default();
    [unknown, others].concat()
}

/// Reads, completes and checks a built-in object; `old` is the stored one on an update. The answer is its broken rules.
///
/// # Errors
/// A value that cannot be read as its type at all.
pub fn shape(
    resource: &Resource,
    subresource: &str,
    object: &mut Value,
    old: Option<&Value>,
    context: &Context<'_>,
) -> Result<Vec<Cause>, ApiError> {
    decode(resource, object)?;
    let refused = prepare::refused(resource, object, old, context);
    if !refused.is_empty() {
        return Ok(refused);
    }
    prepare(resource, object, old, context);
    let mut causes = validate(resource, subresource, object, old);
    if subresource == "status" {
        causes.extend(statuses::validate(resource, object, old));
    }
    Ok(causes)
}

#[cfg(test)]
mod tests;
