//! Fields of a definition that nobody knows: they go, and their paths are told. Schemas nest without end, so no schema describes them.
//! Source: apiextensions-apiserver `pkg/apis/apiextensions/v1/types{,_jsonschema}.go`.

use serde_json::{Map, Value};

const SPEC: &[&str] = &["group", "names", "scope", "versions", "conversion", "preserveUnknownFields"];
const NAMES: &[&str] = &["plural", "singular", "shortNames", "kind", "listKind", "categories"];
const VERSION: &[&str] = &[
    "name",
    "served",
    "storage",
    "deprecated",
    "deprecationWarning",
    "schema",
    "subresources",
    "additionalPrinterColumns",
    "selectableFields",
];
const SUBRESOURCES: &[&str] = &["status", "scale"];
const SCALE: &[&str] = &["specReplicasPath", "statusReplicasPath", "labelSelectorPath"];
const COLUMN: &[&str] = &["name", "type", "format", "description", "priority", "jsonPath"];
const SCHEMA: &[&str] = &[
    "id",
    "$schema",
    "$ref",
    "description",
    "type",
    "format",
    "title",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "enum",
    "maxProperties",
    "minProperties",
    "required",
    "items",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "properties",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "externalDocs",
    "example",
    "nullable",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];
const RULE: &[&str] = &["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];

/// Drops what no definition has; the answer is the paths, `spec.versions[0].bogus`.
pub fn prune(definition: &mut Value) -> Vec<String> {
    let mut unknown = Vec::new();
    let Some(spec) = definition.get_mut("spec") else { return unknown };
    known(spec, SPEC, "spec", &mut unknown);
    below(spec, "spec", "names", &mut |names, at| known(names, NAMES, at, &mut unknown));
    below(spec, "spec", "versions", &mut |versions, at| {
        each(versions, at, &mut |version, at| prune_version(version, at, &mut unknown));
    });
    unknown
}

fn prune_version(version: &mut Value, at: &str, unknown: &mut Vec<String>) {
    known(version, VERSION, at, unknown);
    below(version, at, "subresources", &mut |parts, at| {
        known(parts, SUBRESOURCES, at, unknown);
        below(parts, at, "scale", &mut |scale, at| known(scale, SCALE, at, unknown));
    });
    for (list, fields) in [("additionalPrinterColumns", COLUMN), ("selectableFields", &["jsonPath"])] {
        below(version, at, list, &mut |items, at| each(items, at, &mut |item, at| known(item, fields, at, unknown)));
    }
    below(version, at, "schema", &mut |validation, at| {
        known(validation, &["openAPIV3Schema"], at, unknown);
        below(validation, at, "openAPIV3Schema", &mut |value, at| schema(value, at, unknown));
    });
}

/// Does something with a field, if it is there, with its path.
fn below(value: &mut Value, at: &str, name: &str, act: &mut dyn FnMut(&mut Value, &str)) {
    if let Some(field) = value.get_mut(name) {
        act(field, &format!("{at}.{name}"));
    }
}

/// Keeps these fields alone.
fn known(value: &mut Value, fields: &[&str], at: &str, unknown: &mut Vec<String>) {
    if let Some(found) = value.as_object_mut() {
        found.retain(|name, _| {
            let keeps = fields.contains(&name.as_str());
            if !keeps {
                unknown.push(format!("{at}.{name}"));
            }
            keeps
        });
    }
}

/// Does something with each item of a list, with its path.
fn each(list: &mut Value, at: &str, act: &mut dyn FnMut(&mut Value, &str)) {
    for (index, item) in list.as_array_mut().into_iter().flatten().enumerate() {
        act(item, &format!("{at}[{index}]"));
    }
}

fn schema(value: &mut Value, at: &str, unknown: &mut Vec<String>) {
    known(value, SCHEMA, at, unknown);
    let Some(fields) = value.as_object_mut() else { return };
    for (name, value) in fields {
        let at = format!("{at}.{name}");
        match name.as_str() {
            "items" | "not" | "additionalProperties" | "additionalItems" => schema(value, &at, unknown),
            "allOf" | "oneOf" | "anyOf" => each(value, &at, &mut |value, at| schema(value, at, unknown)),
            "properties" | "patternProperties" | "definitions" => {
                for (name, value) in value.as_object_mut().unwrap_or(&mut Map::new()) {
                    schema(value, &format!("{at}.{name}"), unknown);
                }
            }
            "x-kubernetes-validations" => each(value, &at, &mut |rule, at| known(rule, RULE, at, unknown)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_go_at_any_depth_and_are_named() {
        let open =
            json!({"type": "object", "properties": {"a": {"type": "string", "x-foo": 1, "default": {"x-foo": 1}}}, "oneOf": [{"q": 1}]});
        let version = json!({"name": "v1", "nope": 1, "schema": {"openAPIV3Schema": open}});
        let mut definition = json!({"spec": {"group": "g", "bogus": 1, "names": {"kind": "K", "x": 1}, "versions": [version]}});
        let mut told = prune(&mut definition);
        told.sort();
        assert_eq!(
            told,
            [
                "spec.bogus",
                "spec.names.x",
                "spec.versions[0].nope",
                "spec.versions[0].schema.openAPIV3Schema.oneOf[0].q",
                "spec.versions[0].schema.openAPIV3Schema.properties.a.x-foo",
            ]
        );
        let kept = json!({"type": "object", "properties": {"a": {"type": "string", "default": {"x-foo": 1}}}, "oneOf": [{}]});
        let version = json!({"name": "v1", "schema": {"openAPIV3Schema": kept}});
        assert_eq!(definition, json!({"spec": {"group": "g", "names": {"kind": "K"}, "versions": [version]}}));
    }

    #[test]
    fn what_has_another_form_is_left_to_others() {
        for definition in
            [json!({"spec": 1}), json!({"spec": {"names": [], "versions": [1, {"schema": 2, "subresources": "x"}]}}), json!({})]
        {
            prune(&mut definition.clone());
        }
    }
}
