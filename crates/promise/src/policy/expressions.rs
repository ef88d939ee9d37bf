//! Expressions of policies, each with its own bounded budget so that their order can't matter.

use schema::expr::{Budget, Environment, Program, Scope, Type};
use serde_json::Value;

use super::compose::named;
use super::effective::Effective;
use super::evaluate::{file, outcome};
use super::reading::Readings;
use crate::api::PolicyResult;
use crate::context::Context;
use crate::expression;
use crate::resolve::Resolved;
use crate::wording;

/// Maximum number of steps of one rule.
pub(super) const STEPS: u64 = 50_000;

/// Returns the variables of policy expressions. A policy can apply to many promises, so `parameters` is open; a field that a promise might
/// not have is checked with `has(…)`.
pub(crate) fn environment() -> Environment {
    expression::environment_of(Type::Dyn)
}

/// Compiles an expression of a policy alone. The error is a clause that follows a colon.
pub(crate) fn compile(expression: &str) -> Result<Program, String> {
    let program = environment()
        .compile_as(expression::inside(expression), &Type::Bool)
        .map_err(|error| format!("its expression has an error: {error}"))?;
    // It is too expensive even for the smallest values.
    let least = program.worst_cost(&[]);
    if least > STEPS as f64 { Err(too_costly(least)) } else { Ok(program) }
}

/// Returns a clause about an expression that might exceed its budget.
pub(super) fn too_costly(steps: f64) -> String {
    format!("its expression might take {steps:.0} steps, but only {STEPS} are allowed: loop over fewer items or simplify it")
}

/// Evaluates every `validate` rule on the resolved parameters, for each person behind the request: it must be true for all of them. A rule
/// that can't be evaluated refuses: it fails closed.
pub(super) fn evaluate(
    effective: &Effective,
    readings: &Readings<'_>,
    context: &Context,
    scopes: impl FnOnce() -> Vec<Scope>,
    resolved: &mut Resolved,
) {
    // Values that violate the schema are refused already, and expressions aren't written for them.
    if !resolved.problems.is_empty() || effective.validations.is_empty() {
        return;
    }
    let scopes = scopes();
    let changers = context.request.changers.iter().map(|changer| changer.username.as_str());
    let people: Vec<(Option<&str>, &Scope)> = std::iter::once(None).chain(changers.map(Some)).zip(&scopes).collect();
    for ruling in &effective.validations {
        let passed = outcome(&ruling.from, PolicyResult::Passed, &ruling.path, None);
        let program = readings.expression(&ruling.from, &ruling.effect.expression);
        let holds = |scope: &Scope| {
            let program = program.as_ref().map_err(Clone::clone)?;
            program.evaluate_bool(scope, &mut Budget::steps(STEPS)).map_err(|error| error.to_string())
        };
        let broken = people.iter().map(|(changer, scope)| (changer, holds(scope))).find(|(_, holds)| *holds != Ok(true));
        let broken = broken.map(|(changer, holds)| match holds {
            Ok(_) => about(*changer, with_source(&ruling.effect.message, &named(&ruling.from))),
            Err(why) => {
                let who = ruling.from.owner.as_deref().unwrap_or("its owner");
                let name = wording::upper_first(&named(&ruling.from));
                format!("{name} couldn't be evaluated: {why}. {} can fix the rule {}.", wording::upper_first(who), ruling.from.rule)
            }
        });
        file(resolved, ruling, broken.map(|message| (ruling.path.clone(), message)), passed);
    }
}

/// Returns the values for [`compile`]d expressions.
pub(crate) fn scope(parameters: &Value, context: &Context) -> Scope {
    expression::scope(&environment(), parameters, context)
}

/// Returns the message of a rule that is true for the requester, but not for another person behind the request.
fn about(changer: Option<&str>, message: String) -> String {
    match changer {
        Some(changer) => format!("{message} The rule also applies to {changer}, who changed the request or one that created it."),
        None => message,
    }
}

fn with_source(message: &str, source: &str) -> String {
    let message = message.trim();
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{message}{stop} {} requires this.", wording::upper_first(source))
}
