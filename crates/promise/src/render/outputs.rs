//! Outputs for the requester.

use std::collections::{BTreeMap, BTreeSet};

use schema::expr::{Budget, ExprError, Scope, Template, Type};
use serde_json::Value;

use super::Compiled;
use super::objects::waits_for;
use crate::api::{Workflow, Workflows};

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

/// Returns the type of `steps` in outputs of a promise: what the steps that create or change a request return.
pub(super) fn steps_type(workflows: &Workflows) -> Type {
    let rolling_out = [&workflows.provision, &workflows.upgrade];
    let given = || rolling_out.into_iter().flatten();
    // What is behind a reference isn't known before it is resolved.
    if given().any(|workflow| workflow.reference.is_some()) {
        return Type::Dyn;
    }
    let mut steps: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (step, name) in given().flat_map(returned) {
        steps.entry(step).or_default().extend(name);
    }
    Type::object(steps.into_iter().map(|(step, names)| (step, Type::object(names.into_iter().map(|name| (name, Type::Dyn))))))
}

/// Returns the ids of the steps, each with nothing and with each of its outputs.
fn returned(workflow: &Workflow) -> impl Iterator<Item = (&str, Option<&str>)> {
    workflow.steps.iter().flat_map(|step| {
        let http = step.http.iter().flat_map(|http| http.outputs.keys().chain(http.poll.iter().flat_map(|poll| poll.outputs.keys())));
        let names = http.chain(step.job.iter().flat_map(|job| job.outputs.keys()));
        let names = names.map(move |name| (step.id.as_str(), Some(name.as_str())));
        std::iter::once((step.id.as_str(), None)).chain(names)
    })
}

/// Returns the ids of the steps that outputs read.
pub(super) fn read_steps(outputs: &[CompiledOutput]) -> BTreeSet<String> {
    let values = outputs.iter().filter_map(|output| match &output.source {
        Source::Value(value) => Some(value),
        Source::Secret { .. } => None,
    });
    let step = |path: Vec<String>| match path.as_slice() {
        [root, step, ..] if root == "steps" => Some(step.clone()),
        _ => None,
    };
    values.flat_map(Template::references).filter_map(step).collect()
}

/// Returns the step whose output a failed expression waits for, as words that follow “waits for”.
fn awaited_step(error: &ExprError) -> Option<String> {
    let ExprError::AbsentPath(path) = error else { return None };
    let rest = path.strip_prefix("steps")?;
    let is_path = rest.is_empty() || rest.starts_with(['.', '[']);
    let step = rest.trim_start_matches('.').split(['.', '[']).next().filter(|step| !step.is_empty());
    is_path.then(|| step.map_or_else(|| "the steps of its workflow".to_owned(), |step| format!("the step {step}")))
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
            Err(error) => Err(match waits_for(&error.error).or_else(|| awaited_step(&error.error)) {
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
