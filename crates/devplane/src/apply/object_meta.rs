//! The schema of `metadata`, the same for all kinds.
//! Source: apimachinery `apis/meta/v1/types.go`, as the OpenAPI document of a server has it.

use std::sync::LazyLock;

use schema::structural::Schema;
use serde_json::json;

/// The schema of `metadata`.
pub fn schema() -> &'static Schema {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
        let text = json!({"type": "string"});
        let texts = json!({"type": "object", "additionalProperties": text});
        Schema::parse_lenient(&json!({
            "type": "object",
            "properties": {
                "annotations": texts,
                "creationTimestamp": {"type": "string", "format": "date-time", "nullable": true},
                "deletionGracePeriodSeconds": {"type": "integer", "format": "int64"},
                "deletionTimestamp": {"type": "string", "format": "date-time"},
                "finalizers": {
                    "type": "array",
                    "items": text,
                    "x-kubernetes-list-type": "set",
                    "x-kubernetes-patch-strategy": "merge",
                },
                "generateName": text,
                "generation": {"type": "integer", "format": "int64"},
                "labels": texts,
                "managedFields": {
                    "type": "array",
                    "x-kubernetes-list-type": "atomic",
                    "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                },
                "name": text,
                "namespace": text,
                "ownerReferences": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["uid"],
                    "x-kubernetes-patch-strategy": "merge",
                    "x-kubernetes-patch-merge-key": "uid",
                    "items": {
                        "type": "object",
                        "x-kubernetes-map-type": "atomic",
                        "required": ["apiVersion", "kind", "name", "uid"],
                        "properties": {
                            "apiVersion": text,
                            "blockOwnerDeletion": {"type": "boolean"},
                            "controller": {"type": "boolean"},
                            "kind": text,
                            "name": text,
                            "uid": text,
                        },
                    },
                },
                "resourceVersion": text,
                "selfLink": text,
                "uid": text,
            },
        }))
    });
    &SCHEMA
}
