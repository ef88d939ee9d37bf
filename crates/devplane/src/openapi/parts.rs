//! Schemas that those of kinds and operations refer to: metadata, options, answers, scales.
//! Source: apimachinery `apis/meta/v1/types.go`, `k8s.io/api/autoscaling/v1/types.go`.

use serde_json::{Map, Value, json};

use crate::registry::Resource;

/// The schema of the metadata of lists.
pub const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
/// The schema of a Status.
pub const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
/// The schema of a Scale.
pub const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
const AUTOSCALING: &str = "io.k8s.api.autoscaling.v1";

/// A structure with these fields: `name:type`, where a type with a capital letter is another structure here.
type Row = (&'static str, &'static [&'static str]);

const OF_META: &[Row] = &[
    (
        "DeleteOptions",
        &[
            "apiVersion:string",
            "kind:string",
            "dryRun:strings",
            "gracePeriodSeconds:integer",
            "ignoreStoreReadErrorWithClusterBreakingPotential:boolean",
            "orphanDependents:boolean",
            "preconditions:Preconditions",
            "propagationPolicy:string",
        ],
    ),
    ("FieldsV1", &[]),
    ("ListMeta", &["continue:string", "remainingItemCount:integer", "resourceVersion:string", "selfLink:string", "shardInfo:ShardInfo"]),
    (
        "ManagedFieldsEntry",
        &[
            "apiVersion:string",
            "fieldsType:string",
            "fieldsV1:FieldsV1",
            "manager:string",
            "operation:string",
            "subresource:string",
            "time:Time",
        ],
    ),
    (
        "OwnerReference",
        &["apiVersion:string", "kind:string", "name:string", "uid:string", "controller:boolean", "blockOwnerDeletion:boolean"],
    ),
    ("Patch", &[]),
    ("Preconditions", &["resourceVersion:string", "uid:string"]),
    ("ShardInfo", &["selector:string"]),
    (
        "Status",
        &[
            "apiVersion:string",
            "kind:string",
            "code:integer",
            "details:StatusDetails",
            "message:string",
            "metadata:ListMeta",
            "reason:string",
            "status:string",
        ],
    ),
    ("StatusCause", &["field:string", "message:string", "reason:string"]),
    ("StatusDetails", &["group:string", "kind:string", "name:string", "retryAfterSeconds:integer", "uid:string"]),
];
const OF_SCALE: &[Row] = &[
    ("Scale", &["apiVersion:string", "kind:string", "spec:ScaleSpec", "status:ScaleStatus"]),
    ("ScaleSpec", &["replicas:integer"]),
    ("ScaleStatus", &["replicas:integer", "selector:string"]),
];

/// What the schemas and operations of a resource refer to.
pub fn referred_to(resource: &Resource) -> Map<String, Value> {
    let mut schemas: Map<String, Value> = OF_META.iter().map(|row| (format!("{META}.{}", row.0), structure(row, META))).collect();
    schemas.insert(format!("{META}.Time"), json!({"type": "string", "format": "date-time"}));
    if resource.subresource("scale").is_some() {
        schemas.extend(OF_SCALE.iter().map(|row| (format!("{AUTOSCALING}.{}", row.0), structure(row, AUTOSCALING))));
    }
    schemas
}

fn structure((_, fields): &Row, package: &str) -> Value {
    let mut properties = Map::new();
    for field in *fields {
        let (name, kind) = field.split_once(':').unwrap_or((*field, "string"));
        let schema = match kind {
            "strings" => json!({"type": "array", "items": {"type": "string"}}),
            kind if kind.starts_with(char::is_uppercase) => json!({"$ref": format!("#/components/schemas/{package}.{kind}")}),
            kind => json!({"type": kind}),
        };
        properties.insert(name.to_owned(), schema);
    }
    if properties.is_empty() { json!({"type": "object"}) } else { json!({"type": "object", "properties": properties}) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_referred_to_is_there() {
        let scaled = crate::registry::builtin::kubernetes().iter().find(|resource| resource.plural == "deployments").unwrap();
        let schemas = referred_to(scaled);
        for (name, schema) in &schemas {
            for property in schema["properties"].as_object().into_iter().flatten().map(|(_, property)| property) {
                let target = property["$ref"].as_str().and_then(|target| target.rsplit('/').next());
                assert!(target.is_none_or(|target| schemas.contains_key(target)), "{name}: {target:?}");
            }
        }
        assert!([LIST_META, STATUS, SCALE].iter().all(|name| schemas.contains_key(*name)));
    }
}
