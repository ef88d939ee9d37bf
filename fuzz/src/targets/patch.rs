//! The three patches.

use std::sync::LazyLock;

use devplane::patch;
use schema::structural::Schema;
use serde_json::{Value, json};

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "op",
    "add",
    "remove",
    "replace",
    "move",
    "copy",
    "test",
    "path",
    "from",
    "value",
    "",
    "/",
    "/a",
    "/a/b",
    "/a/-",
    "/a/0",
    "/a/1",
    "-",
    "0",
    "a",
    "b",
    "~0",
    "~1",
    "name",
    "spec",
    "metadata",
    "finalizers",
    "containers",
    "ports",
    "containerPort",
    "args",
    "limits",
    "$patch",
    "delete",
    "merge",
    "$retainKeys",
    "$setElementOrder/containers",
    "$deleteFromPrimitiveList/finalizers",
    "$setElementOrder/ports",
];

/// Lists and maps with the marks by which patches merge them.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let text = json!({"type": "string"});
    let port = json!({"type": "object", "properties": {"containerPort": {"type": "integer"}, "name": text}});
    let ports = json!({"type": "array", "items": port, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["containerPort"],
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "containerPort"});
    let container = json!({"type": "object", "properties": {"name": text, "ports": ports, "args": {"type": "array", "items": text}}});
    let containers = json!({"type": "array", "items": container, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"});
    let finalizers = json!({"type": "array", "items": text, "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge"});
    let spec =
        json!({"type": "object", "properties": {"containers": containers, "limits": {"type": "object", "additionalProperties": text}}});
    let metadata = json!({"type": "object", "properties": {"name": text, "finalizers": finalizers}});
    Schema::parse_lenient(&json!({"type": "object", "properties": {"metadata": metadata, "spec": spec}}))
});

/// Patches an object.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let kind = bytes.byte();
    let target = bytes.object();
    match kind % 3 {
        0 => {
            let _ = patch::json(&target, &operations(&mut bytes));
        }
        1 => {
            let change = bytes.value();
            if let Ok(once) = patch::merge(&target, &change) {
                assert_eq!(patch::merge(&once, &change).as_ref(), Ok(&once), "merged twice it is another: {target} {change}");
            }
        }
        _ => {
            let _ = patch::strategic(&target, &bytes.object(), &SCHEMA);
        }
    }
}

/// Operations of a JSON patch; sometimes none at all.
fn operations(bytes: &mut Bytes) -> Value {
    if bytes.one_in(8) {
        return bytes.value();
    }
    let mut operations = Vec::new();
    while !bytes.is_empty() {
        let op = bytes.one_of(&["add", "remove", "replace", "move", "copy", "test"]);
        let mut pointer = || (0..bytes.below(5)).map(|_| format!("/{}", bytes.text())).collect::<String>();
        operations.push(json!({"op": op, "path": pointer(), "from": pointer(), "value": bytes.value()}));
    }
    Value::Array(operations)
}
