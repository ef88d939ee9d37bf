//! Compiles expressions and collects what is wrong with them.

use schema::expr::{Environment, ExprError, Template, TemplateError, Type, TypeProblem};
use serde_json::Value;

use super::sentence;
use crate::problem::Problem;

/// Compiles the expressions of one document.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// What is wrong so far.
    pub(crate) problems: Vec<Problem>,
}

impl Reader {
    pub(crate) fn problem(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { path: path.into(), message: message.into() });
    }

    /// Compiles every expression in a JSON value.
    pub(crate) fn template(&mut self, json: &Value, path: &str, environment: &Environment) -> Option<Template> {
        match Template::compile(json, environment) {
            Ok(template) => Some(template),
            Err(errors) => {
                for TemplateError { path: inner, error } in errors {
                    self.problem(format!("{path}{inner}"), sentence(&error));
                }
                None
            }
        }
    }

    /// Compiles a text that is one expression of a type.
    pub(crate) fn typed(&mut self, text: Option<&str>, path: &str, environment: &Environment, wanted: &Type) -> Option<Template> {
        let template = self.template(&Value::from(text?), path, environment)?;
        let kind = template.kind();
        if kind.fits(wanted) {
            return Some(template);
        }
        let message = match kind {
            Type::String => format!("Write one expression in ${{…}} that returns {}.", words(wanted)),
            _ => {
                let problem = TypeProblem::WrongResult { found: kind.to_string(), wanted: words(wanted).to_owned() };
                sentence(&ExprError::of_types(problem))
            }
        };
        self.problem(path, message);
        None
    }
}

fn words(wanted: &Type) -> &'static str {
    if *wanted == Type::Bool { "true or false" } else { "a list" }
}
