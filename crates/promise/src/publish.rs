//! Validates a promise as a whole before publishing (`domain.md` 2): a promise that passes can be rendered, and any input to its form can
//! be validated. Every problem has the path in the promise's spec and a sentence with the fix.
//!
//! To add a check, write a function over [`Draft`] in the file of its part and call it from [`validate`].

mod breaking;
mod claims;
mod deprecation;
mod form;
mod keywords;
mod mended;
mod parameters;
mod policies;
pub(crate) mod resources;
#[cfg(test)]
mod tests;
mod version;
mod workflows;

use std::sync::Arc;

pub use breaking::changes as breaking_changes;
pub use claims::{CLAIMED, claimed_kinds, unclaimed};
use schema::structural::Schema;
use serde_json::Value;
pub use workflows::{at_references, resolved, workflow_problems};

use crate::api::{PromiseSpec, WorkflowName};
use crate::changelog;
use crate::expression;
use crate::problem::Problem;
use crate::render::Compiled;
use crate::resolve::MAX_PROBLEMS;
use crate::workflow::check_references;

/// Number of passes over a schema: its structure, its defaults and its rules each need the previous ones to be valid.
const PASSES: usize = 4;

/// Checks the parts of a promise that can change without a new version, and returns their problems: they are checked even if the version
/// is already published.
pub fn presented(spec: &PromiseSpec) -> Vec<Problem> {
    let mut problems = deprecation::deprecation(spec);
    problems.extend(changelog::problems(spec));
    problems
}

/// A promise to be published, and the problems found so far.
struct Draft<'a> {
    spec: &'a PromiseSpec,
    /// Schema of the parameters, as JSON.
    json: Value,
    /// Whether its home is trusted.
    trusted: bool,
    problems: Vec<Problem>,
}

impl Draft<'_> {
    fn problem(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { path: path.into(), message: message.into() });
    }
}

/// Validates a promise before its revision is created. `previous` is the newest published spec, `trusted` is whether the home of the
/// promise is trusted.
///
/// # Errors
/// If there are problems, with all of them in the order of the spec.
pub fn validate(spec: &PromiseSpec, previous: Option<&PromiseSpec>, trusted: bool) -> Result<(), Vec<Problem>> {
    let json = expression::parameters_schema(spec.parameters.as_deref());
    let mut draft = Draft { spec, json, trusted, problems: Vec::new() };
    version::check(&mut draft, previous);
    draft.problems.extend(presented(spec));
    if let Some(problem) = parameters::not_usable(&draft.json) {
        // Nothing is known of the parameters, so nothing else can be checked.
        draft.problems.push(problem);
        return Err(draft.problems);
    }
    keywords::check(&mut draft);
    let mut readable = draft.json.clone();
    for _ in 0..PASSES {
        let Err(errors) = Schema::parse_part(&readable) else { break };
        parameters::report(&mut draft, &errors);
        if errors.len() > MAX_PROBLEMS {
            // With these problems, nothing further can be checked.
            return Err(draft.problems);
        }
        readable = mended::schema(&readable, &errors);
    }
    // The rest is checked against the readable part of the schema: expressions aren't blamed for faults of the schema, and are checked
    // anyway.
    let schema = Schema::parse_lenient(&readable);
    let spec = PromiseSpec { parameters: spec.parameters.as_ref().map(|_| Arc::new(readable.clone())), ..spec.clone() };
    let mut further = Draft { spec: &spec, json: readable, trusted, problems: Vec::new() };
    rest(&mut further, &schema);
    draft.problems.append(&mut further.problems);
    if draft.problems.is_empty() { Ok(()) } else { Err(draft.problems) }
}

/// Checks everything that depends on the schema.
fn rest(draft: &mut Draft<'_>, schema: &Schema) {
    parameters::check(draft, schema);
    form::check(draft, schema);
    policies::check(draft, schema);
    match Compiled::compile(draft.spec) {
        Ok(compiled) => {
            let named = WorkflowName::ALL.into_iter().filter_map(|name| Some((name, compiled.workflows().get(name)?)));
            let problems = named.flat_map(|(name, workflow)| check_references(workflow, &format!(".workflows.{}", name.word())));
            draft.problems.extend(problems);
        }
        Err(problems) => draft.problems.extend(problems),
    }
    resources::check(draft);
}
