//! `metadata`: what the server fills in and keeps, and what it refuses (apimachinery `api/validation/objectmeta.go`).

mod rules;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{
    State, clock,
    document::fields,
    protobuf::go_json,
    random,
    registry::Resource,
    status::{ApiError, Cause},
};

pub use rules::{drop_repeated_owners, name_faults, repeated_owners, validate};
pub use schema::names::{LABEL, Unit, is_label, label_value_faults, qualified_faults, subdomain_faults};

/// Fields of `metadata`; all others are unknown.
pub const FIELDS: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// The metadata of an object, made where there is none. What is no object becomes one.
pub fn of(object: &mut Value) -> &mut Map<String, Value> {
    fields(fields(object).entry("metadata").or_insert_with(|| json!({})))
}

/// Drops what has no value, as the Go types do when they are written.
pub fn normalise(object: &mut Value) {
    of(object).retain(|_, value| !go_json::is_empty(value));
}

/// Drops unknown fields of `metadata` and names them.
pub fn prune(object: &mut Value) -> Vec<String> {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return Vec::new() };
    let unknown: Vec<String> = metadata.keys().filter(|key| !FIELDS.contains(&key.as_str())).cloned().collect();
    for key in &unknown {
        metadata.remove(key);
    }
    unknown.into_iter().map(|key| format!("metadata.{key}")).collect()
}

/// Text of a metadata field.
pub fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// Fills in what a new object gets from the server. Name and namespace are decided already.
pub fn fill_new(state: &State, resource: &Resource, object: &mut Value) {
    let (uid, now) = (random::uid(&*state.random), clock::seconds(state.clock.now()));
    let metadata = of(object);
    for field in ["selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion"] {
        metadata.remove(field);
    }
    metadata.insert("uid".into(), uid.into());
    metadata.insert("creationTimestamp".into(), now.into());
    if resource.traits.generation {
        metadata.insert("generation".into(), 1.into());
    }
}

/// Carries over what an update cannot change, after the checks that answer with their own errors.
pub fn carry_over(old: &Value, new: &mut Value) {
    let metadata = of(new);
    metadata.remove("selfLink");
    for field in ["uid", "creationTimestamp", "generation", "generateName", "resourceVersion"] {
        match old["metadata"].get(field) {
            Some(value) => {
                metadata.insert(field.into(), value.clone());
            }
            None => {
                metadata.remove(field);
            }
        }
    }
    // What is being deleted stays so; see [`deletion_faults`].
    if let Some(time) = old["metadata"].get("deletionTimestamp") {
        metadata.insert("deletionTimestamp".into(), time.clone());
    }
    if let Some(seconds) = old["metadata"].get("deletionGracePeriodSeconds") {
        metadata.entry("deletionGracePeriodSeconds").or_insert_with(|| seconds.clone());
    }
}

/// What an update says of a deletion, which is none of its business.
pub fn deletion_faults(old: &Value, new: &Value) -> Vec<Cause> {
    let changed = ["deletionTimestamp", "deletionGracePeriodSeconds"].into_iter().filter(|field| {
        let said = &new["metadata"][*field];
        *said != old["metadata"][*field]
    });
    changed.map(|field| Cause::invalid(&format!("metadata.{field}"), &new["metadata"][field], "field is immutable")).collect()
}

/// Raises `metadata.generation`, where the object has one.
pub fn raise_generation(object: &mut Value) {
    let metadata = of(object);
    if let Some(generation) = metadata.get("generation").and_then(Value::as_u64) {
        metadata.insert("generation".into(), (generation + 1).into());
    }
}

/// Whether nothing keeps an object that is marked for deletion.
pub fn may_go(object: &Value) -> bool {
    let empty = |value: &Value| value.as_array().is_none_or(Vec::is_empty);
    let has_time = object["metadata"]["deletionGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds > 0);
    let marked = object["metadata"]["deletionTimestamp"].is_string() && !has_time;
    // A namespace has a second list of finalizers in its spec.
    let namespace = object["kind"] == "Namespace" && object["apiVersion"] == "v1";
    marked && empty(&object["metadata"]["finalizers"]) && (!namespace || empty(&object["spec"]["finalizers"]))
}

/// Refuses a name that is taken by nobody but fits not: the checks of create that come before all others.
pub fn check_place(resource: &Arc<Resource>, namespace: &str, object: &mut Value) -> Result<(), ApiError> {
    let said = text(object, "namespace").to_owned();
    if resource.namespaced {
        if !said.is_empty() && said != namespace {
            let message = "the namespace of the provided object does not match the namespace sent on the request";
            return Err(ApiError::bad_request(message));
        }
        of(object).insert("namespace".into(), namespace.into());
    } else {
        of(object).remove("namespace");
    }
    Ok(())
}

/// Finalizers that the new state has and the old one had not.
pub fn new_finalizers(old: &Value, new: &Value) -> Option<Cause> {
    let names = |object: &Value| -> Vec<String> {
        let list = object["metadata"]["finalizers"].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let had = names(old);
    let added: Vec<String> = names(new).into_iter().filter(|name| !had.contains(name)).map(|name| format!("{name:?}")).collect();
    (old["metadata"]["deletionTimestamp"].is_string() && !added.is_empty()).then(|| {
        let detail =
            format!("no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}", added.join(", "));
        Cause::forbidden("metadata.finalizers", &detail)
    })
}
