//! Approvals: who is asked, for which content, and what a decision does.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Program, SHOP, json_of, manifest, problem};
use crate::browser::Product;

const ORDERS: &str = "/api/v1/workspaces/root:acme:shop/requests/default/orders";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_waits_until_somebody_else_approves_exactly_this() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let (requester, approver) = (Program::of(&product, "dev-shop"), Program::of(&product, "approver"));
    let production = manifest("orders", "postgresql", &json!({"tier": "production", "replicas": 2}));
    let created = requester.send(Method::POST, &format!("{SHOP}/requests"), &[], &production).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    let waiting = requester.until(ORDERS, |request| request["state"] == "awaitingApproval").await;
    assert_eq!(
        (&waiting["reason"], &waiting["actor"], &waiting["waitingOn"]["kind"]),
        (&json!("ApprovalNeeded"), &json!("approvers"), &json!("person"))
    );
    let hash = waiting["contentHash"].as_str().expect("a hash").to_owned();
    assert!(waiting["approvals"].as_array().is_some_and(|all| all.iter().all(|one| one["canDecide"] == false)), "{waiting:#}");

    assert_eq!(requester.read("/api/v1/approvals").await["items"], json!([]), "nobody approves their own requests");
    let inbox = approver.until("/api/v1/approvals", |list| list["total"] == 1).await;
    let item = &inbox["items"][0];
    assert_eq!((&item["name"], &item["contentHash"], &item["owner"]), (&json!("orders"), &json!(hash), &json!("dev-shop")), "{inbox:#}");
    assert_eq!(
        (&item["change"], &item["rules"][0]["canDecide"], &item["cost"]["currency"]),
        (&json!(false), &json!(true), &json!("EUR")),
        "{item:#}"
    );
    let rule = item["rules"][0]["rule"].clone();

    let decide = async |program: &Program<'_>, body: &Value, key: &str| {
        program.send(Method::POST, &format!("{ORDERS}/decisions"), &[("idempotency-key", key)], &body.to_string()).await
    };
    let approve = json!({"contentHash": hash, "decision": "approve"});
    let own = decide(&requester, &json!({"rule": rule, "contentHash": hash, "decision": "approve"}), "own").await;
    assert!(own.status.is_client_error(), "{}", own.text);
    let other = decide(&approver, &json!({"contentHash": "0".repeat(64), "decision": "approve"}), "other").await;
    assert_eq!(problem(&other).0, 409);
    assert_eq!(json_of(&other)["reason"]["reason"], "changedSinceReview");
    let silent = decide(&approver, &json!({"contentHash": hash, "decision": "reject"}), "silent").await;
    assert_eq!(problem(&silent), (422, "invalid".to_owned(), vec!["/comment".to_owned()]));
    for wrong in [
        json!({}),
        json!({"contentHash": hash}),
        json!({"contentHash": hash, "decision": "maybe"}),
        json!({"contentHash": hash, "decision": "approve", "more": 1}),
    ] {
        assert_eq!(problem(&decide(&approver, &wrong, "wrong").await).0, 422, "{wrong}");
    }
    let first = decide(&approver, &approve, "approved").await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text);
    assert_eq!(json_of(&first), json!({"rule": rule, "contentHash": hash, "decision": "approve"}));
    let again = decide(&approver, &approve, "approved").await;
    assert_eq!(
        (again.status, &again.text, &again.headers["idempotency-replayed"]),
        (StatusCode::CREATED, &first.text, &"true".parse().unwrap())
    );
    let ready = requester.until(ORDERS, |request| request["state"] == "ready").await;
    assert_eq!(ready["approvals"][0]["given"].as_array().map(Vec::len), Some(1), "{ready:#}");
    approver.until("/api/v1/approvals", |list| list["total"] == 0).await;
    product.running.close().await;
}
