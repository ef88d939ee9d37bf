//! `metadata` of an embedded resource: the type of each field, and the rules for names, labels, annotations, owners and finalizers.
//!
//! The schema says nothing about it: an API server reads it as its own type before it validates it, and refuses what doesn't fit. `null`
//! is no value there. Source: apiextensions-apiserver `pkg/apiserver/schema/objectmeta`, apimachinery `pkg/api/validation/objectmeta.go`.

use serde_json::{Map, Value};

use crate::names::{LABEL as NAMESPACE, is_label, label_value_faults, path_segment_faults, path_segment_prefix_faults, qualified_faults};

use super::super::error::FieldError;
use super::super::format::is_timestamp;
use super::super::path::Path;

/// Maximum length of the name of a namespace.
const NAMESPACE_LENGTH: usize = 63;
/// Maximum size of all annotations of one object, in bytes.
const ANNOTATION_BYTES: usize = 256 * 1024;

const TEXT: &str = "must be a string";
const WHOLE_NUMBER: &str = "must be an integer";
const BOOLEAN: &str = "must be a boolean";
const TIMESTAMP: &str = "must be a time such as 2006-01-02T15:04:05Z";
const TEXTS_BY_KEY: &str = "must be a map of strings";
const LIST: &str = "must be an array";
const OBJECT: &str = "must be an object";

/// Collects what is wrong with the metadata of an embedded resource.
pub(super) fn validate(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let before = errors.len();
    let Some(fields) = object(metadata, path, errors) else { return };
    typed(fields, path, errors);
    if errors.len() == before {
        ruled(fields, path, errors);
    }
}

/// Checks the types of the fields.
fn typed(fields: &Map<String, Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        let here = path.field(name);
        match name.as_str() {
            "name" | "generateName" | "namespace" | "selfLink" | "uid" | "resourceVersion" => {
                expect(value.is_string(), TEXT, value, &here, errors)
            }
            "generation" | "deletionGracePeriodSeconds" => expect(is_whole(value), WHOLE_NUMBER, value, &here, errors),
            "creationTimestamp" | "deletionTimestamp" => expect(is_time(value), TIMESTAMP, value, &here, errors),
            "labels" | "annotations" => {
                let well_formed = value.as_object().is_some_and(|entries| entries.values().all(Value::is_string));
                expect(well_formed, TEXTS_BY_KEY, value, &here, errors);
            }
            "finalizers" => each(value, &here, errors, |item, here, errors| expect(item.is_string(), TEXT, item, here, errors)),
            "ownerReferences" => each(value, &here, errors, owner),
            "managedFields" => each(value, &here, errors, managed),
            _ => {}
        }
    }
}

fn owner(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(fields) = object(value, path, errors) else { return };
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match name.as_str() {
            "apiVersion" | "kind" | "name" | "uid" => expect(value.is_string(), TEXT, value, &path.field(name), errors),
            "controller" | "blockOwnerDeletion" => expect(value.is_boolean(), BOOLEAN, value, &path.field(name), errors),
            _ => {}
        }
    }
}

fn managed(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(fields) = object(value, path, errors) else { return };
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match name.as_str() {
            "manager" | "operation" | "apiVersion" | "fieldsType" | "subresource" => {
                expect(value.is_string(), TEXT, value, &path.field(name), errors);
            }
            "time" => expect(is_time(value), TIMESTAMP, value, &path.field(name), errors),
            _ => {}
        }
    }
}

/// Checks what the fields say. Their types are right.
fn ruled(fields: &Map<String, Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut refuse = |field: &str, value: &str, faults: Vec<String>| {
        let field = path.field(field).to_string();
        errors.extend(faults.into_iter().map(|fault| FieldError::invalid(&field, value, fault)));
    };
    refuse("generateName", text("generateName"), path_segment_prefix_faults(text("generateName")));
    refuse("name", text("name"), path_segment_faults(text("name")));
    for (key, value) in entries(fields.get("labels")) {
        refuse("labels", key, qualified_faults(key));
        let value = value.as_str().unwrap_or_default();
        refuse("labels", value, label_value_faults(value));
    }
    let annotations = || entries(fields.get("annotations"));
    for (key, _) in annotations() {
        refuse("annotations", key, qualified_faults(&key.to_lowercase()));
    }
    if annotations().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum::<usize>() > ANNOTATION_BYTES {
        refuse("annotations", "", vec![format!("must be no more than {ANNOTATION_BYTES} bytes")]);
    }
    for finalizer in items(fields.get("finalizers")).filter_map(Value::as_str) {
        refuse("finalizers", finalizer, qualified_faults(finalizer));
    }
    let mut controllers = 0;
    for owner in items(fields.get("ownerReferences")) {
        let text = |name: &str| owner.get(name).and_then(Value::as_str).unwrap_or_default();
        controllers += usize::from(owner.get("controller").and_then(Value::as_bool).unwrap_or_default());
        let version = text("apiVersion");
        if version.is_empty() || version.matches('/').count() > 1 {
            refuse("ownerReferences.apiVersion", version, vec!["version must not be empty".to_owned()]);
        }
        for name in ["kind", "name", "uid"].into_iter().filter(|name| text(name).is_empty()) {
            refuse(&format!("ownerReferences.{name}"), "", vec!["must not be empty".to_owned()]);
        }
        if (version, text("kind")) == ("v1", "Event") {
            refuse("ownerReferences", "Event", vec!["/v1, Kind=Event is disallowed from being an owner".to_owned()]);
        }
    }
    if controllers > 1 {
        refuse("ownerReferences", "", vec!["Only one reference can have Controller set to true".to_owned()]);
    }
    let namespace = text("namespace");
    if !namespace.is_empty() {
        refuse("namespace", namespace, namespace_faults(namespace));
    }
    if let Some(generation) = fields.get("generation").filter(|number| number.as_f64().is_some_and(|number| number < 0.0)) {
        errors.push(FieldError::invalid(path.field("generation").to_string(), generation.clone(), "must be greater than or equal to 0"));
    }
}

