//! Policies: sources, composition, evaluation and sentences (`domain.md` 5).
//!
//! [`gather`] selects the policies that apply to a promise in a workspace; a [`Book`] does the same for frequent lookups. [`settle`]
//! composes them with the parameters of a request into one [`Effective`], most restrictive and independent of order, and the resolved
//! parameters. [`judge`] adds limits and budgets, which depend on existing requests. [`compose`] is for places without a request.
//! [`validity`] and [`check_against`] report what is wrong with a policy itself and for a promise, when it is written. Policies whose scope
//! names actions apply to runs instead: [`judge_run`], and [`hold_run`] once a run is approved.
//!
//! **No rule passes silently.** [`validity`] refuses a broken rule when it is written, and a policy that contains one anyway refuses every
//! request in its scope, with a sentence that names the policy and who can fix it. To add a kind of rule: its type in `api::policy`, its
//! faults in `validity`, its effect in `filed`, its checks against promises in `fit`, its sentence.

mod book;
mod bounds;
mod changes;
mod compose;
mod condition;
mod contradictions;
pub mod edit;
mod effective;
mod evaluate;
mod expressions;
mod filed;
mod fit;
mod judge;
mod narrow;
mod range;
mod reading;
mod refusal;
mod runs;
mod schedule;
pub mod sentence;
mod settle;
mod source;
mod structure;
mod tally;
mod texts;
mod upcoming;
mod validity;
mod warnings;
mod window;
mod zone;

pub use book::Book;
pub use bounds::Bounds;
pub use changes::{PolicyChange, changes};
pub use compose::{compose, compose_read};
pub use effective::{Conditional, Effective, ParsedSchema, Ruling, Unchecked};
pub(crate) use evaluate::{evaluate, outcome};
pub(crate) use expressions::{compile, environment, scope};
pub(crate) use fit::check_own;
pub use fit::{FitSchema, check_against, check_read};
pub use judge::{BudgetUse, Judged, LimitUse, Spent, Usage, judge};
pub(crate) use narrow::{NarrowedSchemas, Spot, spot};
pub use range::{Target, applies, covers_promise, gather, has_to_fit, origin_of};
pub use reading::Reading;
pub(crate) use reading::Readings;
pub use refusal::{Conflict, ConflictCause, ExpressionError, Refusal, RefusalReason, RuleProblem, UnfitValue, UnknownTotal, WrongBound};
pub use runs::{RunFacts, RunHold, RunVerdict, depends_on_parameters, for_runs, hold_run, judge_run};
pub use schedule::{ActionSchedule, schedule_outcomes, scheduled};
pub use settle::{Settled, settle, settle_read};
pub use source::PolicySource;
pub use source::{Candidate, Origin, Provenance};
pub use structure::{Structure, structure};
pub use tally::{Counted, Per, Promises, Reach, Tally};
pub(crate) use texts::{defaulted, fixed};
pub use upcoming::upcoming;
pub(crate) use validity::approve_problem;
pub use validity::{problems, seconds, validity};
pub use warnings::{Warning, contradictions, unmatched};
pub use window::{ChangeWindow, ChangeWindows, WindowWait, window_outcomes};

/// Whether two values are equal by the rules of JSON Schema: 1 and 1.0 are the same number.
pub(crate) fn same_value(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    bounds::same(a, b)
}

#[cfg(test)]
mod tests;
