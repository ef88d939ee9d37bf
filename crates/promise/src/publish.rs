//! Publishing is validated whole (`domain.md` 2): whatever passes here renders, and whatever a requester types into its form can be
//! judged. Every problem has the path of what is wrong in the promise's spec and a sentence with the fix.
//!
//! To add a check: a function over [`Draft`] in the file of its part, called from [`validate`].

mod breaking;
mod claims;
mod deprecation;
mod form;
mod keywords;
mod mended;
mod parameters;
mod policies;
mod resources;
#[cfg(test)]
mod tests;
mod version;

pub use claims::{CLAIMED, claimed_kinds, unclaimed};
pub use deprecation::deprecation;
use schema::structural::Schema;
use serde_json::Value;

use crate::api::PromiseSpec;
use crate::error::Problem;
use crate::expression;
use crate::render::Compiled;
use crate::resolve::TOLD;

/// How often a schema is judged: its structure, its defaults, its rules and their cost each need the ones before to be in order.
const PASSES: usize = 5;

/// A promise that is to be published, and what was found so far.
struct Draft<'a> {
    spec: &'a PromiseSpec,
    /// Schema of its parameters, as JSON.
    json: Value,
    /// Whether its home is a trusted one.
    trusted: bool,
    problems: Vec<Problem>,
}

impl Draft<'_> {
    fn problem(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { path: path.into(), message: message.into() });
    }
}

/// Judges a promise before a revision is made of it. `previous` is the newest published spec, `trusted` says whether the home of the
/// promise is a trusted one.
///
/// # Errors
/// All problems, in the order of the spec.
pub fn validate(spec: &PromiseSpec, previous: Option<&PromiseSpec>, trusted: bool) -> Result<(), Vec<Problem>> {
    let json = expression::parameters_schema(spec.parameters.as_ref());
    let mut draft = Draft { spec, json, trusted, problems: Vec::new() };
    version::check(&mut draft, previous);
    draft.problems.extend(deprecation(spec));
    keywords::check(&mut draft);
    let mut readable = draft.json.clone();
    for _ in 0..PASSES {
        let Err(errors) = Schema::parse(&readable) else { break };
        parameters::report(&mut draft, &errors);
        if errors.len() > TOLD {
            // So much is wrong that nothing further can be judged.
            return Err(draft.problems);
        }
        readable = mended::schema(&readable, &errors);
    }
    // The rest is held to what can be understood: expressions are not blamed for a fault of the schema, and are judged all the same.
    let schema = Schema::parse_lenient(&readable);
    let spec = PromiseSpec { parameters: spec.parameters.as_ref().map(|_| readable.clone()), ..spec.clone() };
    let mut further = Draft { spec: &spec, json: readable, trusted, problems: Vec::new() };
    rest(&mut further, &schema);
    draft.problems.append(&mut further.problems);
    if draft.problems.is_empty() { Ok(()) } else { Err(draft.problems) }
}

/// Everything that depends on the schema.
fn rest(draft: &mut Draft<'_>, schema: &Schema) {
    parameters::check(draft, schema);
    form::check(draft, schema);
    policies::check(draft, schema);
    if let Err(problems) = Compiled::compile(draft.spec) {
        draft.problems.extend(problems);
    }
    resources::check(draft);
}
