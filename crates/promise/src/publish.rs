//! Publishing is validated whole (`domain.md` 2): whatever passes here renders, and whatever a requester types into its form can be
//! judged. Every problem has the path of what is wrong in the promise's spec and a sentence with the fix.
//!
//! To add a check: a function over [`Draft`] in the file of its part, called from [`validate`].

mod breaking;
mod form;
mod parameters;
mod policies;
mod resources;
#[cfg(test)]
mod tests;
mod version;

use schema::structural::Schema;
use serde_json::Value;

use crate::api::PromiseSpec;
use crate::error::Problem;
use crate::expression;
use crate::render::Compiled;

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
    match Schema::parse(&draft.json) {
        Ok(schema) => {
            parameters::check(&mut draft, &schema);
            form::check(&mut draft, &schema);
            policies::check(&mut draft, &schema);
            if let Err(problems) = Compiled::compile(spec) {
                draft.problems.extend(problems);
            }
        }
        // Expressions are not checked against a schema that is itself wrong: they would be blamed for it.
        Err(errors) => parameters::report(&mut draft, &errors),
    }
    resources::check(&mut draft);
    if draft.problems.is_empty() { Ok(()) } else { Err(draft.problems) }
}
