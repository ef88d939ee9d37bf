//! Between the stored form of an object and the one that a resource shows. Versions of custom resources differ by `apiVersion` alone.
//! Source: apiextensions-apiserver `pkg/apiserver/conversion/nop_converter.go`.

use bytes::Bytes;
use serde_json::Value;

use super::shape;
use crate::{
    kinds::conversion,
    registry::{Resource, Shape},
    status::Cause,
    store::{Parts, Stored},
};

/// Whether an object was stored before the schema was what it is: it may lack defaults, and hold what is unknown by now.
pub fn is_older_than_schema(resource: &Resource, stored: &Stored) -> bool {
    matches!(&resource.shape, Shape::Custom(shape) if stored.revision <= shape.revision)
}

/// The stored object as the resource shows it.
pub fn shown(resource: &Resource, stored: &Stored) -> Value {
    let mut object = stored.object();
    if is_older_than_schema(resource, stored) {
        shape::prune(resource, &mut object);
        shape::default(resource, &mut object, false);
    }
    versioned(resource, object)
}

/// The stored object as the resource shows it, as text. Where nothing has to be changed but the version, it is not read.
pub fn text(resource: &Resource, api_version: &str, stored: &Stored) -> Bytes {
    match as_stored(resource, stored) {
        Some(parts) if parts.api_version == api_version.as_bytes() => stored.json.clone(),
        _ => {
            let mut text = Vec::with_capacity(stored.json.len() + 64);
            append(&mut text, resource, api_version, stored);
            text.into()
        }
    }
}

/// Appends the stored object as the resource shows it.
pub fn append(text: &mut Vec<u8>, resource: &Resource, api_version: &str, stored: &Stored) {
    let Some(parts) = as_stored(resource, stored) else { return text.extend_from_slice(shown(resource, stored).to_string().as_bytes()) };
    for part in [br#"{"apiVersion":""#, api_version.as_bytes(), br#"","kind":""#, parts.kind, br#"","#, parts.rest] {
        text.extend_from_slice(part);
    }
}

/// The stored object as the resource shows it, in two parts: a short one, and one that is shared with the store. None where it has to be
/// read for that.
pub fn shared(resource: &Resource, api_version: &str, stored: &Stored) -> Option<(Vec<u8>, Bytes)> {
    let parts = as_stored(resource, stored)?;
    let head = [br#"{"apiVersion":""#, api_version.as_bytes(), br#"","kind":""#, parts.kind, br#"","#].concat();
    Some((head, stored.json.slice_ref(parts.rest)))
}

/// Appends the stored object as an item of a list: those of built-in kinds say neither version nor kind.
pub fn append_item(text: &mut Vec<u8>, resource: &Resource, api_version: &str, stored: &Stored) {
    if !resource.is_built_in() {
        return append(text, resource, api_version, stored);
    }
    if let Some(parts) = as_stored(resource, stored) {
        text.push(b'{');
        return text.extend_from_slice(parts.rest);
    }
    let mut object = shown(resource, stored);
    if let Some(fields) = object.as_object_mut() {
        fields.remove("apiVersion");
        fields.remove("kind");
    }
    text.extend_from_slice(object.to_string().as_bytes());
}

/// The parts of an object that the resource shows as it is stored, but for the version.
fn as_stored<'a>(resource: &Resource, stored: &'a Stored) -> Option<Parts<'a>> {
    let differs = conversion::differs(resource) || is_event(resource) || is_older_than_schema(resource, stored);
    if differs { None } else { stored.parts() }
}

/// A stored object in the version of the resource.
fn versioned(resource: &Resource, object: Value) -> Value {
    let object = conversion::shown(resource, object);
    let mut object = if is_event(resource) { event_from_core(object) } else { object };
    relabel(&mut object, resource.api_version());
    object
}

/// An object of one resource as another one shows it that is stored under the same key.
pub fn between(from: &Resource, to: &Resource, object: Value) -> Value {
    if (&from.group, &from.version) == (&to.group, &to.version) { object } else { versioned(to, stored(from, object)) }
}

/// The object as it is stored.
pub fn stored(resource: &Resource, object: Value) -> Value {
    let object = conversion::stored(resource, object);
    let mut object = if is_event(resource) { event_to_core(object) } else { object };
    let group = &*resource.storage.group;
    // Other versions may know more than the one in which objects are stored.
    if let Shape::Custom(shape) = &resource.shape
        && let Some(schema) = &shape.stored
    {
        schema.prune_resource(&mut object);
    }
    let version = &resource.storage_version;
    relabel(&mut object, if group.is_empty() { version.clone() } else { format!("{group}/{version}") });
    object
}

/// What is wrong with an object in the version in which it is stored, where that is another one. Controllers read what is stored: an
/// older version that takes any form must not bring it to them.
pub fn stored_faults(resource: &Resource, object: &Value) -> Vec<Cause> {
    let Shape::Custom(shape) = &resource.shape else { return Vec::new() };
    let Some(schema) = shape.stored.as_ref().filter(|_| conversion::differs(resource)) else { return Vec::new() };
    let mut object = stored(resource, object.clone());
    schema.default(&mut object);
    schema.validate(&object).into_iter().map(Cause::from).collect()
}

fn relabel(object: &mut Value, api_version: String) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".into(), api_version.into());
    }
}

/// Events are stored as the core group has them.
fn is_event(resource: &Resource) -> bool {
    resource.group == "events.k8s.io" && resource.plural == "events"
}

/// (name in events.k8s.io, name in core)
const EVENT_FIELDS: [(&str, &str); 7] = [
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

fn event_from_core(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        for (new, core) in EVENT_FIELDS {
            if let Some(value) = fields.remove(core) {
                fields.insert(new.into(), value);
            }
        }
        for name in ["reportingController", "reportingInstance"] {
            if fields.get(name).is_some_and(|value| *value == "") {
                fields.remove(name);
            }
        }
    }
    object
}

fn event_to_core(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        for (new, core) in EVENT_FIELDS {
            if let Some(value) = fields.remove(new) {
                fields.insert(core.into(), value);
            }
        }
        // The core group says these even if they are empty.
        for name in ["reportingComponent", "reportingInstance"] {
            fields.entry(name).or_insert_with(|| "".into());
        }
    }
    object
}
