//! Composes and resolves together, including rules with a condition.
//!
//! A rule with `when` applies exactly if its condition is true for the resolved parameters, for the requester or for anyone else behind the
//! request. Only fixed and default values change the parameters. So: resolve with the values that are set without a condition, evaluate
//! every condition, resolve with the values whose conditions are true as well, and evaluate again until no further condition becomes true.
//! A rule that set a value and whose condition is then false would undo itself, or is undone by another: it is refused by name. Every other
//! rule follows the last evaluation, which is about what will be created.

use schema::expr::{Budget, ExprError, Scope};
use serde_json::Value;

use super::compose::{self, ConditionState};
use super::effective::Effective;
use super::expressions::STEPS;
use super::filed::{Effect, Files};
use super::range::Target;
use super::reading::Readings;
use super::source::PolicySource;
use crate::context::Context;
use crate::resolve::{self, PromiseReading, Resolved};

/// The rules that apply to some parameters, and the resolved parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// Every rule that applies.
    pub effective: Effective,
    /// The resolved parameters.
    pub resolved: Resolved,
}

/// Composes the sources for these parameters and resolves them. `former` are the parameters of the last accepted release.
///
/// The form, REST, CLI, preflight and controller call this, or [`settle_read`] if they keep what was parsed.
pub fn settle(target: &Target<'_>, sources: &[PolicySource], parameters: &Value, former: Option<&Value>, context: &Context) -> Settled {
    settle_read(target, sources, &PromiseReading::of(target.spec, target.home_trusted), parameters, former, context)
}

/// Like [`settle`], with a parsed promise.
pub fn settle_read(
    target: &Target<'_>,
    sources: &[PolicySource],
    promise: &PromiseReading,
    parameters: &Value,
    former: Option<&Value>,
    context: &Context,
) -> Settled {
    let sources = compose::sorted(sources);
    let files = Files::of(target, promise.schema(), &sources);
    let is_conditional = files.rules.iter().any(|filed| filed.when.is_some());
    let standings = if is_conditional {
        conditions(target, promise, &files, parameters, context)
    } else {
        vec![ConditionState::Always; files.rules.len()]
    };
    let effective = compose::assemble(target, promise, files, &standings);
    let resolved = resolve::resolve_read(promise, &Readings::of(&sources), target.spec, parameters, former, &effective, context);
    Settled { effective, resolved }
}

/// Determines whether each rule applies. Each iteration activates at least one more rule that sets a value, so there are no more iterations
/// than such rules.
fn conditions(
    target: &Target<'_>,
    promise: &PromiseReading,
    files: &Files<'_>,
    parameters: &Value,
    context: &Context,
) -> Vec<ConditionState> {
    let mut given = vec![false; files.rules.len()];
    loop {
        let (sets, defaults) = files.values(&|at| files.rules[at].when.is_none() || given[at]);
        let values = resolve::snapshot(target.spec, promise, parameters, &sets, &defaults);
        let mut standings = ask(files, &promise.scopes(&values, context));
        let gives: Vec<bool> = (0..given.len()).map(|at| files.rules[at].gives_value() && standings[at] == ConditionState::Holds).collect();
        let mut is_undone = false;
        for at in (0..given.len()).filter(|at| given[*at] && !gives[*at]) {
            standings[at] = ConditionState::Turns;
            is_undone = true;
        }
        if is_undone || gives == given {
            return standings;
        }
        given = gives;
    }
}

/// Evaluates every condition for each person behind the request: a rule applies if its condition is true for one of them.
fn ask(files: &Files<'_>, scopes: &[Scope]) -> Vec<ConditionState> {
    let answer = |filed: &super::filed::Filed<'_>| match (filed.when, &filed.effect) {
        (None, _) | (_, Effect::Refused) => ConditionState::Always,
        (Some(program), _) => {
            let answers: Result<Vec<bool>, ExprError> =
                scopes.iter().map(|scope| program.evaluate_bool(scope, &mut Budget::steps(STEPS))).collect();
            match answers {
                Ok(answers) if answers.contains(&true) => ConditionState::Holds,
                Ok(_) => ConditionState::Rests,
                Err(error) => ConditionState::Failed(error),
            }
        }
    };
    files.rules.iter().map(answer).collect()
}
