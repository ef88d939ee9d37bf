//! Resolves the parameters of a request: pruned, defaulted, set by policies, validated (`domain.md` 3, 5).
//!
//! The order: unknown fields are reported; defaults of the schema and of policies fill absent values, where the nearest policy takes
//! precedence over the schema; `set` replaces values; then everything is validated as it will be used: the schema's structure, its rules,
//! each policy's constraints and expressions. The form, REST, CLI, preflight and controller all call this function.

pub(crate) mod locate;
pub(crate) mod numbers;
mod object;
mod reading;
mod together;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use schema::expr::Budget;
use schema::structural::{NO_FIELD, Schema};
use serde_json::{Map, Value};

pub use object::misfits;
pub use reading::PromiseReading;
pub(crate) use words::required;

use crate::api::{PolicyOutcome, PolicyResult, PromiseSpec};
use crate::context::Context;
use crate::path::Path;
use crate::policy::{self, Effective, Readings, Refusal, RefusalReason, Ruling};
use crate::problem::Problem;
use crate::wording;

/// First segment of the paths of problems.
const BASE: &str = ".parameters";
/// Maximum number of steps of all rules of a promise's schema.
pub(crate) const RULE_STEPS: u64 = 200_000;
/// Maximum number of reported problems of one kind: creating each message takes time, and thousands of them help no one.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// Result of resolving the parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolved {
    /// Pruned, defaulted and with `set` rules applied, as they are rendered and hashed.
    pub parameters: Value,
    /// Outcome of every rule.
    pub outcomes: Vec<PolicyOutcome>,
    /// Problems with the promise. Paths start with `.parameters`.
    pub problems: Vec<Problem>,
    /// Refusals by policies, by field if there is one.
    pub refusals: Vec<Refusal>,
    /// For problems and refusals about several fields together: those fields, by message.
    pub involved: BTreeMap<String, Vec<Path>>,
}

impl Resolved {
    /// Whether a release can be created from it.
    pub fn is_accepted(&self) -> bool {
        self.problems.is_empty() && self.refusals.is_empty()
    }

    /// Returns problems and refusals together, for the form and its summary.
    pub fn all_problems(&self) -> Vec<Problem> {
        self.problems.iter().cloned().chain(self.refusals.iter().map(Refusal::problem)).collect()
    }
}

/// Resolves parameters under the policies in effect. `former` are those of the last accepted release, for rules of the schema that compare
/// with them (`oldSelf`), or nothing for a new request.
///
/// For policies with conditions, see [`policy::settle`].
pub fn resolve(promise: &PromiseSpec, parameters: &Value, former: Option<&Value>, effective: &Effective, context: &Context) -> Resolved {
    // Its own rules are already in effect, with all others.
    let bare = PromiseSpec { parameters: promise.parameters.clone(), ..PromiseSpec::default() };
    resolve_read(&PromiseReading::of(&bare, false), &Readings::default(), promise, parameters, former, effective, context)
}

/// Like [`resolve`], with a parsed promise and policies.
pub(crate) fn resolve_read(
    reading: &PromiseReading,
    readings: &Readings<'_>,
    promise: &PromiseSpec,
    parameters: &Value,
    former: Option<&Value>,
    effective: &Effective,
    context: &Context,
) -> Resolved {
    let mut resolved = Resolved::default();
    let schema = reading.schema();
    let json = schema.json();
    let mut value = match parameters {
        Value::Null => Value::Object(Map::new()),
        other => other.clone(),
    };
    if !value.is_object() {
        resolved.problems.push(Problem { path: BASE.to_owned(), message: "Enter the parameters as key–value pairs.".to_owned() });
        resolved.parameters = value;
        return resolved;
    }
    numbers::whole(json, &mut value);
    let unknown = schema.prune(&mut value);
    for field in unknown.iter().take(MAX_PROBLEMS) {
        let path = locate::path(field, parameters);
        resolved.problems.push(Problem { message: words::unknown(promise, json, &path), path: shown(&path) });
    }
    resolved.problems.extend(omitted(unknown.len(), BASE));
    defaults(schema, &effective.defaults, &mut value, &mut resolved);
    sets(promise, &effective.sets, parameters, &mut value, &mut resolved);
    schema.default(&mut value);
    // Policies were evaluated when it was accepted; only fields that the schema has gained since are filled in.
    let former = former.map(|former| {
        let mut former = former.clone();
        schema.default(&mut former);
        former
    });
    validate(promise, json, schema, &value, former.as_ref(), &mut resolved);
    policy::evaluate(promise, effective, readings, reading, &value, context, &mut resolved);
    resolved.parameters = value;
    resolved
}

