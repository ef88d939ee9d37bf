//! Outputs for the requester.

use schema::expr::{Budget, Scope, Template};
use serde_json::Value;

use super::Compiled;
use super::objects::waits_for;

/// One output of a rendering.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Name of the output.
    pub name: String,
    /// Description in one sentence.
    pub description: Option<String>,
    /// Its value, or why it has none.
    pub state: OutputState,
}

/// State of an output.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputState {
    /// A value that can be shown.
    Value(Value),
    /// A key of a Secret. Its value is never read here.
    Secret {
        /// Id of the rendered object whose Destination and namespace hold the Secret.
        resource: String,
        /// Name of the Secret. Absent if the object is the Secret itself.
        name: Option<String>,
        /// Key in the data of the Secret.
        key: String,
    },
    /// Not known yet, with words that follow “waits for”, such as `status.endpoint of database`.
    Pending(String),
    /// It can't be computed, with the reason as a sentence.
    Failed(String),
    /// It belongs to a resource that is left out for these parameters.
    LeftOut,
}

#[derive(Clone, Debug)]
pub(super) struct CompiledOutput {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) source: Source,
}

#[derive(Clone, Debug)]
pub(super) enum Source {
    Value(Template),
    Secret { resource: String, name: Option<Template>, key: String },
}

/// Evaluates all outputs. `left_out` contains the ids of resources that aren't created for these parameters.
pub(super) fn outputs(compiled: &Compiled, scope: &Scope, left_out: &[&str], budget: &mut Budget) -> Vec<Output> {
    let state = |source: &Source, budget: &mut Budget| -> OutputState {
        let reads_left_out = |template: &Template| {
            template
                .references()
                .iter()
                .any(|path| matches!(path.as_slice(), [root, id, ..] if root == "resources" && left_out.contains(&id.as_str())))
        };
        let evaluate = |template: &Template, budget: &mut Budget| match template.evaluate(scope, budget) {
            Ok(value) => Ok(value),
            Err(_) if reads_left_out(template) => Err(OutputState::LeftOut),
            Err(error) => Err(match waits_for(&error.error) {
                Some(what) => OutputState::Pending(what),
                None => OutputState::Failed(crate::expression::sentence(&error.error)),
            }),
        };
        match source {
            Source::Value(template) => evaluate(template, budget).map_or_else(|state| state, OutputState::Value),
            Source::Secret { resource, .. } if left_out.contains(&resource.as_str()) => OutputState::LeftOut,
            Source::Secret { resource, name, key } => {
                let name = match name.as_ref().map(|name| evaluate(name, budget)) {
                    None => None,
                    Some(Ok(Value::String(name))) => Some(name),
                    Some(Ok(other)) => return OutputState::Failed(format!("The name of the Secret must be text, but it is {other}.")),
                    Some(Err(state)) => return state,
                };
                OutputState::Secret { resource: resource.clone(), name, key: key.clone() }
            }
        }
    };
    compiled
        .outputs
        .iter()
        .map(|output| Output { name: output.name.clone(), description: output.description.clone(), state: state(&output.source, budget) })
        .collect()
}
