//! JSON Schema, as Helm charts, Backstage and other systems write it: with references, constants, conditions, tuples and variants.
//!
//! Forms, defaults and expressions need a structural schema. [`structural`] makes one that accepts at least what the JSON Schema accepts,
//! and keeps the JSON Schema in it under [`ORIGINAL`]; [`crate::structural::Schema::validate`] then lets the crate `jsonschema` decide.
//!
//! To add a keyword: read it in `translate` if it says something about the form of a value. If it only limits values, nothing is needed.

mod alternatives;
mod combine;
mod compile;
mod references;
#[cfg(test)]
mod tests;
mod translate;

use serde_json::{Map, Value, json};

pub(crate) use compile::compile;
use references::References;

/// Keyword of a structural schema made from a JSON Schema: the JSON Schema.
pub const ORIGINAL: &str = "x-json-schema";
/// Keyword of an object of which exactly one of several variants applies: a list of `{title, properties, required, fixed}`.
pub const VARIANTS: &str = "x-variants";
/// Keyword of an object that takes other fields only because its schema doesn't forbid them.
pub const UNMENTIONED: &str = "x-unmentioned-fields";
/// Keyword of an enum whose values have titles: an object from value to title.
pub const ENUM_TITLES: &str = "x-enum-titles";

/// Keywords that no structural schema has, and that mean something to forms.
const ONLY_HERE: [&str; 20] = [
    "$defs",
    "$ref",
    "$schema",
    "additionalItems",
    "const",
    "contains",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "minContains",
    "maxContains",
];
/// Keywords whose value is data.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];
/// Keywords whose value maps names to schemas.
const NAMED: [&str; 6] = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Why a JSON Schema can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonSchemaError {
    /// A reference leads out of the document. Nothing is fetched.
    #[error("{reference} refers to another document")]
    External {
        /// JSON pointer of the schema with the reference.
        at: String,
        /// The reference.
        reference: String,
    },
    /// A reference leads nowhere.
    #[error("{reference} refers to a schema that doesn't exist")]
    Missing {
        /// JSON pointer of the schema with the reference.
        at: String,
        /// The reference.
        reference: String,
    },
    /// Its values aren't objects.
    #[error("the schema doesn't describe an object")]
    NotAnObject,
    /// It isn't a JSON Schema.
    #[error("{cause}")]
    Invalid {
        /// JSON pointer of the faulty keyword.
        at: String,
        /// The fault, in the words of the crate `jsonschema`.
        cause: String,
    },
}

/// Whether a schema is declared to be a JSON Schema: by `$schema`, as the specification of JSON Schema wants it.
pub fn is_json_schema(schema: &Value) -> bool {
    schema.get("$schema").is_some_and(Value::is_string)
}

/// Whether a schema has keywords that only JSON Schema has.
pub fn has_foreign_keywords(schema: &Value) -> bool {
    let Some(node) = schema.as_object() else { return schema.is_boolean() };
    let is_open = |keyword: &str| node.get(keyword).is_some_and(|value| value.is_array() || value.is_boolean());
    ONLY_HERE.iter().any(|keyword| node.contains_key(*keyword))
        || node.get("type").is_some_and(Value::is_array)
        || is_open("items")
        || (node.contains_key("properties") && node.get("additionalProperties").is_some_and(|value| value != &Value::Bool(true)))
        || node.get("exclusiveMinimum").or_else(|| node.get("exclusiveMaximum")).is_some_and(Value::is_number)
        || node.get("uniqueItems") == Some(&Value::Bool(true))
        || branches(node).any(|(_, branch)| branch.get("type").is_some() || branch.get("properties").is_some())
        || children(node).into_iter().any(|(_, child)| has_foreign_keywords(child))
}

/// Declares a schema to be a JSON Schema, unless it says so itself: of draft 7 if it has keywords that later drafts replaced.
pub fn declared(mut schema: Value) -> Value {
    let draft = if schema.get("definitions").is_some() || schema.get("dependencies").is_some() {
        "http://json-schema.org/draft-07/schema#"
    } else {
        "https://json-schema.org/draft/2020-12/schema"
    };
    if let Some(node) = schema.as_object_mut() {
        node.entry("$schema").or_insert_with(|| json!(draft));
    }
    schema
}

/// Makes a structural schema of a JSON Schema: references are written out, recursive ones as deep as there is room for.
///
/// # Errors
/// If a reference can't be followed, or the values aren't objects.
pub fn structural(schema: &Value) -> Result<Value, JsonSchemaError> {
    let references = References::of(schema);
    references.check()?;
    let mut node = translate::translate(schema, &references);
    if node.get("type") != Some(&json!("object")) {
        return Err(JsonSchemaError::NotAnObject);
    }
    node.remove("nullable");
    node.insert(ORIGINAL.to_owned(), schema.clone());
    Ok(Value::Object(node))
}

/// Returns the JSON Schema that a structural schema was made from.
pub fn original(structural: &Value) -> Option<&Value> {
    structural.get(ORIGINAL)
}

/// Returns the structural schema of single keywords, whatever they are about.
pub(crate) fn of_keywords(keywords: &Value) -> Value {
    Value::Object(translate::translate(keywords, &References::of(keywords)))
}

/// Checks that values can be validated against a JSON Schema.
///
/// # Errors
/// If the schema is faulty.
pub fn check(schema: &Value) -> Result<(), JsonSchemaError> {
    References::of(schema).check()?;
    compile(schema).map(|_| ())
}

/// Returns the alternatives of a schema with their keyword.
fn branches(node: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &Value)> {
    let of = |keyword: &'static str| node.get(keyword).and_then(Value::as_array).into_iter().flatten().map(move |branch| (keyword, branch));
    of("oneOf").chain(of("anyOf"))
}

/// Returns the schemas inside of a schema with their JSON pointers from it.
fn children(node: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for (keyword, value) in node {
        match value {
            _ if DATA.contains(&keyword.as_str()) => {}
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                found.extend(named.iter().map(|(name, schema)| (format!("/{keyword}/{}", escaped(name)), schema)));
            }
            Value::Object(_) => found.push((format!("/{keyword}"), value)),
            Value::Array(list) => {
                let schemas = list.iter().enumerate().filter(|(_, schema)| schema.is_object());
                found.extend(schemas.map(|(index, schema)| (format!("/{keyword}/{index}"), schema)));
            }
            _ => {}
        }
    }
    found
}

/// Returns a step of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
