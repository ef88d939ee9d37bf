//! Expressions of policies, each with its own bounded budget so that their order can't matter.

use schema::expr::{Budget, Environment, Program, Scope, Type};
use serde_json::Value;

use super::effective::Effective;
use super::evaluate::{file, outcome};
use super::reading::Readings;
use super::refusal::{ExpressionError, RefusalReason};
use crate::api::{Enforcement, PolicyResult};
use crate::context::Context;
use crate::expression;
use crate::resolve::{PromiseReading, Resolved, locate};

/// Maximum number of steps of one rule.
pub(super) const STEPS: u64 = 50_000;

/// Returns the variables of policy expressions. A policy can apply to many promises, so `parameters` is open; a field that a promise might
/// not have is checked with `has(…)`.
pub(crate) fn environment() -> Environment {
    expression::environment_of(Type::Dyn)
}

/// Like [`environment`], for policies for actions.
pub(super) fn environment_of_actions() -> Environment {
    expression::with_any_action(environment())
}

/// Compiles an expression of a policy alone.
pub(crate) fn compile(expression: &str) -> Result<Program, ExpressionError> {
    compile_in(&environment(), expression)
}

/// Compiles an expression with these variables.
pub(super) fn compile_in(environment: &Environment, expression: &str) -> Result<Program, ExpressionError> {
    let program = environment.compile_as(expression::inside(expression), &Type::Bool).map_err(ExpressionError::Rejected)?;
    // It is too expensive even for the smallest values.
    let least = program.worst_cost(&[]);
    if least > STEPS as f64 { Err(ExpressionError::TooCostly { steps: least }) } else { Ok(program) }
}

/// Evaluates every `validate` rule on the resolved parameters, for each person behind the request: it must be true for all of them. A rule
/// that can't be evaluated refuses: it fails closed.
pub(super) fn evaluate(
    effective: &Effective,
    readings: &Readings<'_>,
    reading: &PromiseReading,
    parameters: &Value,
    context: &Context,
    resolved: &mut Resolved,
) {
    // Values that violate the schema are refused already, and expressions aren't written for them.
    if !resolved.problems.is_empty() || effective.validations.is_empty() {
        return;
    }
    let scopes = reading.scopes(parameters, context);
    let changers = context.request.changers.iter().map(|changer| changer.username.as_str());
    let people: Vec<(Option<&str>, &Scope)> = std::iter::once(None).chain(changers.map(Some)).zip(&scopes).collect();
    for ruling in &effective.validations {
        let passed = outcome(&ruling.from, PolicyResult::Passed, &ruling.path, None);
        let program = readings.expression(&ruling.from, &ruling.effect.expression);
        let holds = |scope: &Scope| {
            let program = program.as_ref().map_err(Clone::clone)?;
            program.evaluate_bool(scope, &mut Budget::steps(STEPS)).map_err(ExpressionError::Failed)
        };
        let broken = people.iter().map(|(changer, scope)| (changer, scope, holds(scope))).find(|(.., holds)| *holds != Ok(true));
        let from = ruling.from.clone();
        let broken = broken.map(|(changer, scope, holds)| {
            let reason = match holds {
                Ok(_) => RefusalReason::Invalid { from, message: ruling.effect.message.clone(), changer: changer.map(str::to_owned) },
                Err(error) => RefusalReason::NotEvaluated { from, error },
            };
            // A rule that names no parameter is about those that it reads.
            let about = |program: &Program| reading.schema().subject(program, "parameters", scope, parameters, &mut Budget::steps(STEPS));
            let subject = if ruling.path.0.is_empty() { program.as_ref().ok().map(|program| about(program)) } else { None };
            let Some(subject) = subject else { return (ruling.path.clone(), reason) };
            if subject.fields.len() > 1 && ruling.from.enforcement == Enforcement::Block {
                let fields = subject.fields.iter().map(|field| locate::path(field, parameters)).collect();
                resolved.involved.entry(reason.to_string()).or_insert(fields);
            }
            (locate::path(&subject.place, parameters), reason)
        });
        file(resolved, ruling, broken, passed);
    }
}

/// Returns the values for [`compile`]d expressions.
pub(crate) fn scope(parameters: &Value, context: &Context) -> Scope {
    expression::scope(&environment(), parameters, context)
}
