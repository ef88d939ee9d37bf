//! Paths of a resource and the operations on them.
//! Source: kube-openapi `builder3`; apiextensions-apiserver `pkg/controller/openapi/builder`.

use serde_json::{Map, Value, json};

use super::{gvk, parts};
use crate::registry::Resource;

/// Adds the paths of a resource whose schema has this name.
pub fn add(paths: &mut Map<String, Value>, resource: &Resource, schema: &str) {
    let base = if resource.group.is_empty() {
        format!("/api/{}", resource.version)
    } else {
        format!("/apis/{}/{}", resource.group, resource.version)
    };
    let root = if resource.namespaced { format!("{base}/namespaces/{{namespace}}") } else { base.clone() };
    let (collection, object) = (format!("{root}/{}", resource.plural), format!("{root}/{}/{{name}}", resource.plural));
    let scope = if resource.namespaced { "Namespaced" } else { "" };
    let has = |verb: &str| resource.verbs.iter().any(|own| own == verb);
    let operation = |verb: &str, action: &str, scope: &str, tail: &str| {
        let id = format!("{verb}{}{scope}{}{tail}", group_words(resource), resource.kind);
        let mut operation = json!({
            "operationId": id,
            "tags": [tag(resource)],
            "description": described(resource, verb, action, tail),
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": gvk(resource, &resource.kind),
            "parameters": parameters(action),
            "responses": responses(action, &answered(schema, action, tail)),
        });
        if matches!(action, "post" | "put") {
            operation["requestBody"] = json!({"required": true, "content": content(&answered(schema, action, tail))});
        }
        operation
    };
    let mut on_collection = Map::new();
    let collected = format!("Collection{scope}");
    for (method, verb, word, action, scope) in [
        ("get", "list", "list", "list", scope),
        ("post", "create", "create", "post", scope),
        ("delete", "deletecollection", "delete", "deletecollection", collected.as_str()),
    ] {
        if has(verb) {
            on_collection.insert(method.into(), operation(word, action, scope, ""));
        }
    }
    paths.insert(collection, on_collection.into());
    let methods = [
        ("get", "get", "read", "get"),
        ("put", "update", "replace", "put"),
        ("patch", "patch", "patch", "patch"),
        ("delete", "delete", "delete", "delete"),
    ];
    let mut on_object = Map::new();
    for (method, verb, word, action) in methods {
        if has(verb) {
            on_object.insert(method.into(), operation(word, action, scope, ""));
        }
    }
    if !on_object.is_empty() {
        paths.insert(object.clone(), on_object.into());
    }
    for sub in &resource.subresources {
        let tail = capitalised(&sub.name);
        let mut on_part = Map::new();
        for (method, verb, word, action) in methods {
            if sub.verbs.iter().any(|own| own == verb) {
                on_part.insert(method.into(), operation(word, action, scope, &tail));
            }
        }
        paths.insert(format!("{object}/{}", sub.name), on_part.into());
    }
    if resource.namespaced && has("list") {
        let everywhere = json!({"get": operation("list", "list", "", "ForAllNamespaces")});
        paths.insert(format!("{base}/{}", resource.plural), everywhere);
    }
}

/// The name of the schema of what an operation answers with.
fn answered(schema: &str, action: &str, tail: &str) -> String {
    match (action, tail) {
        (_, "Scale") => parts::SCALE.to_owned(),
        ("list", _) => format!("{schema}List"),
        ("delete" | "deletecollection", _) => parts::STATUS.to_owned(),
        _ => schema.to_owned(),
    }
}

fn content(schema: &str) -> Value {
    let of = json!({"schema": {"$ref": format!("#/components/schemas/{schema}")}});
    json!({"application/json": of, "application/yaml": of})
}

fn responses(action: &str, schema: &str) -> Value {
    let mut responses = json!({"200": {"description": "OK", "content": content(schema)}, "401": {"description": "Unauthorized"}});
    if matches!(action, "post" | "put") {
        responses["201"] = json!({"description": "Created", "content": content(schema)});
    }
    if matches!(action, "post" | "delete") {
        responses["202"] = json!({"description": "Accepted", "content": content(schema)});
    }
    responses
}

/// What an operation does.
fn described(resource: &Resource, verb: &str, action: &str, tail: &str) -> String {
    let kind = &resource.kind;
    let part = if tail.is_empty() || tail == "ForAllNamespaces" { String::new() } else { format!("{} of ", tail.to_lowercase()) };
    match (action, verb) {
        ("list", _) => format!("list objects of kind {kind}"),
        ("post", _) => format!("create {} {kind}", if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }),
        ("patch", _) => format!("partially update {part}the specified {kind}"),
        ("deletecollection", _) => format!("delete collection of {kind}"),
        ("delete", _) => format!("delete {} {kind}", if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }),
        (_, verb) => format!("{verb} {part}the specified {kind}"),
    }
}

/// `openapiContractExample_v1`, `core_v1`.
fn tag(resource: &Resource) -> String {
    let words = group_words(resource);
    let words = words.strip_suffix(&capitalised(&resource.version)).unwrap_or(&words);
    let mut letters = words.chars();
    let first: String = letters.next().map(|first| first.to_lowercase().collect()).unwrap_or_default();
    format!("{first}{}_{}", letters.as_str(), resource.version)
}

/// Parameters by which clients see what a server understands.
fn parameters(action: &str) -> Value {
    let names: &[&str] = match action {
        "post" | "put" => &["dryRun", "fieldManager", "fieldValidation"],
        "patch" => &["dryRun", "fieldManager", "fieldValidation", "force"],
        "delete" | "deletecollection" => &["dryRun", "gracePeriodSeconds", "propagationPolicy"],
        _ => &[],
    };
    names.iter().map(|name| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}})).collect()
}

/// `OpenapiContractExampleV1`, `CoreV1`, `RbacAuthorizationV1`.
fn group_words(resource: &Resource) -> String {
    let group = if resource.group.is_empty() { "core" } else { resource.group.trim_end_matches(".k8s.io") };
    let words: String = group.split(['.', '-']).map(capitalised).collect();
    format!("{words}{}", capitalised(&resource.version))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
