//! Resources inside resources: their `apiVersion`, `kind` and `metadata` follow the API server, not the schema.

use serde_json::Value;

use super::error::{FieldError, FieldErrorReason};
use super::path::Path;

/// Fields of `metadata` that the API server knows.
const METADATA: [&str; 15] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Fields of one entry of `metadata.ownerReferences`.
const OWNER: [&str; 6] = ["apiVersion", "blockOwnerDeletion", "controller", "kind", "name", "uid"];

/// Whether the field is one of the two that name the type of any resource.
pub(super) fn is_type_field(name: &str) -> bool {
    name == "apiVersion" || name == "kind"
}

/// Drops fields of a resource's metadata that no resource has.
pub(super) fn prune_metadata(metadata: &mut Value, path: &Path<'_>, dropped: &mut Vec<String>) {
    keep(metadata, &METADATA, path, dropped);
    if let Some(owners) = metadata.get_mut("ownerReferences").and_then(Value::as_array_mut) {
        let path = path.field("ownerReferences");
        for (index, owner) in owners.iter_mut().enumerate() {
            keep(owner, &OWNER, &path.index(index), dropped);
        }
    }
}

fn keep(value: &mut Value, known: &[&str], path: &Path<'_>, dropped: &mut Vec<String>) {
    if let Some(object) = value.as_object_mut() {
        object.retain(|name, _| {
            let keep = known.contains(&name.as_str());
            if !keep {
                dropped.push(path.field(name).to_string());
            }
            keep
        });
    }
}

/// Checks that an embedded resource says what it is and has well-formed metadata.
pub(super) fn validate(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        let field = path.field(name).to_string();
        match value.get(name) {
            None => errors.push(FieldError::required(field, "")),
            Some(Value::String(text)) if text.is_empty() => errors.push(FieldError::required(field, "")),
            Some(Value::String(_)) => {}
            Some(other) => errors.push(FieldError::new(FieldErrorReason::Invalid, field, Some(other.clone()), "must be a string")),
        }
    }
    let Some(metadata) = value.get("metadata") else { return };
    let path = path.field("metadata");
    let Some(metadata) = metadata.as_object() else {
        if !metadata.is_null() {
            errors.push(FieldError::invalid(path.to_string(), metadata.clone(), "must be an object"));
        }
        return;
    };
    for name in ["labels", "annotations"] {
        let well_formed = match metadata.get(name) {
            None | Some(Value::Null) => true,
            Some(Value::Object(entries)) => entries.values().all(Value::is_string),
            Some(_) => false,
        };
        if !well_formed {
            let field = path.field(name).to_string();
            errors.push(FieldError::invalid(field, metadata[name].clone(), "must be a map of strings"));
        }
    }
    for name in ["name", "generateName", "namespace"] {
        if let Some(other) = metadata.get(name).filter(|value| !value.is_string() && !value.is_null()) {
            errors.push(FieldError::invalid(path.field(name).to_string(), other.clone(), "must be a string"));
        }
    }
}
