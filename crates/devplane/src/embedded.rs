//! Resources inside of resources (`x-kubernetes-embedded-resource`): their metadata has the form and follows the rules of that of any
//! object.
//! Source: apiextensions-apiserver `pkg/apiserver/schema/objectmeta`.

use schema::structural::{FieldError, Schema};
use serde_json::{Value, json};

use crate::{builtin, objects::metadata, registry::NameRule, status::Cause};

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

/// The broken rules of the metadata of each resource inside an object.
pub fn validate(schema: &Schema, object: &Value) -> Vec<Cause> {
    let places = schema.embedded_resources(object).into_iter();
    let found = places.filter_map(|(path, pointer)| Some((path, object.pointer(&pointer)?)));
    found
        .filter(|(_, resource)| resource.get("metadata").is_some())
        .flat_map(|(path, resource)| broken_rules(resource).into_iter().map(move |cause| placed(cause, &path)))
        .collect()
}

fn placed(cause: Cause, path: &str) -> Cause {
    Cause { field: if path.is_empty() { cause.field } else { format!("{path}.{}", cause.field) }, ..cause }
}

fn broken_rules(resource: &Value) -> Vec<Cause> {
    let mut described = json!({"metadata": resource["metadata"]});
    // Alone a resource inside another one needs no name.
    if metadata::text(&described, "name").is_empty() {
        metadata::of(&mut described).insert("name".into(), "unnamed".into());
    }
    let mut causes = metadata::validate_named(NameRule::PathSegment, &described);
    let namespace = metadata::text(&described, "namespace");
    if !namespace.is_empty() {
        let faults = metadata::name_faults(NameRule::Label, namespace);
        causes.extend(faults.iter().map(|why| Cause::invalid("metadata.namespace", &namespace.into(), why)));
    }
    let generation = &described["metadata"]["generation"];
    if generation.as_i64().is_some_and(|generation| generation < 0) {
        causes.push(Cause::invalid("metadata.generation", generation, "must be greater than or equal to 0"));
    }
    causes
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

    #[test]
    fn rules_of_metadata_hold_inside_too() {
        let object = json!({"spec": {"a": {"metadata": {"namespace": "Bad", "labels": {"a b": "c"}, "generation": -1}}, "b": {}}});
        let fields: Vec<String> = validate(&schema(), &object).into_iter().map(|cause| cause.field).collect();
        assert_eq!(fields, ["spec[a].metadata.labels", "spec[a].metadata.namespace", "spec[a].metadata.generation"]);
    }
}
