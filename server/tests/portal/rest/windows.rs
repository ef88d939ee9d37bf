//! Changes that wait for a window: announced by the preflight, said by the request, and overridden by people with the permission.

use cluster::{Scope, WorkspacePath};
use http::{Method, StatusCode};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::Api;
use kube::api::PostParams;
use serde_json::{Value, json};

use super::{Program, SHOP, json_of, manifest};
use crate::browser::Product;

const ORDERS: &str = "/api/v1/workspaces/root:acme:shop/requests/default/orders";

/// Sets a policy whose window opens in ten hours and that the requester can override.
async fn governed(product: &Product) {
    let now = product.running.portal.clock.now();
    let hour = |hours: i64| (now + jiff::SignedDuration::from_hours(hours)).strftime("%H:00").to_string();
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let client = product.running.portal.endpoint.client(product.admin(), &scope);
    let policy = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "quiet-hours"},
        "spec": {"title": "Quiet hours", "appliesTo": {"promises": ["redis"]}, "rules": [
            {"name": "nights", "window": {"from": hour(10), "to": hour(12)}},
        ]},
    });
    let policies: Api<cluster::kinds::Policy> = Api::all(client.clone());
    policies.create(&PostParams::default(), &serde_json::from_value(policy).expect("a policy")).await.expect("written");
    let own = |resource: &str, verbs: Value| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let mut overrides = own("policies", json!(["override"]));
    overrides["resourceNames"] = json!(["quiet-hours"]);
    let access = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let role = json!({"metadata": {"name": "quiet"}, "rules": [access, own("approvals", json!(["create"])), overrides]});
    let roles: Api<ClusterRole> = Api::all(client.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role).expect("a role")).await.expect("written");
    let binding = json!({
        "metadata": {"name": "quiet"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "quiet"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "dev-shop"}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(client);
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).expect("a binding")).await.expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_says_when_it_is_carried_out_and_an_override_carries_it_out_now() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let requester = Program::of(&product, "dev-shop");
    let created = requester.send(Method::POST, &format!("{SHOP}/requests"), &[], &manifest("orders", "redis", &json!({}))).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    requester.until(ORDERS, |request| request["state"] == "ready").await;
    governed(&product).await;

    let bigger = manifest("orders", "redis", &json!({"size": "medium"}));
    let checked = async || json_of(&requester.send(Method::POST, &format!("{SHOP}/preflight"), &[], &bigger).await);
    let announced = async {
        loop {
            match checked().await {
                // The portal hears of the policy a moment later.
                said if said["window"].is_null() => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
                said => return said,
            }
        }
    };
    let said = tokio::time::timeout(std::time::Duration::from_secs(60), announced).await.expect("announced in time");
    assert_eq!((&said["verdict"], &said["window"]["policies"]), (&json!("accepted"), &json!(["quiet-hours"])), "{said:#}");
    let message = said["window"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("Will be carried out on ") && message.ends_with(":00 (UTC)."), "{message}");

    let read = requester.send(Method::GET, ORDERS, &[], "").await;
    let edition = read.headers["etag"].to_str().expect("an edition").to_owned();
    let changed = requester.send(Method::PUT, ORDERS, &[("if-match", &edition)], &bigger).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text);
    let waiting = requester.until(ORDERS, |request| request["reason"] == "ChangeWindow").await;
    assert_eq!((&waiting["state"], &waiting["change"], &waiting["actor"]), (&json!("ready"), &json!("awaitingWindow"), &json!("platform")));
    assert_eq!(waiting["approvals"][0]["opensAt"], said["window"]["opensAt"], "{waiting:#}");
    assert_eq!(requester.read("/api/v1/approvals").await["total"], 0, "no one is asked to approve it");

    let decide = async |program: &Program<'_>, emergency: bool| {
        let body = json!({
            "rule": waiting["approvals"][0]["rule"], "contentHash": waiting["contentHash"], "decision": "approve", "emergency": emergency,
            "comment": "The shop is full",
        });
        program.send(Method::POST, &format!("{ORDERS}/decisions"), &[], &body.to_string()).await.status
    };
    assert_eq!(decide(&Program::of(&product, "org-owner"), true).await, StatusCode::FORBIDDEN, "without the permission");
    assert_eq!(decide(&requester, false).await, StatusCode::CONFLICT, "only an override answers it");
    assert_eq!(decide(&requester, true).await, StatusCode::CREATED);
    let is_done = |request: &Value| request["change"].is_null() && request["state"] == "ready" && request["generation"] == 2;
    let done = requester.until(ORDERS, is_done).await;
    assert_eq!(done["approvals"][0]["given"][0]["emergency"], true, "{done:#}");
    product.running.close().await;
}
