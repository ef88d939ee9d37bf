//! Promises that people keep at hand, and the instances of a promise.

use crate::access::write_request;
use crate::browser::{Browser, Product};

const CATALOG: &str = "/w/root:acme:shop/catalog";

async fn star(browser: &mut Browser, what: &str, key: &str) -> crate::browser::Answer {
    let token = browser.get(CATALOG).await.hidden("_token");
    let fields = [("workspace", "root:acme:shop"), (what, key), ("back", CATALOG), ("_token", token.as_str())];
    browser.act("/do/promises/favourite", &fields).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_star_moves_a_promise_to_the_front_for_its_person_alone() {
    let product = Product::open().await;
    let mut browser = product.signed_in("dev-shop").await;
    let before = browser.get(CATALOG).await.text;
    let at = |page: &str, promise: &str| page.find(&format!("href=\"/w/root:acme:shop/promises/{promise}\""));
    assert!(!before.contains("Favourites</h2>") && at(&before, "postgresql") < at(&before, "redis"), "{before}");

    assert_eq!(star(&mut browser, "add", "root:platform/redis").await.location(), CATALOG);
    let after = browser.get(CATALOG).await.text;
    assert!(after.contains("Favourites</h2>") && at(&after, "redis") < at(&after, "postgresql"), "{after}");
    assert_eq!(after.matches("promises/redis\"").count(), 1, "once on the page: {after}");
    assert!(after.contains("name=\"remove\" value=\"root:platform/redis\""), "{after}");
    let narrowed = browser.get(&format!("{CATALOG}?sort=name")).await.text;
    assert!(!narrowed.contains("Favourites</h2>"), "an order that was chosen stays: {narrowed}");

    let mut other = product.signed_in("org-owner").await;
    assert!(!other.get(CATALOG).await.text.contains("Favourites</h2>"));
    let refused = star(&mut browser, "add", "root:platform/nothing").await;
    assert!(refused.text.contains("Not found"), "{}", refused.text);

    star(&mut browser, "remove", "root:platform/redis").await;
    assert!(!browser.get(CATALOG).await.text.contains("Favourites</h2>"));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_are_listed_to_people_who_can_list_them() {
    let product = Product::open().await;
    write_request(&product, "cache").await;
    let mut browser = product.signed_in("dev-shop").await;
    let used = "/w/root:acme:shop/promises/redis?tab=used-by";
    let page = browser.until(used, |answer| answer.text.contains("/requests/default/cache\"")).await;
    assert!(page.text.contains("1 instance in 1 workspace that you can see"), "{}", page.text);
    let card =
        browser.until(CATALOG, |answer| answer.text.contains("1 running here</a>") && answer.text.contains("median of 1 here")).await;
    assert!(card.text.contains("promises/redis?tab=used-by"), "{}", card.text);
    let mut elsewhere = product.signed_in("dev-data").await;
    let page = elsewhere.get("/w/root:acme:data/promises/redis?tab=used-by").await;
    assert!(page.text.contains("No instances yet") && !page.text.contains("default/cache"), "{}", page.text);
    product.running.close().await;
}
