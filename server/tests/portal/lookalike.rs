//! A workspace that serves a kind of our name which is not ours: nothing of it is shown in the portal's frame.

use std::time::Duration;

use cluster::kinds::{Export, PromiseRequest, api_resource_schemas, crds};
use cluster::{Scope, WorkspacePath, install};
use http::StatusCode;
use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::await_condition;
use serde_json::{Value, json};

use crate::browser::Product;

fn client(product: &Product, workspace: &str) -> kube::Client {
    let scope = Scope::Workspace(WorkspacePath::parse(workspace).expect("a path"));
    product.running.portal.endpoint.client(product.admin(), &scope)
}

async fn apply_and_wait(client: &kube::Client, object: &Value, ready: impl Fn(&Value) -> bool) {
    install::apply_object(client, object).await.expect("applied");
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
    let holds = |object: Option<&DynamicObject>| object.is_some_and(|object| ready(&object.data));
    await_condition(api, text("/metadata/name"), holds).await.expect("ready");
}

/// A workspace in which dev-shop can do everything.
async fn own_workspace(product: &Product) {
    let workspace = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": "mal"}});
    apply_and_wait(&client(product, "root:acme"), &workspace, |object| object["status"]["phase"] == "Ready").await;
    let mal = client(product, "root:acme:mal");
    let access = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "own"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "dev-shop"}],
    });
    install::apply_object(&mal, &access).await.expect("applied");
}

/// Defines a kind of our name in a workspace.
async fn define(client: &kube::Client, kind: &str) {
    let definition = crds().into_iter().find(|crd| crd["spec"]["names"]["kind"] == kind).expect("the kind");
    apply_and_wait(client, &definition, |object| {
        let conditions = object["status"]["conditions"].as_array();
        conditions.is_some_and(|all| all.iter().any(|condition| condition["type"] == "Established" && condition["status"] == "True"))
    })
    .await;
}

/// A request with a status that its author wrote.
async fn forge(mal: kube::Client) {
    let fake: PromiseRequest = serde_json::from_value(json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "fake", "namespace": "default"},
        "spec": {"promise": {"name": "redis"}, "reason": "Click me"},
    }))
    .expect("a request");
    let requests: Api<PromiseRequest> = Api::namespaced(mal, "default");
    requests.create(&PostParams::default(), &fake).await.expect("created");
    let forged = json!({"status": {"phase": "Ready", "observedGeneration": 1}});
    requests.patch_status("fake", &PatchParams::default(), &Patch::Merge(&forged)).await.expect("forged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_of_a_kind_that_only_looks_like_ours_has_no_page() {
    let product = Product::open().await;
    own_workspace(&product).await;
    let mal = client(&product, "root:acme:mal");
    define(&mal, "PromiseRequest").await;
    forge(mal).await;
    let mut browser = product.signed_in("dev-shop").await;
    browser.until("/w/root:acme:mal/requests", |answer| answer.status == StatusCode::OK).await;
    let page = browser.get("/w/root:acme:mal/requests/default/fake").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND, "{}", page.text);
    assert!(!page.text.contains("Click me"), "{}", page.text);

    // Nor after a binding of our export, which finds its names taken and serves nothing.
    bind_in_vain(&product, "root:acme:mal", Export::Requests).await;
    let page = browser.get("/w/root:acme:mal/requests/default/fake").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND, "{}", page.text);
    assert!(!page.text.contains("Click me"), "{}", page.text);
    product.running.close().await;
}

/// A request may be one of ours although the portal knows of no binding: the shard on which it is may be one that is not read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_a_request_names_a_shard_that_is_not_read() {
    const OTHER: &str = "https://shard-2.example.org:6443";
    let product = Product::open().await;
    own_workspace(&product).await;
    let mal = client(&product, "root:acme:mal");
    define(&mal, "PromiseRequest").await;
    forge(mal).await;
    let provider = product.running.sandbox.as_ref().expect("an embedded plane").world.provider.to_string();
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha1", "APIExportEndpointSlice"));
    let slices: Api<DynamicObject> = Api::all_with(client(&product, &provider), &kind);
    let mut slice = slices.get(Export::Requests.name()).await.expect("a slice");
    let endpoints = slice.data["status"]["endpoints"].as_array_mut().expect("endpoints");
    let url = endpoints[0]["url"].as_str().and_then(|url| url.split_once("/services/")).expect("the address of an export");
    let there = json!({"url": format!("{OTHER}/services/{}", url.1)});
    endpoints.push(there);
    slices.replace_status(Export::Requests.name(), &PostParams::default(), &slice).await.expect("another shard");

    let mut browser = product.signed_in("dev-shop").await;
    let address = "/w/root:acme:mal/requests/default/fake";
    let page = browser.until(address, |answer| answer.status == StatusCode::SERVICE_UNAVAILABLE).await;
    assert!(page.text.contains("they're on another shard (https://shard-2.example.org:6443)"), "{}", page.text);
    assert!(!page.text.contains("Click me"), "{}", page.text);
    product.running.close().await;
}

