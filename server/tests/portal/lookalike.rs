//! A workspace that serves a kind of our name which is not ours: nothing of it is shown in the portal's frame.

use cluster::kinds::{PromiseRequest, crds};
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_of_a_kind_that_only_looks_like_ours_has_no_page() {
    let product = Product::open().await;
    let workspace = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": "mal"}});
    apply_and_wait(&client(&product, "root:acme"), &workspace, |object| object["status"]["phase"] == "Ready").await;
    let mal = client(&product, "root:acme:mal");
    let access = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "own"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "dev-shop"}],
    });
    install::apply_object(&mal, &access).await.expect("applied");
    let kind = crds().into_iter().find(|crd| crd["spec"]["names"]["kind"] == "PromiseRequest").expect("the kind");
    apply_and_wait(&mal, &kind, |object| {
        let conditions = object["status"]["conditions"].as_array();
        conditions.is_some_and(|all| all.iter().any(|condition| condition["type"] == "Established" && condition["status"] == "True"))
    })
    .await;
    let fake: PromiseRequest = serde_json::from_value(json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "fake", "namespace": "default"},
        "spec": {"promise": {"name": "redis"}, "reason": "Click me"},
    }))
    .expect("a request");
    let requests: Api<PromiseRequest> = Api::namespaced(mal, "default");
    requests.create(&PostParams::default(), &fake).await.expect("created");
    let forged = json!({"status": {"phase": "Ready", "observedGeneration": 1}});
    requests.patch_status("fake", &PatchParams::default(), &Patch::Merge(&forged)).await.expect("forged");

    let mut browser = product.signed_in("dev-shop").await;
    browser.until("/w/root:acme:mal/requests", |answer| answer.status == StatusCode::OK).await;
    let page = browser.get("/w/root:acme:mal/requests/default/fake").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND, "{}", page.text);
    assert!(!page.text.contains("Click me"), "{}", page.text);
    product.running.close().await;
}
