//! The texts of refusals by policies, and of what rules did to a request.

use std::fmt;

use schema::expr::ExprError;
use serde_json::Value;

use super::effective::Unchecked;
use super::expressions::STEPS;
use super::refusal::{Conflict, ConflictCause, ExpressionError, RefusalReason, RuleProblem, UnfitValue, UnknownTotal, WrongBound};
use super::sentence::bounds;
use super::source::{Origin, Provenance};
use crate::api::Limit;
use crate::price::Money;
use crate::wording::{self, all_of, counted, upper_first};

impl fmt::Display for RefusalReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constrained { from, label, requires } => {
                write!(out, "{} must be {}. {} requires this.", upper_first(label), bounds(requires), source(from))
            }
            Self::Invalid { from, message, changer } => {
                write!(out, "{} {} requires this.", with_stop(message), source(from))?;
                match changer {
                    Some(who) => write!(out, " The rule also applies to {who}, who changed the request or one that created it."),
                    None => Ok(()),
                }
            }
            Self::NotEvaluated { from, error } => {
                let who = upper_first(from.owner.as_deref().unwrap_or("its owner"));
                write!(out, "{} couldn't be evaluated: {error}. {who} can fix the rule {}.", source(from), from.rule)
            }
            Self::InTheWay { label } => write!(out, "Remove the value that blocks {label}: a policy sets it."),
            Self::TooMany { from, limit, with_this, orphaned } => {
                out.write_str(&too_many(from, limit, *with_this))?;
                orphans(out, "count", *orphaned)
            }
            Self::TooExpensive { from, most, per, total, orphaned } => {
                out.write_str(&too_expensive(from, most, per, total))?;
                orphans(out, "total", *orphaned)
            }
            Self::Conflict(conflict) => conflict.fmt(out),
        }
    }
}

/// Adds to a refusal the instances that aren't found among the requests. `sum` is what they are a part of.
fn orphans(out: &mut fmt::Formatter<'_>, sum: &str, orphaned: u64) -> fmt::Result {
    match orphaned {
        0 => Ok(()),
        1 => write!(out, " The {sum} includes 1 orphaned instance, until the platform team releases it."),
        many => write!(out, " The {sum} includes {many} orphaned instances, until the platform team releases them."),
    }
}

fn too_many(from: &Provenance, limit: &Limit, with_this: Option<u64>) -> String {
    let (source, place, most) = (source(from), place(&limit.per, from), counted(limit.count, "request"));
    let Some(all) = with_this else {
        return format!("{source} allows {most} of this promise {place}, but we can't tell how many there are now. Try again later.");
    };
    let others = counted(all.saturating_sub(1), "other");
    let are = if all == 2 { "is" } else { "are" };
    let way_out = if limit.count == 0 { "Ask the rule's owner" } else { "Delete one that you no longer need, or ask the rule's owner" };
    format!("{source} allows {most} of this promise {place}, and there {are} {others}. {way_out}.")
}

fn too_expensive(from: &Provenance, most: &Money, per: &str, total: &Result<Money, UnknownTotal>) -> String {
    let (source, place) = (source(from), place(per, from));
    match total {
        Ok(total) => format!(
            "{source} allows {most} a month {place}, and this request would bring the total to {total}. Choose something smaller, or ask the \
             rule's owner."
        ),
        Err(why) => format!("{source} allows {most} a month {place}, but {why}."),
    }
}

fn place(per: &str, from: &Provenance) -> String {
    match (per, from.origin) {
        ("workspace", _) => "in this workspace".to_owned(),
        ("subtree", Origin::Ancestor { .. }) => format!("in {} and below", from.workspace),
        ("subtree", _) => "in all workspaces that it covers".to_owned(),
        _ => "in all workspaces".to_owned(),
    }
}

