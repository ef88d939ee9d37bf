//! What is taken and does nothing, of which the API server warns: formats of a schema that nobody checks.
//! Source: apiextensions-apiserver `pkg/apiserver/validation/formats.go`, `pkg/registry/customresourcedefinition/strategy.go`.

use serde_json::Value;

/// Formats of texts, without their dashes.
const OF_TEXTS: [&str; 26] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8slongname",
    "k8sshortname",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Warnings about a definition that is new, or about what a change brings.
pub fn warnings(definition: &Value, old: Option<&Value>) -> Vec<String> {
    let known = old.map(unrecognised).unwrap_or_default();
    let formats = unrecognised(definition).into_iter().filter(|format| !known.contains(format));
    let formats = formats.map(|format| format!("unrecognized format {format:?}"));
    formats.collect()
}

/// The formats, each once.
fn unrecognised(definition: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    for version in definition["spec"]["versions"].as_array().into_iter().flatten() {
        collect(&version["schema"]["openAPIV3Schema"], &mut found);
    }
    found
}

fn collect<'v>(schema: &'v Value, found: &mut Vec<&'v str>) {
    let format = schema["format"].as_str().unwrap_or_default();
    let is_known = match schema["type"].as_str().unwrap_or_default() {
        _ if format.is_empty() => true,
        "" | "string" => OF_TEXTS.contains(&format.replace('-', "").as_str()),
        "integer" => ["int32", "int64"].contains(&format),
        "number" => ["float", "double"].contains(&format),
        _ => false,
    };
    if !is_known && !found.contains(&format) {
        found.push(format);
    }
    collect_all(schema["items"].as_object().map(|_| &schema["items"]), found);
    for list in ["allOf", "anyOf", "oneOf"] {
        collect_all(schema[list].as_array().into_iter().flatten(), found);
    }
    collect_all(schema.get("not"), found);
    collect_all(schema["properties"].as_object().into_iter().flat_map(|properties| properties.values()), found);
    collect_all(schema.get("additionalProperties"), found);
}

fn collect_all<'v>(schemas: impl IntoIterator<Item = &'v Value>, found: &mut Vec<&'v str>) {
    schemas.into_iter().for_each(|schema| collect(schema, found));
}
