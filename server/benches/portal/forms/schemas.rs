//! Schemas of parameters: those of many projects, and of any size.

use serde_json::{Map, Value, json};
use testdata::corpus::definitions;

/// Properties of one group of a large schema.
const GROUP: usize = 50;
/// The largest definition that is published, as JSON: an object of the plane has room for more, but a promise has other parts, too.
const LARGEST: usize = 200_000;

/// A schema with so many fields, in groups. Fields of the first group have names that policies of the bench are about.
pub fn wide(fields: usize) -> Value {
    let names = ["replicas", "size", "location", "tier", "stage"];
    let field = |at: usize| {
        let name = names.get(at).map_or_else(|| format!("setting{at}"), |name| (*name).to_owned());
        let description = format!("What the setting {at} of the system is. Most systems leave it as it is.");
        let schema = match at % 4 {
            0 => json!({"type": "integer", "minimum": 0, "maximum": 1000, "default": 2}),
            1 => json!({"type": "string", "maxLength": 63, "pattern": "^[a-z][a-z0-9-]*$", "default": "value"}),
            2 => json!({"type": "string", "enum": ["eu-west", "eu-central", "small", "large"], "default": "eu-west"}),
            _ => json!({"type": "string", "maxLength": 200}),
        };
        let mut schema = schema;
        schema["description"] = json!(description);
        (name, schema)
    };
    let mut properties: Map<String, Value> = (0..fields.min(GROUP)).map(field).collect();
    for first in (GROUP..fields).step_by(GROUP) {
        let inside: Map<String, Value> = (first..fields.min(first + GROUP)).map(field).collect();
        let group = json!({"type": "object", "description": "A part of the system.", "properties": inside});
        properties.insert(format!("part{}", first / GROUP), group);
    }
    json!({"type": "object", "properties": properties})
}

/// So many schemas of real definitions with names for promises, small and large ones alike. Some occur several times if there are too few;
/// without the shared data they are made.
pub fn real(count: usize) -> Vec<(String, Value)> {
    let of = |versions: std::collections::BTreeMap<String, Value>| {
        let mut schema = versions.into_values().next_back()?.pointer("/properties/spec")?.clone();
        schema["type"] = json!("object");
        Some(schema)
    };
    let known = definitions().unwrap_or_default().into_iter();
    let mut known: Vec<Value> = known.filter_map(|definition| of(definition.versions)).collect();
    known.retain(|schema| fields(schema) >= 5 && schema.to_string().len() <= LARGEST);
    known.sort_by_key(fields);
    if known.is_empty() {
        known = (1..=10).map(|size| wide(size * 30)).collect();
    }
    let chosen = (0..count).map(|at| if count <= known.len() { at * known.len() / count } else { at % known.len() });
    chosen.enumerate().filter_map(|(at, index)| Some((format!("real-{at:04}"), known.get(index)?.clone()))).collect()
}

/// How many fields a schema has, at any depth.
pub fn fields(schema: &Value) -> usize {
    match schema {
        Value::Object(node) => {
            let own = node.get("properties").and_then(Value::as_object).map_or(0, Map::len);
            own + node.values().map(fields).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(fields).sum(),
        _ => 0,
    }
}
