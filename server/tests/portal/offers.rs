//! What the catalog says about a promise: what has to be there first, and whom to ask.

use cluster::kinds::Promise;
use cluster::{Scope, WorkspacePath};
use kube::Api;
use kube::api::PostParams;
use serde_json::json;

use crate::browser::Product;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promise_says_what_has_to_be_there_first_and_whom_to_ask() {
    let product = Product::quiet().await;
    let admin = product.running.identities.token("plane-admin").expect("an admin");
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let api: Api<Promise> = Api::all(product.running.endpoint.client(admin, &scope));
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
        page.text
            .contains("It needs a working instance of postgresql in version &gt;=1 and the kind Thing of example.org at sandbox first"),
        "{}",
        page.text
    );
    let mut viewer = product.signed_in("viewer-shop").await;
    let page = viewer.get("/w/root:acme:shop/promises/postgresql").await;
    assert!(page.text.contains("Ask acme-operations"), "the owner is named: {}", page.text);
    product.running.close().await;
}
