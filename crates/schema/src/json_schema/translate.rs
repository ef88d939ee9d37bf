//! Keywords of JSON Schema as those of a structural schema.

use serde_json::{Map, Value, json};

use super::combine::{both, either, extended, open};
use super::references::References;
use super::{ENUM_TITLES, UNMENTIONED, alternatives};
use crate::pattern::Allowance;

/// A node of a structural schema.
pub(super) type Node = Map<String, Value>;

/// Maximum number of times that a schema is written out inside of itself.
const UNFOLDED: usize = 5;
/// Maximum number of nodes with recursive schemas written out more than once.
const NODES: usize = 6_000;
/// Maximum number of nodes in any case. What is beyond is any value.
const NODES_LIMIT: usize = 40_000;
/// Maximum nesting of nodes. What is deeper is any value.
const DEPTH_LIMIT: usize = 48;

const OPEN: &str = "x-kubernetes-preserve-unknown-fields";
const MIXED: &str = "x-kubernetes-int-or-string";
/// Keywords with the same meaning in both.
const SAME: [&str; 17] = [
    "title",
    "description",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "x-kubernetes-validations",
    "x-kubernetes-map-type",
    "format",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
];

/// Translates a schema, with recursive parts written out as deep as there is room for.
pub(super) fn translate(root: &Value, references: &References<'_>) -> Node {
    for unfolded in (1..=UNFOLDED).rev() {
        let limit = if unfolded == 1 { NODES_LIMIT } else { NODES };
        let mut translator = Translator { references, unfolded, left: limit, trail: Vec::new(), depth: 0, patterns: Allowance::default() };
        let node = translator.node(root);
        if translator.left > 0 || unfolded == 1 {
            return node.unwrap_or_else(open);
        }
    }
    open()
}

pub(super) struct Translator<'a> {
    references: &'a References<'a>,
    unfolded: usize,
    /// How many more nodes can be written.
    left: usize,
    /// References that are being followed.
    trail: Vec<&'a str>,
    depth: usize,
    patterns: Allowance,
}

impl<'a> Translator<'a> {
    /// Returns the structural schema of a schema. `None` if no value is valid.
    pub fn node(&mut self, schema: &'a Value) -> Option<Node> {
        let Some(keywords) = schema.as_object() else { return (schema != &Value::Bool(false)).then(open) };
        self.left = self.left.saturating_sub(1);
        if self.left == 0 || self.depth >= DEPTH_LIMIT {
            return Some(open());
        }
        self.depth += 1;
        let node = self.all_of(keywords);
        self.depth -= 1;
        node
    }

