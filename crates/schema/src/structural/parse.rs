//! Parsing a schema from JSON, with the checks of the shape of the keywords themselves.

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::error::FieldError;
use super::judge::Judge;
use super::path::Path;
use super::{Additional, Kind, Limit, ListType, Pattern, Schema, rules};
use crate::json_schema;
use crate::pattern::Allowance;

/// Maximum nesting of a schema.
const DEPTH_LIMIT: usize = 100;

/// Reads what can be read, and returns it with the problems found in the process.
pub(super) fn read(json: &Value) -> (Schema, Vec<FieldError>) {
    let mut reader = Reader { root: Arc::new(json.clone()), errors: Vec::new(), patterns: Allowance::default() };
    let mut schema = reader.schema(json, &Path::Root, String::new(), 0);
    schema.judge = json_schema::original(json).map(|original| Arc::new(Judge::new(original.clone())));
    (schema, reader.errors)
}

struct Reader {
    root: Arc<Value>,
    errors: Vec<FieldError>,
    patterns: Allowance,
}

/// JSON Schema keywords that structural schemas don't allow, whatever their value.
pub(super) const UNSUPPORTED: [&str; 6] = ["additionalItems", "definitions", "dependencies", "id", "patternProperties", "$ref"];

impl Reader {
    fn schema(&mut self, json: &Value, path: &Path<'_>, pointer: String, depth: usize) -> Schema {
        let mut schema = Schema { root: Arc::clone(&self.root), pointer, ..Default::default() };
        let Some(json) = json.as_object() else {
            self.errors.push(FieldError::invalid(path.to_string(), json.clone(), "must be a schema object"));
            return schema;
        };
        if depth > DEPTH_LIMIT {
            self.errors.push(FieldError::forbidden(path.to_string(), format!("must not nest deeper than {DEPTH_LIMIT} levels")));
            return schema;
        }
        for keyword in UNSUPPORTED {
            if json.contains_key(keyword) {
                self.errors.push(FieldError::forbidden(path.field(keyword).to_string(), format!("{keyword} is not supported")));
            }
        }
        if json.get("uniqueItems") == Some(&Value::Bool(true)) {
            self.errors.push(FieldError::forbidden(
                path.field("uniqueItems").to_string(),
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            ));
        }
        self.kind(&mut schema, json, path);
        schema.format = self.text(json, "format", path);
        schema.nullable = self.flag(json, "nullable", path);
        schema.default = json.get("default").filter(|value| !value.is_null()).cloned();
        self.extensions(&mut schema, json, path);
        self.values(&mut schema, json, path);
        self.children(&mut schema, json, path, depth);
        let mut inside = schema.properties.values().chain(schema.items.as_deref()).chain(schema.additional_properties());
        schema.has_embedded = schema.embedded || inside.any(|schema| schema.has_embedded);
        schema
    }

    fn kind(&mut self, schema: &mut Schema, json: &Map<String, Value>, path: &Path<'_>) {
        let Some(name) = self.text(json, "type", path) else { return };
        schema.kind = Kind::parse(&name);
        if name == "null" {
            self.errors
                .push(FieldError::forbidden(path.field("type").to_string(), "type cannot be set to null, use nullable as an alternative"));
        } else if schema.kind.is_none() && !name.is_empty() {
            let supported = ["array", "boolean", "integer", "number", "object", "string"];
            self.errors.push(FieldError::not_supported(path.field("type").to_string(), name, &supported));
        }
    }

