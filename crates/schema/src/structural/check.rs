//! The rules a schema must follow to be structural, with the API server's paths and texts.

use serde_json::Value;

use super::error::FieldError;
use super::path::Path;
use super::{Additional, Kind, Schema, extensions, prune, validate};

/// Where a node stands; the texts differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Item,
}

/// Checks the whole schema but its defaults.
pub(super) fn check(schema: &Schema, errors: &mut Vec<FieldError>) {
    if schema.nullable {
        errors.push(FieldError::forbidden("nullable", "nullable cannot be true at the root"));
    }
    node(schema, Level::Root, &Path::Root, errors);
}

fn node(schema: &Schema, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    kind(schema, level, path, errors);
    if schema.kind == Some(Kind::Array) && schema.items.is_none() && !schema.json().get("items").is_some_and(Value::is_array) {
        errors.push(FieldError::required(path.field("items").to_string(), "must be specified"));
    }
    extensions::check(schema, path, errors);
    resource(schema, level, path, errors);
    combinations(schema, path, errors);
    let properties = path.field("properties");
    for (name, property) in &schema.properties {
        node(property, Level::Field, &properties.key(name), errors);
    }
    if let Additional::Schema(values) = &schema.additional {
        let path = path.field("additionalProperties");
        node(values, Level::Field, &path, errors);
    }
    if level == Level::Root && !matches!(schema.additional, Additional::Unsaid) {
        errors.push(FieldError::forbidden(path.field("additionalProperties").to_string(), "must not be used at the root"));
    }
    if let Some(items) = schema.items() {
        node(items, Level::Item, &path.field("items"), errors);
    }
}

fn kind(schema: &Schema, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let field = path.field("type");
    let written = schema.json().get("type").and_then(Value::as_str).unwrap_or_default();
    if schema.embedded && written != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(if written.is_empty() {
            FieldError::required(field.to_string(), detail)
        } else {
            FieldError::invalid(field.to_string(), written, detail)
        });
    } else if written.is_empty() && !schema.int_or_string && !schema.preserve_unknown {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Field => "must not be empty for specified object fields",
            Level::Item => "must not be empty for specified array items",
        };
        errors.push(FieldError::required(field.to_string(), detail));
    }
    if level == Level::Root && !written.is_empty() && written != "object" {
        errors.push(FieldError::invalid(field.to_string(), written, "must be object at the root"));
    }
}

/// Rules for the fields that every resource has.
fn resource(schema: &Schema, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if schema.embedded && !matches!(schema.additional, Additional::Unsaid) {
        let field = path.field("additionalProperties").to_string();
        errors.push(FieldError::forbidden(field, "must not be used if x-kubernetes-embedded-resource is set"));
    }
    let properties = path.field("properties");
    if schema.embedded && !schema.preserve_unknown && schema.properties.is_empty() {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(properties.to_string(), detail));
    }
    if level != Level::Root && !schema.embedded {
        return;
    }
    for (name, expected) in [("kind", Kind::String), ("apiVersion", Kind::String), ("metadata", Kind::Object)] {
        let Some(property) = schema.properties.get(name) else { continue };
        if property.kind != Some(expected) {
            let written = property.json().get("type").cloned().unwrap_or_else(|| "".into());
            let field = properties.key(name).field("type").to_string();
            errors.push(FieldError::invalid(field, written, format!("must be {}", expected.name())));
        }
    }
    if level == Level::Root
        && let Some(metadata) = schema.properties.get("metadata")
        && metadata.properties.keys().any(|name| name != "name" && name != "generateName")
    {
        let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        errors.push(FieldError::forbidden(properties.key("metadata").to_string(), detail));
    }
}

/// Checks the schemas inside `allOf`, `anyOf`, `oneOf` and `not`: they may only constrain values of fields declared outside.
fn combinations(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let lists = [("allOf", &schema.all_of), ("anyOf", &schema.any_of), ("oneOf", &schema.one_of)];
    let exempt = schema.int_or_string && is_int_or_string_pattern(schema);
    for (keyword, schemas) in lists {
        let here = path.field(keyword);
        for (index, inner) in schemas.iter().enumerate() {
            nested(inner, Some(schema), path, &here.index(index), exempt, errors);
        }
    }
    if let Some(not) = &schema.not {
        nested(not, Some(schema), path, &path.field("not"), false, errors);
    }
}

