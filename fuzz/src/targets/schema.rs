//! Schemas of definitions, hostile ones too, and objects under those that are accepted.

use schema::{expr::Budget, structural::Schema};
use serde_json::{Map, Value, json};

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "type",
    "object",
    "array",
    "string",
    "integer",
    "number",
    "boolean",
    "properties",
    "additionalProperties",
    "items",
    "required",
    "enum",
    "default",
    "nullable",
    "format",
    "date-time",
    "int32",
    "int64",
    "byte",
    "duration",
    "pattern",
    "^a+$",
    "^(a|b)*c{1,9}$",
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "exclusiveMinimum",
    "uniqueItems",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-list-type",
    "map",
    "set",
    "atomic",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
    "rule",
    "message",
    "messageExpression",
    "reason",
    "fieldPath",
    ".a",
    "optionalOldSelf",
    "a",
    "b",
    "c",
    "metadata",
    "name",
    "apiVersion",
    "kind",
    "spec",
];

const RULES: &[&str] = &[
    "true",
    "self == oldSelf",
    "self.a == self.b",
    "has(self.a) && self.a > 1",
    "self.all(x, x == x)",
    "self.map(x, x)",
    "size(self) < 5",
    "self.exists_one(x, self.all(y, x != y))",
    "self.matches('^a*b$')",
    "self.a.startsWith('a')",
    "self.filter(x, x > 0).size() > 0",
    "oldSelf.orValue(self) == self",
    "quantity(self).isInteger()",
    "self.split('a').join('b') == self",
    "type(self) == string",
];

/// Reads a schema; judges, defaults and prunes an object under it.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let json = if bytes.one_in(4) { bytes.object() } else { schema(&mut bytes, 0) };
    // What was stored before a check was stricter is read, too.
    let lenient = Schema::parse_lenient(&json);
    let accepted = Schema::parse(&json);
    let (mut new, old) = (instance(&json, &mut bytes, 0), instance(&json, &mut bytes, 0));
    judge(&lenient, &new, &old);
    let Ok(schema) = accepted else { return };
    schema.prune_resource(&mut new.clone());
    schema.default(&mut new);
    // A default may hold nulls that its own schema does not want: a server drops them when it reads what it wrote. After that it is settled.
    schema.default(&mut new);
    let mut again = new.clone();
    schema.default(&mut again);
    assert_eq!(again, new, "defaulted once more it is another: {json}");
    schema.prune(&mut new);
    assert_eq!(schema.prune(&mut new), [""; 0], "something is left to prune: {json}");
    judge(&schema, &new, &old);
}

fn judge(schema: &Schema, new: &Value, old: &Value) {
    let problems = schema.validate(new);
    schema.validate_change(new, old);
    // Rules are asked about objects that are otherwise right.
    if problems.is_empty() {
        schema.validate_rules(new, Some(old), &mut Budget::steps(200_000));
        schema.validate_all_rules(new, None, &mut Budget::steps(200_000));
    }
    for problem in problems {
        let _ = (problem.body(), problem.place().len());
    }
}

/// A schema that may be accepted.
fn schema(bytes: &mut Bytes, depth: usize) -> Value {
    let mut found = Map::new();
    let kind = if depth == 0 { "object" } else { bytes.one_of(&["object", "array", "string", "integer", "number", "boolean", ""]) };
    if !kind.is_empty() {
        found.insert("type".into(), kind.into());
    }
    if bytes.is_empty() || depth > 40 {
        return Value::Object(found);
    }
    match kind {
        "object" if bytes.one_in(4) && depth > 0 => {
            found.insert("additionalProperties".into(), schema(bytes, depth + 1));
        }
        "object" => {
            let names = ["a", "b", "c", "spec", "metadata", "name"];
            let properties = (0..bytes.below(4)).map(|_| (bytes.one_of(&names).to_owned(), schema(bytes, depth + 1)));
            found.insert("properties".into(), Value::Object(properties.collect()));
        }
        "array" => {
            found.insert("items".into(), schema(bytes, depth + 1));
        }
        "" => {
            found.insert(bytes.one_of(&["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"]).into(), true.into());
        }
        _ => {}
    }
    for _ in 0..bytes.below(4) {
        keyword(&mut found, bytes, depth);
    }
    Value::Object(found)
}

fn keyword(found: &mut Map<String, Value>, bytes: &mut Bytes, depth: usize) {
    let (name, value) = match bytes.below(12) {
        0 => ("default", instance(&Value::Object(found.clone()), bytes, depth)),
        1 => ("nullable", true.into()),
        2 => ("enum", json!([bytes.value(), bytes.value()])),
        3 => ("required", json!([bytes.one_of(&["a", "b", "c"])])),
        4 => ("format", bytes.one_of(&["date-time", "int32", "byte", "duration", "uri", "ipv4", "email", "uuid"]).into()),
        5 => ("pattern", bytes.text().into()),
        6 => (
            bytes.one_of(&["minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "maxProperties"]),
            bytes.value(),
        ),
        7 => ("x-kubernetes-list-type", bytes.one_of(&["map", "set", "atomic"]).into()),
        8 => ("x-kubernetes-list-map-keys", json!([bytes.one_of(&["a", "name"])])),
        9 => (bytes.one_of(&["anyOf", "oneOf", "allOf"]), json!([schema(bytes, depth + 1), schema(bytes, depth + 1)])),
        10 => (bytes.one_of(&["x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields", "uniqueItems"]), true.into()),
        _ => {
            let rule = if bytes.one_in(8) { bytes.text() } else { bytes.one_of(RULES).to_owned() };
            ("x-kubernetes-validations", json!([{"rule": rule, "message": "no"}]))
        }
    };
    found.insert(name.to_owned(), value);
}

/// A value that may fit a schema.
fn instance(schema: &Value, bytes: &mut Bytes, depth: usize) -> Value {
    if bytes.is_empty() || depth > 60 || bytes.one_in(16) {
        return bytes.value();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let mut fields = Map::new();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                if !bytes.one_in(4) {
                    fields.insert(name.clone(), instance(property, bytes, depth + 1));
                }
            }
            if schema["additionalProperties"].is_object() {
                for _ in 0..bytes.below(4) {
                    fields.insert(bytes.text(), instance(&schema["additionalProperties"], bytes, depth + 1));
                }
            }
            Value::Object(fields)
        }
        Some("array") => Value::Array((0..bytes.below(5)).map(|_| instance(&schema["items"], bytes, depth + 1)).collect()),
        Some("string") => bytes.text().into(),
        Some("integer") => (i64::from(bytes.byte()) - 8).into(),
        Some("number") => (f64::from(bytes.byte()) / 4.0).into(),
        Some("boolean") => (bytes.one_in(2)).into(),
        _ => bytes.value(),
    }
}
