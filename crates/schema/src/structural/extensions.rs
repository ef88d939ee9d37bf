//! Rules for the keywords that Kubernetes adds to schemas.

use std::collections::HashSet;

use serde_json::Value;

use super::error::FieldError;
use super::path::Path;
use super::{Kind, ListType, Schema};

/// Checks the keywords that can't be combined with `x-kubernetes-int-or-string`.
pub(super) fn int_or_string(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let others = [(schema.preserve_unknown, "x-kubernetes-preserve-unknown-fields"), (schema.embedded, "x-kubernetes-embedded-resource")];
    for (_, keyword) in others.into_iter().filter(|(is_set, _)| schema.int_or_string && *is_set) {
        let field = path.field(keyword).to_string();
        errors.push(FieldError::invalid(field, true, "must be false if x-kubernetes-int-or-string is true"));
    }
}

pub(super) fn check(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    map_type(schema, path, errors);
    list_type(schema, path, errors);
}

fn must_be(schema: &Schema, kind: Kind, detail: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let field = path.field("type").to_string();
    match schema.json().get("type").and_then(Value::as_str) {
        None | Some("") => errors.push(FieldError::required(field, detail)),
        Some(written) if written != kind.name() => errors.push(FieldError::invalid(field, written, detail)),
        Some(_) => {}
    }
}

fn map_type(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(written) = schema.json().get("x-kubernetes-map-type").and_then(Value::as_str) else { return };
    must_be(schema, Kind::Object, "must be object if x-kubernetes-map-type is specified", path, errors);
    if !matches!(written, "atomic" | "granular") {
        let field = path.field("x-kubernetes-map-type").to_string();
        errors.push(FieldError::not_supported(field, written, &["atomic", "granular"]));
    }
}

fn list_type(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let json = schema.json();
    let (keyword, keys_keyword) = ("x-kubernetes-list-type", "x-kubernetes-list-map-keys");
    let written = json.get(keyword).and_then(Value::as_str);
    if let Some(written) = written {
        must_be(schema, Kind::Array, "must be array if x-kubernetes-list-type is specified", path, errors);
        if !matches!(written, "atomic" | "map" | "set") {
            errors.push(FieldError::not_supported(path.field(keyword).to_string(), written, &["atomic", "set", "map"]));
        }
    }
    if json.get(keys_keyword).and_then(Value::as_array).is_some_and(|keys| !keys.is_empty()) && written != Some("map") {
        let (field, detail) = (path.field(keyword).to_string(), "must be map if x-kubernetes-list-map-keys is non-empty");
        errors.push(match written {
            None => FieldError::required(field, detail),
            Some(written) => FieldError::invalid(field, written, detail),
        });
    }
    match &schema.list_type {
        ListType::Atomic => {}
        ListType::Set => set(schema, path, errors),
        ListType::Map(keys) => map(schema, keys, path, errors),
    }
}

fn set(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(items) = schema.items() else { return };
    let path = path.field("items");
    if items.nullable {
        let detail = "cannot be nullable when x-kubernetes-list-type is set";
        errors.push(FieldError::forbidden(path.field("nullable").to_string(), detail));
    }
    let json = items.json();
    match items.kind {
        Some(Kind::Object) if !items.map_type_atomic => {
            let written = json.get("x-kubernetes-map-type").cloned().unwrap_or(Value::Null);
            let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
            errors.push(FieldError::invalid(path.field("x-kubernetes-map-type").to_string(), written, detail));
        }
        Some(Kind::Array) if json.get("x-kubernetes-list-type").is_some_and(|written| written != "atomic") => {
            let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
            let written = json["x-kubernetes-list-type"].clone();
            errors.push(FieldError::invalid(path.field("x-kubernetes-list-type").to_string(), written, detail));
        }
        _ => {}
    }
}

fn map(schema: &Schema, keys: &[String], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let keyword = path.field("x-kubernetes-list-map-keys");
    if keys.is_empty() {
        errors.push(FieldError::required(keyword.to_string(), "must not be empty if x-kubernetes-list-type is map"));
    }
    let here = path.field("items");
    let Some(items) = schema.items() else {
        errors.push(FieldError::required(here.to_string(), "must have a schema if x-kubernetes-list-type is map"));
        return;
    };
    must_be(items, Kind::Object, "must be object if parent array's x-kubernetes-list-type is map", &here, errors);
    if items.nullable {
        let detail = "cannot be nullable when x-kubernetes-list-type is map";
        errors.push(FieldError::forbidden(here.field("nullable").to_string(), detail));
    }
    let properties = here.field("properties");
    let mut seen = HashSet::new();
    for key in keys {
        if !seen.insert(key) && items.kind == Some(Kind::Object) {
            errors.push(FieldError::invalid(keyword.to_string(), keys.to_vec(), "must not contain duplicate entries"));
        }
        let Some(property) = items.properties.get(key) else {
            if items.kind == Some(Kind::Object) {
                errors.push(FieldError::invalid(keyword.to_string(), keys.to_vec(), "entries must all be names of item properties"));
            }
            continue;
        };
        let property_path = properties.key(key);
        if matches!(property.kind, Some(Kind::Array | Kind::Object)) {
            let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
            let name = property.kind.map_or("", Kind::name);
            errors.push(FieldError::invalid(property_path.field("type").to_string(), name, detail));
        }
        if property.default.is_none() && !items.required.contains(key) {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.push(FieldError::required(property_path.field("default").to_string(), detail));
        }
        if property.nullable && property.default.is_none() {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.push(FieldError::forbidden(property_path.field("nullable").to_string(), detail));
        }
    }
}