/// `anyOf: [{type: integer}, {type: string}]`, directly or as the first of `allOf`: allowed beside x-kubernetes-int-or-string.
fn is_int_or_string_pattern(schema: &Schema) -> bool {
    let is_pair =
        |schemas: &[Schema]| matches!(schemas, [first, second] if first.kind == Some(Kind::Integer) && second.kind == Some(Kind::String));
    is_pair(&schema.any_of) || schema.all_of.first().is_some_and(|first| is_pair(&first.any_of))
}

fn nested(inner: &Schema, outer: Option<&Schema>, outer_path: &Path<'_>, path: &Path<'_>, exempt: bool, errors: &mut Vec<FieldError>) {
    let json = inner.json();
    let mut forbid = |keyword: &str, detail: &str| errors.push(FieldError::forbidden(path.field(keyword).to_string(), detail));
    if inner.kind.is_some() && !exempt {
        forbid("type", "must be empty to be structural");
    }
    for keyword in ["title", "description"] {
        if json.get(keyword).and_then(Value::as_str).is_some_and(|text| !text.is_empty()) {
            forbid(keyword, "must be empty to be structural");
        }
    }
    if !matches!(inner.additional, Additional::Unsaid) {
        forbid("additionalProperties", "must be undefined to be structural");
    }
    if inner.default.is_some() {
        forbid("default", "must be undefined to be structural");
    }
    if inner.nullable {
        forbid("nullable", "must be false to be structural");
    }
    for keyword in ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"] {
        if json.get(keyword) == Some(&Value::Bool(true)) {
            forbid(keyword, "must be false to be structural");
        }
    }
    for keyword in ["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"] {
        if json.get(keyword).is_some_and(|value| !value.is_null()) {
            forbid(keyword, "must be undefined to be structural");
        }
    }
    if !inner.rules.is_empty() {
        forbid("x-kubernetes-validations", "must be empty to be structural");
    }
    complete(inner, outer, outer_path, path, exempt, errors);
}

/// Checks that what a nested schema speaks of is declared outside, and goes further down.
fn complete(inner: &Schema, outer: Option<&Schema>, outer_path: &Path<'_>, path: &Path<'_>, exempt: bool, errors: &mut Vec<FieldError>) {
    let (properties, outer_properties) = (path.field("properties"), outer_path.field("properties"));
    for (name, property) in &inner.properties {
        let here = properties.key(name);
        let declared = outer.and_then(|outer| outer.properties.get(name).or_else(|| outer.additional_properties()));
        if declared.is_none() {
            let detail = format!("because it is defined in {here}");
            errors.push(FieldError::required(outer_properties.key(name).to_string(), detail));
        }
        nested(property, declared, &outer_properties.key(name), &here, false, errors);
    }
    if let Some(items) = inner.items() {
        let (here, outside) = (path.field("items"), outer_path.field("items"));
        let declared = outer.and_then(Schema::items);
        if declared.is_none() {
            errors.push(FieldError::required(outside.to_string(), format!("because it is defined in {here}")));
        }
        nested(items, declared, &outside, &here, false, errors);
    }
    for (keyword, schemas) in [("allOf", &inner.all_of), ("anyOf", &inner.any_of), ("oneOf", &inner.one_of)] {
        let here = path.field(keyword);
        for (index, schema) in schemas.iter().enumerate() {
            nested(schema, outer, outer_path, &here.index(index), exempt, errors);
        }
    }
    if let Some(not) = &inner.not {
        nested(not, outer, outer_path, &path.field("not"), false, errors);
    }
}

/// Checks that every default is complete, known and valid. Assumes a schema without other errors.
pub(super) fn defaults(schema: &Schema, errors: &mut Vec<FieldError>) {
    default_of(schema, &Path::Root, errors);
}

fn default_of(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(default) = &schema.default {
        let field = path.field("default");
        let known = errors.len();
        let mut pruned = default.clone();
        super::default::default(schema, &mut pruned);
        if !prune::prune(schema, &mut pruned, schema.embedded).is_empty() {
            errors.push(FieldError::invalid(field.to_string(), default.clone(), "must not have unknown fields"));
        } else {
            let text = path.to_string();
            errors.extend(validate::validate_default(schema, &pruned).into_iter().map(|error| error.prefixed(&text)));
        }
        // What is filled in from further down was judged with it.
        if errors.len() > known {
            return;
        }
    }
    let properties = path.field("properties");
    for (name, property) in &schema.properties {
        default_of(property, &properties.key(name), errors);
    }
    if let Additional::Schema(values) = &schema.additional {
        default_of(values, &path.field("additionalProperties"), errors);
    }
    if let Some(items) = schema.items() {
        default_of(items, &path.field("items"), errors);
    }
}
