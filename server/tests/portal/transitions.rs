//! What the sample promises say about changes holds: in the form, and for what is written past it.

use std::time::Duration;

use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use promise::api::{ConditionStatus, PromiseRef, PromiseRequestSpec};
use promise::names;
use serde_json::{Value, json};

use crate::browser::{Product, fill};

const SHOP: &str = "root:acme:shop";

fn requests(product: &Product) -> Api<PromiseRequest> {
    let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
    Api::namespaced(product.running.portal.endpoint.client(product.admin(), &scope), "default")
}

/// Waits until a request is as `holds` says.
async fn until(api: &Api<PromiseRequest>, name: &str, holds: impl Fn(&PromiseRequest) -> bool) -> PromiseRequest {
    let waiting = kube::runtime::wait::await_condition(api.clone(), name, |request: Option<&PromiseRequest>| request.is_some_and(&holds));
    match tokio::time::timeout(Duration::from_secs(60), waiting).await {
        Ok(Ok(Some(request))) => request,
        _ => panic!("{name} does not get there: {:#?}", api.get(name).await.expect("the request").status),
    }
}

/// A request of a sample promise that was accepted.
async fn accepted(product: &Product, name: &str, promise: &str, parameters: Value) -> Api<PromiseRequest> {
    let api = requests(product);
    let spec = PromiseRequestSpec {
        promise: PromiseRef { name: promise.into(), workspace: Some("root:platform".into()), version: None },
        parameters: Some(parameters),
        ..PromiseRequestSpec::default()
    };
    // As the portal writes it, so that a form has nothing to take over from another client.
    let params = PostParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PostParams::default() };
    api.create(&params, &object::<PromiseRequestKind>(name, Some("default"), spec)).await.expect("written");
    until(&api, name, |request| request.status.as_ref().is_some_and(|status| status.current.is_some())).await;
    api
}

/// Writes parameters as kubectl does, and waits until the controller refuses them; the answer is what it says.
async fn refused_past_the_form(api: &Api<PromiseRequest>, name: &str, parameters: Value) -> String {
    let before = api.get(name).await.expect("the request").status.expect("a status").current.expect("a release").release;
    let patch = Patch::Merge(json!({"spec": {"parameters": parameters}}));
    api.patch(name, &PatchParams::default(), &patch).await.expect("written");
    let accepted = |request: &PromiseRequest| {
        let conditions = request.status.as_ref().map(|status| status.conditions.clone()).unwrap_or_default();
        conditions.into_iter().find(|condition| condition.r#type == "Accepted")
    };
    let is_refused = |request: &PromiseRequest| {
        request.status.as_ref().is_some_and(|status| Some(status.observed_generation) == request.metadata.generation)
            && accepted(request).is_some_and(|condition| condition.status == ConditionStatus::False)
    };
    let refused = until(api, name, is_refused).await;
    let message = accepted(&refused).expect("a condition").message;
    assert_eq!(refused.status.and_then(|status| status.current).expect("a release").release, before, "what runs stays");
    message
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_storage_of_a_sample_database_grows_and_never_shrinks() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let api = accepted(&product, "orders", "postgresql", json!({"tier": "development", "storage": 10})).await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = format!("/w/{SHOP}/requests/default/orders");
    browser.until(&page, |answer| answer.text.contains("orders")).await;

    let rule = "Storage can't shrink.";
    let form = format!("{page}/edit");
    let smaller = fill(&mut browser, &form, &[("/parameters/storage", "5")], "submit").await;
    assert!(smaller.location().starts_with(&format!("{form}?draft=")), "{smaller:?}");
    let again = browser.get(smaller.location()).await;
    assert!(again.text.contains(rule), "{}", again.text);
    assert_eq!(api.get("orders").await.expect("the request").spec.parameters.expect("parameters")["storage"], 10, "nothing is written");

    let said = refused_past_the_form(&api, "orders", json!({"storage": 5})).await;
    assert!(said.contains(rule), "{said}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_region_of_a_sample_bucket_is_locked_and_never_changes() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let api = accepted(&product, "files", "object-bucket", json!({"region": "eu-west"})).await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = format!("/w/{SHOP}/requests/default/files/edit");
    // As far as its apostrophe.
    let rule = "The region of a bucket can";
    let new = browser.get(&format!("/w/{SHOP}/promises/object-bucket/request")).await;
    assert!(new.text.contains("name=\"/parameters/region\"") && !new.text.contains(rule), "a new bucket has a choice: {}", new.text);
    let shown = browser.until(&form, |answer| answer.text.contains(rule)).await;
    assert!(!shown.text.contains("name=\"/parameters/region\""), "nothing can be chosen: {}", shown.text);
    assert!(shown.text.contains("name=\"/parameters/storageClass\""), "other fields can: {}", shown.text);

    // What is posted all the same is put back to what was accepted.
    let pairs = [("/parameters/region", "eu-central"), ("/parameters/storageClass", "archive")];
    let forged = fill(&mut browser, &form, &pairs, "submit").await;
    assert_eq!(forged.location(), format!("/w/{SHOP}/requests/default/files"), "{}", forged.text);
    let written = api.get("files").await.expect("the request").spec.parameters.expect("parameters");
    assert_eq!((&written["region"], &written["storageClass"]), (&json!("eu-west"), &json!("archive")));

    let said = refused_past_the_form(&api, "files", json!({"region": "eu-central"})).await;
    assert!(said.contains("The region of a bucket can't be changed later."), "{said}");
    product.running.close().await;
}
