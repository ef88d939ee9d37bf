//! Steps of workflows: who skips them, with which reason, and what is refused.

use http::{Method, StatusCode};
use kube::api::PostParams;
use promise::api::{PromiseRequestStatus, StepKind, StepPhase, StepStatus};
use promise::names;
use serde_json::json;

use super::{Program, SHOP, json_of, manifest, problem};
use crate::approvals::steps::{check, with_gate};
use crate::browser::Product;
use crate::review::requests;
use crate::seeded::tell;

const DOCS: &str = "/api/v1/workspaces/root:acme:shop/requests/default/docs";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_is_skipped_once_with_permission_and_reason() {
    let product = Product::open().await;
    with_gate(&product, &check(), names::EMERGENCY_VERB).await;
    let (requester, approver) = (Program::of(&product, "dev-shop"), Program::of(&product, "approver"));
    let create = async || requester.send(Method::POST, &format!("{SHOP}/requests"), &[], &manifest("docs", "site", &json!({}))).await;
    requester.until(&format!("{SHOP}/promises/site"), |promise| promise["version"] == "1.0.0").await;
    let created = create().await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    let failed = requester.until(DOCS, |request| request["steps"][0]["phase"] == "Failed").await;
    let hash = failed["steps"][0]["contentHash"].as_str().expect("a hash").to_owned();

    let skip = async |program: &Program<'_>, step: &str, body: serde_json::Value, key: &str| {
        let headers = [("idempotency-key", key)];
        program.send(Method::POST, &format!("{DOCS}/steps/{step}/skip"), &headers, &body.to_string()).await
    };
    let denied = skip(&requester, "check", json!({"comment": "I want it"}), "k1").await;
    assert_eq!(problem(&denied).0, 403, "{}", denied.text);
    assert_eq!(json_of(&denied)["reason"]["reason"]["decide"]["emergency"], true, "{}", denied.text);
    let silent = skip(&approver, "check", json!({"comment": ""}), "k2").await;
    assert_eq!(problem(&silent), (422, "invalid".to_owned(), vec!["/comment".to_owned()]));
    assert_eq!(problem(&skip(&approver, "check", json!({}), "k3").await).0, 422);
    let changed = skip(&approver, "check", json!({"comment": "ours", "contentHash": "0000"}), "k4").await;
    assert_eq!(json_of(&changed)["reason"]["reason"], "changedSinceReview", "{}", changed.text);
    let never = skip(&approver, "note", json!({"comment": "ours"}), "k5").await;
    assert_eq!(json_of(&never)["reason"]["reason"]["stepNotSkippable"]["step"], "note", "{}", never.text);
    assert_eq!(skip(&approver, "nothing", json!({"comment": "ours"}), "k6").await.status, StatusCode::NOT_FOUND);

    let body = json!({"comment": "ours", "contentHash": hash});
    let skipped = skip(&approver, "check", body.clone(), "k7").await;
    assert_eq!(skipped.status, StatusCode::CREATED, "{}", skipped.text);
    assert_eq!((&json_of(&skipped)["decision"], &json_of(&skipped)["contentHash"]), (&json!("skip"), &json!(hash)));
    assert_eq!(skip(&approver, "check", body, "k7").await.text, skipped.text, "the same call does nothing again");
    requester.until(DOCS, |request| request["steps"][0]["phase"] == "Skipped" && request["state"] == "ready").await;
    let late = skip(&approver, "check", json!({"comment": "ours"}), "k8").await;
    assert_eq!(json_of(&late)["reason"]["reason"]["nothingToSkip"]["step"], "check", "{}", late.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_of_a_promise_in_an_unknown_home_is_refused_for_lack_of_permission_before_its_state_counts() {
    let product = Product::quiet().await;
    let request = json!({
        "apiVersion": names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": "docs", "namespace": "default"},
        "spec": {"promise": {"name": "site", "workspace": "root:nowhere"}, "parameters": {}},
    });
    let request = serde_json::from_value(request).expect("a request");
    requests(&product).create(&PostParams::default(), &request).await.expect("written");
    let step = StepStatus { id: "check".into(), kind: StepKind::Validate, phase: StepPhase::Failed, ..StepStatus::default() };
    let status = json!(PromiseRequestStatus { steps: vec![step], ..PromiseRequestStatus::default() });
    tell(&product, "root:acme:shop", "docs", &status).await;
    for person in ["dev-shop", "plane-admin"] {
        let program = Program::of(&product, person);
        for body in [json!({"comment": "ours"}), json!({"comment": ""}), json!({"comment": "ours", "contentHash": "0000"})] {
            let (text, key) = (body.to_string(), format!("k{}", body.to_string().len()));
            let answer = program.send(Method::POST, &format!("{DOCS}/steps/check/skip"), &[("idempotency-key", key.as_str())], &text).await;
            assert_eq!(problem(&answer).0, 403, "{person}: {}", answer.text);
            assert_eq!(json_of(&answer)["reason"]["reason"]["decide"]["workspace"], "root:nowhere", "{person}: {}", answer.text);
        }
    }
    product.running.close().await;
}
