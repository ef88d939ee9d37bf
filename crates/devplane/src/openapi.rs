//! OpenAPI documents: v3 by group and version, and v2 as one document (kube-openapi; apiextensions-apiserver `controller/openapi`).
//!
//! They hold what clients read: schemas by group, version and kind for `explain` and validation, and paths with their operations.

mod cached;
mod operations;
mod parts;
mod version2;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Response};
use serde_json::{Map, Value, json};

use crate::{
    State, builtin,
    http::{
        answer::{Answer, Content},
        media::Format,
        query::Query,
    },
    registry::{Resource, Shape},
    request::Attributes,
    status::ApiError,
};

pub use cached::Indexes;

/// The name of the schema of `metadata`.
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA: &str =
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

const LIST_METADATA: &str =
    "Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const CONVENTIONS: &str = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/// Answers `/openapi/v3`, `/openapi/v3/…` and `/openapi/v2`.
pub fn answer(state: &State, attributes: &Attributes, path: &str, query: &Query, headers: &HeaderMap) -> Result<Response<Body>, ApiError> {
    let served = state.registry.view(state, &attributes.target)?;
    let resources: Vec<&Resource> = served.resources.iter().map(|resource| &**resource).collect();
    let (content_type, text) = match path.trim_end_matches('/') {
        "/openapi/v2" if version2::wants_message(headers) => (version2::MESSAGE_TYPE, version2::message().into()),
        "/openapi/v2" => ("application/json", Bytes::from(version2::document(&resources).to_string())),
        "/openapi/v3" => ("text/plain; charset=utf-8", state.openapi.index(&served.resources)),
        path => match path.strip_prefix("/openapi/v3/") {
            Some(wanted) if resources.iter().any(|resource| place(resource) == wanted) => {
                ("application/json", document(&resources, wanted).to_string().into())
            }
            _ => {
                let nothing = Answer { code: 404, content: Content::Empty, warnings: Vec::new() };
                return Ok(nothing.into_response(Format::default(), headers, true));
            }
        },
    };
    Ok(cached::respond(content_type, text, query, headers))
}

/// The documents by group and version. Their URLs are below the address of the workspace, which clients put in front.
fn index(resources: &[&Resource]) -> Value {
    let mut paths = Map::new();
    for resource in resources {
        let place = place(resource);
        if !paths.contains_key(&place) {
            // The hash lets clients keep a document until it changes.
            let hash = cached::hash(document(resources, &place).to_string().as_bytes());
            paths.insert(place.clone(), json!({"serverRelativeURL": format!("/openapi/v3/{place}?hash={hash}")}));
        }
    }
    json!({"paths": paths})
}

/// Where the document of a resource's group and version is: `api/v1`, `apis/GROUP/VERSION`.
fn place(resource: &Resource) -> String {
    if resource.group.is_empty() { format!("api/{}", resource.version) } else { format!("apis/{}/{}", resource.group, resource.version) }
}

/// The document of one group and version.
fn document(resources: &[&Resource], wanted: &str) -> Value {
    let (mut schemas, mut paths) = (Map::new(), Map::new());
    schemas.insert(OBJECT_META.into(), crate::apply::object_meta::schema().json().clone());
    for resource in resources.iter().filter(|resource| place(resource) == wanted) {
        let name = schema_name(resource);
        schemas.insert(name.clone(), schema(resource));
        schemas.insert(format!("{name}List"), list_schema(resource, &name));
        operations::add(&mut paths, resource, &name);
        schemas.extend(parts::referred_to(resource));
    }
    let custom = resources.iter().any(|resource| place(resource) == wanted && !resource.is_built_in());
    let (title, version) = if custom { ("Kubernetes CRD Swagger", "v0.1.0") } else { ("Kubernetes", "v1.36.4") };
    json!({"openapi": "3.0.0", "info": {"title": title, "version": version}, "paths": paths, "components": {"schemas": schemas}})
}

