//! Checks the parameter schema, including secrets, and the promise's sets of parameters.

use schema::json_schema::{self, JsonSchemaError};
use schema::structural::{FieldError, FieldErrorReason, RuleFault, Schema};
use serde_json::{Value, json};

use super::Draft;
use crate::context::Context;
use crate::lint::bounds_in_words;
use crate::path::{Path, Segment};
use crate::policy::Effective;
use crate::problem::Problem;
use crate::resolve::{MAX_PROBLEMS, RULE_STEPS, locate, omitted, resolve};
use crate::shape::node_at;
use crate::source;
use crate::wording::{all_of, lower_first};

/// Returns why a JSON Schema can't be used.
pub(super) fn not_usable(schema: &Value) -> Option<Problem> {
    let written = json_schema::original(schema).or_else(|| Some(schema).filter(|schema| json_schema::is_json_schema(schema)))?;
    // One that isn't structural yet couldn't be made so.
    let checked = json_schema::check(written).and_then(|()| json_schema::structural(written).map(|_| ()));
    let error = checked.err()?;
    let at = match &error {
        JsonSchemaError::External { at, .. } | JsonSchemaError::Missing { at, .. } | JsonSchemaError::Invalid { at, .. } => at.as_str(),
        JsonSchemaError::NotAnObject => "",
    };
    let steps = at.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    let path = steps.fold(Path::default(), |path, step| match step.parse() {
        Ok(index) => path.item(index),
        Err(_) => path.child(&step),
    });
    Some(Problem { path: format!(".parameters{path}"), message: source::not_usable(&error) })
}

/// Reports the problems of the schema itself, the first for each path, up to the limit.
pub(super) fn report(draft: &mut Draft<'_>, errors: &[FieldError]) {
    for error in errors.iter().take(MAX_PROBLEMS) {
        let at = locate::path(error.place(), &draft.json);
        let path = format!(".parameters{at}");
        if !draft.problems.iter().any(|known| known.path == path) {
            let message = if is_in_default(&draft.json, &at) { default_in_words(error, &at) } else { in_words(error) };
            draft.problem(path, message);
        }
    }
    draft.problems.extend(omitted(errors.len(), ".parameters"));
}

/// Returns the API server's words after a verb. For a rule that doesn't compile, only position and cause are given, since the path already
/// points to the rule.
fn in_words(error: &FieldError) -> String {
    if let Some(RuleFault::NotCompiled { at, cause }) = &error.rule {
        return match at {
            Some((line, column)) => format!("Correct the expression at {line}:{column}: {cause}."),
            None => format!("Correct the expression: {}.", lower_first(cause)),
        };
    }
    format!("Correct the schema: {}.", lower_first(error.body().trim_end_matches('.')))
}

/// Whether a path in the schema is a default or inside one, and not a parameter with that name.
fn is_in_default(schema: &Value, path: &Path) -> bool {
    let mut at = Some(schema);
    let mut names_parameter = false;
    for step in &path.0 {
        let key = match step {
            Segment::Key(key) => key.as_str(),
            Segment::Index(_) | Segment::Each => "",
        };
        if key == "default" && !names_parameter {
            return at.is_some_and(Value::is_object);
        }
        names_parameter = key == "properties" && !names_parameter;
        at = at.and_then(|node| node.get(key));
    }
    false
}

/// Describes a default that its own schema refuses, and how to fix it.
fn default_in_words(error: &FieldError, path: &Path) -> String {
    match (error.reason, path.0.last()) {
        (FieldErrorReason::Required, Some(Segment::Key(key))) => {
            format!("Add {key} to this default, because it's required, or remove the default.")
        }
        _ => {
            let cause = lower_first(error.body().trim_end_matches('.'));
            format!("Change this default to a value that its own schema accepts, or remove it: {cause}.")
        }
    }
}

pub(super) fn check(draft: &mut Draft<'_>, schema: &Schema) {
    costs(draft, schema);
    secrets(draft);
    examples(draft);
    presets(draft, schema);
}

/// Refuses rules that can't be checked within the limit of one request even if its values are few and short. Rules that can are accepted,
/// although an API server refuses them; [`crate::lint`] advises on them.
fn costs(draft: &mut Draft<'_>, schema: &Schema) {
    for rule in schema.costly_rules().into_iter().filter(|rule| rule.usual_steps > RULE_STEPS as f64) {
        let limited: Vec<String> = bounds_in_words(&rule.bounds);
        let limits = if limited.is_empty() { String::new() } else { format!(" or limit what it reads with {}", all_of(&limited)) };
        let message = format!(
            "Simplify this expression{limits}: even if a request has few and short values, checking it takes about {:.0} steps, and {RULE_STEPS} are allowed.",
            rule.usual_steps
        );
        draft.problem(format!(".parameters{}", locate::path(&rule.field, &draft.json)), message);
    }
}

/// Checks that each secret parameter is a reference to a key of a Secret: an object with exactly `name` and `key`.
fn secrets(draft: &mut Draft<'_>) {
    for (index, text) in draft.spec.secret_parameters.iter().enumerate() {
        let path = format!(".secretParameters[{index}]");
        let node = Path::parse(text).ok().and_then(|path| node_at(&draft.json, &path));
        let Some(node) = node else {
            draft.problem(path, format!("Name an existing parameter: the schema has no {text}."));
            continue;
        };
        let is_text = |name: &str| node.pointer(&format!("/properties/{name}/type")) == Some(&json!("string"));
        let fields = node.get("properties").and_then(Value::as_object).map_or(0, serde_json::Map::len);
        if node.get("type") != Some(&json!("object")) || fields != 2 || !is_text("name") || !is_text("key") {
            let message = format!("Give {text} the schema of a reference: an object with the strings `name` and `key`, and nothing else.");
            draft.problem(path, message);
        }
    }
}

fn examples(draft: &mut Draft<'_>) {
    let spec = draft.spec;
    for (index, example) in spec.examples.iter().enumerate() {
        let parameters = example.parameters.clone().unwrap_or_else(|| json!({}));
        for problem in resolve(spec, &parameters, None, &Effective::default(), &Context::default()).problems {
            draft.problem(format!(".examples[{index}]{}", problem.path), problem.message);
        }
    }
}

/// Checks the presets. They can omit required parameters, which the user fills in.
fn presets(draft: &mut Draft<'_>, schema: &Schema) {
    let spec = draft.spec;
    for (index, preset) in spec.form.presets.iter().enumerate() {
        let Some(values) = &preset.values else { continue };
        let mut full = values.clone();
        schema.default(&mut full);
        // Fields that belong together might be among the omitted ones.
        let is_whole = schema.validate(&full).is_empty();
        for problem in resolve(spec, values, None, &Effective::default(), &Context::default()).problems {
            let inner = problem.path.strip_prefix(".parameters").unwrap_or(&problem.path);
            let given = Path::parse(inner).ok().and_then(|path| path.get(&full).cloned());
            let is_given = given.is_some_and(|given| is_whole || !given.is_object());
            if is_given {
                draft.problem(format!(".form.presets[{index}].values{inner}"), problem.message);
            }
        }
    }
}
