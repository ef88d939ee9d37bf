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

/// Runs every `validate` rule over the resolved parameters, for each person who is behind the request: it has to hold for all of them. What
/// cannot be evaluated is refused: it fails closed.
pub(super) fn evaluate(
    effective: &Effective,
    readings: &Readings<'_>,
    context: &Context,
    scopes: impl FnOnce() -> Vec<Scope>,
    resolved: &mut Resolved,
) {
    // Values that do not even fit the schema are refused already, and no expression was written for them.
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
                format!("{name} could not be evaluated: {why}. {} can mend the rule {}.", wording::upper_first(who), ruling.from.rule)
            }
        });
        file(resolved, ruling, broken.map(|message| (ruling.path.clone(), message)), passed);
    }
}

/// Values for [`compile`]d expressions.
pub(crate) fn scope(parameters: &Value, context: &Context) -> Scope {
    expression::scope(&environment(), parameters, context)
}

/// The message of a rule that holds for the requester, and not for somebody else who is behind the request.
fn about(changer: Option<&str>, message: String) -> String {
    match changer {
        Some(changer) => format!("{message} The rule applies to {changer} too, who changed the request or one that created it."),
        None => message,
    }
}

fn with_source(message: &str, source: &str) -> String {
    let message = message.trim();
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{message}{stop} {} asks for it.", wording::upper_first(source))
}
