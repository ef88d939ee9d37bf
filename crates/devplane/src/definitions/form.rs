//! The form in which the API server writes a definition: what says nothing is left out, and each version says whether it is served and
//! stored. Source: apiextensions-apiserver `pkg/apis/apiextensions/v1/types{,_jsonschema}.go` (`omitempty`, pointers).

use serde_json::{Map, Value};

use crate::protobuf::is_zero;

// Fields that are left out when they are empty; others are so only when they are null.
const SPEC: &[&str] = &["preserveUnknownFields"];
const NAMES: &[&str] = &["singular", "shortNames", "listKind", "categories"];
const VERSION: &[&str] = &["deprecated", "additionalPrinterColumns", "selectableFields"];
const COLUMN: &[&str] = &["format", "description", "priority"];
const RULE: &[&str] = &["message", "messageExpression", "fieldPath"];
const DOCUMENTATION: &[&str] = &["description", "url"];
const SCHEMA: &[&str] = &[
    "id",
    "$schema",
    "description",
    "type",
    "format",
    "title",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "pattern",
    "uniqueItems",
    "enum",
    "required",
    "allOf",
    "oneOf",
    "anyOf",
    "properties",
    "patternProperties",
    "definitions",
    "nullable",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
];

/// Brings a definition into that form. What has the wrong type stays, for others to judge.
pub fn normalise(definition: &mut Value) {
    if let Some(names) = definition.pointer_mut("/status/acceptedNames") {
        leave_out(names, NAMES);
    }
    let Some(spec) = definition.get_mut("spec") else { return };
    leave_out(spec, SPEC);
    if let Some(names) = spec.get_mut("names") {
        leave_out(names, NAMES);
    }
    for path in ["/conversion", "/conversion/webhook", "/conversion/webhook/clientConfig", "/conversion/webhook/clientConfig/service"] {
        if let Some(part) = spec.pointer_mut(path) {
            leave_out(part, &["caBundle"]);
        }
    }
    items(spec, "versions").for_each(version);
}

fn version(version: &mut Value) {
    leave_out(version, VERSION);
    if let Some(fields) = version.as_object_mut() {
        for flag in ["served", "storage"] {
            fields.entry(flag).or_insert(Value::Bool(false));
        }
    }
    for path in ["/schema", "/subresources", "/subresources/scale"] {
        if let Some(part) = version.pointer_mut(path) {
            leave_out(part, &[]);
        }
    }
    items(version, "additionalPrinterColumns").for_each(|column| leave_out(column, COLUMN));
    if let Some(root) = version.pointer_mut("/schema/openAPIV3Schema") {
        schema(root);
    }
}

fn schema(value: &mut Value) {
    leave_out(value, SCHEMA);
    let Some(fields) = value.as_object_mut() else { return };
    for (name, value) in fields {
        match name.as_str() {
            "items" | "not" | "additionalProperties" | "additionalItems" => schema(value),
            "allOf" | "oneOf" | "anyOf" => value.as_array_mut().into_iter().flatten().for_each(listed),
            "properties" | "patternProperties" | "definitions" => {
                value.as_object_mut().into_iter().flatten().for_each(|(_, value)| listed(value));
            }
            "x-kubernetes-validations" => value.as_array_mut().into_iter().flatten().for_each(|rule| leave_out(rule, RULE)),
            "externalDocs" => leave_out(value, DOCUMENTATION),
            _ => {}
        }
    }
}

/// A schema that stands in a list or map: there null is a schema of which nothing was said.
fn listed(value: &mut Value) {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    schema(value);
}

fn items<'v>(value: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Drops what is null, and these fields if they are empty.
fn leave_out(value: &mut Value, optional: &[&str]) {
    if let Some(fields) = value.as_object_mut() {
        let goes = |name: &str, value: &Value| value.is_null() || optional.contains(&name) && is_zero(value);
        fields.retain(|name, value| !goes(name, value));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_nothing_is_left_out() {
        let spec = json!({
            "type": "object", "title": "", "default": null, "enum": [], "nullable": false, "minProperties": 0,
            "additionalProperties": false, "x-kubernetes-preserve-unknown-fields": false,
            "properties": {"a": null, "b": {"default": "", "required": [], "not": {}}},
            "x-kubernetes-validations": [{"rule": "", "message": ""}],
        });
        let version = json!({
            "name": "v1", "storage": true, "deprecated": false, "schema": {"openAPIV3Schema": spec}, "selectableFields": [],
            "subresources": {"status": null, "scale": {"labelSelectorPath": null}},
            "additionalPrinterColumns": [{"name": "", "priority": 0, "description": "", "jsonPath": ".a"}],
        });
        let mut definition = json!({
            "metadata": {"labels": null},
            "spec": {"group": "", "names": {"plural": "", "shortNames": []}, "conversion": null, "versions": [version]},
        });
        normalise(&mut definition);
        let spec = json!({
            "type": "object", "minProperties": 0, "additionalProperties": false, "x-kubernetes-preserve-unknown-fields": false,
            "properties": {"a": {}, "b": {"default": "", "not": {}}}, "x-kubernetes-validations": [{"rule": ""}],
        });
        let version = json!({
            "name": "v1", "served": false, "storage": true, "schema": {"openAPIV3Schema": spec}, "subresources": {"scale": {}},
            "additionalPrinterColumns": [{"name": "", "jsonPath": ".a"}],
        });
        let spec = json!({"group": "", "names": {"plural": ""}, "versions": [version]});
        assert_eq!(definition, json!({"metadata": {"labels": null}, "spec": spec}));
    }

    #[test]
    fn what_has_another_form_is_left_to_others() {
        let odd = json!({"spec": {"names": [], "versions": [1, {"schema": 2, "subresources": "x"}]}});
        for definition in [json!(1), json!({"spec": 1}), odd] {
            normalise(&mut definition.clone());
        }
    }
}