/// The schema of lists of a kind.
fn list_schema(resource: &Resource, name: &str) -> Value {
    let items = json!({"type": "array", "items": {"$ref": format!("#/components/schemas/{name}")}});
    let metadata = json!({"description": LIST_METADATA, "allOf": [{"$ref": format!("#/components/schemas/{}", parts::LIST_META)}]});
    let mut list = json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string", "description": API_VERSION},
            "kind": {"type": "string", "description": KIND},
            "items": items,
            "metadata": metadata,
        },
        "x-kubernetes-group-version-kind": [gvk(resource, &resource.list_kind)],
    });
    if let Shape::Custom(shape) = &resource.shape {
        list["description"] = format!("{} is a list of {}", resource.list_kind, resource.kind).into();
        list["properties"]["items"]["description"] = format!("List of {}. More info: {CONVENTIONS}", resource.plural).into();
        add_selectable(&mut list, &shape.selectable);
    }
    list
}

/// By which fields beside its name a kind can be selected.
fn add_selectable(schema: &mut Value, paths: &[String]) {
    if !paths.is_empty() {
        let fields = paths.iter().map(|path| json!({"fieldPath": path.trim_start_matches('.')}));
        schema["x-kubernetes-selectable-fields"] = fields.collect();
    }
}

fn gvk(resource: &Resource, kind: &str) -> Value {
    json!({"group": resource.group, "kind": kind, "version": resource.version})
}

/// The name of a kind's schema: the group backwards, or where the Go type of a built-in kind is.
fn schema_name(resource: &Resource) -> String {
    let (group, version, kind) = (resource.group.as_str(), &resource.version, &resource.kind);
    if !resource.is_built_in() {
        let backwards: Vec<&str> = group.rsplit('.').collect();
        return format!("{}.{version}.{kind}", backwards.join("."));
    }
    match group {
        "apiextensions.k8s.io" => format!("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.{version}.{kind}"),
        "" => format!("io.k8s.api.core.{version}.{kind}"),
        _ => format!("io.k8s.api.{}.{version}.{kind}", group.split('.').next().unwrap_or(group)),
    }
}

/// A schema in which what may be a number or a text says so in words that every client knows.
fn with_alternatives(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    if fields.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) && !fields.contains_key("anyOf") {
        fields.insert("anyOf".into(), json!([{"type": "integer"}, {"type": "string"}]));
    }
    if fields.get("x-kubernetes-embedded-resource") == Some(&Value::Bool(true)) {
        embed(fields);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(key) {
            *inner = with_alternatives(inner.take());
        }
    }
    if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(|property| *property = with_alternatives(property.take()));
    }
    schema
}

/// Gives a resource inside the fields that every object has.
fn embed(schema: &mut Map<String, Value>) {
    let version =
        format!("apiVersion defines the versioned schema of this representation of an object. More info: {CONVENTIONS}#resources");
    let kind = format!("kind is a string value representing the type of this object. In CamelCase. More info: {CONVENTIONS}#types-kinds");
    let metadata = json!({"description": METADATA, "allOf": [{"$ref": format!("#/components/schemas/{OBJECT_META}")}]});
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    properties["apiVersion"] = json!({"type": "string", "description": version});
    properties["kind"] = json!({"type": "string", "description": kind});
    properties["metadata"] = metadata;
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        for field in ["kind", "apiVersion"] {
            if !required.iter().any(|own| own == field) {
                required.push(field.into());
            }
        }
    }
}

/// The schema of a kind, with the fields that every object has.
fn schema(resource: &Resource) -> Value {
    let known = match &resource.shape {
        Shape::Custom(shape) => Some(with_alternatives(shape.schema.json().clone())),
        Shape::BuiltIn => builtin::schema(&resource.group, &resource.kind).map(|schema| schema.json().clone()),
    };
    let mut schema = known.unwrap_or_else(|| json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}));
    if !schema["properties"].is_object() {
        schema["properties"] = json!({});
    }
    let properties = &mut schema["properties"];
    properties["apiVersion"] = json!({"type": "string", "description": API_VERSION});
    properties["kind"] = json!({"type": "string", "description": KIND});
    properties["metadata"] = json!({"description": METADATA, "allOf": [{"$ref": format!("#/components/schemas/{OBJECT_META}")}]});
    schema["x-kubernetes-group-version-kind"] = json!([gvk(resource, &resource.kind)]);
    if let Shape::Custom(shape) = &resource.shape {
        add_selectable(&mut schema, &shape.selectable);
    }
    schema
}
