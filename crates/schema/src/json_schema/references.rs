//! References between the schemas of one document.

use serde_json::Value;

use super::{JsonSchemaError, children};

/// Maximum nesting of a document.
const DEPTH_LIMIT: usize = 100;

/// Checks that every reference leads to a schema of the document.
pub(super) fn check(root: &Value) -> Result<(), JsonSchemaError> {
    inside(root, root, String::new(), 0)
}

fn inside(root: &Value, schema: &Value, at: String, depth: usize) -> Result<(), JsonSchemaError> {
    let Some(node) = schema.as_object() else { return Ok(()) };
    if depth > DEPTH_LIMIT {
        return Err(JsonSchemaError::Invalid { at, cause: format!("schemas nest deeper than {DEPTH_LIMIT} levels") });
    }
    if let Some(reference) = node.get("$ref").and_then(Value::as_str)
        && target(root, reference).is_none()
    {
        let reference = reference.to_owned();
        return Err(match reference.starts_with('#') {
            true => JsonSchemaError::Missing { at, reference },
            false => JsonSchemaError::External { at, reference },
        });
    }
    children(node).into_iter().try_for_each(|(pointer, child)| inside(root, child, format!("{at}{pointer}"), depth + 1))
}

/// Returns the schema that a reference leads to. References to other documents lead nowhere.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let start = if document.is_empty() { root } else { identified(root, document, 0)? };
    match fragment {
        "" => Some(start),
        pointer if pointer.starts_with('/') => start.pointer(&decoded(pointer)),
        anchor => anchored(start, anchor, 0),
    }
}

/// Returns the schema with an identifier. Identifiers are compared as they are written, or by their last segment for a relative one.
fn identified<'a>(schema: &'a Value, document: &str, depth: usize) -> Option<&'a Value> {
    let node = schema.as_object()?;
    let named = ["$id", "id"].iter().filter_map(|keyword| node.get(*keyword)?.as_str());
    let matches = |id: &str| {
        let id = id.trim_end_matches('#');
        id == document || (!document.contains(':') && id.rsplit('/').next() == Some(document.trim_start_matches("./")))
    };
    if named.into_iter().any(matches) {
        return Some(schema);
    }
    below(node, depth).find_map(|child| identified(child, document, depth + 1))
}

fn anchored<'a>(schema: &'a Value, anchor: &str, depth: usize) -> Option<&'a Value> {
    let node = schema.as_object()?;
    let is = |keyword: &str, name: &str| node.get(keyword).and_then(Value::as_str) == Some(name);
    if is("$anchor", anchor) || is("$dynamicAnchor", anchor) || is("$id", &format!("#{anchor}")) || is("id", &format!("#{anchor}")) {
        return Some(schema);
    }
    below(node, depth).find_map(|child| anchored(child, anchor, depth + 1))
}

fn below(node: &serde_json::Map<String, Value>, depth: usize) -> impl Iterator<Item = &Value> {
    let children = if depth < DEPTH_LIMIT { children(node) } else { Vec::new() };
    children.into_iter().map(|(_, child)| child)
}

/// Decodes the percent escapes of a fragment.
fn decoded(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let bytes = fragment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = fragment.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(escape.unwrap_or(bytes[at]));
        at += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}
