//! Embedded resources: their `apiVersion`, `kind` and `metadata` follow the API server, not the schema.
//! Source: apiextensions-apiserver `pkg/apiserver/schema/objectmeta/validation.go`.

mod metadata;

use serde_json::Value;

use super::Schema;
use super::error::{FieldError, FieldErrorReason};
use super::path::Path;

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
/// Maximum length of a kind's name.
const LABEL_LENGTH: usize = 63;

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

/// Whether the field is one of the two that identify the type of a resource.
pub(super) fn is_type_field(name: &str) -> bool {
    name == "apiVersion" || name == "kind"
}

/// Drops unknown fields of a resource's metadata.
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

/// Collects where resources are embedded in a value: the path, and the JSON pointer from the value.
pub(super) fn places(schema: &Schema, value: &Value, path: &Path<'_>, pointer: &str, found: &mut Vec<(String, String)>) {
    let has_some = |schema: &&Schema| schema.has_embedded;
    match value {
        Value::Object(fields) => {
            if schema.embedded {
                found.push((path.to_string(), pointer.to_owned()));
            }
            for (name, field) in fields {
                let (inside, here) = match schema.properties.get(name) {
                    Some(property) => (Some(property), path.field(name)),
                    None => (schema.additional_properties(), path.key(name)),
                };
                if let Some(inside) = inside.filter(has_some) {
                    let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                    places(inside, field, &here, &pointer, found);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inside) = schema.items().filter(has_some) {
                for (index, item) in items.iter().enumerate() {
                    places(inside, item, &path.index(index), &format!("{pointer}/{index}"), found);
                }
            }
        }
        _ => {}
    }
}

/// Checks that an embedded resource has a type and well-formed metadata.
pub(super) fn validate(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        let field = path.field(name).to_string();
        match value.get(name) {
            None => errors.push(FieldError::required(field, "")),
            Some(Value::String(text)) => {
                errors.extend(misnamed(name, text).into_iter().map(|why| FieldError::invalid(&field, text.as_str(), why)));
            }
            Some(other) => errors.push(FieldError::new(FieldErrorReason::Invalid, field, Some(other.clone()), "must be a string")),
        }
    }
    if let Some(metadata) = value.get("metadata") {
        metadata::validate(metadata, &path.field("metadata"), errors);
    }
}

/// Returns what is wrong with an `apiVersion` or a `kind`.
fn misnamed(name: &str, text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("must not be empty".to_owned());
    }
    if name == "apiVersion" {
        return (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"));
    }
    let lower = text.to_lowercase();
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = lower.starts_with(|first: char| first.is_ascii_lowercase()) && !lower.ends_with('-') && lower.bytes().all(is_inner);
    let mut faults = Vec::new();
    if lower.len() > LABEL_LENGTH {
        faults.push(format!("must be no more than {LABEL_LENGTH} characters"));
    }
    if !is_label {
        faults.push(LABEL.to_owned());
    }
    (!faults.is_empty()).then(|| format!("may have mixed case, but should otherwise match: {}", faults.join(",")))
}
