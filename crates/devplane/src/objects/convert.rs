//! Between the stored form of an object and the one that a resource shows. Versions of custom resources differ by `apiVersion` alone.

use serde_json::Value;

use super::shape;
use crate::{
    kinds::conversion,
    registry::{Resource, Shape},
    store::Stored,
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
        shape::default(resource, &mut object);
    }
    versioned(resource, object)
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
    let version = &resource.storage_version;
    relabel(&mut object, if group.is_empty() { version.clone() } else { format!("{group}/{version}") });
    object
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
    }
    object
}
