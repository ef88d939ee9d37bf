//! What policies make of a request: sources, composition, evaluation, sentences (`domain.md` 5).
//!
//! Three steps. [`gather`] picks the policies that apply to a promise in a workspace. [`compose`] turns them into one
//! [`Effective`], most restrictive and free of order. `resolve` runs that over the parameters.
//!
//! **No rule passes silently.** Kinds that this version composes and describes but cannot enforce yet are listed in
//! [`unenforced`]: [`validity`] refuses a policy that blocks by such a rule when it is written, and [`compose`] turns one that is
//! there all the same into a refusal of the request, with a sentence that names the policy and who can mend it. A policy
//! whose enforcement is `warn` or `audit` lets the request pass and leaves a visible warning that the rule was not checked.
//! To make a kind enforceable: evaluate it in `evaluate`, then take it out of [`unenforced`].

mod compose;
mod effective;
#[cfg(feature = "engine")]
mod evaluate;
#[cfg(feature = "engine")]
mod expressions;
mod narrow;
mod range;
pub mod sentence;
mod source;
mod validity;

pub use compose::compose;
pub use effective::{Conflict, Effective, Ruling, Unchecked};
#[cfg(feature = "engine")]
pub(crate) use evaluate::{evaluate, outcome};
#[cfg(feature = "engine")]
pub(crate) use expressions::{compile, environment, scope};
#[cfg(feature = "engine")]
pub(crate) use narrow::node_at;
pub use narrow::{Bounds, narrowed_schema};
pub use range::{Target, gather};
pub use source::{Candidate, Origin, PolicySource, Provenance};
pub use validity::{unenforced, validity};

/// Equal as JSON Schema counts it: 1 and 1.0 are the same number.
pub(crate) fn same_value(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    narrow::same(a, b)
}

#[cfg(test)]
mod tests;
