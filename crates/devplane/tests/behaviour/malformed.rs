//! Values of the wrong form at every place of every kind: each gets an answer, and nothing in the plane dies of it.

use std::collections::BTreeSet;

use axum::body::Body;
use devplane::{kinds, registry::Shape};
use futures::StreamExt;
use http::{Request, header};
use http_body_util::BodyExt;
use schema::structural::Schema;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{plane::Server, sharing::EVERYTHING, shop::Shop};

/// The reason of an answer when the plane panicked over its request, or found another fault of its own.
const FAULT: &str = "InternalError";
/// How many fields into an object its schema is followed.
const DEPTH: usize = 6;

/// Places of any kind that the plane looks at. Those of its own kinds are in their schemas.
const PLACES: [&str; 46] = [
    "/metadata",
    "/metadata/labels",
    "/metadata/annotations",
    "/metadata/finalizers",
    "/metadata/ownerReferences",
    "/metadata/managedFields",
    "/metadata/namespace",
    // Of the older version of exports, whose schema says nothing.
    "/spec/latestResourceSchemas",
    "/spec/latestResourceSchemas/0",
    "/spec",
    "/status",
    "/data",
    "/stringData",
    "/rules",
    "/subjects",
    "/roleRef",
    "/spec/conversion",
    "/spec/containers",
    "/spec/finalizers",
    "/spec/group",
    "/spec/hard",
    "/spec/jobTemplate",
    "/spec/matchConstraints",
    "/spec/matchConditions",
    "/spec/matchResources",
    "/spec/mutations",
    "/spec/names",
    "/spec/paramKind",
    "/spec/permissionClaims",
    "/spec/ports",
    "/spec/reference",
    "/spec/reference/export",
    "/spec/resources",
    "/spec/scope",
    "/spec/selector",
    "/spec/template",
    "/spec/template/spec",
    "/spec/type",
    "/spec/validations",
    "/spec/variables",
    "/spec/versions",
    "/spec/versions/0",
    "/spec/versions/0/schema",
    "/spec/defaultAPIBindings",
    "/spec/volumeClaimTemplates",
    "/spec/strategy",
];

fn wrong() -> Vec<Value> {
    vec![
        json!(1),
        json!("x"),
        json!(true),
        json!([]),
        json!(["x"]),
        json!([[1]]),
        json!([{}]),
        json!({}),
        json!({"x": 1}),
        json!({"x": [{"y": "z"}]}),
        Value::Null,
    ]
}

/// The places of a kind: those of all kinds, and those in the schemas of its versions if it is one of the plane's own.
fn places(kind: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = PLACES.iter().map(|&place| place.to_owned()).collect();
    for resource in kinds::resources().iter().filter(|resource| resource.kind == kind) {
        if let Shape::Custom(shape) = &resource.shape {
            collect(&shape.schema, "", 0, &mut found);
        }
    }
    found
}

fn collect(schema: &Schema, at: &str, depth: usize, found: &mut BTreeSet<String>) {
    if depth > 0 {
        found.insert(at.to_owned());
    }
    if depth == DEPTH {
        return;
    }
    for (name, inner) in schema.properties() {
        collect(inner, &format!("{at}/{name}"), depth + 1, found);
    }
    for (step, inner) in [("0", schema.items()), ("x", schema.additional_properties())] {
        if let Some(inner) = inner {
            collect(inner, &format!("{at}/{step}"), depth + 1, found);
        }
    }
}

/// An object that has what its kind requires, so that a wrong value elsewhere in it is the only fault.
fn sound(version: &str, kind: &str) -> Value {
    let reference = json!({"path": "root:provider", "name": "shop.dev"});
    let mut object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "m"}});
    match kind {
        "APIBinding" => object["spec"] = json!({"reference": {"export": reference}}),
        "APIExportEndpointSlice" => object["spec"] = json!({"export": reference}),
        _ => {}
    }
    object
}

/// Puts a value at a place, and makes what is on the way.
fn put(object: &mut Value, place: &str, value: Value) {
    let mut at = object;
    for step in place.trim_start_matches('/').split('/') {
        at = match step.parse::<usize>() {
            Ok(_) => {
                if !at.is_array() {
                    *at = json!([{}]);
                }
                &mut at[0]
            }
            Err(_) => {
                if !at.is_object() {
                    *at = json!({});
                }
                &mut at[step]
            }
        };
    }
    *at = value;
}

/// Sends a request in a task of its own: the answer's code, none if the task died or the plane is at fault.
async fn send(server: &Server, method: &str, path: &str, content_type: &str, body: &Value) -> Option<u16> {
    let request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, "Bearer admin");
    let request = request.header(header::CONTENT_TYPE, content_type).body(Body::from(body.to_string())).unwrap();
    let router = server.plane.router();
    let answered = tokio::spawn(async move {
        let response = router.oneshot(request).await.unwrap();
        let code = response.status().as_u16();
        let text = response.into_body().collect().await.unwrap().to_bytes();
        (code != 500 || !String::from_utf8_lossy(&text).contains(FAULT)).then_some(code)
    });
    answered.await.ok().flatten()
}