/// Binds an export of ours whose names a definition of the workspace has taken, and waits until the portal knows of the binding.
async fn bind_in_vain(product: &Product, workspace: &str, export: Export) {
    let sandbox = product.running.sandbox.as_ref().expect("an embedded plane");
    let binding = json!({
        "apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIBinding", "metadata": {"name": "late"},
        "spec": {"reference": {"export": {"path": sandbox.world.provider.as_str(), "name": export.name()}}},
    });
    apply_and_wait(&client(product, workspace), &binding, |object| {
        assert_ne!(object["status"]["phase"], "Bound", "the names are taken: {object:#}");
        let conditions = object["status"]["conditions"].as_array();
        conditions.is_some_and(|all| all.iter().any(|condition| condition["status"] == "False"))
    })
    .await;
    let world = &product.running.portal.world;
    let cluster = world.tree().cluster(&WorkspacePath::parse(workspace).expect("a path")).expect("a workspace");
    let known = async {
        while world.standing().binding(export, &cluster).is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), known).await.expect("the portal sees the binding");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_of_a_kind_that_only_looks_like_ours_is_not_opened() {
    let product = Product::open().await;
    own_workspace(&product).await;
    let mal = client(&product, "root:acme:mal");
    define(&mal, "Policy").await;
    let fake = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "fake"},
        "spec": {"title": "Click me", "owner": {"team": "Mal"}, "rules": []},
    });
    install::apply_object(&mal, &fake).await.expect("applied");
    let mut browser = product.signed_in("dev-shop").await;
    let address = "/platform/policies/root:acme:mal/fake/edit";
    let page = browser.until(address, |answer| answer.status != StatusCode::FORBIDDEN).await;
    assert_eq!(page.status, StatusCode::NOT_FOUND, "{}", page.text);
    bind_in_vain(&product, "root:acme:mal", Export::Catalog).await;
    let page = browser.get(address).await;
    assert_eq!(page.status, StatusCode::NOT_FOUND, "{}", page.text);
    assert!(!page.text.contains("Click me"), "{}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_of_a_foreign_export_with_our_name_has_no_page() {
    let product = Product::open().await;
    own_workspace(&product).await;
    let mal = client(&product, "root:acme:mal");
    let mut resources = Vec::new();
    for (_, schema) in api_resource_schemas().into_iter().filter(|(export, _)| *export == Export::Requests) {
        install::apply_object(&mal, &schema).await.expect("a schema");
        let (name, group) = (&schema["spec"]["names"]["plural"], &schema["spec"]["group"]);
        resources.push(json!({"name": name, "group": group, "schema": schema["metadata"]["name"], "storage": {"crd": {}}}));
    }
    let name = Export::Requests.name();
    let export =
        json!({"apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIExport", "metadata": {"name": name}, "spec": {"resources": resources}});
    install::apply_object(&mal, &export).await.expect("an export");
    let binding = json!({
        "apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIBinding", "metadata": {"name": "own"},
        "spec": {"reference": {"export": {"path": "root:acme:mal", "name": name}}},
    });
    apply_and_wait(&mal, &binding, |object| object["status"]["phase"] == "Bound").await;
    forge(mal).await;
    let mut browser = product.signed_in("dev-shop").await;
    browser.until("/w/root:acme:mal/requests", |answer| answer.status == StatusCode::OK).await;
    let page = browser.get("/w/root:acme:mal/requests/default/fake").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND, "{}", page.text);
    assert!(!page.text.contains("Click me"), "{}", page.text);
    product.running.close().await;
}
