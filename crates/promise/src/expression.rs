//! What expressions of promises and policies may read, their types and values, and what is wrong with one in a sentence.

use schema::expr::{Environment, ExprError, Scope, Type};
use schema::structural::Schema;
use serde_json::Value;

use crate::context::Context;

/// The variables of policies, prices and form hints: `parameters`, `request`, `promise`, `workspace`, `prices`.
pub fn environment(parameters: &Schema) -> Environment {
    environment_of(Type::from_schema(parameters))
}

/// As [`environment`], with another type of `parameters`: a policy may be about many promises.
pub(crate) fn environment_of(parameters: Type) -> Environment {
    let labels = || Type::map(Type::String);
    let requester = Type::object([("username", Type::String), ("groups", Type::list(Type::String)), ("cluster", Type::String)]);
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

/// Values for [`environment`], or for one that adds to it.
pub fn scope(environment: &Environment, parameters: &Value, context: &Context) -> Scope {
    let mut scope = environment.scope();
    scope.set("parameters", parameters);
    for (name, value) in context.variables() {
        scope.set(name, &value);
    }
    scope
}

/// An expression as it is compiled: the rules of policies and hints of forms may be written with `${` and `}` around the whole or without.
pub(crate) fn inside(expression: &str) -> &str {
    let source = expression.trim();
    source.strip_prefix("${").and_then(|inner| inner.strip_suffix('}')).unwrap_or(source)
}

/// The structural schema of parameters that are not declared: an object without fields.
pub fn parameters_schema(declared: Option<&Value>) -> Value {
    declared.cloned().unwrap_or_else(|| serde_json::json!({"type": "object"}))
}

/// What is wrong with an expression, as a sentence that says what to do.
pub fn sentence(error: &ExprError) -> String {
    match error {
        ExprError::Syntax { message, .. } => format!("Write an expression that can be read: {}.", message.trim_end_matches('.')),
        ExprError::Type { message, .. } if message.starts_with("undefined field") => {
            format!("Correct the name, or declare it in the schema: {message}.")
        }
        ExprError::Type { message, .. } => format!("Correct the expression, its types do not fit: {message}."),
        ExprError::UnknownVariable { name, .. } => {
            format!("Read something that is there: expressions have no variable `{name}` in this place.")
        }
        ExprError::Budget(exhausted) => format!("Make the expression smaller: {exhausted}."),
        ExprError::AbsentPath(path) => format!("Give `{path}` a value or a default, or test it with has(): it is not there."),
        ExprError::Runtime(message) => format!("Correct the expression, it fails: {message}."),
    }
}
