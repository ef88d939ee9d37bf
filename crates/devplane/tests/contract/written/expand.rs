//! Written scenarios in the form of the recordings.

use serde_json::{Map, Value, json};

const PATCHES: [(&str, &str); 4] = [
    ("APPLY", "application/apply-patch+yaml"),
    ("MERGE", "application/merge-patch+json"),
    ("JSON", "application/json-patch+json"),
    ("STRATEGIC", "application/strategic-merge-patch+json"),
];
const READS: [(&str, &str); 3] = [("TABLE", "Table"), ("PARTIAL", "PartialObjectMetadata"), ("PARTIALS", "PartialObjectMetadataList")];
/// What a step says beside its request.
const KEPT: [&str; 7] = ["id", "compare", "ignore", "select", "sort", "capture", "watch"];
/// Longest wait for what a server does by itself, in seconds.
const PATIENCE: u64 = 10;

/// Reads a scenario.
pub fn scenario(topic: &str, text: &str) -> Value {
    let group = format!("{topic}.contract.example");
    let mut names = vec![
        ("ns", topic.to_owned()),
        ("core", format!("/api/v1/namespaces/{topic}")),
        ("custom", format!("/apis/{group}/v1/namespaces/{topic}")),
        ("g", group),
    ];
    let filled = fill(text, &names);
    let own = read(topic, &filled)["vars"].take();
    names =
        own.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default().to_owned())).collect();
    let mut scenario = read(topic, &fill(&filled, &names));
    let mut steps = vec![json!({
        "id": "namespace", "as": "admin", "compare": "status",
        "request": {"method": "POST", "path": "/api/v1/namespaces", "body": {"metadata": {"name": topic}}},
    })];
    let written = scenario["steps"].take();
    for step in written.as_array().expect("steps") {
        match step.get("define") {
            Some(definition) => steps.extend(defined(topic, step, definition)),
            None => steps.push(expanded(step)),
        }
    }
    scenario["steps"] = steps.into();
    scenario["names"] = "steps".into();
    scenario
}

fn fill(text: &str, names: &[(&str, String)]) -> String {
    names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

fn read(topic: &str, text: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).unwrap_or_else(|error| panic!("{topic}: {error}"))
}

fn expanded(step: &Value) -> Value {
    let mut full: Map<String, Value> = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), step.get(name)?.clone()))).collect();
    full.insert("as".into(), step.get("as").cloned().unwrap_or_else(|| "admin".into()));
    let (verb, path) = step["do"].as_str().and_then(|text| text.split_once(' ')).unwrap_or_else(|| panic!("{step}: no METHOD PATH"));
    let (mut method, mut headers) = (verb, json!({}));
    if let Some((_, kind)) = PATCHES.iter().find(|(name, _)| *name == verb) {
        method = "PATCH";
        headers["Content-Type"] = (*kind).into();
    }
    if let Some((_, kind)) = READS.iter().find(|(name, _)| *name == verb) {
        method = "GET";
        headers["Accept"] = format!("application/json;as={kind};v=v1;g=meta.k8s.io").into();
    }
    for (name, value) in step["headers"].as_object().into_iter().flatten() {
        headers[name] = value.clone();
    }
    let mut request = json!({"method": method, "path": path, "headers": headers});
    for name in ["body", "raw"] {
        if let Some(value) = step.get(name) {
            request[name] = value.clone();
        }
    }
    if verb == "APPLY" {
        name_after_path(path, &mut request["body"]);
    }
    full.insert("request".into(), request);
    if let Some(until) = step.get("until") {
        full.insert("wait".into(), json!({"until": until, "timeout": PATIENCE}));
    }
    Value::Object(full)
}

/// What is applied has the name that its path ends with, unless it says one.
fn name_after_path(path: &str, body: &mut Value) {
    let parts: Vec<&str> = path.split('?').next().unwrap_or_default().split('/').collect();
    let name = parts.iter().rev().find(|part| !["status", "scale"].contains(part));
    if body.get("kind").is_some() && body["metadata"]["name"].is_null() {
        body["metadata"]["name"] = (*name.expect("a name")).into();
    }
}

/// The steps that create a definition and wait for it.
fn defined(topic: &str, step: &Value, definition: &Value) -> [Value; 2] {
    let group = format!("{topic}.contract.example");
    let (plural, id) = (definition["plural"].as_str().expect("a plural"), step["id"].as_str().expect("an id"));
    let scope = definition["scope"].as_str().unwrap_or("Namespaced");
    let mut names = json!({"plural": plural, "kind": definition["kind"]});
    merge(&mut names, &definition["names"]);
    let mut spec = json!({"type": "object", "properties": definition["spec"]});
    if definition["specRules"].is_array() {
        spec["x-kubernetes-validations"] = definition["specRules"].clone();
    }
    let status = match definition["status"].is_object() {
        true => json!({"type": "object", "properties": definition["status"]}),
        false => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
    };
    let mut schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    if definition["required"].is_array() {
        schema["required"] = definition["required"].clone();
    }
    merge(&mut schema, &definition["more"]);
    let mut version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    for (own, name) in [("subresources", "subresources"), ("columns", "additionalPrinterColumns")] {
        if !definition[own].is_null() {
            version[name] = definition[own].clone();
        }
    }
    if let Some(paths) = definition["selectable"].as_array() {
        version["selectableFields"] = paths.iter().map(|path| json!({"jsonPath": path})).collect();
    }
    let body = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "scope": scope, "names": names, "versions": [version]},
    });
    let path = if scope == "Namespaced" { format!("/namespaces/{topic}/{plural}") } else { format!("/{plural}") };
    [
        json!({
            "id": id, "as": "admin", "compare": "status", "must": 201,
            "request": {"method": "POST", "path": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "body": body},
        }),
        json!({
            "id": format!("{id}-served"), "as": "admin", "compare": "status",
            "request": {"method": "GET", "path": format!("/apis/{group}/v1{path}")},
            "wait": {"until": {"status": 200}, "timeout": PATIENCE},
        }),
    ]
}

fn merge(into: &mut Value, more: &Value) {
    for (name, value) in more.as_object().into_iter().flatten() {
        into[name] = value.clone();
    }
}
