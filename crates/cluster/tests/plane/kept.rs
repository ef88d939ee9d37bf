//! A server that keeps our fields in its own way is no drift; what somebody else writes into them is.

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use kube::Client;
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::destination::sandbox_over;
use crate::world::{PATIENCE, Plane, apply, condition, wait};

crate::world::on_every_plane_in_full![what_the_server_rewrites_settles_and_what_others_write_is_put_back,];

/// A kind whose server writes sizes in small letters.
pub fn widgets() -> Vec<Value> {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "string"}, "note": {"type": "string"}, "copies": {"type": "integer", "default": 1},
    }}, "status": {"type": "object", "properties": {"seen": {"type": "integer"}}}}});
    vec![
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.dev"},
            "spec": {
                "group": "example.dev", "scope": "Namespaced",
                "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}],
            },
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "small-letters"},
            "spec": {
                "failurePolicy": "Fail", "reinvocationPolicy": "Never",
                "matchConstraints": {"resourceRules": [{
                    "apiGroups": ["example.dev"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"], "resources": ["widgets"],
                }]},
                "mutations": [{"patchType": "JSONPatch", "jsonPatch": {
                    "expression": "[JSONPatch{op: \"replace\", path: \"/spec/size\", value: object.spec.size.lowerAscii()}]",
                }}],
            },
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "small-letters"},
            "spec": {"policyName": "small-letters"},
        }),
    ]
}

/// A server takes a moment until a definition is served and an admission policy applies.
async fn until_sizes_are_rewritten(root: &Client) {
    let kind = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("example.dev", "v1", "Widget"), "widgets");
    let widgets: Api<DynamicObject> = Api::namespaced_with(root.clone(), "default", &kind);
    let tried = DynamicObject::new("tried", &kind).data(json!({"spec": {"size": "LARGE"}}));
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    let is_rewritten = async {
        while !widgets.create(&dry_run, &tried).await.is_ok_and(|made| made.data["spec"]["size"] == "large") {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, is_rewritten).await.expect("sizes are rewritten");
}

fn widget_promise() -> Value {
    json!({
        "version": "1.0.0", "lifecycle": "published", "parameters": {"type": "object"},
        "implementation": {"resources": [{"id": "widget", "destination": "sandbox", "readyWhen": "${self.spec.copies == 1}", "template": {
            "apiVersion": "example.dev/v1", "kind": "Widget", "metadata": {"name": "${request.name}"},
            "spec": {"size": "LARGE", "note": "ours"},
        }}]},
    })
}

async fn what_the_server_rewrites_settles_and_what_others_write_is_put_back(plane: Plane) {
    let applies: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = applies.clone();
    let router = plane.router().layer(from_fn(move |request: Request, next: Next| {
        let path = request.uri().path().to_owned();
        let by_us = request.uri().query().is_some_and(|query| query.contains("fieldManager=opm-fulfil"));
        if by_us && request.method() == http::Method::PATCH && path.contains("/widgets/") {
            seen.lock().push(path);
        }
        next.run(request)
    }));
    let applies_of = |name: &str| applies.lock().iter().filter(|path| path.ends_with(&format!("/widgets/{name}"))).count();
    let root = sandbox_over(&plane, router, json!([{"group": "example.dev", "kinds": ["Widget"]}])).await;
    for object in widgets() {
        apply(&root, &object).await.unwrap();
    }
    until_sizes_are_rewritten(&root).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("widget", widget_promise()).await;
    plane.ask("web", "widget", json!({})).await;
    let ready = plane.ready("web").await;
    assert!(condition(&ready, "DriftFree").starts_with("True AsKept"), "{}", condition(&ready, "DriftFree"));
    assert!(condition(&ready, "DriftFree").contains(".spec."), "{}", condition(&ready, "DriftFree"));
    assert_eq!(applies_of("web"), 1);

    let kind = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("example.dev", "v1", "Widget"), "widgets");
    let all: Api<DynamicObject> = Api::all_with(root.clone(), &kind);
    let made = all.list(&ListParams::default()).await.unwrap().items.remove(0);
    assert_eq!(made.data["spec"]["size"], "large");
    let namespace = made.metadata.namespace.unwrap();
    let widgets: Api<DynamicObject> = Api::namespaced_with(root.clone(), &namespace, &kind);

    // What is not ours wakes the controller and is not answered by a write; the edit after it is.
    let edit = |patch: Value| {
        let widgets = widgets.clone();
        async move { widgets.patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap() }
    };
    edit(json!({"spec": {"copies": 1}, "metadata": {"labels": {"theirs": "yes"}}})).await;
    edit(json!({"spec": {"size": "Tiny"}})).await;
    let is_large = |widget: &DynamicObject| widget.data["spec"]["size"] == "large";
    wait(widgets.clone(), "web", "put back", is_large).await;
    plane.until("web", "settled again", |r| condition(r, "DriftFree").starts_with("True AsKept")).await;
    assert_eq!(applies_of("web"), 2);

    // The next controller knows what the first one learnt.
    controller.crash();
    let controller = plane.controller().await;
    plane.ask("second", "widget", json!({})).await;
    plane.ready("second").await;
    assert_eq!(applies_of("web"), 2, "a restart writes nothing");
    edit(json!({"spec": {"note": "forged"}})).await;
    wait(widgets.clone(), "web", "put back again", |widget: &DynamicObject| widget.data["spec"]["note"] == "ours").await;
    plane.until("web", "settled again", |r| condition(r, "DriftFree").starts_with("True AsKept")).await;
    assert_eq!(applies_of("web"), 3);
    controller.stop().await;
}
