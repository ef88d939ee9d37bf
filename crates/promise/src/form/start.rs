//! Starting points of a new form, as named in links: an example or a preset of the promise.

use schema::structural::Schema;
use serde_json::Value;

use super::defaults::keep_around;
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::policy::Effective;
use crate::resolve;
use crate::shape::{Shape, node_at};

/// Returns the link text of an example: `example:<name>`.
pub fn from_example(name: &str) -> String {
    format!("example:{name}")
}

/// Returns the link text of a preset: `preset:<name>`.
pub fn from_preset(name: &str) -> String {
    format!("preset:{name}")
}

/// Returns the parameters for a link text, or `None` if the promise has no such example or preset.
pub fn starts_from(promise: &PromiseSpec, text: &str) -> Option<Value> {
    let (kind, name) = text.split_once(':')?;
    let nothing = || Value::Object(serde_json::Map::new());
    match kind {
        "example" => {
            promise.examples.iter().find(|example| example.name == name).map(|example| example.parameters.clone().unwrap_or_else(nothing))
        }
        "preset" => promise
            .form
            .presets
            .iter()
            .find(|preset| preset.name == name)
            .map(|preset| preset.values.as_ref().map_or_else(nothing, |values| over_defaults(promise, values))),
        _ => None,
    }
}

/// Returns the parameters with the values of a preset, which replace what an empty form shows, field by field.
fn over_defaults(promise: &PromiseSpec, values: &Value) -> Value {
    let mut parameters = Value::Object(serde_json::Map::new());
    lay(promise, &resolve::schema_of(promise), values, &Path::default(), &mut parameters);
    parameters
}

fn lay(promise: &PromiseSpec, structural: &Schema, values: &Value, at: &Path, parameters: &mut Value) {
    let schema = promise.parameters.as_deref().unwrap_or(&Value::Null);
    let is_group = at.0.is_empty() || node_at(schema, at).is_some_and(|node| Shape::of(node) == Shape::Object);
    match values {
        Value::Object(fields) if is_group && !fields.is_empty() => {
            for (key, value) in fields {
                lay(promise, structural, value, &at.child(key), parameters);
            }
        }
        value => {
            keep_around(promise, structural, &Effective::default(), parameters, at);
            at.put(parameters, value.clone());
        }
    }
}
