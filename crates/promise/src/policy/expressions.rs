//! Expressions of policies, each on its own bounded budget so that their order cannot matter.

use schema::expr::{Budget, Environment, Program, Scope, Type};
use serde_json::Value;

use super::compose::named;
use super::effective::Effective;
use super::evaluate::{file, outcome};
use crate::api::PolicyResult;
use crate::context::Context;
use crate::resolve::Resolved;
use crate::wording;

/// Steps that one rule may take.
const STEPS: u64 = 50_000;

/// What expressions of policies may read. A policy may be about many promises, so `parameters` is open; a field that this promise
/// does not have is asked for with `has(…)`.
pub(crate) fn environment(parameters: Type) -> Environment {
    Environment::new()
        .variable("parameters", parameters)
        .variable("request", Type::Dyn)
        .variable("promise", Type::Dyn)
        .variable("workspace", Type::Dyn)
        .variable("prices", Type::Dyn)
}

/// Compiles an expression of a policy by itself; the error is a clause that follows a colon.
pub(crate) fn compile(expression: &str) -> Result<Program, String> {
    environment(Type::Dyn).compile_as(expression, &Type::Bool).map_err(|error| format!("in its expression, {error}"))
}

/// Runs every `validate` rule over the resolved parameters. What cannot be evaluated is refused: it fails closed.
pub(super) fn evaluate(effective: &Effective, parameters: &Value, context: &Context, resolved: &mut Resolved) {
    // Values that do not even fit the schema are refused already, and no expression was written for them.
    if !resolved.problems.is_empty() {
        return;
    }
    let scope = scope(parameters, context);
    for ruling in &effective.validations {
        let passed = outcome(&ruling.from, PolicyResult::Passed, &ruling.path, None);
        let holds = compile(&ruling.effect.expression)
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
    let scope = environment(Type::Dyn).scope().with("parameters", parameters);
    context.variables().iter().fold(scope, |scope, (name, value)| scope.with(*name, value))
}

fn with_source(message: &str, source: &str) -> String {
    let message = message.trim();
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{message}{stop} {} asks for it.", wording::upper_first(source))
}