impl fmt::Display for UnknownTotal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherCurrency { price, budget } => {
                write!(out, "the price of this request is in {price}, which can't be compared with {budget}")
            }
            Self::NoPrice => out.write_str("the price of this request is unknown"),
            Self::NotCounted => out.write_str("the cost of the other requests is unknown right now"),
            Self::Others(count) => write!(out, "the cost of {} is unknown", counted(*count, "other request")),
            Self::TooLarge => out.write_str("the total is too large to calculate"),
        }
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(error) => write!(out, "its expression has an error: {error}"),
            Self::TooCostly { steps } => write!(
                out,
                "its expression might take {steps:.0} steps, but only {STEPS} are allowed: loop over fewer items or simplify it"
            ),
            Self::Failed(error) => error.fmt(out),
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const AGREE: &str = "Their owners have to agree first.";
        let name = |at: usize| self.between.get(at).map(named).unwrap_or_default();
        let owner = || self.between.first().and_then(|from| from.owner.as_deref()).unwrap_or("its owner");
        let rule = || self.between.first().map_or("", |from| from.rule.as_str());
        match &self.reason {
            ConflictCause::Broken(fault) => write!(
                out,
                "{} can't be applied: {fault}. Nothing new is accepted until {} fixes the rule {}.",
                upper_first(&name(0)),
                owner(),
                rule()
            ),
            ConflictCause::SetTwice { label, first, second } => write!(
                out,
                "{} is locked to two values: {} sets {}, and {} sets {}. {AGREE}",
                upper_first(label),
                name(0),
                first.as_ref().map_or_else(|| "something else".to_owned(), wording::value),
                name(1),
                wording::value(second)
            ),
            ConflictCause::MergedTwice { field } => write!(
                out,
                "{} and {} both write {field} of the same objects, with different values. {AGREE}",
                upper_first(&name(0)),
                name(1)
            ),
            ConflictCause::SetOutOfBounds { label, value, requires } => write!(
                out,
                "{} has no possible value: {} sets {}, and {} requires {}. {AGREE}",
                upper_first(label),
                name(0),
                wording::value(value),
                name(1),
                bounds(requires)
            ),
            ConflictCause::NotOffered { label, requires } => write!(
                out,
                "No value is possible for {label}: {} requires {}, which the promise doesn't offer. {} has to change the rule {}.",
                name(0),
                bounds(requires),
                upper_first(owner()),
                rule()
            ),
            ConflictCause::NothingLeft { label, requires } => {
                let wants = self.between.iter().zip(requires);
                let wants: Vec<String> = wants.map(|(from, requires)| format!("{} requires {}", named(from), bounds(requires))).collect();
                write!(out, "No value is possible for {label}: {}. {AGREE}", all_of(&wants))
            }
            ConflictCause::MissingPolicy { promise, policy, home } => write!(
                out,
                "The promise {promise} refers to the policy {policy}, which doesn't exist at {home}. Its team has to create it or remove the \
                 reference."
            ),
        }
    }
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(what) => out.write_str(what),
            Self::NoSuchParameter { path, promise } => {
                write!(out, "it applies to the parameter {path}, which the promise {promise} doesn't have")
            }
            Self::UnfitValue { label, value, why } => write!(out, "it gives {label} the value {}, but {why}", wording::value(value)),
            Self::WrongBound { label, why } => write!(out, "its limit on {label} isn't valid: {why}"),
            Self::ConditionFailed(error) => write!(out, "its condition couldn't be evaluated: {}", condition_error(error)),
            Self::ChangesItsCondition => out.write_str("values set by conditional rules change the result of its own condition"),
        }
    }
}

impl fmt::Display for UnfitValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField { field } => write!(out, "there is no parameter {field}"),
            Self::Rejected(error) => write!(out, "the promise doesn't accept it: {}", error.body().trim_end_matches('.')),
        }
    }
}

impl fmt::Display for WrongBound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::OfNumber => "a number has no length, pattern or items",
            Self::OfText => "a string has no minimum, maximum or items",
            Self::OfList => "a list has no minimum, maximum, length or pattern",
            Self::NotListed => "only an enum can limit it",
        })
    }
}

impl fmt::Display for Unchecked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = condition_error(&self.error);
        write!(out, "{} wasn't checked: its condition couldn't be evaluated: {error}.", source(&self.from))
    }
}

fn condition_error(error: &ExprError) -> String {
    match error {
        ExprError::AbsentPath(path) => format!("`{path}` is missing, and the condition doesn't test it with has()"),
        other => other.to_string(),
    }
}

/// Describes a default value that a rule gave, as a sentence.
pub(crate) fn defaulted(value: &Value) -> String {
    format!("Defaults to {}.", wording::value(value))
}

/// Describes a fixed value that a rule gave, and the given value that it replaced, as a sentence.
pub(crate) fn fixed(value: &Value, replaced: Option<&Value>) -> String {
    let value = wording::value(value);
    match replaced {
        Some(replaced) => format!("Always {value}; {} was replaced.", wording::value(replaced)),
        None => format!("Always {value}."),
    }
}

/// Returns the name of a rule's policy at the beginning of a sentence.
fn source(from: &Provenance) -> String {
    upper_first(&named(from))
}

/// Returns `the policy Nightly backups at root:acme (security)`, by its title if it has one; a promise's own rules are named as such.
fn named(from: &Provenance) -> String {
    let by = from.owner.as_ref().map(|owner| format!(" ({owner})")).unwrap_or_default();
    match from.origin {
        Origin::Promise => format!("the promise {}{by}", from.policy),
        Origin::Ancestor { .. } | Origin::TrustedHome | Origin::Reference => {
            format!("the policy {} at {}{by}", from.title.as_deref().unwrap_or(&from.policy), from.workspace)
        }
    }
}

fn with_stop(message: &str) -> String {
    let message = message.trim();
    if message.ends_with(['.', '!', '?']) { message.to_owned() } else { format!("{message}.") }
}
