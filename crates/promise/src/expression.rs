//! Environment of expressions in promises and policies: the variables, their types and values, and error messages.

mod reader;

use schema::expr::{Environment, ExprError, Scope, Type, TypeProblem};
use schema::structural::Schema;
use serde_json::Value;

use crate::context::Context;

pub(crate) use reader::Reader;

/// Returns the variables of policies, prices and form hints: `parameters`, `request`, `promise`, `workspace` and `prices`.
pub fn environment(parameters: &Schema) -> Environment {
    environment_of(Type::from_schema(parameters))
}

/// Like [`environment`], with another type of `parameters`: a policy can apply to many promises.
pub(crate) fn environment_of(parameters: Type) -> Environment {
    let labels = || Type::map(Type::String);
    let requester = requester();
    Environment::new()
        .variable("parameters", parameters)
        .variable(
            "request",
            Type::object([
                ("name", Type::String),
                ("namespace", Type::String),
                ("workspace", Type::String),
                ("labels", labels()),
                ("requester", requester),
                ("deletionPolicy", Type::String),
            ]),
        )
        .variable("promise", Type::object([("name", Type::String), ("version", Type::String), ("workspace", Type::String)]))
        .variable("workspace", Type::object([("path", Type::String), ("name", Type::String), ("labels", labels())]))
        .variable("prices", Type::Dyn)
}

fn requester() -> Type {
    Type::object([("username", Type::String), ("groups", Type::list(Type::String)), ("cluster", Type::String)])
}

/// Adds the variables `action` and `steps` of an action with these parameters.
pub(crate) fn with_action(environment: Environment, parameters: &Schema) -> Environment {
    let fields =
        [("name", Type::String), ("parameters", Type::from_schema(parameters)), ("requestedBy", requester()), ("startedAt", Type::String)];
    environment.variable("action", Type::object(fields)).variable("steps", Type::Dyn)
}

/// Adds the variable `action` of policies for actions. They can apply to many actions, so its parameters are open.
pub(crate) fn with_any_action(environment: Environment) -> Environment {
    environment.variable("action", Type::object([("parameters", Type::Dyn), ("requestedBy", requester())]))
}

/// Returns values for [`environment`], or for one that extends it.
pub fn scope(environment: &Environment, parameters: &Value, context: &Context) -> Scope {
    let mut scope = environment.scope();
    scope.set("parameters", parameters);
    for (name, value) in context.variables() {
        scope.set(name, &value);
    }
    if let Some(action) = &context.action {
        scope.set("action", &action.variable());
        scope.set("steps", &action.steps);
    }
    scope
}

/// Returns the expression to compile. Policy rules and form hints can be written with or without `${` and `}` around the whole.
pub(crate) fn inside(expression: &str) -> &str {
    let source = expression.trim();
    source.strip_prefix("${").and_then(|inner| inner.strip_suffix('}')).unwrap_or(source)
}

/// Returns the structural schema of undeclared parameters: an object without fields.
pub fn parameters_schema(declared: Option<&Value>) -> Value {
    declared.cloned().unwrap_or_else(|| serde_json::json!({"type": "object"}))
}

/// Describes what is wrong with an expression, as a sentence that says what to do.
pub fn sentence(error: &ExprError) -> String {
    match error {
        ExprError::Syntax { problem, .. } => format!("Write a valid expression: {}.", problem.to_string().trim_end_matches('.')),
        ExprError::Type { problem: problem @ TypeProblem::UndefinedField { .. }, .. } => {
            format!("Correct the name, or declare it in the schema: {problem}.")
        }
        ExprError::Type { .. } => format!("Fix the types in the expression: {}.", error.words()),
        ExprError::UnknownVariable { name, .. } if name == "steps" => {
            "Read outputs of steps only in later steps and in outputs of the promise: everything else is evaluated before any step runs."
                .to_owned()
        }
        ExprError::UnknownVariable { name, .. } => {
            format!("Use an existing variable: expressions have no variable `{name}` here.")
        }
        ExprError::Budget(exhausted) => format!("Simplify the expression: {exhausted}."),
        ExprError::AbsentPath(path) => format!("Give `{path}` a value or a default, or test it with has(): it is missing."),
        ExprError::Runtime(_) => format!("Fix the expression, which failed: {}.", error.words()),
    }
}