/// The collections of a cluster to which objects can be posted: path, version, kind.
async fn collections(server: &Server, prefix: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let mut versions = vec![("/api/v1".to_owned(), "v1".to_owned())];
    let (_, groups) = server.get("admin", &format!("{prefix}/apis")).await;
    for version in groups["groups"].as_array().unwrap().iter().flat_map(|group| group["versions"].as_array().unwrap()) {
        let version = version["groupVersion"].as_str().unwrap();
        versions.push((format!("/apis/{version}"), version.to_owned()));
    }
    for (path, version) in versions {
        let (_, list) = server.get("admin", &format!("{prefix}{path}")).await;
        for resource in list["resources"].as_array().unwrap() {
            let name = resource["name"].as_str().unwrap();
            if !name.contains('/') && resource["verbs"].as_array().unwrap().iter().any(|verb| verb == "create") {
                let namespace = if resource["namespaced"] == true { "/namespaces/default" } else { "" };
                found.push((format!("{prefix}{path}{namespace}/{name}"), version.clone(), resource["kind"].as_str().unwrap().to_owned()));
            }
        }
    }
    found
}

/// Sends every wrong value at every place to one collection: how many requests that were, and those that were not answered.
async fn try_all(server: &Server, path: String, version: String, kind: String) -> (usize, Vec<String>) {
    let (merge, apply) = ("application/merge-patch+json", "application/apply-patch+yaml");
    let (object_path, applied) = (format!("{path}/m"), format!("{path}/m?fieldManager=test&force=true"));
    let (mut sent, mut died) = (0, Vec::new());
    let places = places(&kind);
    for (place, value) in places.iter().flat_map(|place| wrong().into_iter().map(move |value| (place, value))) {
        let mut object = sound(&version, &kind);
        put(&mut object, place, value);
        let mut stands = false;
        for (method, path, content_type) in
            [("POST", &path, "application/json"), ("PATCH", &object_path, merge), ("PATCH", &applied, apply)]
        {
            sent += 1;
            match send(server, method, path, content_type, &object).await {
                Some(code) => stands |= code < 300,
                None => died.push(format!("{method} {path} {object}")),
            }
        }
        if stands && send(server, "DELETE", &object_path, "application/json", &json!({})).await.is_none() {
            died.push(format!("DELETE {object_path} {object}"));
        }
    }
    (sent, died)
}

#[test]
fn the_places_of_a_kind_are_those_of_its_schema() {
    for (kind, place) in [
        ("APIExport", "/spec/identity/secretRef/name"),
        ("APIExport", "/spec/maximalPermissionPolicy"),
        ("APIExport", "/spec/permissionClaims/0/verbs/0"),
        ("APIBinding", "/spec/permissionClaims/0/selector/matchLabels/x"),
        ("Workspace", "/spec/cluster"),
        ("WorkspaceType", "/spec/extend/with/0/path"),
        ("ConfigMap", "/data"),
    ] {
        assert!(places(kind).contains(place), "{kind} {place}");
    }
    let mut object = sound("apis.kcp.io/v1alpha2", "APIBinding");
    put(&mut object, "/spec/permissionClaims/0/verbs", json!("x"));
    let reference = json!({"export": {"path": "root:provider", "name": "shop.dev"}});
    assert_eq!(object["spec"], json!({"reference": reference, "permissionClaims": [{"verbs": "x"}]}));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_the_wrong_form_are_answered() {
    let claim = json!({"group": "", "resource": "configmaps", "verbs": EVERYTHING});
    // What is written through the claim gets the label that the workspace accepts it by.
    let shop = Shop::claiming(claim, json!({"matchLabels": {"for": "shop"}})).await;
    let server = &shop.server;
    let mut all = collections(server, "").await;
    // Of workspaces, their own kinds, and one of those that they share with the cluster.
    let own = |(path, _, _): &(String, String, String)| path.contains(".kcp.io") || path.ends_with("configmaps");
    all.extend(collections(server, "/clusters/root:team").await.into_iter().filter(own));
    // What an export shows of the workspace: its own kind, and the one that it claims.
    let shown = collections(server, shop.view("").trim_end_matches('/')).await;
    assert!(["/wheels", "/configmaps"].iter().all(|end| shown.iter().any(|(path, _, _)| path.ends_with(end))), "{shown:?}");
    all.extend(shown);
    // Side by side: each collection has its own objects.
    let tried = futures::stream::iter(all).map(|(path, version, kind)| try_all(server, path, version, kind)).buffer_unordered(4);
    let (sent, died): (Vec<usize>, Vec<Vec<String>>) = tried.unzip().await;
    let (sent, died) = (sent.into_iter().sum::<usize>(), died.concat());
    println!("{sent} requests");
    assert!(died.is_empty(), "{} died:\n{}", died.len(), died[..died.len().min(40)].join("\n"));
    // The controllers live, too.
    server.workspace("root", "after", "universal").await;
    for prefix in ["", "/clusters/root:after"] {
        let namespaces = format!("{prefix}/api/v1/namespaces");
        server.create("admin", &namespaces, json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "short"}})).await;
        let maps = format!("{namespaces}/short/configmaps");
        let nobody = json!({"apiVersion": "v1", "kind": "Secret", "name": "s", "uid": "u"});
        let orphan = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "orphan", "ownerReferences": [nobody]}});
        server.create("admin", &maps, orphan).await;
        server.until("admin", &format!("{maps}/orphan"), |status, _| status == 404).await;
        server.send("admin", "DELETE", &format!("{namespaces}/short"), "application/json", Value::Null).await;
        server.until("admin", &format!("{namespaces}/short"), |status, _| status == 404).await;
    }
    assert_eq!(server.plane.state().supervisor.panics(), 0, "none of them panicked over an object");
}