    fn all_of(&mut self, keywords: &'a Node) -> Option<Node> {
        let mut node = self.own(keywords);
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            node = both(node, self.referenced(reference)?);
        }
        for branch in list(keywords, "allOf") {
            node = both(node, self.node(branch)?);
        }
        for keyword in ["then", "else"] {
            if let Some(extension) = keywords.get(keyword).and_then(|schema| self.node(schema)) {
                node = extended(node, extension);
            }
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            for schema in keywords.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::values).filter(|one| one.is_object()) {
                if let Some(extension) = self.node(schema) {
                    node = extended(node, extension);
                }
            }
        }
        for (keyword, is_exclusive) in [("oneOf", true), ("anyOf", false)] {
            let branches: Vec<&Value> = list(keywords, keyword).collect();
            if !branches.is_empty() {
                node = alternatives::alternatives(self, node, &branches, is_exclusive);
            }
        }
        Some(node)
    }

    /// Returns the schema that a reference leads to, or any value where it leads into itself too often.
    fn referenced(&mut self, reference: &'a str) -> Option<Node> {
        let times = self.trail.iter().filter(|known| **known == reference).count();
        let Some(target) = self.references.target(reference).filter(|_| times <= self.unfolded) else { return Some(open()) };
        self.trail.push(reference);
        let node = self.node(target);
        self.trail.pop();
        node
    }

    /// Follows the references of a schema that has nothing else.
    pub fn followed(&self, schema: &'a Value) -> &'a Value {
        let mut at = schema;
        for _ in 0..DEPTH_LIMIT {
            let Some(reference) = at.get("$ref").and_then(Value::as_str) else { break };
            match self.references.target(reference) {
                Some(target) => at = target,
                None => break,
            }
        }
        at
    }

    /// Translates everything but references and combinations.
    fn own(&mut self, keywords: &'a Node) -> Node {
        let (kinds, is_nullable) = kinds(keywords);
        let mut node: Node = SAME.iter().filter_map(|keyword| Some(((*keyword).to_owned(), keywords.get(*keyword)?.clone()))).collect();
        if let Some(default) = keywords.get("default").filter(|default| !default.is_null()) {
            node.insert("default".to_owned(), default.clone());
        }
        if is_nullable {
            node.insert("nullable".to_owned(), Value::Bool(true));
        }
        let is_scalar = match kinds.as_slice() {
            ["object"] => {
                node.insert("type".to_owned(), json!("object"));
                self.object(keywords, &mut node);
                false
            }
            ["array"] => {
                node.insert("type".to_owned(), json!("array"));
                self.array(keywords, &mut node);
                false
            }
            [only] => {
                node.insert("type".to_owned(), json!(only));
                true
            }
            ["integer", "number"] | ["number", "integer"] => {
                node.insert("type".to_owned(), json!("number"));
                true
            }
            several if several.contains(&"string") && several.iter().all(|kind| ["string", "integer", "number"].contains(kind)) => {
                node.insert(MIXED.to_owned(), Value::Bool(true));
                true
            }
            _ => {
                node.insert(OPEN.to_owned(), Value::Bool(true));
                keywords.contains_key("enum") || keywords.contains_key("const")
            }
        };
        if is_scalar {
            self.scalar(keywords, &mut node);
        }
        node
    }

    fn scalar(&mut self, keywords: &Node, node: &mut Node) {
        let values: Vec<Value> = given(keywords).filter(|value| !value.is_null()).cloned().collect();
        if !values.is_empty() && values.iter().all(|value| !value.is_object() && !value.is_array()) {
            let names = ["enumNames", "ui:enumNames", "x-enumNames"].iter().find_map(|keyword| keywords.get(*keyword)?.as_array());
            if let Some(names) = names.filter(|names| names.len() == values.len()) {
                let titles = values.iter().zip(names).map(|(value, name)| (text_of(value), name.clone()));
                node.insert(ENUM_TITLES.to_owned(), Value::Object(titles.collect()));
            }
            node.insert("enum".to_owned(), Value::Array(values));
        }
        if let Some(pattern) = keywords.get("pattern").and_then(Value::as_str)
            && self.patterns.compile(pattern).is_ok()
        {
            node.insert("pattern".to_owned(), json!(pattern));
        }
        for (limit, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            match (keywords.get(limit), keywords.get(exclusive)) {
                (_, Some(value)) if value.is_number() => {
                    node.insert(limit.to_owned(), value.clone());
                    node.insert(exclusive.to_owned(), Value::Bool(true));
                }
                (Some(value), flag) => {
                    node.insert(limit.to_owned(), value.clone());
                    flag.filter(|flag| **flag == Value::Bool(true)).map(|flag| node.insert(exclusive.to_owned(), flag.clone()));
                }
                _ => {}
            }
        }
    }

    fn object(&mut self, keywords: &'a Node, node: &mut Node) {
        let mut properties = Node::new();
        let mut is_closed = keywords.get("additionalProperties") == Some(&Value::Bool(false))
            || keywords.get("unevaluatedProperties") == Some(&Value::Bool(false));
        for (name, schema) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.node(schema).map(|property| properties.insert(name.clone(), Value::Object(property)));
        }
        let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten().filter(|name| name.is_string());
        let required: Vec<Value> = required.cloned().collect();
        if !required.is_empty() {
            node.insert("required".to_owned(), Value::Array(required));
        }
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let additional = keywords.get("additionalProperties").filter(|schema| schema.is_object());
        let values: Vec<Node> =
            patterns.into_iter().flat_map(Map::values).chain(additional).filter_map(|schema| self.node(schema)).collect();
        is_closed &= values.is_empty();
        if !properties.is_empty() {
            node.insert("properties".to_owned(), Value::Object(properties));
        } else if let Some(values) = values.into_iter().reduce(either) {
            node.insert("additionalProperties".to_owned(), Value::Object(values));
            return;
        }
        if !is_closed {
            node.insert(OPEN.to_owned(), Value::Bool(true));
        }
        // That a schema doesn't say whether there are other fields is no reason to offer them.
        if !is_closed && patterns.is_none() && !keywords.contains_key("additionalProperties") && node.contains_key("properties") {
            node.insert(UNMENTIONED.to_owned(), Value::Bool(true));
        }
    }

    fn array(&mut self, keywords: &'a Node, node: &mut Node) {
        let positions = ["prefixItems", "items"].iter().find_map(|keyword| keywords.get(*keyword)?.as_array());
        let rest = match keywords.get("items") {
            Some(Value::Array(_)) => keywords.get("additionalItems"),
            items => items,
        };
        // A tuple is a list whose items are what any position takes; validation knows the positions.
        let each = positions.into_iter().flatten().chain(rest.filter(|rest| positions.is_none() || rest.is_object()));
        let items = each.filter_map(|schema| self.node(schema)).reduce(either).unwrap_or_else(open);
        let is_scalar = matches!(items.get("type").and_then(Value::as_str), Some("string" | "integer" | "number"));
        if keywords.get("uniqueItems") == Some(&Value::Bool(true)) && is_scalar {
            node.insert("x-kubernetes-list-type".to_owned(), json!("set"));
        }
        if let Some(count) = positions.map(Vec::len)
            && (rest == Some(&Value::Bool(false)) || keywords.get("additionalItems") == Some(&Value::Bool(false)))
        {
            node.entry("maxItems").or_insert(json!(count));
        }
        node.insert("items".to_owned(), Value::Object(items));
    }
}

