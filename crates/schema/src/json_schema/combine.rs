//! Structural schemas together: what is valid under both (`allOf`, references with more keywords), and what is valid under either.

use serde_json::{Value, json};

use super::translate::Node;
use super::{UNMENTIONED, VARIANTS};

/// Texts and values for people: they say nothing about what is valid.
const TEXTS: [&str; 5] = ["title", "description", "default", "example", "examples"];
const OPEN: &str = "x-kubernetes-preserve-unknown-fields";
const MIXED: &str = "x-kubernetes-int-or-string";

/// Returns the schema of any value.
pub(super) fn open() -> Node {
    let mut node = Node::new();
    node.insert(OPEN.to_owned(), Value::Bool(true));
    node
}

/// Whether a schema says nothing about its value.
pub(super) fn is_open(node: &Node) -> bool {
    !node.contains_key("type") && !node.contains_key(MIXED) && !node.contains_key("enum")
}

/// Returns the type of a schema's values.
pub(super) fn kind(node: &Node) -> Option<&str> {
    if node.contains_key(MIXED) { Some(MIXED) } else { node.get("type").and_then(Value::as_str) }
}

/// Returns a schema for the values that are valid under both. Where they can't be combined, `a` is kept.
pub(super) fn both(mut a: Node, mut b: Node) -> Node {
    if is_open(&a) {
        let mut node = b;
        TEXTS.iter().filter_map(|text| Some((text, a.remove(*text)?))).for_each(|(text, value)| {
            node.insert((*text).to_owned(), value);
        });
        return node;
    }
    if is_open(&b) {
        for text in TEXTS {
            b.get(text).map(|value| a.entry(text).or_insert_with(|| value.clone()));
        }
        return a;
    }
    let is_wider = matches!((kind(&a), kind(&b)), (Some("integer"), Some("number")) | (Some("integer" | "number" | "string"), Some(MIXED)));
    let is_narrower = matches!(
        (kind(&a), kind(&b)),
        (Some("number"), Some("integer")) | (Some(MIXED), Some("integer" | "number" | "string")) | (None, Some(_))
    );
    if is_narrower {
        a.remove(MIXED);
        a.remove(OPEN);
        b.get("type").map(|kind| a.insert("type".to_owned(), kind.clone()));
    } else if kind(&b).is_some() && kind(&a) != kind(&b) && !is_wider {
        return a;
    }
    let is_closed = !a.contains_key(OPEN) || !b.contains_key(OPEN);
    let is_nullable = a.contains_key("nullable") && b.contains_key("nullable");
    if is_wider {
        b.remove("type");
        b.remove(MIXED);
    }
    for (keyword, theirs) in b {
        let Some(ours) = a.get_mut(&keyword) else {
            // One of them mentions other fields.
            if keyword != UNMENTIONED || !a.contains_key(OPEN) {
                a.insert(keyword, theirs);
            }
            continue;
        };
        match (keyword.as_str(), ours, theirs) {
            ("properties", Value::Object(ours), Value::Object(theirs)) => {
                for (name, property) in theirs {
                    let known = ours.get_mut(&name).map(Value::take);
                    ours.insert(name, of_two(known, property, both));
                }
            }
            ("items" | "additionalProperties", ours, theirs) => *ours = of_two(Some(ours.take()), theirs, both),
            ("required", Value::Array(ours), Value::Array(theirs)) => add_new(ours, theirs),
            ("enum", Value::Array(ours), Value::Array(theirs)) => {
                let shared: Vec<Value> = ours.iter().filter(|value| theirs.contains(value)).cloned().collect();
                if !shared.is_empty() {
                    *ours = shared;
                }
            }
            ("minimum" | "minLength" | "minItems" | "minProperties", ours, theirs) if theirs.as_f64() > ours.as_f64() => *ours = theirs,
            ("maximum" | "maxLength" | "maxItems" | "maxProperties", ours, theirs) if theirs.as_f64() < ours.as_f64() => *ours = theirs,
            _ => {}
        }
    }
    if is_closed && kind(&a) == Some("object") {
        a.remove(OPEN);
    }
    if !is_nullable {
        a.remove("nullable");
    }
    a
}

