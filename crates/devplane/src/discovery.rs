//! Discovery: which groups, versions and resources a target serves, in the classic and in the aggregated form.
//! Source: apiserver `endpoints/discovery`, `endpoints/discovery/aggregated`.

use axum::body::Body;
use http::{HeaderMap, HeaderValue, Method, Response, header};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{
    State,
    http::{
        answer::Answer,
        media::{self, Format},
    },
    registry::{Resource, custom::priority},
    request::Attributes,
    status::ApiError,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Answers `/api`, `/api/v1`, `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION`.
pub fn answer(
    state: &State,
    attributes: &Attributes,
    path: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response<Body>, ApiError> {
    let served = state.registry.view(state, &attributes.target)?;
    let resources = served.resources.as_slice();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let sandbox = attributes.target.cluster.is_sandbox();
    if is_routed(resources, &parts) {
        if method != Method::GET && method != Method::HEAD {
            return Err(ApiError::method_not_allowed());
        }
        media::check_produced(headers, &media::ACCEPTED)?;
    }
    if parts.len() == 1
        && let Some(version) = aggregated_version(headers, sandbox)?
    {
        return Ok(aggregated(resources, parts[0] == "api", version, headers));
    }
    let format = media::negotiate(headers, false)?;
    let value = match parts.as_slice() {
        ["api"] => json!({
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": server_address(state)}],
        }),
        ["api", version] => resource_list(resources, "", version).ok_or_else(ApiError::resource_not_found)?,
        ["apis"] => {
            let mut groups = groups(resources);
            if sandbox {
                groups.sort_by_key(|group| rank(group["name"].as_str().unwrap_or_default()));
            }
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        }
        ["apis", group] => {
            let found = groups(resources).into_iter().find(|own| own["name"] == *group);
            let mut found = found.ok_or_else(ApiError::page_not_found)?;
            found["kind"] = "APIGroup".into();
            found["apiVersion"] = "v1".into();
            found
        }
        ["apis", group, version] => match resource_list(resources, group, version) {
            Some(list) => list,
            // kcp answers an unbound group with an empty list.
            None if !sandbox => {
                json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": format!("{group}/{version}"), "resources": []})
            }
            None if resources.iter().any(|resource| resource.group == *group && resource.is_built_in()) => {
                return Err(ApiError::resource_not_found());
            }
            None => return Err(ApiError::page_not_found()),
        },
        _ => return Err(ApiError::page_not_found()),
    };
    Ok(Answer::json(value).into_response(Format { encoding: format.encoding, ..Format::default() }, headers, true))
}

/// Whether the router of built-in kinds has this path. All others are told by handlers that look at no method.
fn is_routed(resources: &[Arc<Resource>], parts: &[&str]) -> bool {
    let serves = |group: &str, version: &str| {
        resources.iter().any(|resource| resource.group == group && resource.version == version && resource.is_built_in())
    };
    match parts {
        ["api"] => true,
        ["api", version] => serves("", version),
        ["apis", group, version] => serves(group, version),
        _ => false,
    }
}

/// Answers `/`: the paths that there are (apiserver `server/routes/index.go`).
pub fn root(state: &State, attributes: &Attributes) -> Result<Answer, ApiError> {
    let served = state.registry.view(state, &attributes.target)?;
    let fixed = ["/api", "/apis", "/apis/", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/readyz", "/version"];
    let mut paths: BTreeSet<String> = fixed.into_iter().map(str::to_owned).collect();
    for resource in served.resources.iter() {
        if resource.group.is_empty() {
            paths.insert(format!("/api/{}", resource.version));
        } else {
            paths.insert(format!("/apis/{}", resource.group));
            paths.insert(format!("/apis/{}/{}", resource.group, resource.version));
        }
    }
    for word in ["healthz", "livez", "readyz"] {
        paths.extend(["etcd", "log", "ping"].map(|check| format!("/{word}/{check}")));
    }
    Ok(Answer::json(json!({"paths": paths})))
}

fn server_address(state: &State) -> String {
    state.external_url.split_once("://").map_or(state.external_url.as_str(), |(_, host)| host).to_owned()
}

/// The order in which the aggregator tells the groups of a cluster (kubernetes `pkg/controlplane/apiserver/aggregator.go`,
/// `DefaultGenericAPIServicePriorities`).
const ORDER: [&str; 15] = [
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
];

/// The place of a group among those of a cluster; those of definitions come last.
fn rank(group: &str) -> usize {
    ORDER.iter().position(|own| *own == group).unwrap_or(ORDER.len())
}

/// The groups in order of appearance, with their versions.
fn groups(resources: &[Arc<Resource>]) -> Vec<Value> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for resource in resources.iter().filter(|resource| !resource.group.is_empty()) {
        match groups.iter_mut().find(|(group, _)| *group == resource.group) {
            Some((_, versions)) if versions.contains(&resource.version.as_str()) => {}
            Some((_, versions)) => versions.push(&resource.version),
            None => groups.push((&resource.group, vec![&resource.version])),
        }
    }
    groups
        .into_iter()
        .map(|(group, mut versions)| {
            versions.sort_by_key(|version| std::cmp::Reverse(priority(version)));
            let told: Vec<Value> =
                versions.iter().map(|version| json!({"groupVersion": format!("{group}/{version}"), "version": version})).collect();
            json!({"name": group, "versions": told, "preferredVersion": told[0]})
        })
        .collect()
}

/// `group/version/Kind` hashed as the real server does, so that clients see when what is stored changes its shape.
fn storage_hash(resource: &Resource) -> String {
    let version = match resource.plural.as_str() {
        // The real server stores these in older versions than it prefers.
        "mutatingadmissionpolicies" | "mutatingadmissionpolicybindings" | "customresourcedefinitions" if resource.is_built_in() => {
            "v1beta1"
        }
        _ => resource.storage_version.as_str(),
    };
    let text = format!("{}/{version}/{}", resource.storage.group, resource.kind);
    BASE64_STANDARD.encode(&Sha256::digest(text)[..8])
}

fn resource_list(resources: &[Arc<Resource>], group: &str, version: &str) -> Option<Value> {
    let own: Vec<&Arc<Resource>> = resources.iter().filter(|r| r.group == group && r.version == version).collect();
    if own.is_empty() {
        return None;
    }
    let mut list = Vec::new();
    for resource in own {
        let mut entry = Map::new();
        entry.insert("name".into(), resource.plural.clone().into());
        entry.insert("singularName".into(), resource.singular.clone().into());
        entry.insert("namespaced".into(), resource.namespaced.into());
        entry.insert("kind".into(), resource.kind.clone().into());
        entry.insert("verbs".into(), resource.verbs.clone().into());
        add_names(&mut entry, resource);
        if !resource.traits.review {
            entry.insert("storageVersionHash".into(), storage_hash(resource).into());
        }
        list.push(Value::Object(entry));
        for sub in &resource.subresources {
            let mut entry = json!({"name": format!("{}/{}", resource.plural, sub.name), "singularName": "", "namespaced": resource.namespaced, "kind": sub.kind, "verbs": sub.verbs});
            if !sub.version.is_empty() {
                entry["group"] = sub.group.clone().into();
                entry["version"] = sub.version.clone().into();
            }
            list.push(entry);
        }
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let mut answer = json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": list});
    if !group.is_empty() {
        answer["apiVersion"] = "v1".into();
    }
    Some(answer)
}

fn add_names(entry: &mut Map<String, Value>, resource: &Resource) {
    if !resource.short_names.is_empty() {
        entry.insert("shortNames".into(), resource.short_names.clone().into());
    }
    if !resource.categories.is_empty() {
        entry.insert("categories".into(), resource.categories.clone().into());
    }
}

/// Which version of aggregated discovery the client prefers, if it does. Workspaces have none.
fn aggregated_version(headers: &HeaderMap, sandbox: bool) -> Result<Option<&'static str>, ApiError> {
    for clause in media::clauses(media::accept(headers)) {
        if clause.parameter("as") == "APIGroupDiscoveryList" && clause.parameter("g") == "apidiscovery.k8s.io" {
            match clause.parameter("v") {
                "v2" if sandbox => return Ok(Some("v2")),
                _ => continue,
            }
        }
        if clause.parameter("as").is_empty() && ["application/json", "application/yaml", "*/*", "application/*"].contains(&clause.media) {
            return Ok(None);
        }
    }
    Err(ApiError::not_acceptable(&media::ACCEPTED))
}

/// A group with its versions, each with its resources.
type Group = (String, Vec<(String, Vec<Value>)>);

fn aggregated(resources: &[Arc<Resource>], core: bool, version: &str, headers: &HeaderMap) -> Response<Body> {
    let mut items: Vec<Group> = Vec::new();
    for resource in resources.iter().filter(|resource| resource.group.is_empty() == core) {
        let index = items.iter().position(|(group, _)| *group == resource.group).unwrap_or_else(|| {
            items.push((resource.group.clone(), Vec::new()));
            items.len() - 1
        });
        let versions = &mut items[index].1;
        let index = versions.iter().position(|(own, _)| *own == resource.version).unwrap_or_else(|| {
            versions.push((resource.version.clone(), Vec::new()));
            versions.len() - 1
        });
        versions[index].1.push(aggregated_resource(resource));
    }
    // Workspaces have no aggregated form: this is always that of a cluster.
    items.sort_by_key(|(group, _)| rank(group));
    let items: Vec<Value> = items
        .into_iter()
        .map(|(group, mut versions)| {
            versions.sort_by_key(|(version, _)| std::cmp::Reverse(priority(version)));
            let versions: Vec<Value> = versions
                .into_iter()
                .map(|(version, resources)| json!({"version": version, "resources": resources, "freshness": "Current"}))
                .collect();
            let metadata = if group.is_empty() { json!({}) } else { json!({"name": group}) };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    let list =
        json!({"kind": "APIGroupDiscoveryList", "apiVersion": format!("apidiscovery.k8s.io/{version}"), "metadata": {}, "items": items});
    let mut response = Answer::json(list).into_response(Format::default(), headers, true);
    let media = format!("application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList");
    if let Ok(value) = HeaderValue::from_str(&media) {
        response.headers_mut().insert(header::CONTENT_TYPE, value);
    }
    response
}

fn aggregated_resource(resource: &Resource) -> Value {
    let own_kind = |kind: &str| match resource.is_built_in() {
        true => json!({"group": "", "version": "", "kind": kind}),
        false => json!({"group": resource.group, "version": resource.version, "kind": kind}),
    };
    let mut entry = Map::new();
    entry.insert("resource".into(), resource.plural.clone().into());
    entry.insert("responseKind".into(), own_kind(&resource.kind));
    entry.insert("scope".into(), if resource.namespaced { "Namespaced" } else { "Cluster" }.into());
    entry.insert("singularResource".into(), resource.singular.clone().into());
    entry.insert("verbs".into(), resource.verbs.clone().into());
    add_names(&mut entry, resource);
    if !resource.subresources.is_empty() {
        let subresources = resource.subresources.iter().map(|sub| {
            let kind = match sub.version.is_empty() {
                true => own_kind(&sub.kind),
                false => json!({"group": sub.group, "version": sub.version, "kind": sub.kind}),
            };
            json!({"subresource": sub.name, "responseKind": kind, "verbs": sub.verbs})
        });
        entry.insert("subresources".into(), subresources.collect());
    }
    Value::Object(entry)
}
