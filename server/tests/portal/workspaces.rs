//! The page of a workspace: each person sees what that person can read, with where it is set.

use http::StatusCode;

use crate::access::write_request;
use crate::browser::Product;

const SHOP: &str = "/w/root:acme:shop";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_sees_what_is_in_a_workspace_what_applies_to_it_and_who_can_do_what() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    let mut owner = product.signed_in("org-owner").await;
    let page = owner.until(SHOP, |page| page.text.contains("phase=Ready\" aria-label=\"1 Ready\"")).await;
    for part in [
        "href=\"/w/root:acme:shop/requests/default/zebra\"",
        // Policies of the workspace above, and of the trusted home.
        "href=\"/platform/policies/root:acme/production-baseline?from=root:acme:shop\"",
        "href=\"/platform/policies/root:platform/",
        "href=\"/w/root:acme\" class=\"tag mono ms-0\"",
        // Members of the workspace, and those above who decide about it.
        ">acme-shop-developers</span>",
        "Create requests",
        ">acme-approvers</span>",
        "Set here",
        "id=\"caps\"",
        "href=\"/cost?workspace=root:acme:shop\"",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // The way up is a link for people who can go there, and nothing but a name for others.
    let above = "<span class=\"above\">root / <a href=\"/w/root:acme\">acme</a></span>";
    assert!(
        page.text.contains(above) || page.text.contains("<a href=\"/w/root\">root</a> / <a href=\"/w/root:acme\">acme</a>"),
        "{}",
        page.text
    );
    let parent = owner.get("/w/root:acme").await;
    for part in [
        "Nothing here",
        "1 request in child workspaces.",
        "href=\"/w/root:acme/requests?below=true\"",
        "href=\"/w/root:acme:shop\" class=\"name",
        "aria-label=\"1 request in root:acme:shop\"",
    ] {
        assert!(parent.text.contains(part), "{part}: {}", parent.text);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_person_can_not_read_says_so_or_is_not_there() {
    let product = Product::quiet().await;
    write_request(&product, "zebra").await;
    let mut developer = product.signed_in("dev-shop").await;
    let page = developer.until(SHOP, |page| page.text.contains("requests/default/zebra")).await;
    assert!(
        page.text.contains("You can&#x27;t view the members of root:acme:shop.")
            || page.text.contains("You can't view the members of root:acme:shop."),
        "{}",
        page.text
    );
    assert!(!page.text.contains("acme-approvers</span>") && !page.text.contains("href=\"/w/root:acme\""), "{}", page.text);
    let mut stranger = product.signed_in("dev-data").await;
    let hidden = stranger.get(SHOP).await;
    let absent = stranger.get("/w/root:acme:nothing").await;
    assert_eq!((hidden.status, absent.status), (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_note_about_the_demo_can_be_dismissed() {
    const NOTE: &str = "Nothing real is created";
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(SHOP).await;
    assert!(page.text.contains(NOTE), "{}", page.text);
    let token = page.hidden("_token");
    let answer = browser.act("/do/account/demo", &[("_token", &token), ("back", SHOP)]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, SHOP), "{}", answer.text);
    let cookie = answer.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.contains("HttpOnly") && !cookie.contains("Max-Age"), "it ends with the browser's session: {cookie}");
    assert!(!browser.get(SHOP).await.text.contains(NOTE));
    product.running.close().await;
}
