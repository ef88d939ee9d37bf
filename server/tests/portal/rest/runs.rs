//! Day-2 actions: listed with their schema, run once, waited for, and refused with the field and the reason.

use http::{Method, StatusCode};
use kube::api::{DeleteParams, DynamicObject, ListParams, PostParams};
use serde_json::{Value, json};

use super::{Program, SHOP, json_of, manifest};
use crate::browser::Product;

const ORDERS: &str = "/api/v1/workspaces/root:acme:shop/requests/default/orders";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_is_found_run_once_and_followed_to_its_result() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let developer = Program::of(&product, "dev-shop");
    let created = developer.send(Method::POST, &format!("{SHOP}/requests"), &[], &manifest("orders", "postgresql", &json!({}))).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    developer.until(ORDERS, |request| request["state"] == "ready").await;

    let actions = developer.read(&format!("{ORDERS}/actions")).await;
    let names: Vec<&str> = actions["items"].as_array().expect("items").iter().filter_map(|action| action["name"].as_str()).collect();
    assert_eq!(names, ["backup", "restore"]);
    assert_eq!((&actions["items"][1]["confirm"], &actions["items"][1]["available"]), (&json!(true), &json!(true)), "{actions:#}");
    assert_eq!(actions["items"][1]["parameters"]["required"], json!(["backup"]));
    let seen = Program::of(&product, "viewer-shop").read(&format!("{ORDERS}/actions")).await;
    assert_eq!(seen["items"][0]["available"], false, "{seen:#}");
    assert!(seen["items"][0]["reason"].as_str().is_some_and(|reason| reason.starts_with("You can't run actions in root:acme:shop.")));

    let run = async |action: &str, key: &str, body: Value| {
        let headers = [("idempotency-key", key)];
        developer.send(Method::POST, &format!("{ORDERS}/actions/{action}"), &headers, &body.to_string()).await
    };
    let long = run("backup", "k0", json!({"parameters": {"note": "x".repeat(101)}})).await;
    assert_eq!(long.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", long.text);
    assert!(long.text.contains("/parameters/note"), "{}", long.text);
    assert_eq!(run("burn", "k1", json!({})).await.status, StatusCode::NOT_FOUND);
    assert_eq!(run("backup", "k2", json!({"parameter": {}})).await.status, StatusCode::UNPROCESSABLE_ENTITY);

    let started = run("backup", "k3", json!({"parameters": {"note": "before the migration"}})).await;
    assert_eq!(started.status, StatusCode::CREATED, "{}", started.text);
    let location = started.headers["location"].to_str().expect("an address").to_owned();
    let again = run("backup", "k3", json!({"parameters": {"note": "before the migration"}})).await;
    assert_eq!((again.status, json_of(&again)["name"].clone()), (StatusCode::CREATED, json_of(&started)["name"].clone()));
    let done = developer.until(&location, |run| run["phase"] == "Succeeded").await;
    assert_eq!((&done["action"], &done["requester"]), (&json!("backup"), &json!("dev-shop")), "{done:#}");
    assert_eq!(done["outputs"][0]["name"], "backup", "{done:#}");

    let unknown = run("restore", "k4", json!({"parameters": {"backup": "orders"}})).await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", unknown.text);
    assert!(unknown.text.contains("Choose a run of “Back up” that succeeded."), "{}", unknown.text);
    let restored = run("restore", "k5", json!({"parameters": {"backup": done["name"]}})).await;
    assert_eq!(restored.status, StatusCode::CREATED, "{}", restored.text);
    let location = restored.headers["location"].to_str().expect("an address").to_owned();
    let ended = developer.until(&location, |run| run["phase"] == "Succeeded").await;
    assert_eq!(ended["outputs"][0]["value"], done["name"], "{ended:#}");

    let first = developer.read(&format!("{ORDERS}/runs?limit=1&fields=name,action")).await;
    assert_eq!(first["total"], 2, "{first:#}");
    let next = first["continue"].as_str().expect("there is more");
    let second = developer.read(&format!("{ORDERS}/runs?limit=1&continue={next}")).await;
    assert_eq!(second["continue"], Value::Null, "{second:#}");
    // Both can have started within one second.
    let mut listed = [&first["items"][0]["name"], &second["items"][0]["name"]];
    listed.sort_by_key(|name| name.as_str());
    assert_eq!(listed, [&done["name"], &ended["name"]]);
    for verb in ["cancel", "retry"] {
        assert_eq!(developer.send(Method::POST, &format!("{location}/{verb}"), &[], "").await.status, StatusCode::CONFLICT, "{verb}");
    }
    product.running.close().await;
}

