//! Checks the keywords of the parameter schema. The API server silently drops unsupported ones, and then they have no effect.

use serde_json::{Map, Value};

use super::Draft;
use crate::path::Path;
use crate::spelling::alike;

/// Keywords of later JSON Schema versions that limit values, and their replacements here.
const FOREIGN: [(&str, &str); 18] = [
    ("$defs", WRITE_OUT),
    ("$ref", WRITE_OUT),
    ("const", "use an enum of one value"),
    ("contains", RULE),
    ("definitions", WRITE_OUT),
    ("dependencies", RULE),
    ("dependentRequired", RULE),
    ("dependentSchemas", RULE),
    ("else", RULE),
    ("if", RULE),
    ("maxContains", RULE),
    ("minContains", RULE),
    ("patternProperties", "use additionalProperties"),
    ("prefixItems", "use an object with a name for each item"),
    ("propertyNames", RULE),
    ("then", RULE),
    ("unevaluatedItems", "unknown fields are rejected anyway"),
    ("unevaluatedProperties", "unknown fields are rejected anyway"),
];
const WRITE_OUT: &str = "write the schema out where it is used";
const RULE: &str = "write a rule in x-kubernetes-validations";

/// Keywords that are evaluated, or that contain text for users.
const KNOWN: [&str; 45] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "deprecated",
    "description",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    "id",
];

/// Maximum nesting depth. Deeper schemas are refused.
const DEPTH_LIMIT: usize = 100;

pub(super) fn check(draft: &mut Draft<'_>) {
    let mut found = Vec::new();
    if let Some(root) = draft.json.as_object() {
        node(root, &Path::default(), 0, &mut found);
    }
    for (path, message) in found {
        draft.problem(format!(".parameters{path}"), message);
    }
}

fn node(schema: &Map<String, Value>, at: &Path, depth: usize, found: &mut Vec<(Path, String)>) {
    if depth > DEPTH_LIMIT {
        return;
    }
    for keyword in schema.keys().filter(|keyword| !KNOWN.contains(&keyword.as_str())) {
        let foreign = FOREIGN.iter().find(|(name, _)| name == keyword);
        let meant = KNOWN.iter().filter(|known| known.len() > 3).filter_map(|known| Some((alike(keyword, known)?, known))).min();
        let message = match (foreign, meant) {
            (Some((_, instead)), _) => {
                format!("Remove {keyword}, which structural schemas don't have: {instead}. Or declare a JSON Schema with $schema.")
            }
            (None, Some((_, known))) => format!("Rename {keyword}: a schema of parameters has no such keyword. Did you mean {known}?"),
            (None, None) => continue,
        };
        found.push((at.child(keyword), message));
    }
    if let Some(types) = schema.get("type").and_then(Value::as_array) {
        found.push((at.child("type"), one_type(types)));
    }
    let inside = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
    for (name, property) in inside("properties").into_iter().flatten() {
        if let Some(property) = property.as_object() {
            node(property, &at.child("properties").child(name), depth + 1, found);
        }
    }
    for keyword in ["items", "additionalProperties", "not"] {
        if let Some(inner) = inside(keyword) {
            node(inner, &at.child(keyword), depth + 1, found);
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for (index, inner) in schema.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate() {
            if let Some(inner) = inner.as_object() {
                node(inner, &at.child(keyword).item(index), depth + 1, found);
            }
        }
    }
}

/// Returns how to write a list of types, as Helm's schemas have it, with the single type that a schema of parameters has.
fn one_type(types: &[Value]) -> String {
    let names: Vec<&str> = types.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect();
    let nullable = if types.iter().any(|name| name == "null") { " and nullable: true" } else { "" };
    match names.as_slice() {
        [name] => format!("Write type: {name}{nullable} instead of a list of types."),
        ["integer", "string"] | ["string", "integer"] => {
            format!("Write x-kubernetes-int-or-string: true{nullable} instead of a list of types.")
        }
        _ => format!(
            "Choose one type instead of a list. For values of any type, write x-kubernetes-preserve-unknown-fields: true{nullable} without a type."
        ),
    }
}
