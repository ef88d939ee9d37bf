//! Steps of workflows that wait for people: they are decided where requests are decided.

use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use promise::api::{StepKind, StepPhase, WorkflowPhase};

use super::*;

/// Publishes a promise whose objects wait for a step that the approver, and nobody else, may decide about.
async fn with_gate(product: &Product) {
    let platform = client(product, "root:platform");
    let promise = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "site"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Site", "summary": "A site.", "category": "data", "maintainer": {"team": "Platform"}},
            "parameters": {"type": "object", "properties": {"host": {"type": "string", "default": "docs"}}},
            "implementation": {"resources": [{"id": "note", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"host": "${parameters.host}"},
            }}]},
            "workflows": {"provision": {"steps": [
                {"id": "board", "title": "Change board", "approve": {"approvers": {"users": ["approver"]}, "message": "Check the plan"}},
                {"id": "note", "dependsOn": ["board"], "apply": {"resources": ["note"]}},
            ]}},
        },
    });
    let promises: Api<cluster::kinds::Promise> = Api::all(platform.clone());
    promises.create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise")).await.expect("written");
    let own = |resource: &str, verbs: Value| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let mut decides = own("promises", json!(["approve"]));
    decides["resourceNames"] = json!(["site"]);
    let access = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let role = json!({"metadata": {"name": "sites"}, "rules": [access, own("approvals", json!(["create"])), decides]});
    let roles: Api<ClusterRole> = Api::all(platform.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role).expect("a role")).await.expect("written");
    let binding = json!({
        "metadata": {"name": "sites"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "sites"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "approver"}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(platform);
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).expect("a binding")).await.expect("written");
}

fn waits_at_gate(request: &PromiseRequest) -> bool {
    let steps = request.status.iter().flat_map(|status| &status.steps);
    steps.into_iter().any(|step| step.kind == StepKind::Approve && step.phase == StepPhase::Running && step.approval.is_some())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_waits_is_decided_where_requests_are() {
    let product = Product::open().await;
    with_gate(&product).await;
    let mut requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    let waiting = until(&product, "docs", waits_at_gate).await;
    let uid = waiting.metadata.uid.expect("a uid");

    let detail = "/w/root:acme:shop/requests/default/docs";
    let page = requester.until(detail, |answer| answer.text.contains("Change board")).await;
    assert!(page.text.contains("approver must approve. Check the plan"), "{}", page.text);
    let mut approver = product.signed_in("approver").await;
    let list = approver.until("/approvals", |answer| answer.text.contains("docs")).await;
    assert_eq!(list.status, StatusCode::OK);
    let review = approver.get(&format!("/approvals/{uid}")).await;
    for said in ["Step “Change board” of docs: new Site", "approver must approve. Check the plan"] {
        assert!(review.text.contains(said), "{said}: {}", review.text);
    }
    let decided = decide(&mut approver, &uid, &[("decision", "approve")]).await;
    assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.text);
    let done = |request: &PromiseRequest| {
        let run = request.status.as_ref().and_then(|status| status.workflow.as_ref());
        run.is_some_and(|run| run.phase == WorkflowPhase::Succeeded)
    };
    let done = until(&product, "docs", done).await;
    let board = &done.status.expect("a status").steps[0];
    assert_eq!(board.message.as_deref(), Some("approver approved it."));
    product.running.close().await;
}