fn namespace_faults(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name.len() > NAMESPACE_LENGTH {
        faults.push(format!("must be no more than {NAMESPACE_LENGTH} characters"));
    }
    if !is_label(name) {
        faults.push(NAMESPACE.to_owned());
    }
    faults
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// Returns the fields of an object; anything else but `null` is an error.
fn object<'a>(value: &'a Value, path: &Path<'_>, errors: &mut Vec<FieldError>) -> Option<&'a Map<String, Value>> {
    expect(value.is_object() || value.is_null(), OBJECT, value, path, errors);
    value.as_object()
}

fn each(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>, check: impl Fn(&Value, &Path<'_>, &mut Vec<FieldError>)) {
    expect(value.is_array(), LIST, value, path, errors);
    for (index, item) in items(Some(value)).enumerate().filter(|(_, item)| !item.is_null()) {
        check(item, &path.index(index), errors);
    }
}

fn expect(fits: bool, why: &'static str, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if !fits {
        errors.push(FieldError::invalid(path.to_string(), value.clone(), why));
    }
}

/// Checks for a number that fits in 64 bits and has no fraction; `1.0` is one.
fn is_whole(value: &Value) -> bool {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    value.is_i64() || value.as_f64().is_some_and(|number| number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number))
}

fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(is_timestamp)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::validate;
    use crate::structural::path::Path;

    fn blamed(metadata: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        validate(metadata, &Path::Root.field("metadata"), &mut errors);
        errors.into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn metadata_has_the_types_of_an_api_server() {
        let good = json!({
            "name": "a:b", "namespace": "shop", "generation": 1.0, "creationTimestamp": null, "deletionTimestamp": "2026-01-02T03:04:05.5+01:00",
            "labels": {"example.com/a": "b"}, "annotations": {"A/B": "any text"}, "finalizers": ["example.com/x"], "resourceVersion": null,
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}, {"apiVersion": "a/v1", "kind": "B", "name": "c", "uid": "d"}],
            "managedFields": [{"manager": "kubectl", "time": "2026-01-02T03:04:05Z", "fieldsV1": {"f:a": {}}}], "unknown": [1],
        });
        assert_eq!(blamed(&good), Vec::<String>::new());
        assert_eq!(blamed(&Value::Null), Vec::<String>::new());
        for (metadata, field) in [
            (json!("text"), "metadata"),
            (json!({"creationTimestamp": 5}), "metadata.creationTimestamp"),
            (json!({"creationTimestamp": ""}), "metadata.creationTimestamp"),
            (json!({"creationTimestamp": "2026-01-02"}), "metadata.creationTimestamp"),
            (json!({"deletionTimestamp": "2026-01-02 03:04:05Z"}), "metadata.deletionTimestamp"),
            (json!({"generation": 1.5}), "metadata.generation"),
            (json!({"generation": "1"}), "metadata.generation"),
            (json!({"generation": -1}), "metadata.generation"),
            (json!({"uid": 1}), "metadata.uid"),
            (json!({"labels": {"a": 1}}), "metadata.labels"),
            (json!({"labels": {"a b": "c"}}), "metadata.labels"),
            (json!({"labels": {"a": "c d"}}), "metadata.labels"),
            (json!({"annotations": ["a"]}), "metadata.annotations"),
            (json!({"annotations": {"a": "x".repeat(262_144)}}), "metadata.annotations"),
            (json!({"name": "a/b"}), "metadata.name"),
            (json!({"generateName": "a%"}), "metadata.generateName"),
            (json!({"namespace": "A"}), "metadata.namespace"),
            (json!({"finalizers": "a"}), "metadata.finalizers"),
            (json!({"finalizers": ["a", 1]}), "metadata.finalizers[1]"),
            (json!({"ownerReferences": [{"controller": "true"}]}), "metadata.ownerReferences[0].controller"),
            (json!({"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p"}]}), "metadata.ownerReferences.uid"),
            (json!({"managedFields": [{"time": 1}]}), "metadata.managedFields[0].time"),
        ] {
            assert_eq!(blamed(&metadata), [field], "{metadata}");
        }
    }
}
