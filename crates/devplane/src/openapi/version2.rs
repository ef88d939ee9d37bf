//! OpenAPI v2: older clients read it. It cannot say all that a schema says, and says less then (`ToStructuralOpenAPIV2`).

use serde_json::{Map, Value, json};

use super::{OBJECT_META, gvk, schema, schema_name};
use crate::registry::Resource;

/// The document of all groups and versions.
pub fn document(resources: &[&Resource]) -> Value {
    let (mut definitions, mut paths) = (Map::new(), Map::new());
    definitions.insert(OBJECT_META.into(), simplified(crate::apply::object_meta::schema().json().clone()));
    for resource in resources {
        let name = schema_name(resource);
        let mut kind = schema(resource);
        kind["properties"]["metadata"] = json!({"$ref": format!("#/definitions/{OBJECT_META}")});
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
    json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": "v1.36.4"}, "paths": paths, "definitions": definitions})
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
            for gone in ["type", "properties", "items", "nullable"] {
                fields.remove(gone);
            }
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
