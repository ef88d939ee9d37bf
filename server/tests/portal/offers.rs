//! What the catalog says about a promise: what has to be there first, whom to ask, and from when on it costs something else.

use cluster::kinds::{Export, Promise, PromiseCatalog};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::json;

use crate::browser::{Product, fill};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promise_says_what_has_to_be_there_first_and_whom_to_ask() {
    let product = Product::quiet().await;
    let admin = product.admin();
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let api: Api<Promise> = Api::all(product.running.portal.endpoint.client(admin, &scope));
    let mut redis = api.get("redis").await.expect("the sample promise");
    redis.spec.requires = serde_json::from_value(
        json!([{"promise": "postgresql", "version": ">=1"}, {"api": "example.org/Thing", "destination": "sandbox"}]),
    )
    .expect("requirements");
    let mut changes = product.running.portal.world.promises.changes();
    api.replace("redis", &PostParams::default(), &redis).await.expect("changed");
    changes.recv().await.expect("the change is seen");

    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get("/w/root:acme:shop/promises/redis").await;
    assert!(
        page.text.contains(
            "This promise needs a working instance of postgresql in version &gt;=1 and the kind Thing of example.org at sandbox first"
        ),
        "{}",
        page.text
    );
    // As soon as it is there, the way is open.
    redis.spec.requires = serde_json::from_value(json!([{"api": "apps/StatefulSet", "destination": "sandbox"}])).expect("requirements");
    let mut current = api.get("redis").await.expect("the promise");
    current.spec.requires = redis.spec.requires;
    api.replace("redis", &PostParams::default(), &current).await.expect("changed");
    let page = browser.until("/w/root:acme:shop/promises/redis", |answer| !answer.text.contains("This promise needs")).await;
    assert!(page.text.contains("Available</span>"), "the destination takes the kind: {}", page.text);
    let mut viewer = product.signed_in("viewer-shop").await;
    let page = viewer.get("/w/root:acme:shop/promises/postgresql").await;
    assert!(page.text.contains("Ask acme-operations"), "the owner is named: {}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_requests_are_not_enabled_nothing_would_be_accepted() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = "/w/root:acme:shop/promises/redis/request";
    let kept = fill(&mut browser, form, &[("/name", "carts")], "adds").await;
    let draft = kept.location().split("draft=").nth(1).expect("a draft").to_owned();
    let review = format!("{form}/review?draft={draft}");
    let page = browser.get(&review).await;
    assert!(page.status == StatusCode::OK && page.text.contains("Ready to submit"), "{}", page.text);

    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"));
    let bindings: Api<DynamicObject> = Api::all_with(product.running.portal.endpoint.client(product.admin(), &scope), &kind);
    let all = bindings.list(&ListParams::default()).await.expect("the bindings").items;
    let of_requests = |binding: &&DynamicObject| binding.data["spec"]["reference"]["export"]["name"] == Export::Requests.name();
    let name = all.iter().find(of_requests).and_then(|binding| binding.metadata.name.clone()).expect("a binding of requests");
    bindings.delete(&name, &DeleteParams::default()).await.expect("unbound");
    let page = browser.until(&review, |answer| answer.text.contains("Requests aren't enabled in root:acme:shop yet.")).await;
    let verdict = page.text.split("class=\"verdict\"").nth(1).and_then(|rest| rest.split("</section>").next()).expect("a verdict");
    assert!(verdict.contains("Can't be submitted") && verdict.contains("Requests aren't enabled in root:acme:shop yet."), "{verdict}");
    assert!(!page.text.contains("Ready to submit"), "{}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_that_works_meets_what_another_promise_requires() {
    let product = Product::open().await;
    let admin = product.admin();
    let scope = |path: &str| Scope::Workspace(WorkspacePath::parse(path).expect("a path"));
    let api: Api<Promise> = Api::all(product.running.portal.endpoint.client(admin, &scope("root:platform")));
    let next = json!({"spec": {"version": "99.0.0", "requires": [{"promise": "redis"}]}});
    api.patch("object-bucket", &PatchParams::default(), &Patch::Merge(&next)).await.expect("changed");
    let mut browser = product.signed_in("dev-shop").await;
    let address = "/w/root:acme:shop/promises/object-bucket";
    browser.until(address, |answer| answer.text.contains("This promise needs a working instance of redis first")).await;
    crate::access::write_request(&product, "cache").await;
    browser.until(address, |answer| !answer.text.contains("This promise needs") && answer.text.contains("Available</span>")).await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_list_that_begins_later_is_told_where_it_changes_what_is_proposed() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let address = |promise: &str| format!("/w/root:acme:shop/promises/{promise}");
    let mut browser = product.signed_in("dev-shop").await;
    let before = browser.get(&address("redis")).await.text;
    assert!(before.contains("Price in this workspace") && !before.contains("(today "), "{before}");

    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let catalogs: Api<PromiseCatalog> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    let mut standard = catalogs.get("standard").await.expect("the sample catalog");
    let later = |from: &str, name: &str, values: serde_json::Value| {
        let mut list = standard.spec.prices[0].clone();
        list.from = from.to_owned();
        list.values.insert(name.to_owned(), values);
        list
    };
    // Not in the order of their days, and each different from the first in one price.
    let lists = [
        later("9000-03-01", "cache", json!({"small": "12.25", "medium": "21.00"})),
        later("9000-01-01", "bucket", json!({"standard": "2.00", "archive": "0.75"})),
        later("9000-02-01", "cache", json!({"small": "10.75", "medium": "21.00"})),
    ];
    standard.spec.prices.extend(lists);
    catalogs.replace("standard", &PostParams::default(), &standard).await.expect("changed");

    let redis = browser.until(&address("redis"), |answer| answer.text.contains("From 1 February 9000")).await.text;
    assert!(redis.contains("From 1 February 9000: €10.75 a month (today €9.50)."), "{redis}");
    assert_eq!(redis.matches("(today ").count(), 1, "the next one alone: {redis}");
    // No list changes what a database costs, nor a bucket of the class that is proposed.
    for promise in ["postgresql", "object-bucket"] {
        let page = browser.get(&address(promise)).await.text;
        assert!(page.contains("Price in this workspace") && !page.contains("(today "), "{promise}: {page}");
    }
    product.running.close().await;
}
