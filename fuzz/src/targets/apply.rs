//! Server-side apply and the managed fields of other writes, as a history of one object.

use std::sync::LazyLock;

use devplane::apply::{RESET_BY_OBJECT, RESET_BY_STATUS, Target, apply, keep_times, update_managed_fields};
use schema::structural::Schema;
use serde_json::{Map, Value, json};

use crate::bytes::Bytes;

/// What a new object holds.
static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

const WORDS: &[&str] = &[
    "spec",
    "status",
    "metadata",
    "name",
    "namespace",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "uid",
    "ports",
    "tags",
    "args",
    "limits",
    "sealed",
    "open",
    "size",
    "mode",
    "a",
    "b",
    "c",
    "http",
    "managedFields",
    "manager",
    "operation",
    "Apply",
    "Update",
    "fieldsType",
    "FieldsV1",
    "fieldsV1",
    "apiVersion",
    "example.org/v1",
    "kind",
    "Widget",
    "time",
    "2030-01-01T00:00:00Z",
    "f:spec",
    "f:metadata",
    "f:labels",
    ".",
    "f:a",
    "k:{\"name\":\"a\"}",
    "v:\"a\"",
    "i:0",
    "f:ports",
    "f:tags",
    "subresource",
];

/// A kind with every sort of list and map.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let text = json!({"type": "string"});
    let port = json!({"type": "object", "required": ["name"], "properties": {"name": text, "size": {"type": "integer"}, "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
    let spec = json!({"type": "object", "properties": {
        "size": {"type": "integer"}, "mode": text,
        "ports": {"type": "array", "items": port, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
        "tags": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
        "args": {"type": "array", "items": text},
        "limits": {"type": "object", "additionalProperties": text},
        "sealed": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": text, "b": text}},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }});
    let status = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    Schema::parse_lenient(&json!({"type": "object", "properties": {"spec": spec, "status": status}}))
});

/// Writes one object again and again.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let schema = (!bytes.one_in(4)).then(|| &*SCHEMA);
    let mut live: Option<Value> = None;
    // A write costs as much as the object is large: few of them show as much as many.
    for _ in 0..12 {
        if bytes.is_empty() {
            return;
        }
        let of_status = bytes.one_in(4);
        let (subresource, reset) = if of_status { ("status", RESET_BY_STATUS) } else { ("", RESET_BY_OBJECT) };
        let target = Target { schema, api_version: "example.org/v1", kind: "Widget", subresource, reset, zero: &NOTHING, forwarded: false };
        let manager = bytes.one_of(&["one", "two", "three"]);
        let now = bytes.one_of(&["2030-01-01T00:00:00Z", "2030-01-01T00:00:01Z"]);
        let mut object = bytes.object();
        object["apiVersion"] = "example.org/v1".into();
        object["kind"] = "Widget".into();
        if bytes.one_in(2) {
            let force = bytes.one_in(2);
            let Ok(applied) = apply(&target, live.as_ref(), &object, manager, force, now) else { continue };
            if !says_nothing(&object) && owns(&applied, manager) {
                again(&target, &applied, &object, manager);
            }
            live = Some(applied);
        } else {
            // As a client does that sends back what it read.
            if bytes.one_in(2)
                && let (Some(live), Some(metadata)) = (&live, object["metadata"].as_object_mut())
            {
                metadata.insert("managedFields".into(), live["metadata"]["managedFields"].clone());
            }
            update_managed_fields(&target, live.as_ref(), &mut object, manager, now);
            if let Some(live) = &live {
                keep_times(live, &mut object);
            }
            live = Some(object);
        }
    }
}

/// What is applied twice changes nothing, and meets nobody.
fn again(target: &Target<'_>, applied: &Value, patch: &Value, manager: &str) {
    match apply(target, Some(applied), patch, manager, false, "2030-01-01T00:00:09Z") {
        Ok(mut twice) => {
            keep_times(applied, &mut twice);
            assert_eq!(&twice, applied, "applied twice it is another: {patch}");
        }
        Err(error) => panic!("applied twice it is refused with {error}: {applied} {patch}"),
    }
}

/// Whether there is a null or something empty in it: what that leaves depends on what was there (structured-merge-diff keeps a map that
/// null is applied to, and takes null for one that has become empty).
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty() || items.iter().any(says_nothing),
        Value::Object(fields) => fields.is_empty() || fields.values().any(says_nothing),
        _ => false,
    }
}

/// Whether an applier owns anything. Who applies nothing is forgotten, and the next one is the first again.
fn owns(object: &Value, manager: &str) -> bool {
    let entries = object["metadata"]["managedFields"].as_array();
    entries.into_iter().flatten().any(|entry| entry["manager"] == manager && entry["operation"] == "Apply")
}
