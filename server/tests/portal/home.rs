//! Home: each person is shown what that person may do something about, by what the plane lets them do.

use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;
use kube::api::PostParams;
use promise::api::{PromiseRef, PromiseRequestSpec};
use serde_json::{Value, json};

use crate::access::write_request;
use crate::browser::{Product, fill};
use crate::cost;
use crate::hands::Hands;
use crate::policies::write_policy;

const MINE: &str = "Your latest requests";
const PLATFORM: &str = "View overview";
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
    let ready = |answer: &crate::browser::Answer| answer.text.contains("aria-label=\"1 Ready\"");
    // May ask for things, and look after no policies.
    let developer = product.signed_in("dev-shop").await.until("/", ready).await;
    has(&developer.text, [true, false, true]);
    assert!(developer.text.contains("1 in total</a>") && developer.text.contains("href=\"/w/root:acme:shop/requests\""));
    // Where one works comes before what one may merely enter.
    let at = |text: &str, path: &str| text.find(&format!("aria-label=\"Catalog of {path}\"")).unwrap_or_else(|| panic!("{path}: {text}"));
    assert!(at(&developer.text, "root:acme:shop") < at(&developer.text, "root"), "{}", developer.text);
    // Owns policies and workspaces: sees how requests go, and what is left of its budget.
    let owner = product.signed_in("org-owner").await.until("/", ready).await;
    has(&owner.text, [true, true, true]);
    for part in ["Limits and budgets", "Monthly spending", "root:acme and below</span>", "Requests per week, by outcome"] {
        assert!(owner.text.contains(part), "{part}: {}", owner.text);
    }
    // May list everything and ask for nothing: nothing proposes to.
    let finance = product.signed_in("finance").await.until("/", ready).await;
    has(&finance.text, [false, true, true]);
    // Sees nothing of the shop.
    let stranger = product.signed_in("dev-data").await.get("/").await;
    assert_eq!(stranger.status, StatusCode::OK);
    has(&stranger.text, [true, false, true]);
    assert!(stranger.text.contains("No requests yet"), "{}", stranger.text);
    // Whoever never asked is led to where that may be done, and not to where one may only look, or to what lies above it.
    for (page, path) in [(&stranger.text, "root:acme:data"), (&developer.text, "root:acme:shop"), (&owner.text, "root:acme:data")] {
        let link = page.split("<a ").find(|link| link.contains("Browse the catalog<")).unwrap_or_else(|| panic!("{path}: {page}"));
        assert!(link.contains(&format!("href=\"/w/{path}/catalog\"")), "{path}: {link}");
    }
    assert!(!stranger.text.contains("zebra") && !stranger.text.contains("root:acme:shop"), "{}", stranger.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_and_what_one_asked_for_is_counted_whole() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let token = browser.get("/").await.hidden("_token");
    let cluster = product.running.portal.world.tree().cluster(&WorkspacePath::parse("root:acme:shop").expect("a path"));
    let cluster = cluster.expect("a workspace").to_string();
    let form = "/w/root:acme:shop/promises/redis/request";
    for number in 0..10 {
        let name = format!("mine-{number}");
        let pairs = [("_token", token.as_str()), ("_cluster", cluster.as_str()), ("_op", "submit"), ("/name", name.as_str())];
        let written = browser.send_form(form, &pairs).await;
        assert_eq!(written.status, StatusCode::SEE_OTHER, "{}", written.text);
    }
    write_request(&product, "of-somebody-else").await;
    let whole = |text: &str| text.contains("Newest 8 of 10") && text.contains("11 in total</a>");
    let home = browser.until("/", |answer| whole(&answer.text)).await;
    assert_eq!(home.text.matches("/requests/default/mine-").count(), 8, "{}", home.text);
    assert!(!home.text.contains("of-somebody-else"), "{}", home.text);
    assert!(home.text.contains("<a href=\"/w/root:acme:shop/catalog\">Browse the catalog</a>"), "{}", home.text);
    assert!(home.text.contains("all caught up."), "{}", home.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_a_person_works_follows_their_requests_a_moment_later() {
    let clock = Hands::of_the_machine();
    let product = Product::at(clock.clone()).await;
    product.publishes_samples().await;
    let caller = product.signed_in("org-owner").await.caller(&product).await;
    assert_eq!(caller.works_in().await.as_deref(), Some("root:acme:data"), "where requests can be created");
    let mut other = product.signed_in("org-owner").await;
    let written = fill(&mut other, "/w/root:acme:shop/promises/redis/request", &[("/name", "carts")], "submit").await;
    assert_eq!(written.location(), "/w/root:acme:shop/requests/default/carts", "{}", written.text);
    other.until("/", |page| page.text.contains("<a href=\"/w/root:acme:shop/catalog\">Browse the catalog</a>")).await;
    clock.put_forward(5);
    assert_eq!(caller.works_in().await.as_deref(), Some("root:acme:shop"), "where the newest request is");
    product.running.close().await;
}

/// Asks for something of the platform as the administrator, and waits until it works.
pub async fn order(product: &Product, workspace: &str, name: &str, promise: &str) {
    let scope = Scope::Workspace(WorkspacePath::parse(workspace).expect("a path"));
    let api: Api<PromiseRequest> = Api::namespaced(product.running.portal.endpoint.client(product.admin(), &scope), "default");
    let promise = PromiseRef { name: promise.into(), workspace: Some("root:platform".into()), version: None };
    let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
    api.create(&PostParams::default(), &object::<PromiseRequestKind>(name, Some("default"), spec)).await.expect("a request");
    cost::ready(product, name).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_count_as_the_rules_do_and_name_only_what_one_may_list() {
    let product = Product::open().await;
    let limit = |title: &str, per: &str, count: u64, workspaces: Value| {
        json!({
            "title": title, "owner": {"team": "Acme"}, "enforcement": "warn", "appliesTo": {"workspaces": workspaces},
            "rules": [{"name": "most", "limit": {"count": count, "per": per}}],
        })
    };
    for (place, name, spec) in [
        ("root:platform", "growth", limit("Growth", "subtree", 1, json!(["root:platform", "root:acme:**"]))),
        ("root:acme", "fairness", limit("Fairness", "promise", 4, json!([]))),
        ("root:acme", "sharing", limit("Sharing", "promise", 5, json!(["root:acme:**"]))),
        ("root:acme", "tidiness", limit("Tidiness", "subtree", 3, json!([]))),
    ] {
        write_policy(&product, place, name, spec).await;
    }
    let mut labelled = limit("Production", "subtree", 1, json!([]));
    labelled["appliesTo"]["workspaceLabels"] = json!({"stage": "production"});
    write_policy(&product, "root:acme", "production", labelled).await;
    for (workspace, name, promise) in [
        ("root:globex:web", "theirs", "redis"),
        ("root:globex:web", "pictures", "object-bucket"),
        ("root:acme:data", "exports", "object-bucket"),
        ("root:acme:data", "sessions", "redis"),
        ("root:acme:shop", "cache", "redis"),
    ] {
        order(&product, workspace, name, promise).await;
    }
    let line = |cap: &str, taken: &str| format!("{cap}</span><b>{taken}</b>");
    let place = |text: &str, cap: &str| {
        let after = text.split(&format!("{cap}</span>")).nth(1).and_then(|rest| rest.split("class=\"mono\">").nth(1));
        after.and_then(|rest| rest.split('<').next()).unwrap_or_default().to_owned()
    };
    let mut developer = product.signed_in("dev-shop").await;
    let home = developer.until("/", |answer| answer.text.contains("Tidiness: Redis")).await.text;
    for (cap, taken, reach) in [
        ("Growth: Redis", "2 of 1", "root:platform and root:acme and below"),
        ("Fairness: Redis", "3 of 4", "everywhere"),
        ("Sharing: Redis", "3 of 5", "everywhere"),
        ("Tidiness: Redis", "2 of 3", "root:acme and below"),
        ("Production: Redis", "1 of 1", "root:acme and below, with stage=production"),
    ] {
        assert!(home.contains(&line(cap, taken)), "{cap}: {home}");
        assert_eq!(place(&home, cap), reach, "{cap}: {home}");
    }
    assert!(!home.contains("Object bucket"), "what a sibling and another organisation use is theirs: {home}");

    // Lists in the home of a policy too, and that hides nothing of what lies beside it.
    let mut engineer = product.signed_in("platform-engineer").await;
    let home = engineer.until("/", |answer| answer.text.contains("Growth: Redis")).await.text;
    for (cap, taken) in [("Growth: Redis", "2 of 1"), ("Growth: Object bucket", "1 of 1")] {
        assert!(home.contains(&line(cap, taken)), "{cap}: {home}");
        assert_eq!(place(&home, cap), "root:platform and root:acme and below", "{cap}: {home}");
    }
    product.running.close().await;
}
