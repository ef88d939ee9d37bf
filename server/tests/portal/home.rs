//! Home: each person is shown what that person may do something about, by what the plane lets them do.

use http::StatusCode;

use crate::access::write_request;
use crate::browser::Product;

const MINE: &str = "Your latest requests";
const PLATFORM: &str = "Open the overview";
const COST: &str = "id=\"cost\"";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sections_follow_from_what_a_person_may_do() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    let has = |text: &str, parts: [bool; 3]| {
        for (part, wanted) in [MINE, PLATFORM, COST].into_iter().zip(parts) {
            assert_eq!(text.contains(part), wanted, "{part}: {text}");
        }
    };
    let ready = |answer: &crate::browser::Answer| answer.text.contains(">Ready</span><b>1</b>");
    // May ask for things, and look after no policies.
    let developer = product.signed_in("dev-shop").await.until("/", ready).await;
    has(&developer.text, [true, false, true]);
    assert!(developer.text.contains("1 that you may list") && developer.text.contains("href=\"/w/root:acme:shop/requests\""));
    // Owns policies and workspaces: sees how requests go, and what is left of its budget.
    let owner = product.signed_in("org-owner").await.until("/", ready).await;
    has(&owner.text, [true, true, true]);
    for part in ["Limits and budgets", "Monthly spending", "root:acme and below</span>", "Requests each week"] {
        assert!(owner.text.contains(part), "{part}: {}", owner.text);
    }
    // May list everything and ask for nothing: nothing proposes to.
    let finance = product.signed_in("finance").await.until("/", ready).await;
    has(&finance.text, [false, true, true]);
    // Sees nothing of the shop.
    let stranger = product.signed_in("dev-data").await.get("/").await;
    assert_eq!(stranger.status, StatusCode::OK);
    has(&stranger.text, [true, false, true]);
    assert!(stranger.text.contains("You have not asked for anything yet"), "{}", stranger.text);
    assert!(!stranger.text.contains("zebra") && !stranger.text.contains("root:acme:shop"), "{}", stranger.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_and_what_one_asked_for_is_counted_whole() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let token = browser.get("/").await.hidden("_token");
    let cluster = product.running.portal.world.tree().cluster(&cluster::WorkspacePath::parse("root:acme:shop").expect("a path"));
    let cluster = cluster.expect("a workspace").to_string();
    let form = "/w/root:acme:shop/promises/redis/request";
    for number in 0..10 {
        let name = format!("mine-{number}");
        let pairs = [("_token", token.as_str()), ("_cluster", cluster.as_str()), ("_op", "submit"), ("/name", name.as_str())];
        let written = browser.post(form, &pairs).await;
        assert_eq!(written.status, StatusCode::SEE_OTHER, "{}", written.text);
    }
    write_request(&product, "of-somebody-else").await;
    let home = browser.until("/", |answer| answer.text.contains("The newest 8 of 10")).await;
    assert_eq!(home.text.matches("/requests/default/mine-").count(), 8, "{}", home.text);
    assert!(!home.text.contains("of-somebody-else") && home.text.contains("11 that you may list"), "{}", home.text);
    assert!(home.text.contains("Nothing waits for you. Everything else goes on by itself."), "{}", home.text);
    product.running.close().await;
}
