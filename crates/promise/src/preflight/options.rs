//! What another choice would change about the price.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Input, Preflight, settled};
use crate::path::{Path, Segment};
use crate::policy::{node_at, same_value};
use crate::price::{Change, estimate};

/// Most choices that are priced: each costs a resolution, and a form with more of them shows no prices on the rest.
const PRICED: usize = 48;

/// What is chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Choice {
    /// A value of a parameter.
    Value {
        /// Path such as `.size`.
        path: String,
        /// One of its values.
        value: Value,
    },
    /// A preset of the promise.
    Preset {
        /// Its name.
        name: String,
    },
}

/// A choice that changes the price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PricedChoice {
    /// The choice.
    pub choice: Choice,
    /// The price now and with it. Its [`Display`](std::fmt::Display) is what stands behind the option, such as `+93.20 €/month`.
    pub change: Change,
    /// Whether promise and policies take it beside everything else that is there.
    #[serde(default)]
    pub fits: bool,
}

/// The price of every value of a list of values and of every switch that counts for the price, and of every preset, where it differs from the
/// present one. Everything else stays as it was typed, so that a choice that makes policies give other values shows what these cost too.
pub fn options(input: &Input<'_>, now: &Preflight) -> Vec<PricedChoice> {
    let Some(present) = &now.estimate else { return Vec::new() };
    let typed = input.request.parameters.clone().unwrap_or(Value::Null);
    let choices = choices(input, now);
    let priced = choices.into_iter().take(PRICED).filter_map(|(choice, put)| {
        let mut parameters = if typed.is_object() { typed.clone() } else { Value::Object(Map::new()) };
        for (path, value) in put {
            path.put(&mut parameters, value).then_some(())?;
        }
        let resolved = settled(input, &parameters).resolved;
        let after = estimate(input.spec, input.compiled, &resolved.parameters, input.context, input.book)?;
        let change = Change { before: present.monthly.clone(), after: after.monthly };
        (!change.is_none()).then(|| PricedChoice { choice, change, fits: resolved.is_accepted() })
    });
    priced.collect()
}

/// Choices, each with the values that it puts in the place of those typed; presets first.
fn choices(input: &Input<'_>, now: &Preflight) -> Vec<(Choice, Vec<(Path, Value)>)> {
    let presets = input.spec.form.presets.iter().map(|preset| {
        // As a form does it: what a preset names takes the place of what is there, field by field.
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
            None => continue,
        };
        let present = path.get(&now.resolved.parameters);
        for value in values.into_iter().filter(|value| !present.is_some_and(|present| same_value(present, value))) {
            found.push((Choice::Value { path: path.to_string(), value: value.clone() }, vec![(path.clone(), value)]));
        }
    }
    found
}

/// Parameters by which the price may change, in a stable order; fixed ones are no choice.
fn counting(input: &Input<'_>, now: &Preflight) -> Vec<Path> {
    let mut paths: Vec<Path> = Vec::new();
    for read in input.compiled.cost_references() {
        let [root, steps @ ..] = read.as_slice() else { continue };
        if root == "parameters" {
            below(&now.effective.schema, &Path(steps.iter().cloned().map(Segment::Key).collect()), &mut paths);
        }
    }
    paths.sort();
    paths.dedup();
    paths.retain(|path| !now.effective.sets.iter().any(|ruling| path.starts_with(&ruling.path)));
    paths
}

/// The path, or the scalars below it where an expression reads an object as a whole.
fn below(schema: &Value, path: &Path, found: &mut Vec<Path>) {
    match node_at(schema, path).and_then(|node| node["properties"].as_object()) {
        Some(properties) => properties.keys().for_each(|name| below(schema, &path.child(name), found)),
        None => found.push(path.clone()),
    }
}
