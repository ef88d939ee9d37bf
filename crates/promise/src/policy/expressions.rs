//! Expressions of policies, each on its own bounded budget so that their order cannot matter.

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

/// Steps that one rule may take.
pub(super) const STEPS: u64 = 50_000;

/// What expressions of policies may read. A policy may be about many promises, so `parameters` is open; a field that a promise
/// does not have is asked for with `has(…)`.
pub(crate) fn environment() -> Environment {
    expression::environment_of(Type::Dyn)
}

/// Compiles an expression of a policy by itself; the error is a clause that follows a colon.
pub(crate) fn compile(expression: &str) -> Result<Program, String> {
    let program =
        environment().compile_as(expression::inside(expression), &Type::Bool).map_err(|error| format!("in its expression, {error}"))?;
    // Even of the smallest values it would be too much.
    let least = program.worst_cost(&[]);
    if least > STEPS as f64 { Err(too_costly(least)) } else { Ok(program) }
}

/// A clause about an expression that could use up its budget.
pub(super) fn too_costly(steps: f64) -> String {
    format!("its expression may take {steps:.0} steps, and {STEPS} are allowed: loop over fewer items or simplify it")
}

/// Runs every `validate` rule over the resolved parameters. What cannot be evaluated is refused: it fails closed.
pub(super) fn evaluate(effective: &Effective, readings: &Readings<'_>, scope: impl FnOnce() -> Scope, resolved: &mut Resolved) {
    // Values that do not even fit the schema are refused already, and no expression was written for them.
    if !resolved.problems.is_empty() || effective.validations.is_empty() {
        return;
    }
    let scope = scope();
    for ruling in &effective.validations {
        let passed = outcome(&ruling.from, PolicyResult::Passed, &ruling.path, None);
        let holds = readings
            .expression(&ruling.from, &ruling.effect.expression)
            .and_then(|program| program.evaluate_bool(&scope, &mut Budget::steps(STEPS)).map_err(|error| error.to_string()));
        let broken = match holds {
            Ok(true) => None,
            Ok(false) => Some(with_source(&ruling.effect.message, &named(&ruling.from))),
            Err(why) => {
                let who = ruling.from.owner.as_deref().unwrap_or("its owner");
                let name = wording::upper_first(&named(&ruling.from));
                Some(format!("{name} could not be evaluated: {why}. {} can mend the rule {}.", wording::upper_first(who), ruling.from.rule))
            }
        };
        file(resolved, ruling, broken.map(|message| (ruling.path.clone(), message)), passed);
    }
}

/// Values for [`compile`]d expressions.
pub(crate) fn scope(parameters: &Value, context: &Context) -> Scope {
    expression::scope(&environment(), parameters, context)
}

fn with_source(message: &str, source: &str) -> String {
    let message = message.trim();
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{message}{stop} {} asks for it.", wording::upper_first(source))
}
