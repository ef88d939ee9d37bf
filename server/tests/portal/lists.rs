//! Lists: pages with exact totals, of what the person may list and nothing else.

use std::time::Duration;

use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::Api;
use kube::api::PostParams;
use serde_json::json;

use crate::access::write_request;
use crate::browser::{Answer, Browser, Product};

const LIST: &str = "/w/root:acme:shop/requests";

/// Opens an address until its page fits: lists follow the plane a moment later.
pub async fn until(browser: &mut Browser, address: &str, fits: impl Fn(&Answer) -> bool) -> Answer {
    let asking = async {
        loop {
            let answer = browser.get(address).await;
            if fits(&answer) {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asking).await.unwrap_or_else(|_| panic!("{address} never fits"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_cut_into_pages_and_counted_whole() {
    let product = Product::quiet().await;
    for index in 0..60 {
        write_request(&product, &format!("cache-{index:02}")).await;
    }
    let mut browser = product.signed_in("dev-shop").await;
    let first = until(&mut browser, LIST, |answer| answer.text.contains("50 shown, 60 fit, 60 in all")).await;
    assert_eq!(first.text.matches("/requests/default/cache-").count(), 50);
    let second = browser.get(&format!("{LIST}?page=2")).await;
    assert_eq!(second.text.matches("/requests/default/cache-").count(), 10);
    let one = browser.get(&format!("{LIST}?q=cache-07")).await;
    assert!(one.text.contains("1 shown, 1 fit, 60 in all"), "{}", one.text);
    // What a person wrote is there when the list is opened next.
    let delete = "/w/root:acme:shop/requests/default/cache-07/delete";
    let token = browser.get(delete).await.hidden("_token");
    let deleted = browser.post(delete, &[("_token", &token), ("confirmation", "cache-07")]).await;
    assert_eq!(deleted.location(), LIST, "{}", deleted.text);
    let after = browser.get(&format!("{LIST}?q=cache-07")).await;
    assert!(!after.text.contains("/requests/default/cache-07") || after.text.contains("Deleting"), "{}", after.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_list_one_namespace_sees_that_one() {
    let product = Product::quiet().await;
    write_request(&product, "seen").await;
    let admin = product.running.identities.token("plane-admin").expect("an admin");
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let client = product.running.endpoint.client(admin, &scope);
    let mut stranger = product.signed_in("dev-data").await;
    assert_eq!(stranger.get(LIST).await.status, StatusCode::NOT_FOUND);

    // Entering is a right of its own; with it alone there is nothing to list.
    let post = async |path: &str, body: serde_json::Value| {
        let request = http::Request::post(path).header("content-type", "application/json").body(body.to_string().into_bytes());
        client.request::<serde_json::Value>(request.expect("a request")).await.expect("written")
    };
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let user = json!([{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "dev-data"}]);
    post(
        &format!("{rbac}/clusterroles"),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "enters"},
            "rules": [{"nonResourceURLs": ["/"], "verbs": ["access"]}]}),
    )
    .await;
    post(
        &format!("{rbac}/clusterrolebindings"),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "enters"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "enters"}, "subjects": user}),
    )
    .await;
    // Another person of the same rights, whose refusal is not remembered from before.
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "lists", "namespace": "default"},
        "rules": [{"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["get", "list", "watch"]}]});
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "lists", "namespace": "default"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "lists"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "finance"}]});
    post(
        &format!("{rbac}/clusterrolebindings"),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "finance-enters"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "enters"},
            "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "finance"}]}),
    )
    .await;
    let roles: Api<Role> = Api::namespaced(client.clone(), "default");
    roles.create(&PostParams::default(), &serde_json::from_value(role).expect("a role")).await.expect("written");
    let bindings: Api<RoleBinding> = Api::namespaced(client.clone(), "default");
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).expect("a binding")).await.expect("written");
    let mut finance = product.signed_in("finance").await;
    let list = until(&mut finance, LIST, |answer| answer.text.contains("/requests/default/seen")).await;
    assert!(list.text.contains("1 of 1 requests"), "{}", list.text);
    product.running.close().await;
}
