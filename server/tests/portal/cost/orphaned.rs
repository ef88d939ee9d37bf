//! What a deleted request handed over costs what it did until somebody releases it.

use std::time::Duration;

use cluster::install::SYSTEM_NAMESPACE;
use cluster::kinds::{PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, PostParams};
use promise::api::{DeletionPolicy, PromiseRef, PromiseRequestSpec};
use promise::price::Money;

use super::{SHOP, file, pass, ready, sum};
use crate::access::requests;
use crate::browser::Product;

/// Waits until the portal sees so many requests, and so many orphans.
async fn see(product: &Product, requests: usize, orphans: usize) {
    let world = &product.running.portal.world;
    let seen = async {
        while (world.requests.snapshot().len(), world.orphans.snapshot().len()) != (requests, orphans) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), seen).await.expect("the portal sees it");
}

/// Seconds in which it was ready, and what that came to.
async fn counted(product: &Product, uid: &str) -> (i64, i64) {
    let hours = product.running.portal.store.ledger_hours(uid).await.expect("hours");
    hours.iter().fold((0, 0), |(ready, micros), (_, _, sum)| (ready + sum.ready, micros + sum.micros))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_orphaned_goes_on_to_cost_until_it_is_released() {
    let product = Product::open().await;
    let promise = PromiseRef { name: "redis".into(), workspace: Some("root:platform".into()), version: None };
    let spec = PromiseRequestSpec { promise, deletion_policy: DeletionPolicy::Orphan, ..PromiseRequestSpec::default() };
    let request = object::<PromiseRequestKind>("zebra", Some("default"), spec);
    requests(&product).create(&PostParams::default(), &request).await.expect("a request");
    let request = ready(&product, "zebra").await;
    let uid = request.metadata.uid.clone().expect("a uid");
    let price = ledger::price(&request).expect("a price");
    pass(&product, 2).await;
    let (while_there, _) = counted(&product, &uid).await;

    requests(&product).delete("zebra", &DeleteParams::default()).await.expect("deleted");
    see(&product, 0, 1).await;
    pass(&product, 4).await;
    let (orphaned, micros) = counted(&product, &uid).await;
    assert_eq!(orphaned - while_there, 2 * 3_600, "two more hours, without a break");
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(SHOP).await.text;
    let until = format!("until the platform team deletes the ConfigMap opm-system/orphaned-{uid} of the provider workspace");
    for part in [&until, &Money::new(micros, "EUR").rounded().to_string()] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let estimate = format!("<dt>Estimate</dt><dd><b>{price}</b>");
    assert!(page.contains(&estimate), "{estimate}: {page}");
    assert_eq!(sum(&file(&mut browser, "/cost/focus.csv?workspace=root:acme:shop").await, "BilledCost"), micros);

    let scope = Scope::Workspace(WorkspacePath::parse("root:opm").expect("a path"));
    let lists: Api<ConfigMap> = Api::namespaced(product.running.portal.endpoint.client(product.admin(), &scope), SYSTEM_NAMESPACE);
    lists.delete(&format!("orphaned-{uid}"), &DeleteParams::default()).await.expect("released");
    see(&product, 0, 0).await;
    pass(&product, 6).await;
    let released = counted(&product, &uid).await;
    assert!(released.0 < orphaned + 3_600, "the hour in which it was released is complete now: {released:?}");
    pass(&product, 8).await;
    assert_eq!(counted(&product, &uid).await, released, "what is released costs nothing any more");
    let page = browser.get(SHOP).await.text;
    assert!(page.contains(">Deleted<") && !page.contains(&estimate), "{page}");
    product.running.close().await;
}
