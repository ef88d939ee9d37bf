//! Price differences of other choices.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Input, Preflight, settled};
use crate::form::{Draft, adjust, few_integers, keep_around};
use crate::path::{Path, Segment};
use crate::policy::{Settled, same_value};
use crate::price::{Change, estimate};
use crate::shape::node_at;

/// Maximum number of choices that are priced. Each one needs a resolution; in a larger form, the rest show no price.
const PRICED: usize = 48;

/// A choice in the form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Choice {
    /// A value of a parameter.
    Value {
        /// Path such as `.size`.
        path: String,
        /// The value.
        value: Value,
    },
    /// A preset of the promise.
    Preset {
        /// Name of the preset.
        name: String,
    },
}

/// A choice that changes the price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PricedChoice {
    /// The choice.
    pub choice: Choice,
    /// The price now and with the choice. Its [`Display`](std::fmt::Display) is the text after the option, such as `+€93.20/month`.
    pub change: Change,
    /// Whether promise and policies accept it together with all other values.
    #[serde(default)]
    pub fits: bool,
}

/// Returns the price of every enum value, every switch and every one of a few numbers that affects the price, and of every preset, if it
/// differs from the present price. Everything else stays as entered, so if a choice makes policies set other values, or moves defaults that
/// they don't allow, their price is included: *production* costs the two replicas that it needs.
pub fn options(input: &Input<'_>, now: &Preflight) -> Vec<PricedChoice> {
    let Some(present) = &now.estimate else { return Vec::new() };
    let typed = input.request.parameters.clone().unwrap_or(Value::Null);
    let choices = choices(input, now);
    let priced = choices.into_iter().take(PRICED).filter_map(|(choice, put)| {
        let mut parameters = if typed.is_object() { typed.clone() } else { Value::Object(Map::new()) };
        for (path, value) in put {
            keep_around(input.spec, input.reading.schema(), &now.effective, &mut parameters, &path);
            path.put(&mut parameters, value).then_some(())?;
        }
        let resolved = chosen(input, parameters).resolved;
        let after = estimate(input.spec, input.compiled.costs(&resolved.parameters, input.context), input.book)?;
        let change = Change { before: present.monthly.clone(), after: after.monthly };
        (!change.is_none()).then(|| PricedChoice { choice, change, fits: resolved.is_accepted() })
    });
    priced.collect()
}

/// Returns the result for the parameters with a choice, after the form has moved the defaults that policies don't allow.
fn chosen(input: &Input<'_>, parameters: Value) -> Settled {
    let settled_first = settled(input, &parameters);
    if settled_first.resolved.is_accepted() {
        return settled_first;
    }
    let mut draft = Draft::of(parameters);
    if adjust(input.spec, &settled_first.effective, &mut draft, None).is_empty() {
        return settled_first;
    }
    settled(input, &draft.parameters)
}

/// Returns the choices, each with the values that replace the entered ones, presets first.
fn choices(input: &Input<'_>, now: &Preflight) -> Vec<(Choice, Vec<(Path, Value)>)> {
    let presets = input.spec.form.presets.iter().map(|preset| {
        // As in the form: the values of a preset replace the present ones, field by field.
        let values = preset.values.iter().filter_map(Value::as_object).flatten();
        let values = values.map(|(name, value)| (Path::default().child(name), value.clone())).collect();
        (Choice::Preset { name: preset.name.clone() }, values)
    });
    let mut found: Vec<(Choice, Vec<(Path, Value)>)> = presets.collect();
    for path in counting(input, now) {
        let Some(node) = node_at(&now.effective.schema, &path) else { continue };
        let values: Vec<Value> = match node["enum"].as_array() {
            Some(values) => values.clone(),
            None if node["type"] == "boolean" => vec![false.into(), true.into()],
            None if node["type"] == "integer" => few_integers(node).unwrap_or_default(),
            None => continue,
        };
        let present = path.get(&now.resolved.parameters);
        for value in values.into_iter().filter(|value| !present.is_some_and(|present| same_value(present, value))) {
            found.push((Choice::Value { path: path.to_string(), value: value.clone() }, vec![(path.clone(), value)]));
        }
    }
    found
}

/// Returns the parameters that can affect the price, in a stable order: first those that it reads, then those that decide whether a rule
/// applies. Fixed parameters aren't choices.
fn counting(input: &Input<'_>, now: &Preflight) -> Vec<Path> {
    let schema = &now.effective.schema;
    let mut paths = parameters(schema, input.compiled.cost_references());
    let deciding = parameters(schema, now.effective.deciding.iter());
    let others: Vec<Path> = deciding.into_iter().filter(|path| !paths.contains(path)).collect();
    paths.extend(others);
    paths.retain(|path| !now.effective.sets.iter().any(|ruling| path.starts_with(&ruling.path)));
    paths
}

/// Returns the parameters among these references, in a stable order.
fn parameters<R: AsRef<[String]>>(schema: &Value, references: impl IntoIterator<Item = R>) -> Vec<Path> {
    let mut paths: Vec<Path> = Vec::new();
    for read in references {
        let [root, steps @ ..] = read.as_ref() else { continue };
        if root == "parameters" {
            below(schema, &Path(steps.iter().cloned().map(Segment::Key).collect()), &mut paths);
        }
    }
    paths.sort();
    paths.dedup();
    paths
}

/// Collects the path, or the scalars below it if an expression reads an object as a whole.
fn below(schema: &Value, path: &Path, found: &mut Vec<Path>) {
    match node_at(schema, path).and_then(|node| node["properties"].as_object()) {
        Some(properties) => properties.keys().for_each(|name| below(schema, &path.child(name), found)),
        None => found.push(path.clone()),
    }
}