/// Returns the values of an enum or constant.
pub(super) fn given(keywords: &Node) -> impl Iterator<Item = &Value> {
    list(keywords, "enum").chain(keywords.get("const"))
}

/// Returns the text of a scalar, as titles of values are found by.
pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn list<'n>(keywords: &'n Node, keyword: &str) -> impl Iterator<Item = &'n Value> {
    keywords.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the types of a schema's values, and whether null is one of them. A type that isn't named follows from the other keywords.
fn kinds(keywords: &Node) -> (Vec<&str>, bool) {
    let named: Vec<&str> = match keywords.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut is_nullable = named.contains(&"null") || keywords.get("nullable") == Some(&Value::Bool(true));
    if !named.is_empty() {
        return (named.into_iter().filter(|kind| *kind != "null").collect(), is_nullable);
    }
    let mut kinds: Vec<&str> = Vec::new();
    for value in given(keywords) {
        let kind = match value {
            Value::Null => {
                is_nullable = true;
                continue;
            }
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if !kinds.is_empty() {
        return (kinds, is_nullable);
    }
    let has = |names: &[&str]| names.iter().any(|name| keywords.contains_key(*name));
    let implied = [
        (has(&["properties", "required", "patternProperties", "minProperties", "maxProperties", "dependentRequired"]), "object"),
        (keywords.get("additionalProperties").is_some_and(Value::is_object), "object"),
        (has(&["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]), "array"),
        (has(&["pattern", "minLength", "maxLength"]), "string"),
        (has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]), "number"),
    ];
    (implied.iter().find(|(is, _)| *is).map(|(_, kind)| *kind).into_iter().collect(), is_nullable)
}