    fn extensions(&mut self, schema: &mut Schema, json: &Map<String, Value>, path: &Path<'_>) {
        schema.preserve_unknown = self.flag(json, "x-kubernetes-preserve-unknown-fields", path);
        if json.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
            let field = path.field("x-kubernetes-preserve-unknown-fields").to_string();
            self.errors.push(FieldError::invalid(field, false, "must be true or undefined"));
        }
        schema.embedded = self.flag(json, "x-kubernetes-embedded-resource", path);
        schema.int_or_string = self.flag(json, "x-kubernetes-int-or-string", path);
        schema.list_type = match self.text(json, "x-kubernetes-list-type", path).as_deref() {
            Some("set") => ListType::Set,
            Some("map") => ListType::Map(self.texts(json, "x-kubernetes-list-map-keys", path)),
            _ => ListType::Atomic,
        };
        schema.map_type_atomic = self.text(json, "x-kubernetes-map-type", path).as_deref() == Some("atomic");
        if let Some(rules) = json.get("x-kubernetes-validations").filter(|rules| !rules.is_null()) {
            schema.rules = rules::read(rules, &path.field("x-kubernetes-validations"), &mut self.errors);
        }
    }

    fn values(&mut self, schema: &mut Schema, json: &Map<String, Value>, path: &Path<'_>) {
        schema.required = self.texts(json, "required", path);
        schema.enumeration = match json.get("enum") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(values)) => values.clone(),
            Some(other) => {
                self.errors.push(FieldError::invalid(path.field("enum").to_string(), other.clone(), "must be a list"));
                Vec::new()
            }
        };
        schema.minimum = self.limit(json, "minimum", "exclusiveMinimum", path);
        schema.maximum = self.limit(json, "maximum", "exclusiveMaximum", path);
        schema.multiple_of = self.number(json, "multipleOf", path);
        schema.min_length = self.count(json, "minLength", path);
        schema.max_length = self.count(json, "maxLength", path);
        schema.min_items = self.count(json, "minItems", path);
        schema.max_items = self.count(json, "maxItems", path);
        schema.min_properties = self.count(json, "minProperties", path);
        schema.max_properties = self.count(json, "maxProperties", path);
        if let Some(source) = self.text(json, "pattern", path).filter(|source| !source.is_empty()) {
            let regex = self.patterns.compile(&source).map_err(|reason| {
                let detail = format!("must be a valid regular expression, but isn't: {reason}");
                self.errors.push(FieldError::invalid(path.field("pattern").to_string(), source.clone(), detail));
            });
            schema.pattern = Some(Pattern { regex: regex.ok(), source });
        }
    }

    fn children(&mut self, schema: &mut Schema, json: &Map<String, Value>, path: &Path<'_>, depth: usize) {
        let child = |keyword: &str| format!("{}/{keyword}", schema.pointer);
        let pointer = schema.pointer.clone();
        if let Some(properties) = self.object(json, "properties", path) {
            let here = path.field("properties");
            for (name, property) in properties {
                let pointer = format!("{pointer}/properties/{}", name.replace('~', "~0").replace('/', "~1"));
                let property = self.schema(property, &here.key(name), pointer, depth + 1);
                schema.properties.insert(name.clone(), property);
            }
        }
        let here = path.field("additionalProperties");
        match json.get("additionalProperties") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(allowed)) => schema.additional = Additional::Allowed(*allowed),
            Some(values) => {
                let pointer = child("additionalProperties");
                schema.additional = Additional::Schema(Box::new(self.schema(values, &here, pointer, depth + 1)));
            }
        }
        if !schema.properties.is_empty() && matches!(schema.additional, Additional::Schema(_) | Additional::Allowed(false)) {
            self.errors.push(FieldError::forbidden(here.to_string(), "additionalProperties and properties are mutual exclusive"));
        }
        let here = path.field("items");
        match json.get("items") {
            None | Some(Value::Null) => {}
            Some(Value::Array(_)) => {
                self.errors.push(FieldError::forbidden(here.to_string(), "items must be a schema object and not an array"));
            }
            Some(items) => schema.items = Some(Box::new(self.schema(items, &here, child("items"), depth + 1))),
        }
        let here = path.field("not");
        if let Some(not) = json.get("not").filter(|not| !not.is_null()) {
            schema.not = Some(Box::new(self.schema(not, &here, child("not"), depth + 1)));
        }
        schema.all_of = self.list_of_schemas(json, "allOf", path, &pointer, depth);
        schema.any_of = self.list_of_schemas(json, "anyOf", path, &pointer, depth);
        schema.one_of = self.list_of_schemas(json, "oneOf", path, &pointer, depth);
    }

    fn list_of_schemas(&mut self, json: &Map<String, Value>, keyword: &str, path: &Path<'_>, pointer: &str, depth: usize) -> Vec<Schema> {
        let here = path.field(keyword);
        match json.get(keyword) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(schemas)) => schemas
                .iter()
                .enumerate()
                .map(|(index, schema)| self.schema(schema, &here.index(index), format!("{pointer}/{keyword}/{index}"), depth + 1))
                .collect(),
            Some(other) => {
                self.errors.push(FieldError::invalid(here.to_string(), other.clone(), "must be a list of schemas"));
                Vec::new()
            }
        }
    }

    fn wrong(&mut self, path: &Path<'_>, keyword: &str, value: &Value, expected: &str) {
        self.errors.push(FieldError::invalid(path.field(keyword).to_string(), value.clone(), format!("must be {expected}")));
    }

    fn text(&mut self, json: &Map<String, Value>, keyword: &str, path: &Path<'_>) -> Option<String> {
        match json.get(keyword)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => {
                self.wrong(path, keyword, other, "a string");
                None
            }
        }
    }

    fn texts(&mut self, json: &Map<String, Value>, keyword: &str, path: &Path<'_>) -> Vec<String> {
        match json.get(keyword) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(values)) if values.iter().all(Value::is_string) => {
                values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(other) => {
                self.wrong(path, keyword, other, "a list of strings");
                Vec::new()
            }
        }
    }

    fn flag(&mut self, json: &Map<String, Value>, keyword: &str, path: &Path<'_>) -> bool {
        match json.get(keyword) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                self.wrong(path, keyword, other, "true or false");
                false
            }
        }
    }

    fn number(&mut self, json: &Map<String, Value>, keyword: &str, path: &Path<'_>) -> Option<Number> {
        match json.get(keyword)? {
            Value::Number(number) => Some(number.clone()),
            Value::Null => None,
            other => {
                self.wrong(path, keyword, other, "a number");
                None
            }
        }
    }

    fn count(&mut self, json: &Map<String, Value>, keyword: &str, path: &Path<'_>) -> Option<i64> {
        let number = self.number(json, keyword, path)?;
        let count = super::number::as_i64(&number);
        if count.is_none() {
            self.wrong(path, keyword, &Value::Number(number), "an integer");
        }
        count
    }

    fn limit(&mut self, json: &Map<String, Value>, keyword: &str, exclusive: &str, path: &Path<'_>) -> Option<Limit> {
        let exclusive = self.flag(json, exclusive, path);
        self.number(json, keyword, path).map(|value| Limit { value, exclusive })
    }

    fn object<'v>(&mut self, json: &'v Map<String, Value>, keyword: &str, path: &Path<'_>) -> Option<&'v Map<String, Value>> {
        match json.get(keyword)? {
            Value::Object(object) => Some(object),
            Value::Null => None,
            other => {
                self.wrong(path, keyword, other, "an object");
                None
            }
        }
    }
}
