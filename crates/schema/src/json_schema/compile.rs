//! Compiling a JSON Schema for the crate `jsonschema`.

use std::collections::BTreeSet;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::{JsonSchemaError, children};

/// Maximum number of steps back that matching a pattern with look-arounds can take.
const BACKTRACK_LIMIT: usize = 100_000;

/// Maximum size of one compiled pattern in bytes, and how many patterns there can be.
const PATTERN_SIZE: usize = 1 << 20;
const PATTERNS: usize = 256;

/// Compiles a schema. Patterns are matched in linear time unless they look around, and then within a limit.
pub(crate) fn compile(schema: &Value) -> Result<Validator, JsonSchemaError> {
    let named = schema["$schema"].as_str().map_or(Draft::Unknown, Draft::from_schema_uri);
    let draft = if named == Draft::Unknown { Draft::Draft7 } else { named };
    let mut patterns = BTreeSet::new();
    collect(schema, &mut patterns);
    if patterns.len() > PATTERNS {
        let cause = format!("it has {} patterns, and at most {PATTERNS} are possible", patterns.len());
        return Err(JsonSchemaError::Invalid { at: String::new(), cause });
    }
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.remove("$schema");
    }
    let options = jsonschema::options().with_draft(draft).offline();
    let linear = options.clone().with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE)).build(&schema);
    linear
        .or_else(|_| {
            options
                .with_pattern_options(PatternOptions::fancy_regex().size_limit(PATTERN_SIZE).backtrack_limit(BACKTRACK_LIMIT))
                .build(&schema)
        })
        .map_err(|error| JsonSchemaError::Invalid { at: error.instance_path().as_str().to_owned(), cause: error.to_string() })
}

/// Collects the patterns of a schema: of texts, and of names of properties.
fn collect<'a>(schema: &'a Value, patterns: &mut BTreeSet<&'a str>) {
    let Some(node) = schema.as_object() else { return };
    patterns.extend(node.get("pattern").and_then(Value::as_str));
    patterns
        .extend(node.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(|named| named.keys().map(String::as_str)));
    children(node).into_iter().for_each(|(_, child)| collect(child, patterns));
}
