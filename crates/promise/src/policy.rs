//! Policies: sources, composition, evaluation and sentences (`domain.md` 5).
//!
//! [`gather`] selects the policies that apply to a promise in a workspace; a [`Book`] does the same for frequent lookups. [`settle`]
//! composes them with the parameters of a request into one [`Effective`], most restrictive and independent of order, and the resolved
//! parameters. [`judge`] adds limits and budgets, which depend on existing requests. [`compose`] is for places without a request.
//! [`validity`] and [`check_against`] report what is wrong with a policy itself and for a promise, when it is written.
//!
//! **No rule passes silently.** Kinds that this version describes but can't enforce yet are listed in [`unenforced`]. [`validity`] refuses
//! them when they are written, and a policy that contains one anyway refuses every request in its scope, with a sentence that names the
//! policy and who can fix it. The same applies to any other broken rule. To add a kind of rule: its type in `api::policy`, its faults in
//! `validity`, its effect in `filed`, its checks against promises in `fit`, its sentence.

#[cfg(feature = "engine")]
mod book;
mod bounds;
#[cfg(feature = "engine")]
mod compose;
#[cfg(feature = "engine")]
mod condition;
#[cfg(feature = "engine")]
mod contradictions;
mod effective;
#[cfg(feature = "engine")]
mod evaluate;
#[cfg(feature = "engine")]
mod expressions;
#[cfg(feature = "engine")]
mod filed;
#[cfg(feature = "engine")]
mod fit;
#[cfg(feature = "engine")]
mod judge;
#[cfg(feature = "engine")]
mod narrow;
#[cfg(feature = "engine")]
mod range;
#[cfg(feature = "engine")]
mod reading;
pub mod sentence;
#[cfg(feature = "engine")]
mod settle;
mod source;
mod tally;
#[cfg(feature = "engine")]
mod validity;

#[cfg(feature = "engine")]
pub use book::Book;
pub use bounds::Bounds;
#[cfg(feature = "engine")]
pub use compose::{compose, compose_read};
pub use effective::{Conditional, Conflict, Effective, Ruling, Unchecked};
#[cfg(feature = "engine")]
pub(crate) use evaluate::{evaluate, outcome};
#[cfg(feature = "engine")]
pub(crate) use expressions::{compile, environment, scope};
#[cfg(feature = "engine")]
pub use fit::check_against;
#[cfg(feature = "engine")]
pub(crate) use fit::check_rules;
#[cfg(feature = "engine")]
pub use judge::{BudgetUse, Judged, LimitUse, Spent, Usage, judge};
#[cfg(feature = "engine")]
pub(crate) use narrow::{Spot, node_at, spot};
#[cfg(feature = "engine")]
pub use range::{Target, applies, covers_promise, gather, has_to_fit};
#[cfg(feature = "engine")]
pub use reading::Reading;
#[cfg(feature = "engine")]
pub(crate) use reading::Readings;
#[cfg(feature = "engine")]
pub use settle::{Settled, settle, settle_read};
#[cfg(feature = "engine")]
pub use source::PolicySource;
pub use source::{Candidate, Origin, Provenance};
pub use tally::{Counted, Per, Promises, Reach, Tally};
#[cfg(feature = "engine")]
pub use validity::{UnenforcedKind, problems, seconds, unenforced, validity};

/// Whether two values are equal by the rules of JSON Schema: 1 and 1.0 are the same number.
#[cfg(feature = "engine")]
pub(crate) fn same_value(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    bounds::same(a, b)
}

#[cfg(test)]
mod tests;
