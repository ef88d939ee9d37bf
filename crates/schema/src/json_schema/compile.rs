//! Compiling a JSON Schema for the crate `jsonschema`.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::JsonSchemaError;

/// Maximum number of steps back that matching a pattern with look-arounds can take.
const BACKTRACK_LIMIT: usize = 100_000;

/// Compiles a schema. Patterns are matched in linear time unless they look around, and then within a limit.
pub(crate) fn compile(schema: &Value) -> Result<Validator, JsonSchemaError> {
    let named = schema["$schema"].as_str().map_or(Draft::Unknown, Draft::from_schema_uri);
    let draft = if named == Draft::Unknown { Draft::Draft7 } else { named };
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.remove("$schema");
    }
    let options = jsonschema::options().with_draft(draft).offline();
    let linear = options.clone().with_pattern_options(PatternOptions::regex()).build(&schema);
    linear
        .or_else(|_| options.with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT)).build(&schema))
        .map_err(|error| JsonSchemaError::Invalid { at: error.instance_path().as_str().to_owned(), cause: error.to_string() })
}