/// Returns the parsed schema of a promise's parameters for forms, which evaluate no rules of it.
pub(crate) fn schema_of(promise: &PromiseSpec) -> Schema {
    Schema::parse_without_rules(promise.parameters.as_deref().unwrap_or(&Value::Null))
}

/// Returns the schema that was parsed when the policies were composed, or else parses it.
pub(crate) fn parsed_schema(promise: &PromiseSpec, effective: &Effective) -> Arc<Schema> {
    effective.parsed.0.clone().unwrap_or_else(|| Arc::new(schema_of(promise)))
}

/// Returns the values that the given parameters have with only fixed and default values applied. Conditions are evaluated on them.
pub(crate) fn snapshot(
    promise: &PromiseSpec,
    reading: &PromiseReading,
    parameters: &Value,
    fixed: &[Ruling<Value>],
    proposed: &[Ruling<Value>],
) -> Value {
    let (schema, mut unread) = (reading.schema(), Resolved::default());
    let mut value = if parameters.is_object() { parameters.clone() } else { Value::Object(Map::new()) };
    numbers::whole(schema.json(), &mut value);
    schema.prune(&mut value);
    defaults(schema, proposed, &mut value, &mut unread);
    sets(promise, fixed, parameters, &mut value, &mut unread);
    schema.default(&mut value);
    value
}

/// Returns the values in effect: given values with defaults and fixed values of schema and policies.
pub(crate) fn in_effect(promise: &PromiseSpec, schema: &Schema, effective: &Effective, parameters: &Value) -> Value {
    let mut unread = Resolved::default();
    let mut value = if parameters.is_object() { parameters.clone() } else { Value::Object(Map::new()) };
    defaults(schema, &effective.defaults, &mut value, &mut unread);
    sets(promise, &effective.sets, parameters, &mut value, &mut unread);
    schema.default(&mut value);
    value
}

/// Returns a problem that counts the ones over the limit.
pub(crate) fn omitted(found: usize, path: &str) -> Option<Problem> {
    let left = found.checked_sub(MAX_PROBLEMS).filter(|left| *left > 0)?;
    let more = if left == 1 { "1 more problem".to_owned() } else { format!("{left} more problems") };
    Some(Problem { path: path.to_owned(), message: format!("Fix the problems listed first: {more} of this kind were found.") })
}

/// Returns the path of a parameter as used in problems.
pub(crate) fn shown(path: &Path) -> String {
    format!("{BASE}{path}")
}

/// Applies schema defaults first, so that it is known which optional parts exist; then policy defaults, the nearest first, wherever the
/// part exists and neither the user nor a nearer policy gave a value.
fn defaults(schema: &Schema, proposed: &[Ruling<Value>], value: &mut Value, resolved: &mut Resolved) {
    let mut said = value.clone();
    schema.default(value);
    for ruling in proposed {
        let lead = Path(ruling.path.0.split_last().map(|(_, lead)| lead.to_vec()).unwrap_or_default());
        // A null that isn't allowed counts as absent.
        let is_said = match ruling.path.get(&said) {
            None => false,
            Some(Value::Null) => ruling.path.get(value).is_some_and(Value::is_null),
            Some(_) => true,
        };
        let fills = !is_said && lead.get(value).is_some_and(Value::is_object);
        if fills && ruling.path.put(value, ruling.effect.clone()) {
            ruling.path.put(&mut said, ruling.effect.clone());
            let message = policy::defaulted(&ruling.effect);
            resolved.outcomes.push(policy::outcome(&ruling.from, PolicyResult::Defaulted, &ruling.path, Some(message)));
        } else {
            resolved.outcomes.push(policy::outcome(&ruling.from, PolicyResult::Passed, &ruling.path, None));
        }
    }
}

