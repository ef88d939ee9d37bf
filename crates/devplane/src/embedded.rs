//! Resources inside of resources (`x-kubernetes-embedded-resource`): their metadata is read like that of any object. Its rules are those of the
//! schema.
//! Source: apiextensions-apiserver `pkg/apiserver/schema/objectmeta`.

use schema::structural::{FieldError, Schema};
use serde_json::{Value, json};

use crate::{builtin, objects::metadata};

/// Reads type and metadata of each resource inside an object; what has no value goes.
///
/// # Errors
/// What is wrong with the first field that cannot be read.
pub fn read(schema: &Schema, object: &mut Value) -> Result<(), String> {
    for (path, pointer) in schema.embedded_resources(object) {
        let Some(resource) = object.pointer_mut(&pointer) else { continue };
        for name in ["apiVersion", "kind"] {
            if let Some(other) = resource.get(name).filter(|value| !value.is_string()) {
                return Err(fault(&path, name, other.clone(), "must be a string"));
            }
        }
        let Some(metadata) = resource.get_mut("metadata") else { continue };
        if metadata.is_null() {
            *metadata = json!({});
        }
        let sent = metadata.clone();
        builtin::read_metadata(metadata, None).map_err(|why| fault(&path, "metadata", sent, &why))?;
        metadata::normalise(resource);
    }
    Ok(())
}

fn fault(path: &str, field: &str, sent: Value, why: &str) -> String {
    FieldError::invalid(field, sent, why).prefixed(path).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        let inner = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
        Schema::parse_lenient(&json!({"type": "object", "properties": {"spec": {"type": "object", "additionalProperties": inner}}}))
    }

    #[test]
    fn metadata_is_read_like_that_of_an_object() {
        let mut object = json!({"spec": {"a": {"metadata": {"name": "x", "labels": {}, "uid": null}}, "b": {"metadata": null}}});
        assert_eq!(read(&schema(), &mut object), Ok(()));
        assert_eq!(object, json!({"spec": {"a": {"metadata": {"name": "x"}}, "b": {"metadata": {}}}}));
        let why = |metadata: Value| read(&schema(), &mut json!({"spec": {"a": {"metadata": metadata}}})).unwrap_err();
        assert_eq!(
            why(json!({"labels": {"a": 1}})),
            "spec[a].metadata: Invalid value: {\"labels\":{\"a\":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
        );
        assert_eq!(why(json!(1)), "spec[a].metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta");
    }
}
