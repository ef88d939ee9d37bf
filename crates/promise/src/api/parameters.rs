//! The schema of a promise's parameters as authors write it, and as everything else reads it: a JSON Schema becomes a structural schema
//! when a promise is read, and is written back unchanged.

use std::sync::Arc;

use schema::json_schema::{ORIGINAL, is_json_schema, original, structural};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

pub(super) fn serialize<S: Serializer>(schema: &Option<Arc<Value>>, serializer: S) -> Result<S::Ok, S::Error> {
    schema.as_deref().map(|schema| original(schema).unwrap_or(schema)).serialize(serializer)
}

/// A JSON Schema that can't be made structural stays as it is; publishing then says why.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<Value>>, D::Error> {
    let schema = Option::<Value>::deserialize(deserializer)?;
    Ok(schema.map(|mut schema| {
        if is_json_schema(&schema) {
            return structural(&schema).unwrap_or(schema).into();
        }
        // Only a schema that was made structural here has it.
        if let Some(keywords) = schema.as_object_mut() {
            keywords.remove(ORIGINAL);
        }
        schema.into()
    }))
}

#[cfg(test)]
mod tests {
    use super::super::PromiseSpec;
    use serde_json::json;

    #[test]
    fn json_schemas_are_read_as_structural_ones_and_written_as_they_were() {
        let written = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"const": 1}}});
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": written})).unwrap();
        assert_eq!(spec.parameters.as_ref().unwrap()["properties"]["a"], json!({"type": "integer", "enum": [1]}));
        assert_eq!(serde_json::to_value(&spec).unwrap()["parameters"], written);
        let forged = json!({"type": "object", "x-json-schema": {}});
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": forged})).unwrap();
        assert_eq!(spec.parameters, Some(json!({"type": "object"}).into()));
        let unread = json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "other.json"});
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": unread})).unwrap();
        assert_eq!(spec.parameters, Some(unread.into()));
    }
}
