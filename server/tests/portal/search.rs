//! Search: people find what they can list, also when they mistype it, and nothing else.

use crate::access::write_request;
use crate::browser::{Browser, Product};

const HERE: &str = "workspace=root:acme:shop";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_find_what_they_can_list_and_nothing_else() {
    let product = Product::quiet().await;
    for name in ["orders-cache", "invoices-cache"] {
        write_request(&product, name).await;
    }
    let mut developer = product.signed_in("dev-shop").await;
    let request = "href=\"/w/root:acme:shop/requests/default/orders-cache\"";
    let found = developer.until(&format!("/search?q=ordres+cache&{HERE}"), |page| page.text.contains(request)).await;
    assert!(found.text.contains("1 result<") && !found.text.contains("invoices-cache"), "{}", found.text);
    // Each kind has its own results, and the promise leads to its form.
    let promise =
        developer.until(&format!("/search?q=redis&kind=promises&{HERE}"), |page| page.text.contains("/promises/redis/request\"")).await;
    assert!(promise.text.contains("1 result<") && !promise.text.contains("orders-cache"), "{}", promise.text);
    let pages = developer.get(&format!("/search?q=approv&{HERE}")).await;
    assert!(pages.text.contains(">Go to Approvals</a>"), "{}", pages.text);

    // A page that doesn't exist shows the last one.
    for page in ["7", "18446744073709551615"] {
        let last = developer.get(&format!("/search?q=orders-cache&{HERE}&page={page}")).await;
        assert!(last.status.is_success() && last.text.contains(request), "{page}: {}", last.text);
    }

    // The fragment isn't a page that anybody can be led to.
    let fragment = developer.get(&format!("/search/suggestions?q=orders-cache&{HERE}")).await;
    assert!(fragment.text.contains("role=\"option\"") && fragment.text.contains(request), "{}", fragment.text);
    assert_eq!(fragment.headers["content-type"], "application/vnd.opm-portal.fragment");
    assert!(!fragment.text.contains("<html"), "{}", fragment.text);

    // People who can't enter the workspace find neither its requests nor the workspace.
    let mut stranger = product.signed_in("dev-data").await;
    for words in ["orders-cache", "orders", "shop"] {
        let nothing = stranger.get(&format!("/search?q={words}&{HERE}")).await;
        assert!(!nothing.text.contains("root:acme:shop/requests") && !nothing.text.contains(">shop</a>"), "{words}: {}", nothing.text);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_workspaces_that_were_open_last_stay_at_hand_until_signing_out() {
    let product = Product::quiet().await;
    let mut owner = product.signed_in("org-owner").await;
    for workspace in ["root:acme:data", "root:acme:shop"] {
        owner.get(&format!("/w/{workspace}/catalog")).await;
    }
    let home = owner.get("/approvals").await;
    assert!(home.text.contains("<a href=\"/w/root:acme:shop/requests\""), "the navigation keeps the last one: {}", home.text);
    let catalog = owner.get("/w/root:acme:shop/requests").await;
    assert!(catalog.text.contains("class=\"item\"") && catalog.text.contains("href=\"/w/root:acme:data/requests\""), "{}", catalog.text);
    let suggestions = owner.get("/search/suggestions").await;
    let at = |workspace: &str| suggestions.text.find(&format!("/w/{workspace}/catalog"));
    assert!(at("root:acme:shop") < at("root:acme:data") && at("root:acme:shop").is_some(), "{}", suggestions.text);
    // A favourite stays at hand in every browser of the person.
    let token = home.hidden("_token");
    let favourite = |is: &'static str, token: &str| {
        [("path", "root:acme:data"), ("favourite", is), ("back", "/"), ("_token", token)].map(|(name, value)| (name, value.to_owned()))
    };
    let act = async |browser: &mut Browser, is: &'static str, token: &str| {
        let pairs = favourite(is, token);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
        browser.act("/do/workspaces/favourite", &pairs).await
    };
    assert_eq!(act(&mut owner, "true", &token).await.location(), "/");
    let mut elsewhere = product.signed_in("org-owner").await;
    let kept = elsewhere.get("/w/root:acme:shop/catalog").await;
    assert!(kept.text.contains("Favourites</p>") && kept.text.contains("href=\"/w/root:acme:data/catalog\""), "{}", kept.text);
    let mut stranger = product.signed_in("dev-shop").await;
    let theirs = stranger.get("/workspaces").await.hidden("_token");
    act(&mut stranger, "true", &theirs).await;
    assert!(
        !stranger.get("/search/suggestions").await.text.contains("root:acme:data"),
        "only workspaces that the person can enter can be added"
    );
    act(&mut owner, "false", &token).await;
    assert!(!owner.get("/search/suggestions").await.text.contains("Favourites"));
    owner.act("/do/account/sign-out", &[("_token", &token)]).await;
    let mut again = owner.signs_in("org-owner").await;
    assert!(!again.get("/approvals").await.text.contains("/w/root:acme:shop/requests"));
    product.running.close().await;
}
