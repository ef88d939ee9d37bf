//! References between the schemas of one document.

use std::collections::HashMap;

use serde_json::Value;

use super::{JsonSchemaError, children};

/// Maximum nesting of a document.
const DEPTH_LIMIT: usize = 100;

/// The schemas of a document that references can name, found once: a document can refer to thousands of them.
pub(super) struct References<'a> {
    root: &'a Value,
    /// Schemas by their identifier, as it is written and by its last segment.
    identified: HashMap<&'a str, &'a Value>,
    anchored: HashMap<&'a str, &'a Value>,
}

impl<'a> References<'a> {
    pub fn of(root: &'a Value) -> Self {
        let mut references = Self { root, identified: HashMap::new(), anchored: HashMap::new() };
        references.collect(root, 0);
        references
    }

    fn collect(&mut self, schema: &'a Value, depth: usize) {
        let Some(node) = schema.as_object().filter(|_| depth <= DEPTH_LIMIT) else { return };
        let text = |keyword: &str| node.get(keyword).and_then(Value::as_str);
        for id in [text("$id"), text("id")].into_iter().flatten() {
            match id.strip_prefix('#') {
                Some(anchor) => _ = self.anchored.entry(anchor).or_insert(schema),
                None => {
                    let id = id.trim_end_matches('#');
                    self.identified.entry(id).or_insert(schema);
                    self.identified.entry(id.rsplit('/').next().unwrap_or(id)).or_insert(schema);
                }
            }
        }
        for anchor in [text("$anchor"), text("$dynamicAnchor")].into_iter().flatten() {
            self.anchored.entry(anchor).or_insert(schema);
        }
        children(node).into_iter().for_each(|(_, child)| self.collect(child, depth + 1));
    }

    /// Returns the schema that a reference leads to. References to other documents lead nowhere.
    pub fn target(&self, reference: &str) -> Option<&'a Value> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let start = if document.is_empty() { self.root } else { *self.identified.get(document.trim_start_matches("./"))? };
        match fragment {
            "" => Some(start),
            pointer if pointer.starts_with('/') => start.pointer(&decoded(pointer)),
            anchor => self.anchored.get(anchor).copied(),
        }
    }

    /// Checks that every reference leads to a schema of the document.
    pub fn check(&self) -> Result<(), JsonSchemaError> {
        self.inside(self.root, String::new(), 0)
    }

    fn inside(&self, schema: &Value, at: String, depth: usize) -> Result<(), JsonSchemaError> {
        let Some(node) = schema.as_object() else { return Ok(()) };
        if depth > DEPTH_LIMIT {
            return Err(JsonSchemaError::Invalid { at, cause: format!("schemas nest deeper than {DEPTH_LIMIT} levels") });
        }
        if let Some(reference) = node.get("$ref").and_then(Value::as_str)
            && self.target(reference).is_none()
        {
            let reference = reference.to_owned();
            return Err(match reference.starts_with('#') {
                true => JsonSchemaError::Missing { at, reference },
                false => JsonSchemaError::External { at, reference },
            });
        }
        children(node).into_iter().try_for_each(|(pointer, child)| self.inside(child, format!("{at}{pointer}"), depth + 1))
    }
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
