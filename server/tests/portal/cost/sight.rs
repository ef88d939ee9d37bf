//! What somebody reads who does not see everything: of a budget whose money is partly out of sight, of an instance that is gone, and of a
//! ledger that was written by a clock ahead of this one.

use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use jiff::Timestamp;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, DeleteParams, PostParams};
use promise::date::DateStyle;
use serde_json::json;

use super::{SHOP, budget, line, pass, post, ready};
use crate::access::write_request;
use crate::browser::Product;
use crate::hands::Hands;
use crate::lists::{let_in, let_list, seclude};

const ACME: &str = "/cost?workspace=root:acme";
/// Neither an hour nor a month ends while a test runs.
const MOMENT: &str = "2026-11-21T11:06:40Z";

/// Lets dev-shop list the requests of Acme itself, as of the shop, and of no other workspace below it.
async fn let_look(product: &Product) {
    const RBAC: &str = "rbac.authorization.k8s.io";
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme").expect("a path"));
    let client = product.running.portal.endpoint.client(product.admin(), &scope);
    let rules = json!([
        {"nonResourceURLs": ["/"], "verbs": ["access"]},
        {"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["get", "list", "watch"]},
    ]);
    let role: ClusterRole = serde_json::from_value(json!({"metadata": {"name": "looks"}, "rules": rules})).expect("a role");
    Api::<ClusterRole>::all(client.clone()).create(&PostParams::default(), &role).await.expect("written");
    let binding = json!({"metadata": {"name": "looks"}, "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "looks"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "dev-shop"}]});
    let binding: ClusterRoleBinding = serde_json::from_value(binding).expect("a binding");
    Api::<ClusterRoleBinding>::all(client).create(&PostParams::default(), &binding).await.expect("written");
}

/// Where the lines of what changed most lead that are about `label`; the largest change first.
fn moved(page: &str, label: &str) -> Vec<String> {
    let section = page.split_once("aria-labelledby=\"moved\"").and_then(|(_, rest)| rest.split_once("</section>"));
    let Some((section, _)) = section else { return Vec::new() };
    let links = section.split("<a ").skip(1).filter(|link| link.contains(&format!(">{label}</a>")));
    links.filter_map(|link| link.split_once("href=\"")?.1.split('"').next()).map(|address| address.replace("&amp;", "&")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_left_of_a_budget_is_told_to_whoever_sees_all_that_counts() {
    const LEFT: &str = "left after the forecast, set by Monthly spending";
    const OVER: &str = "over budget, set by Budget of production";
    const PART_OF_ACME: &str = "also covers spending you can't see, set by Monthly spending";
    const PART_OF_SHOP: &str = "also covers spending you can't see, set by Budget of production";
    const SHARE_OF_ACME: &str = "% of €2,500.00";
    const SHARE_OF_SHOP: &str = "% of €1.00";
    const UNKNOWN_OF_ACME: &str = "part of €2,500.00";
    const UNKNOWN_OF_SHOP: &str = "part of €1.00";
    let product = Product::at(Hands::at(MOMENT)).await;
    write_request(&product, "zebra").await;
    let client = let_in(&product).await;
    seclude(&client).await;
    let_list(&client).await;
    let_look(&product).await;
    for name in ["zebra", "secluded"] {
        ready(&product, name).await;
    }
    pass(&product, 2).await;
    budget(&product, "production", "1.00").await;

    let every = [LEFT, OVER, PART_OF_ACME, PART_OF_SHOP, SHARE_OF_ACME, SHARE_OF_SHOP, UNKNOWN_OF_ACME, UNKNOWN_OF_SHOP];
    for (person, address, told) in [
        // Acme and all that is below it.
        ("org-owner", ACME, [LEFT, SHARE_OF_ACME, SHARE_OF_SHOP].as_slice()),
        // Acme and its shop, and nothing of the other workspaces whose money counts towards the budget of Acme.
        ("dev-shop", ACME, [PART_OF_ACME, UNKNOWN_OF_ACME, SHARE_OF_SHOP].as_slice()),
        // All of the shop.
        ("dev-shop", SHOP, [OVER, SHARE_OF_SHOP].as_slice()),
        // One of its namespaces.
        ("dev-data", SHOP, [PART_OF_SHOP, UNKNOWN_OF_SHOP].as_slice()),
    ] {
        let mut browser = product.signed_in(person).await;
        let page = browser.until(address, |answer| answer.text.contains(" of €1.00")).await.text;
        for part in every {
            assert_eq!(page.contains(part), told.contains(&part), "{person} {address}: {part}: {page}");
        }
        if address == SHOP {
            assert_eq!(page.contains("secluded"), person == "dev-shop", "{person}: {page}");
        }
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_gone_leads_to_what_it_cost_and_to_no_instance() {
    const INSTANCE: &str = "/w/root:acme:shop/requests/default/zebra";
    let product = Product::at(Hands::at(MOMENT)).await;
    let api = write_request(&product, "zebra").await;
    let uid = ready(&product, "zebra").await.metadata.uid.expect("a uid");
    pass(&product, 2).await;
    let before = [line(&product, &uid, "zebra", "plane-admin", 50_000_000), line(&product, "gone", "quagga", "plane-admin", 123_450_000)];
    post(&product, &before).await;

    let (now, then) = (format!("{SHOP}&month=2026-11"), format!("{SHOP}&month=2026-10"));
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(SHOP).await.text;
    assert_eq!(moved(&page, "zebra"), [INSTANCE], "{page}");
    assert_eq!(moved(&page, "quagga"), [then.as_str()], "{page}");
    let cost = browser.get(&then).await;
    assert_eq!(cost.status, StatusCode::OK, "{}", cost.text);
    assert!(cost.text.contains("quagga") && cost.text.contains(">Deleted<"), "{}", cost.text);

    // What is deleted has no page any more; it has come to something this month too.
    api.delete("zebra", &DeleteParams::default()).await.expect("deleted");
    browser.until(SHOP, |answer| moved(&answer.text, "zebra") == [now.as_str()]).await;
    // Another one of the same name is not what came to so much.
    write_request(&product, "zebra").await;
    ready(&product, "zebra").await;
    let page = browser.get(SHOP).await.text;
    assert_eq!(moved(&page, "zebra"), [now.as_str(), INSTANCE], "{page}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_ahead_of_the_clock_is_told_until_its_time_has_come() {
    const AHEAD: &str = "The ledger is ahead of the clock";
    let hands = Hands::at(MOMENT);
    let product = Product::at(hands.clone()).await;
    pass(&product, 0).await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(SHOP).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert!(!page.text.contains(AHEAD), "it was written at this time: {}", page.text);

    // As if the clock had been wrong when it was written.
    pass(&product, 5).await;
    let seen = product.running.portal.store.ledger_clock().await.expect("a ledger").expect("it has begun").seen;
    let seen = Timestamp::from_second(seen).expect("a moment").to_string();
    let up_to = format!("up to {} UTC. Nothing is metered until then", DateStyle::default().moment(&seen, &seen));
    assert!(up_to.starts_with("up to 21\u{a0}Nov, 16:"), "{up_to}");
    // A page is kept for a moment.
    for forward in [3, 5 * 3_600 - 600] {
        hands.put_forward(forward);
        let page = browser.get(SHOP).await.text;
        assert!(page.contains(AHEAD) && page.contains(&up_to), "{forward}: {page}");
    }
    // Readers whose zone is known see its times.
    let token = browser.get("/notifications/settings").await.hidden("_token");
    let chosen = browser.post("/do/notifications/settings", &[("_token", token.as_str()), ("zone", "Asia/Tokyo")]).await;
    assert_eq!(chosen.location(), "/notifications/settings?done=saved", "{}", chosen.text);
    let page = browser.get(SHOP).await.text;
    assert!(page.contains("up to 22\u{a0}Nov, 01:") && !page.contains(&up_to), "{page}");
    // Less than a look now and then may be late by is nothing to tell of.
    hands.put_forward(500);
    let page = browser.get(SHOP).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert!(!page.text.contains(AHEAD), "{}", page.text);
    product.running.close().await;
}
