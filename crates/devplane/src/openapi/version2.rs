//! OpenAPI v2: older clients read it. It cannot say all that a schema says, and says less then (`ToStructuralOpenAPIV2`).

use http::{HeaderMap, header::ACCEPT};
use serde_json::{Map, Value, json};

use super::{METADATA, OBJECT_META, gvk, schema, schema_name};
use crate::registry::Resource;

/// The protobuf form of a document (gnostic `openapiv2/OpenAPIv2.proto`).
pub const MESSAGE_TYPE: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Whether a client takes nothing but the protobuf form, as kubectl does.
pub fn wants_message(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("com.github.proto-openapi.spec.v2") && !accept.contains("json")
}

/// A document that names the server and defines nothing. Clients look there for kinds that v3 does not know, which v2 does not either.
pub fn message() -> Vec<u8> {
    let field = |number: u8, bytes: &[u8]| {
        let length = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
        [&[number << 3 | 2, length], bytes].concat()
    };
    let info = [field(1, TITLE.as_bytes()), field(2, VERSION.as_bytes())].concat();
    [field(1, b"2.0"), field(2, &info)].concat()
}

const TITLE: &str = "Kubernetes";
const VERSION: &str = "v1.36.4";

/// The document of all groups and versions.
pub fn document(resources: &[&Resource]) -> Value {
    let (mut definitions, mut paths) = (Map::new(), Map::new());
    definitions.insert(OBJECT_META.into(), simplified(crate::apply::object_meta::schema().json().clone()));
    for resource in resources {
        let name = schema_name(resource);
        let mut kind = schema(resource);
        kind["properties"]["metadata"] = json!({"description": METADATA, "$ref": format!("#/definitions/{OBJECT_META}")});
        definitions.insert(name.clone(), simplified(kind));
        definitions.insert(
            format!("{name}List"),
            json!({
                "type": "object",
                "required": ["items"],
                "properties": {"items": {"type": "array", "items": {"$ref": format!("#/definitions/{name}")}}},
                "x-kubernetes-group-version-kind": [gvk(resource, &resource.list_kind)],
            }),
        );
        super::operations::add(&mut paths, resource, &name);
    }
    json!({"swagger": "2.0", "info": {"title": TITLE, "version": VERSION}, "paths": paths, "definitions": definitions})
}

/// A schema without what v2 cannot say.
fn simplified(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    for gone in ["default", "oneOf", "anyOf", "allOf", "not", "x-kubernetes-validations"] {
        fields.remove(gone);
    }
    let is = |fields: &Map<String, Value>, key: &str| fields.get(key) == Some(&Value::Bool(true));
    if is(fields, "x-kubernetes-preserve-unknown-fields") || is(fields, "nullable") {
        // Their types would be read too strictly. The root keeps the fields that every object has.
        if !fields.contains_key("x-kubernetes-group-version-kind") {
            let mut gone = vec!["type", "properties", "items", "nullable"];
            // What every object has is required where it is described.
            if is(fields, "x-kubernetes-embedded-resource") {
                gone.push("required");
            }
            gone.into_iter().for_each(|gone| drop(fields.remove(gone)));
        }
    }
    if is(fields, "x-kubernetes-int-or-string") {
        fields.remove("type");
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(key) {
            *inner = simplified(inner.take());
        }
    }
    if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(|property| *property = simplified(property.take()));
    }
    schema
}
