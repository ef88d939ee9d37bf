//! A request that does not fit, as somebody wrote it with kubectl: its page says once what has to be changed, and leads there.

use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use kube::Api;
use kube::api::PostParams;
use promise::api::{PromiseRef, PromiseRequestSpec};
use serde_json::json;

use crate::browser::Product;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_fit_is_told_once_and_marked_in_the_form() {
    let product = Product::open().await;
    let admin = product.admin();
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let api: Api<PromiseRequest> = Api::namespaced(product.running.portal.endpoint.client(admin, &scope), "default");
    let spec = PromiseRequestSpec {
        promise: PromiseRef { name: "redis".into(), workspace: Some("root:platform".into()), version: None },
        parameters: Some(json!({"size": "giant"})),
        ..PromiseRequestSpec::default()
    };
    api.create(&PostParams::default(), &object::<PromiseRequestKind>("misfit", Some("default"), spec)).await.expect("written");

    let mut browser = product.signed_in("dev-shop").await;
    let address = "/w/root:acme:shop/requests/default/misfit";
    let page = browser.until(address, |answer| answer.text.contains("/edit#")).await;
    assert!(!page.text.contains(".parameters"), "no path is shown: {}", page.text);
    let sentence =
        page.text.split("/edit#").nth(1).and_then(|rest| rest.split('>').nth(1)?.split('<').next()).expect("a sentence").to_owned();
    let overview = page.text.split("id=\"lately\"").next().unwrap_or_default();
    assert_eq!(overview.matches(&sentence).count(), 1, "{sentence} in {overview}");
    let form = browser.get(&format!("{address}/edit")).await;
    assert!(form.text.contains("<title>Error: ") && form.text.matches(&sentence).count() >= 2, "summary and field say it: {}", form.text);
    // Whoever may only look reads the same without being sent to a form.
    let mut viewer = product.signed_in("viewer-shop").await;
    let page = viewer.get(address).await;
    assert!(page.text.contains(&sentence) && !page.text.contains("/edit#"), "{}", page.text);
    product.running.close().await;
}
