//! Pages that browsers keep: asked for again, they are sent only if something on them changed.

use std::sync::Arc;

use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG};

use crate::access::write_request;
use crate::browser::{Answer, Browser, Product};
use crate::hands::Hands;

const REQUESTS: &str = "/w/root:acme:shop/requests";

/// Sends a page as it is now, after the moment for which it is kept.
async fn again(browser: &mut Browser, clock: &Hands, known: &Answer, address: &str) -> Answer {
    clock.put_forward(3);
    browser.get_again(address, &known.headers[ETAG]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_sent_again_only_if_something_on_it_changed() {
    let clock = Hands::of_the_machine();
    let product = Product::at(clock.clone() as Arc<_>).await;
    let mut developer = product.signed_in("dev-shop").await;
    // The first visit of a workspace sets a cookie, which changes the menu of the second.
    developer.get(REQUESTS).await;
    let page = developer.get(REQUESTS).await;
    assert_eq!(page.headers[CACHE_CONTROL], "private, no-cache");
    for unchanged in [developer.get_again(REQUESTS, &page.headers[ETAG]).await, again(&mut developer, &clock, &page, REQUESTS).await] {
        assert_eq!((unchanged.status, unchanged.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
        assert_eq!(unchanged.headers[ETAG], page.headers[ETAG]);
        // The nonce of the policy is that of the page which the browser has.
        assert!(!unchanged.headers.contains_key(CONTENT_SECURITY_POLICY));
    }
    write_request(&product, "orders-cache").await;
    let with_request = developer.until(REQUESTS, |page| page.text.contains("orders-cache")).await;
    let changed = developer.get_again(REQUESTS, &page.headers[ETAG]).await;
    assert_eq!(changed.status, StatusCode::OK);
    assert!(changed.text.contains("orders-cache") && with_request.headers[ETAG] != page.headers[ETAG]);
    // What is kept for one session isn't shown in another, nor in another theme.
    let mut stranger = product.signed_in("dev-data").await;
    assert_eq!(stranger.get_again(REQUESTS, &changed.headers[ETAG]).await.status, StatusCode::NOT_FOUND);
    let token = developer.get("/workspaces").await.hidden("_token");
    developer.act("/do/account/theme", &[("theme", "dark"), ("back", "/"), ("_token", &token)]).await;
    let dark = developer.get_again(REQUESTS, &changed.headers[ETAG]).await;
    assert!(dark.status == StatusCode::OK && dark.text.contains("data-theme=\"dark\""));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_people_did_is_on_the_next_page_at_once() {
    let product = Product::quiet().await;
    let mut developer = product.signed_in("dev-shop").await;
    developer.get(REQUESTS).await;
    let page = developer.get(REQUESTS).await;
    let token = page.hidden("_token");
    let favourite = [("path", "root:acme:shop"), ("favourite", "true"), ("back", REQUESTS), ("_token", &token)];
    let answer = developer.act("/do/workspaces/favourite", &favourite).await;
    let after = developer.follow(answer).await;
    let remove = "name=\"favourite\" value=\"false\"";
    assert!(!page.text.contains(remove) && after.text.contains(remove) && after.headers[ETAG] != page.headers[ETAG]);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forms_are_never_kept_and_signing_out_forgets_what_is() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut developer = product.signed_in("dev-shop").await;
    for address in ["/w/root:acme:shop/promises/redis/request", "/notifications/settings"] {
        let form = developer.get(address).await;
        assert_eq!(form.headers[CACHE_CONTROL], "no-store", "{address}");
        assert!(!form.headers.contains_key(ETAG), "{address}");
    }
    let token = developer.get("/workspaces").await.hidden("_token");
    let gone = developer.act("/do/account/sign-out", &[("_token", &token)]).await;
    assert_eq!(gone.headers["clear-site-data"], "\"cache\"");
    product.running.close().await;
}
