//! Fields that are shown only under a condition of the promise, and choices that the promise computes.

use schema::expr::{Budget, ExprError};
use schema::structural::Schema;
use serde_json::Value;

use super::kind::scalar_text;
use crate::api::PromiseSpec;
use crate::context::Context;
use crate::expression::inside;
use crate::path::Path;
use crate::policy::{self, Conditional, Effective};
use crate::resolve;

/// Maximum number of steps of one condition.
const STEPS: u64 = 10_000;

/// Returns the choices that an expression computes for the values in effect. `None` if it doesn't return a list, returns an empty one, or
/// needs a value that isn't set yet.
pub(super) fn options(expression: &str, in_effect: &Value) -> Option<Vec<String>> {
    let scope = policy::scope(in_effect, &Context::default());
    let program = policy::environment().compile(inside(expression)).ok()?;
    let value = program.evaluate(&scope, &mut Budget::steps(STEPS)).ok()?;
    let options: Vec<String> = value.as_array()?.iter().filter(|one| one.is_string() || one.is_number()).map(scalar_text).collect();
    (!options.is_empty()).then_some(options)
}

/// Whether a condition is true for the values in effect. If it can't be evaluated the field is shown, so that no field is lost.
pub(super) fn holds(condition: &str, in_effect: &Value) -> bool {
    let scope = policy::scope(in_effect, &Context::default());
    match policy::compile(condition).map(|program| program.evaluate_bool(&scope, &mut Budget::steps(STEPS))) {
        Ok(Ok(holds)) => holds,
        // The condition might read a value that isn't set; then it is false.
        Ok(Err(ExprError::AbsentPath(_))) => false,
        Ok(Err(_)) | Err(_) => true,
    }
}

/// Whether conditions or choices of other fields read this one.
pub(super) fn steers(promise: &PromiseSpec, path: &Path) -> bool {
    promise.form.fields.values().flat_map(|hint| hint.visible_when.iter().chain(&hint.options_from)).any(|condition| reads(condition, path))
}

/// Whether an expression reads a parameter.
fn reads(expression: &str, path: &Path) -> bool {
    let text = format!("parameters{path}");
    expression.match_indices(&text).any(|(at, found)| {
        let next = expression[at + found.len()..].chars().next();
        !next.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

/// Removes values of fields that the user's own choices have hidden. A value that was already hidden before stays because someone else set
/// it. `is_posted` says whether the form had a field for a parameter. Fields that a policy fixes aren't posted.
pub(super) fn without_hidden(
    (promise, schema, effective): (&PromiseSpec, &Schema, &Effective),
    mut parameters: Value,
    base: &Value,
    is_posted: impl Fn(&Path) -> bool,
) -> Value {
    if promise.form.fields.values().all(|hint| hint.visible_when.is_none()) {
        return parameters;
    }
    // Which of these rules apply is only known once everything is evaluated.
    let changes = |rule: &&Conditional| rule.holds.is_none() && !rule.decided_by.is_empty() && !rule.path.0.is_empty();
    let undecided = effective.conditional.iter().filter(changes).map(|rule| &rule.path);
    let fixed: Vec<&Path> = undecided.filter(|path| !is_posted(path)).collect();
    let now = resolve::in_effect(promise, schema, effective, &parameters);
    let before = resolve::in_effect(promise, schema, effective, base);
    for (text, hint) in &promise.form.fields {
        let (Some(condition), Ok(path)) = (&hint.visible_when, Path::parse(text)) else { continue };
        let kept_hidden = path.get(base).is_some() && !holds(condition, &before);
        let is_by_policy = fixed.iter().any(|path| reads(condition, path));
        if !holds(condition, &now) && !kept_hidden && !is_by_policy {
            path.remove(&mut parameters);
        }
    }
    parameters
}