/// Replaces values by fixed ones. Only values in `said`, given by the user, are reported as replaced.
fn sets(promise: &PromiseSpec, fixed: &[Ruling<Value>], said: &Value, value: &mut Value, resolved: &mut Resolved) {
    for ruling in fixed {
        let before = ruling.path.get(said);
        if !ruling.path.put(value, ruling.effect.clone()) {
            let reason = RefusalReason::InTheWay { label: wording::noun(promise, &ruling.path) };
            resolved.refusals.push(Refusal { path: ruling.path.clone(), reason });
            continue;
        }
        let message = policy::fixed(&ruling.effect, before.filter(|before| !policy::same_value(before, &ruling.effect)));
        resolved.outcomes.push(policy::outcome(&ruling.from, PolicyResult::Set, &ruling.path, Some(message)));
    }
}

fn validate(promise: &PromiseSpec, json: &Value, schema: &Schema, value: &Value, former: Option<&Value>, resolved: &mut Resolved) {
    let mut errors = schema.validate(value);
    let structural = errors.is_empty();
    let mut shaped = errors.len();
    // As API servers do: a value that merely breaks a pattern or a bound has the form that rules rely on.
    if schema.has_rules() && !errors.iter().any(|error| error.reason.stops_rules()) {
        let mut budget = Budget::steps(RULE_STEPS);
        // Parameters accepted under another schema might have another shape; then there is nothing to compare with.
        let former = former.filter(|former| schema.validate(former).is_empty());
        errors.extend(schema.validate_all_rules(value, former, &mut budget));
    }
    let omitted = omitted(errors.len(), BASE);
    errors.truncate(MAX_PROBLEMS);
    let variants = together::variants(promise, json, value);
    let alternatives = if structural { Vec::new() } else { together::misfits(promise, json, &errors, value) };
    for error in errors {
        let structural = shaped == 0;
        shaped = shaped.saturating_sub(1);
        let path = locate::path(error.place(), value);
        let misfit = alternatives.iter().find(|misfit| misfit.path == path && error.field == NO_FIELD);
        if misfit.is_none() && alternatives.iter().chain(&variants).any(|misfit| misfit.explains(&error, &path)) {
            continue;
        }
        let fields: Vec<Path> = error.fields().iter().map(|field| locate::path(field, value)).collect();
        let message = match misfit {
            Some(misfit) => misfit.message.clone(),
            None if structural => words::rule(promise, &path, &fields, &error),
            None => words::structural(promise, json, &path, value, &error),
        };
        if fields.len() > 1 {
            resolved.involved.entry(message.clone()).or_insert(fields);
        }
        let problem = Problem { path: shown(&path), message };
        // One field might fail several checks; the first message contains the fix.
        if !resolved.problems.iter().any(|known| known.path == problem.path) || structural {
            resolved.problems.push(problem);
        }
    }
    for misfit in variants {
        let path = shown(&misfit.path);
        if !resolved.problems.iter().any(|known| known.path == path) {
            resolved.problems.push(Problem { path, message: misfit.message });
        }
    }
    resolved.problems.dedup();
    resolved.problems.extend(omitted);
}

/// Sorts the outcomes in the order of the rules; see [`PolicyOutcome`].
pub(crate) fn sort_outcomes(outcomes: &mut [PolicyOutcome]) {
    outcomes.sort_by(|a, b| (&a.source, &a.policy, &a.rule, &a.paths).cmp(&(&b.source, &b.policy, &b.rule, &b.paths)));
}

#[cfg(test)]
mod tests;
