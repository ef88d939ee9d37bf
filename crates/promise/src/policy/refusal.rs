//! Why policies refuse a request, with arguments. [`super::texts`] words it.

use schema::expr::ExprError;
use schema::structural::FieldError;
use serde_json::Value;

use super::source::Provenance;
use crate::api::{Constrain, Limit};
use crate::path::Path;
use crate::price::Money;
use crate::problem::Problem;
use crate::resolve::shown;

/// A refusal by policies.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The parameter concerned, or the root for the request as a whole.
    pub path: Path,
    /// The reason.
    pub reason: RefusalReason,
}

impl Refusal {
    /// Returns it as a problem of the request, in words.
    pub fn problem(&self) -> Problem {
        let path = if self.path.0.is_empty() { String::new() } else { shown(&self.path) };
        Problem { path, message: self.reason.to_string() }
    }
}

/// Why a request is refused. `Display` words it as one or more sentences.
#[derive(Clone, Debug, PartialEq)]
pub enum RefusalReason {
    /// A value breaks a constraint.
    Constrained {
        /// The rule.
        from: Provenance,
        /// The parameter, as a noun.
        label: String,
        /// The constraint.
        requires: Constrain,
    },
    /// An expression isn't true.
    Invalid {
        /// The rule.
        from: Provenance,
        /// The message of the policy's author.
        message: String,
        /// The person for whom it isn't true, if that isn't the requester.
        changer: Option<String>,
    },
    /// An expression can't be evaluated: it fails closed.
    NotEvaluated {
        /// The rule.
        from: Provenance,
        /// Why it can't.
        error: ExpressionError,
    },
    /// A given value is in the way of a fixed one inside it.
    InTheWay {
        /// The parameter that is set, as a noun.
        label: String,
    },
    /// A limit leaves no room, or it isn't known whether it does.
    TooMany {
        /// The rule.
        from: Provenance,
        /// The limit.
        limit: Limit,
        /// Number of instances including this request. Absent if unknown.
        with_this: Option<u64>,
        /// Number of orphaned instances among them.
        orphaned: u64,
    },
    /// A budget leaves no room, or it isn't known whether it does.
    TooExpensive {
        /// The rule.
        from: Provenance,
        /// Maximum monthly amount.
        most: Money,
        /// What the budget is counted for: `workspace` or `subtree`.
        per: String,
        /// Total cost including this request.
        total: Result<Money, UnknownTotal>,
        /// Number of orphaned instances among those counted.
        orphaned: u64,
    },
    /// Rules contradict each other or can't be applied.
    Conflict(Conflict),
}

impl RefusalReason {
    /// Returns the rule, if it is a single one.
    pub(super) fn rule(&self) -> Option<&Provenance> {
        match self {
            Self::Constrained { from, .. }
            | Self::Invalid { from, .. }
            | Self::NotEvaluated { from, .. }
            | Self::TooMany { from, .. }
            | Self::TooExpensive { from, .. } => Some(from),
            Self::InTheWay { .. } | Self::Conflict(_) => None,
        }
    }
}

/// Why the total for a budget is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownTotal {
    /// The price of the request is in another currency.
    OtherCurrency {
        /// Currency of the price.
        price: String,
        /// Currency of the budget.
        budget: String,
    },
    /// The request has no known price.
    NoPrice,
    /// The other requests aren't counted now.
    NotCounted,
    /// The prices of this many other requests are unknown.
    Others(u64),
    /// The sum exceeds what can be calculated.
    TooLarge,
}

/// Why an expression of a policy can't be used. `Display` words it as a clause.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionError {
    /// It doesn't compile.
    Rejected(ExprError),
    /// It might exceed its budget.
    TooCostly {
        /// Steps in the worst case.
        steps: f64,
    },
    /// It fails on the values at hand.
    Failed(ExprError),
}

/// Rules that can't be satisfied together, or a rule that isn't allowed to do what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The parameter concerned.
    pub path: Path,
    /// Rules concerned, in a stable order.
    pub between: Vec<Provenance>,
    /// What is wrong with them. `Display` of the conflict words it, and says who can fix it.
    pub reason: ConflictCause,
}

impl Conflict {
    /// Returns the conflict for a rule that can't be applied, or isn't allowed to do what it does.
    pub(super) fn broken(from: &Provenance, path: Path, fault: RuleProblem) -> Self {
        Self { path, between: vec![from.clone()], reason: ConflictCause::Broken(fault) }
    }
}

/// What is wrong with the rules of a conflict.
#[derive(Clone, Debug, PartialEq)]
pub enum ConflictCause {
    /// The only rule can't be applied.
    Broken(RuleProblem),
    /// Two rules set the same parameter to different values.
    SetTwice {
        /// The parameter, as a noun.
        label: String,
        /// What the first rule sets for it. Absent if it sets something else around it.
        first: Option<Value>,
        /// What the second rule sets.
        second: Value,
    },
    /// Two rules merge different values into the same field of the same objects.
    MergedTwice {
        /// The field.
        field: Path,
    },
    /// A rule sets a value that another rule doesn't allow.
    SetOutOfBounds {
        /// The parameter, as a noun.
        label: String,
        /// The value.
        value: Value,
        /// The constraint of the second rule.
        requires: Constrain,
    },
    /// The only rule requires what the promise doesn't offer.
    NotOffered {
        /// The parameter, as a noun.
        label: String,
        /// The constraint.
        requires: Constrain,
    },
    /// Together, the rules leave no value.
    NothingLeft {
        /// The parameter, as a noun.
        label: String,
        /// The constraint of each rule.
        requires: Vec<Constrain>,
    },
    /// The promise refers to a policy that doesn't exist.
    MissingPolicy {
        /// Name of the promise.
        promise: String,
        /// Name of the policy.
        policy: String,
        /// Path of the promise's home.
        home: String,
    },
}

/// Why a rule can't be applied. `Display` words it as a clause.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleProblem {
    /// A fault of the rule itself, as a clause by [`super::validity`].
    Fault(String),
    /// The promise doesn't have its parameter.
    NoSuchParameter {
        /// The parameter.
        path: Path,
        /// Name of the promise.
        promise: String,
    },
    /// The promise doesn't accept its value.
    UnfitValue {
        /// The parameter, as a noun.
        label: String,
        /// The value.
        value: Value,
        /// Why it isn't accepted.
        why: UnfitValue,
    },
    /// Its bound doesn't apply to values of the type.
    WrongBound {
        /// The parameter, as a noun.
        label: String,
        /// What doesn't apply.
        why: WrongBound,
    },
    /// Its condition can't be evaluated.
    ConditionFailed(ExprError),
    /// Its condition is true only without the rule's own effect, or only with it.
    ChangesItsCondition,
}

/// Why a promise doesn't accept a value. `Display` words it as a clause.
#[derive(Clone, Debug, PartialEq)]
pub enum UnfitValue {
    /// A field of the value doesn't exist.
    UnknownField {
        /// Its path, such as `.backup.days`.
        field: String,
    },
    /// The schema rejects it.
    Rejected(Box<FieldError>),
}

/// Why a bound doesn't apply to values of a type. `Display` words it as a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongBound {
    /// A bound of text or lists for a number.
    OfNumber,
    /// A bound of numbers or lists for a text.
    OfText,
    /// A bound of numbers or text for a list.
    OfList,
    /// Any bound but listed values.
    NotListed,
}