/// Returns a schema for the values that are valid under either. What only one of them demands isn't kept.
pub(super) fn either(a: Node, mut b: Node) -> Node {
    let is_nullable = a.contains_key("nullable") || b.contains_key("nullable");
    let mut node = Node::new();
    match (kind(&a), kind(&b)) {
        (Some(a), Some(b)) if a == b && a != MIXED => node.insert("type".to_owned(), json!(a)),
        (Some("integer" | "number"), Some("integer" | "number")) => node.insert("type".to_owned(), json!("number")),
        (Some("integer" | "number" | "string" | MIXED), Some("integer" | "number" | "string" | MIXED)) => {
            node.insert(MIXED.to_owned(), Value::Bool(true))
        }
        _ => node.insert(OPEN.to_owned(), Value::Bool(true)),
    };
    let is_typed = node.contains_key("type");
    if is_nullable {
        node.insert("nullable".to_owned(), Value::Bool(true));
    }
    if is_typed && (a.contains_key(OPEN) || b.contains_key(OPEN)) {
        node.insert(OPEN.to_owned(), Value::Bool(true));
    }
    let mut suggested = Vec::new();
    for (keyword, ours) in a {
        let theirs = b.remove(&keyword);
        let is_text = TEXTS.contains(&keyword.as_str());
        let combined = match (keyword.as_str(), ours, theirs) {
            ("type" | "nullable" | OPEN | MIXED, ..) => None,
            (_, ours, Some(theirs)) if ours == theirs && (is_typed || is_text) => Some(ours),
            // The values of one, where the other takes any, are worth suggesting.
            ("enum", Value::Array(values), None) => {
                suggested.extend(values);
                None
            }
            ("enum", Value::Array(mut ours), Some(Value::Array(theirs))) => {
                add_new(&mut ours, theirs);
                Some(Value::Array(ours))
            }
            ("properties", Value::Object(mut ours), theirs) if is_typed => {
                for (name, property) in theirs.and_then(into_node).unwrap_or_default() {
                    let known = ours.get_mut(&name).map(Value::take);
                    ours.insert(name, of_two(known, property, either));
                }
                Some(Value::Object(ours))
            }
            ("items" | "additionalProperties", ours, Some(theirs)) if is_typed => Some(of_two(Some(ours), theirs, either)),
            ("required", Value::Array(ours), Some(Value::Array(theirs))) if is_typed => {
                Some(Value::Array(ours.into_iter().filter(|name| theirs.contains(name)).collect()))
            }
            ("minimum" | "minLength" | "minItems" | "minProperties", ours, Some(theirs)) if is_typed => {
                Some(if theirs.as_f64() < ours.as_f64() { theirs } else { ours })
            }
            ("maximum" | "maxLength" | "maxItems" | "maxProperties", ours, Some(theirs)) if is_typed => {
                Some(if theirs.as_f64() > ours.as_f64() { theirs } else { ours })
            }
            _ => None,
        };
        combined.map(|value| node.insert(keyword, value));
    }
    if let Some(properties) = b.remove("properties").filter(|_| is_typed) {
        node.insert("properties".to_owned(), properties);
    }
    if let Some(Value::Array(values)) = b.remove("enum") {
        suggested.extend(values);
    }
    if !suggested.is_empty() && (is_typed || node.contains_key(MIXED)) {
        node.insert("examples".to_owned(), Value::Array(suggested));
    }
    if kind(&node) == Some("array") && !node.contains_key("items") {
        node.insert("items".to_owned(), Value::Object(open()));
    }
    node
}

/// Adds the properties of a schema that applies under a condition. None of them is required, and its limits are left to validation.
pub(super) fn extended(mut node: Node, extension: Node) -> Node {
    if !is_open(&node) && kind(&node) != Some("object") {
        return node;
    }
    let Some(Value::Object(theirs)) = extension.get("properties").cloned() else { return node };
    node.entry("type").or_insert_with(|| json!("object"));
    let properties = node.entry("properties").or_insert_with(|| json!({}));
    for (name, property) in theirs {
        let known = properties.get(&name).cloned();
        // What is known of a property already applies whatever the condition.
        let is_known = known.as_ref().and_then(Value::as_object).is_some_and(|known| !is_open(known));
        properties[&name] = if is_known { known.unwrap_or_default() } else { of_two(known, property, either_typed) };
    }
    if !node.contains_key(VARIANTS)
        && let Some(variants) = extension.get(VARIANTS)
    {
        node.insert(VARIANTS.to_owned(), variants.clone());
    }
    node
}

/// Like [`either`], but a schema that says nothing doesn't count.
fn either_typed(a: Node, b: Node) -> Node {
    if is_open(&a) {
        b
    } else if is_open(&b) {
        a
    } else {
        either(a, b)
    }
}

/// Combines a schema with another one if there is one.
pub(super) fn of_two(known: Option<Value>, other: Value, combined: fn(Node, Node) -> Node) -> Value {
    match (known.and_then(into_node), other) {
        (Some(known), Value::Object(other)) => Value::Object(combined(known, other)),
        (_, other) => other,
    }
}

fn into_node(value: Value) -> Option<Node> {
    match value {
        Value::Object(node) => Some(node),
        _ => None,
    }
}

fn add_new(ours: &mut Vec<Value>, theirs: Vec<Value>) {
    for value in theirs {
        if !ours.contains(&value) {
            ours.push(value);
        }
    }
}
