//! The rules that a structural schema must follow, with the API server's paths and messages.

use serde_json::Value;

use super::error::FieldError;
use super::parse::UNSUPPORTED;
use super::path::Path;
use super::{Additional, Kind, Schema, extensions, prune, validate};

/// Level of a node in the schema; the messages differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The root of a part of a resource, which has none of the fields that every resource has.
    PartRoot,
    Root,
    Field,
    Item,
}

impl Level {
    fn is_root(self) -> bool {
        matches!(self, Self::Root | Self::PartRoot)
    }
}

/// Checks the whole schema except its defaults.
pub(super) fn check(schema: &Schema, is_resource: bool, errors: &mut Vec<FieldError>) {
    if schema.nullable {
        errors.push(FieldError::forbidden("nullable", "nullable cannot be true at the root"));
    }
    let is_structural = has_structure(schema);
    node(schema, if is_resource { Level::Root } else { Level::PartRoot }, is_structural, &Path::Root, errors);
    if is_structural {
        complete(schema, schema, &Path::Root, &Path::Root, errors);
    }
}

/// Whether a schema can be structural at all. For one that can't, only that is reported, and nothing else about its structure.
fn has_structure(schema: &Schema) -> bool {
    let json = schema.json();
    let is_odd = UNSUPPORTED.iter().any(|keyword| json.get(*keyword).is_some())
        || json.get("items").is_some_and(Value::is_array)
        || json.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false));
    let spine = schema.properties.values().chain(schema.items()).chain(schema.additional_properties());
    let mut inside = spine.chain(&schema.all_of).chain(&schema.any_of).chain(&schema.one_of).chain(schema.not.as_deref());
    !is_odd && inside.all(has_structure)
}

fn node(schema: &Schema, level: Level, is_structural: bool, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if is_structural {
        structure(schema, level, path, errors);
    }
    extensions::check(schema, path, errors);
    let properties = path.field("properties");
    for (name, property) in &schema.properties {
        node(property, Level::Field, is_structural, &properties.key(name), errors);
    }
    if let Additional::Schema(values) = &schema.additional {
        node(values, Level::Field, is_structural, &path.field("additionalProperties"), errors);
    }
    if let Some(items) = schema.items() {
        node(items, Level::Item, is_structural, &path.field("items"), errors);
    }
}

fn structure(schema: &Schema, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    kind(schema, level, path, errors);
    if schema.kind == Some(Kind::Array) && schema.items.is_none() {
        errors.push(FieldError::required(path.field("items").to_string(), "must be specified"));
    }
    extensions::int_or_string(schema, path, errors);
    resource(schema, level, path, errors);
    combinations(schema, path, errors);
    if level.is_root() && !matches!(schema.additional, Additional::Unsaid) {
        errors.push(FieldError::forbidden(path.field("additionalProperties").to_string(), "must not be used at the root"));
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
            Level::Root | Level::PartRoot => "must not be empty at the root",
            Level::Field => "must not be empty for specified object fields",
            Level::Item => "must not be empty for specified array items",
        };
        errors.push(FieldError::required(field.to_string(), detail));
    }
    if level.is_root() && !written.is_empty() && written != "object" {
        errors.push(FieldError::invalid(field.to_string(), written, "must be object at the root"));
    }
}

/// Checks the fields that every resource has.
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

/// Checks the schemas inside `allOf`, `anyOf`, `oneOf` and `not`: they can only constrain values.
fn combinations(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let lists = [("allOf", &schema.all_of), ("anyOf", &schema.any_of), ("oneOf", &schema.one_of)];
    let exempt = schema.int_or_string && is_int_or_string_pattern(schema);
    for (keyword, schemas) in lists {
        let here = path.field(keyword);
        for (index, inner) in schemas.iter().enumerate() {
            nested(inner, &here.index(index), exempt, errors);
        }
    }
    if let Some(not) = &schema.not {
        nested(not, &path.field("not"), false, errors);
    }
}

/// `anyOf: [{type: integer}, {type: string}]`, directly or as the first of `allOf`: allowed beside x-kubernetes-int-or-string.
fn is_int_or_string_pattern(schema: &Schema) -> bool {
    let is_pair =
        |schemas: &[Schema]| matches!(schemas, [first, second] if first.kind == Some(Kind::Integer) && second.kind == Some(Kind::String));
    is_pair(&schema.any_of) || schema.all_of.first().is_some_and(|first| is_pair(&first.any_of))
}

fn nested(inner: &Schema, path: &Path<'_>, exempt: bool, errors: &mut Vec<FieldError>) {
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
    if matches!(inner.additional, Additional::Schema(_) | Additional::Allowed(true)) {
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
    if json.get("x-kubernetes-list-map-keys").and_then(Value::as_array).is_some_and(|keys| !keys.is_empty()) {
        forbid("x-kubernetes-list-map-keys", "must be empty to be structural");
    }
    for keyword in ["x-kubernetes-list-type", "x-kubernetes-map-type"] {
        if json.get(keyword).is_some_and(|value| !value.is_null()) {
            forbid(keyword, "must be undefined to be structural");
        }
    }
    if !inner.rules.is_empty() {
        forbid("x-kubernetes-validations", "must be empty to be structural");
    }
    let properties = path.field("properties");
    for (name, property) in &inner.properties {
        let here = properties.key(name);
        // The fields that every resource has must not be restricted here.
        if name == "metadata" {
            errors.push(FieldError::forbidden(here.to_string(), "must not be specified in a nested context"));
        }
        nested(property, &here, false, errors);
    }
    if let Some(items) = inner.items() {
        nested(items, &path.field("items"), false, errors);
    }
    for (keyword, schemas) in [("allOf", &inner.all_of), ("anyOf", &inner.any_of), ("oneOf", &inner.one_of)] {
        let here = path.field(keyword);
        for (index, schema) in schemas.iter().enumerate() {
            nested(schema, &here.index(index), exempt, errors);
        }
    }
    if let Some(not) = &inner.not {
        nested(not, &path.field("not"), false, errors);
    }
}

/// Checks that everything that the combinations of the whole schema mention is declared outside of them. The API server checks no others.
fn complete(inner: &Schema, outer: &Schema, outer_path: &Path<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (keyword, schemas) in [("allOf", &inner.all_of), ("anyOf", &inner.any_of), ("oneOf", &inner.one_of)] {
        let here = path.field(keyword);
        for (index, schema) in schemas.iter().enumerate() {
            declared(schema, Some(outer), outer_path, &here.index(index), errors);
        }
    }
    if let Some(not) = &inner.not {
        declared(not, Some(outer), outer_path, &path.field("not"), errors);
    }
}

fn declared(inner: &Schema, outer: Option<&Schema>, outer_path: &Path<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(outer) = outer else {
        errors.push(FieldError::required(outer_path.to_string(), format!("because it is defined in {path}")));
        return;
    };
    complete(inner, outer, outer_path, path, errors);
    if let Some(items) = inner.items() {
        declared(items, outer.items(), &outer_path.field("items"), &path.field("items"), errors);
    }
    let (properties, outer_properties) = (path.field("properties"), outer_path.field("properties"));
    for (name, property) in &inner.properties {
        declared(property, outer.properties.get(name), &outer_properties.key(name), &properties.key(name), errors);
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
        // Defaults filled in from further down were checked with it.
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