/// The number of replicas among the outputs of a request.
fn replicas(request: &Value) -> Option<String> {
    let output = request["outputs"].as_array()?.iter().find(|output| output["name"] == "replicas")?;
    Some(output["value"].to_string().trim_matches('"').to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_is_scaled_by_an_action_and_keeps_its_replicas_when_the_request_changes() {
    const MAILER: &str = "/api/v1/workspaces/root:acme:shop/requests/default/mailer";
    let product = Product::open().await;
    product.publishes_samples().await;
    let developer = Program::of(&product, "dev-shop");
    let wanted = |image: &str| manifest("mailer", "background-worker", &json!({"image": image}));
    let created = developer.send(Method::POST, &format!("{SHOP}/requests"), &[], &wanted("ghcr.io/acme/mailer:2.0.1")).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    let ready = |request: &Value, number: &str| request["state"] == "ready" && replicas(request).as_deref() == Some(number);
    developer.until(MAILER, |request| ready(request, "1")).await;

    let scale = async |key: &str, parameters: Value| {
        let headers = [("idempotency-key", key)];
        developer.send(Method::POST, &format!("{MAILER}/actions/scale"), &headers, &json!({"parameters": parameters}).to_string()).await
    };
    for (key, wrong) in [("k0", json!({})), ("k1", json!({"replicas": 0})), ("k2", json!({"replicas": 11}))] {
        let refused = scale(key, wrong).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.text);
        assert!(refused.text.contains("/parameters/replicas"), "{}", refused.text);
    }
    for (key, number) in [("k3", 3), ("k4", 2)] {
        let started = scale(key, json!({"replicas": number})).await;
        assert_eq!(started.status, StatusCode::CREATED, "{}", started.text);
        let location = started.headers["location"].to_str().expect("an address").to_owned();
        let done = developer.until(&location, |run| run["phase"] == "Succeeded").await;
        assert_eq!((&done["outputs"][0]["name"], &done["outputs"][0]["value"]), (&json!("replicas"), &json!(number)), "{done:#}");
        developer.until(MAILER, |request| ready(request, &number.to_string())).await;
    }
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get("/w/root:acme:shop/requests/default/mailer").await;
    assert!(page.text.contains("Replicas that work."), "{}", page.text);

    let before = developer.read(MAILER).await["running"]["release"].clone();
    let changed = developer.send(Method::PUT, MAILER, &[("if-match", "*")], &wanted("ghcr.io/acme/mailer:2.1.0")).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text);
    developer.until(MAILER, |request| request["running"]["release"] != before && ready(request, "2")).await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_waits_until_the_policies_above_it_can_be_read() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let developer = Program::of(&product, "dev-shop");
    let created = developer.send(Method::POST, &format!("{SHOP}/requests"), &[], &manifest("orders", "postgresql", &json!({}))).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    developer.until(ORDERS, |request| request["state"] == "ready").await;

    let kind = kube::core::GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding");
    let bindings: kube::Api<DynamicObject> =
        kube::Api::all_with(crate::approvals::client(&product, "root:acme"), &kube::core::ApiResource::from_gvk(&kind));
    let is_catalog =
        |binding: &DynamicObject| binding.data["spec"]["reference"]["export"]["name"] == cluster::kinds::Export::Catalog.name();
    let catalog = bindings.list(&ListParams::default()).await.expect("a list").items.into_iter().find(is_catalog).expect("a binding");
    let name = catalog.metadata.name.clone().expect("a name");
    bindings.delete(&name, &DeleteParams::default()).await.expect("deleted");
    let gone = kube::runtime::wait::await_condition(bindings.clone(), &name, |object: Option<&DynamicObject>| object.is_none());
    gone.await.expect("gone");

    let mut person = product.signed_in("dev-shop").await;
    let form = "/w/root:acme:shop/requests/default/orders/actions/backup";
    person.until(form, |answer| answer.status == StatusCode::OK && answer.text.contains("an admin of root:acme must bind")).await;
    let headers = [("idempotency-key", "k1")];
    let started = developer.send(Method::POST, &format!("{ORDERS}/actions/backup"), &headers, "{}").await;
    assert_eq!(started.status, StatusCode::CREATED, "{}", started.text);
    let location = started.headers["location"].to_str().expect("an address").to_owned();

    let again =
        json!({"apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIBinding", "metadata": {"name": name}, "spec": catalog.data["spec"]});
    bindings.create(&PostParams::default(), &serde_json::from_value(again).expect("a binding")).await.expect("created");
    developer.until(&location, |run| run["phase"] == "Succeeded").await;
    product.running.close().await;
}
