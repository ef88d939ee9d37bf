//! How much of real definitions the form shows as fields.

use serde_json::{Value, json};
use testdata::corpus::{Definition, definitions};

use super::corpus::promises;
use crate::api::PromiseSpec;
use crate::form::kind::{Kind, Spot, default_of, properties, whole};
use crate::form::place::Place;
use crate::form::{Draft, model};
use crate::policy::Effective;
use crate::shape::Shape;

/// The share of typed values that have a control of their own.
const SHARE: f64 = 0.99;
/// The largest number of fields of a form that nobody has filled in yet.
const FIRST_VIEW: usize = 400;

/// How the values of a schema are entered.
#[derive(Default)]
struct Tally {
    /// By a control of their own.
    controls: usize,
    /// As part of a box of YAML although their type is known.
    yaml: usize,
    /// As YAML, because the schema says nothing of them.
    untyped: usize,
}

impl Tally {
    fn count(&mut self, promise: &PromiseSpec, effective: &Effective, place: &Place, node: &Value, required: bool) {
        let defaulted = default_of(place, node, &Value::Null).is_some();
        match (Spot { promise, effective, place, node, required, defaulted }).kind() {
            Kind::Group { .. } => {
                for (place, _, node, required) in properties(promise, place, node) {
                    self.count(promise, effective, &place, node, required);
                }
            }
            Kind::Items { items } => self.count(promise, effective, &place.item(0, 0), &items, true),
            Kind::Entries { values } => self.count(promise, effective, &place.entry("key", 0), &values, true),
            Kind::Yaml if Shape::of(node) == Shape::Open => self.untyped += 1,
            Kind::Yaml => self.yaml += typed_leaves(node),
            _ => self.controls += 1,
        }
    }
}

/// The values below a node whose type is known; the rows of a list whose rows can be anything are one.
fn typed_leaves(node: &Value) -> usize {
    let fields = node["properties"].as_object().into_iter().flatten().map(|(_, field)| field);
    let rows = [&node["items"], &node["additionalProperties"]].into_iter().filter(|rows| rows.is_object());
    let below: usize = fields.chain(rows).map(typed_leaves).sum();
    if below == 0 { usize::from(node["type"].is_string() && !node["items"].is_object()) } else { below }
}

#[test]
fn nearly_every_value_has_a_control() {
    let Some(definitions) = definitions() else { return };
    let mut tally = Tally::default();
    let mut longest = (0, String::new());
    for Definition { name, versions } in definitions {
        for (spec, effective) in promises(versions).into_values() {
            let schema = effective.schema.clone();
            if whole(&schema).is_none() {
                for (place, _, node, required) in properties(&spec, &Place::root(), &schema) {
                    tally.count(&spec, &effective, &place, node, required);
                }
            }
            let fields = model(&spec, &effective, &Draft::of(json!({})), &[]).fields().len();
            longest = longest.max((fields, name.clone()));
        }
    }
    let Tally { controls, yaml, untyped } = tally;
    let share = controls as f64 / (controls + yaml) as f64;
    println!("{controls} controls, {yaml} values in YAML, {untyped} without a type; share {share:.4}; longest form {longest:?}");
    assert!(controls > 30_000 && share >= SHARE, "{share:.4} of {controls}");
    assert!(longest.0 <= FIRST_VIEW, "{longest:?}");
}
