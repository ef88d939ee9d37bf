//! ServiceAccounts: every workspace can have one of the same name, and to the portal they are different people.

use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::Api;
use kube::api::PostParams;
use serde_json::{Value, json};

use crate::browser::{Product, fill};
use crate::second::Second;
use crate::views::save;

const ROBOT: &str = "system:serviceaccount:default:robot";
const SHOP: &str = "root:acme:shop";
const DATA: &str = "root:acme:data";

/// A token of the ServiceAccount `robot` of a workspace, which can do everything there.
async fn robot(product: &Product, workspace: &str) -> String {
    let scope = Scope::Workspace(WorkspacePath::parse(workspace).expect("a path"));
    let client = product.running.portal.endpoint.client(product.admin(), &scope);
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "default");
    let account = serde_json::from_value(json!({"metadata": {"name": "robot"}})).expect("a ServiceAccount");
    accounts.create(&PostParams::default(), &account).await.expect("created");
    let binding: ClusterRoleBinding = serde_json::from_value(json!({
        "metadata": {"name": "robot"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "namespace": "default", "name": "robot"}],
    }))
    .expect("a binding");
    Api::<ClusterRoleBinding>::all(client).create(&PostParams::default(), &binding).await.expect("created");
    let asked: TokenRequest = serde_json::from_value(json!({"spec": {"audiences": []}, "metadata": {}})).expect("a request");
    let answer = accounts.create_token_request("robot", &PostParams::default(), &asked).await.expect("a token");
    answer.status.expect("a status").token.expect("a token")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_accounts_of_one_name_see_nothing_of_each_other() {
    let first = Product::open().await;
    first.publishes_samples().await;
    let tokens = [robot(&first, SHOP).await, robot(&first, DATA).await];
    let second = Second::of(&first).await;
    let product = &second.product;
    let (mut shop, mut data) = (product.browser().brings(&tokens[0]).await, product.browser().brings(&tokens[1]).await);
    for (browser, workspace) in [(&mut shop, SHOP), (&mut data, DATA)] {
        let page = browser.get("/notifications").await;
        assert!(page.text.contains(&format!("Signed in as {ROBOT}@{workspace}")), "the path and no id: {}", page.text);
    }

    let form = format!("/w/{SHOP}/promises/redis/request");
    let written = fill(&mut shop, &form, &[("/name", "carts")], "submit").await;
    assert_eq!(written.location(), format!("/w/{SHOP}/requests/default/carts"), "{}", written.text);
    shop.until("/notifications?show=all", |answer| answer.text.contains("carts is ready")).await;
    let theirs = data.get("/notifications?show=all").await;
    assert!(theirs.status == StatusCode::OK && !theirs.text.contains("carts"), "{}", theirs.text);
    assert!(!data.get("/").await.text.contains("carts"), "nor what the other requested");

    assert_eq!(save(&mut shop, "approvals", "Risky ones", &[("risk", "high")]).await.status, StatusCode::SEE_OTHER);
    assert!(shop.get("/approvals").await.text.contains("Risky ones"));
    let theirs = data.get("/approvals").await;
    assert!(theirs.status == StatusCode::OK && !theirs.text.contains("Risky ones"), "{}", theirs.text);

    let kept = fill(&mut shop, &form, &[("/name", "Not A Name")], "check").await;
    let id = kept.location().split("?draft=").nth(1).expect("a draft").to_owned();
    let tree = product.running.portal.world.tree();
    let cluster = |path: &str| tree.cluster(&WorkspacePath::parse(path).expect("a path")).expect("a workspace");
    let subject = format!("new {} {} redis", cluster(SHOP), cluster("root:platform"));
    for (browser, sees) in [(&shop, true), (&data, false)] {
        let draft: Option<Value> = browser.caller(product).await.draft(&subject, &id).await.expect("an answer");
        assert_eq!(draft.is_some(), sees);
    }
    second.product.running.close().await;
    first.running.close().await;
}
