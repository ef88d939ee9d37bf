//! How much of real schemas the form shows as fields. `cargo xtask test forms` prints the figures.

use std::collections::BTreeMap;

use ::schema::json_schema;
use ::schema::structural::Schema;
use serde_json::{Value, json};
use testdata::corpus::documents;

use crate::api::PromiseSpec;
use crate::form::kind::{Kind, Spot, default_of, properties, whole};
use crate::form::place::Place;
use crate::form::{Draft, model};
use crate::policy::Effective;
use crate::shape::Shape;
use crate::source::{Source, SourceKind, schemas};

/// The share of typed values that have a control of their own.
const SHARE: f64 = 0.99;
/// Maximum number of fields of an empty form.
const FIRST_VIEW: usize = 400;

/// Schemas that an API server doesn't take.
const JSON_SCHEMA: &str = "schemas of other systems (JSON Schema)";

/// How the values of schemas are entered.
#[derive(Default)]
struct Tally {
    schemas: usize,
    /// By a control of their own.
    controls: usize,
    /// As YAML although their type is known.
    yaml: usize,
    /// Every box of YAML by its reason.
    reasons: BTreeMap<&'static str, usize>,
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
            Kind::Yaml => {
                *self.reasons.entry(reason(node)).or_default() += 1;
                self.yaml += if Shape::of(node) == Shape::Open { 0 } else { typed_leaves(node) };
            }
            _ => self.controls += 1,
        }
    }

    fn share(&self) -> f64 {
        self.controls as f64 / (self.controls + self.yaml).max(1) as f64
    }
}

/// Why a value is entered as YAML.
fn reason(node: &Value) -> &'static str {
    match node {
        _ if node["x-kubernetes-embedded-resource"] == true => "is any object of Kubernetes",
        _ if node["type"] == "array" => "is a list whose items can be anything",
        _ if node["additionalProperties"].is_object() => "is a map whose values can be anything",
        _ if node["type"] == "object" => "is an object whose fields can be anything",
        _ => "has no type",
    }
}

/// The scalars below a node whose type is known.
fn typed_leaves(node: &Value) -> usize {
    let fields = node["properties"].as_object().into_iter().flatten().map(|(_, field)| field);
    let rows = [&node["items"], &node["additionalProperties"]].into_iter().filter(|rows| rows.is_object());
    let below: usize = fields.chain(rows).map(typed_leaves).sum();
    let is_scalar = ["boolean", "integer", "number", "string"].iter().any(|kind| node["type"] == *kind);
    if below == 0 { usize::from(is_scalar) } else { below }
}

#[test]
fn nearly_every_value_has_a_control() {
    let Some(documents) = documents() else { return };
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    let mut longest = (0, String::new());
    let mut none = Vec::new();
    for (name, document) in &documents {
        let sources = schemas(document).unwrap_or_else(|error| {
            none.push(format!("{name}: {error}"));
            Vec::new()
        });
        for Source { kind, schema, .. } in sources {
            // What is made of another system's schema is a schema that an API server would take.
            if class(kind) == JSON_SCHEMA {
                let read = Schema::parse_part(&schema).map(|_| ()).map_err(|errors| errors[0].to_string());
                assert_eq!(read, Ok(()), "{name}");
                assert!(json_schema::original(&schema).is_none_or(|written| json_schema::check(written).is_ok()), "{name}");
            }
            let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
            let effective = Effective { schema: schema.into(), ..Effective::default() };
            let tally = tallies.entry(class(kind)).or_default();
            tally.schemas += 1;
            if whole(&effective.schema).is_none() {
                for (place, _, node, required) in properties(&spec, &Place::root(), &effective.schema) {
                    tally.count(&spec, &effective, &place, node, required);
                }
            }
            let fields = model(&spec, &effective, &Draft::of(json!({})), &[]).fields().len();
            longest = longest.max((fields, name.clone()));
        }
    }
    for (class, tally) in &tallies {
        println!(
            "{class}: {} schemas, {} values with a control, share {:.4}; as YAML, because the value",
            tally.schemas,
            tally.controls,
            tally.share()
        );
        tally.reasons.iter().for_each(|(reason, count)| println!("  {reason}: {count}"));
    }
    println!("longest form at first view: {} fields, {}", longest.0, longest.1);
    println!("{} documents without a schema of parameters: {}", none.len(), none.join("; "));
    let structural = &tallies[class(SourceKind::CustomResourceDefinition)];
    assert!(structural.controls > 30_000 && structural.schemas > 250, "{} of {}", structural.controls, structural.schemas);
    assert!(structural.share() >= SHARE, "{:.4}", structural.share());
    let others = &tallies[JSON_SCHEMA];
    assert!(others.share() >= SHARE, "{:.4}", others.share());
    assert!(longest.0 <= FIRST_VIEW, "{longest:?}");
}

/// Schemas that an API server accepts, and others.
fn class(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Schema | SourceKind::BackstageTemplate => JSON_SCHEMA,
        _ => "schemas as API servers take them",
    }
}
