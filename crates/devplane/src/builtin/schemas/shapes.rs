//! The words in which schemas are written.

use serde_json::{Map, Value, json};

/// An object with these fields.
pub(super) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let properties: Map<String, Value> = fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({"type": "object", "properties": properties})
}

/// An object with these fields and those of another one.
pub(super) fn extended<const N: usize>(mut base: Value, fields: [(&str, Value); N]) -> Value {
    for (name, schema) in fields {
        base["properties"][name] = schema;
    }
    base
}

/// A whole kind: `spec` and `status`.
pub(super) fn kind(spec: Value, status: Value) -> Value {
    object([("spec", spec), ("status", status)])
}

/// Anything at all.
pub(super) fn open() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn integer() -> Value {
    json!({"type": "integer", "format": "int32"})
}

pub(super) fn long() -> Value {
    json!({"type": "integer", "format": "int64"})
}

pub(super) fn boolean() -> Value {
    json!({"type": "boolean"})
}

/// `2030-01-31T10:00:00Z`.
pub(super) fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

/// `2030-01-31T10:00:00.000000Z`.
pub(super) fn micro_time() -> Value {
    json!({"type": "string", "format": super::super::decode::MICRO_TIME})
}

/// Base64.
pub(super) fn bytes() -> Value {
    json!({"type": "string", "format": "byte"})
}

pub(super) fn integer_or_text() -> Value {
    json!({"x-kubernetes-int-or-string": true})
}

/// `500m`, `1Gi`.
pub(super) fn quantity() -> Value {
    json!({"x-kubernetes-int-or-string": true, "format": super::super::decode::QUANTITY})
}

/// A map from texts.
pub(super) fn map(values: Value) -> Value {
    json!({"type": "object", "additionalProperties": values})
}

pub(super) fn quantities() -> Value {
    map(quantity())
}

/// A list that is one value.
pub(super) fn list(items: Value) -> Value {
    json!({"type": "array", "items": items, "x-kubernetes-list-type": "atomic"})
}

pub(super) fn texts() -> Value {
    list(text())
}

/// A list of different values.
pub(super) fn set(items: Value) -> Value {
    json!({"type": "array", "items": items, "x-kubernetes-list-type": "set"})
}

/// A list of objects told apart by `keys`; strategic patches merge it by the first of them.
pub(super) fn keyed(keys: &[&str], items: Value) -> Value {
    let mut items = items;
    // Key fields without a default have to be there.
    let required: Vec<&str> = keys.iter().copied().filter(|key| items["properties"][*key].get("default").is_none()).collect();
    items["required"] = json!(required);
    json!({
        "type": "array",
        "items": items,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": keys,
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": keys.first(),
    })
}

/// The same as one value for apply.
pub(super) fn atomic(mut schema: Value) -> Value {
    schema["x-kubernetes-map-type"] = "atomic".into();
    schema
}

/// The same with a default.
pub(super) fn or(mut schema: Value, default: impl Into<Value>) -> Value {
    schema["default"] = default.into();
    schema
}

/// The same as `$retainKeys` in strategic patches.
pub(super) fn retain_keys(mut schema: Value) -> Value {
    schema["x-kubernetes-patch-strategy"] = "retainKeys".into();
    schema
}

/// A selector of labels.
pub(super) fn selector() -> Value {
    let expression = object([("key", text()), ("operator", text()), ("values", texts())]);
    atomic(object([("matchLabels", map(text())), ("matchExpressions", list(expression))]))
}

/// The conditions of a status.
pub(super) fn conditions() -> Value {
    let condition = object([
        ("type", text()),
        ("status", text()),
        ("observedGeneration", long()),
        ("lastProbeTime", nullable(time())),
        ("lastUpdateTime", time()),
        ("lastTransitionTime", nullable(time())),
        ("reason", text()),
        ("message", text()),
    ]);
    keyed(&["type"], condition)
}

/// The same, and null.
pub(super) fn nullable(mut schema: Value) -> Value {
    schema["nullable"] = true.into();
    schema
}

/// A reference to another object.
pub(super) fn reference() -> Value {
    atomic(object([
        ("apiVersion", text()),
        ("kind", text()),
        ("name", text()),
        ("namespace", text()),
        ("uid", text()),
        ("resourceVersion", text()),
        ("fieldPath", text()),
    ]))
}

/// A reference to an object of a known kind in the same namespace.
pub(super) fn local_reference() -> Value {
    atomic(object([("name", or(text(), ""))]))
}
