//! Numbers that several pages show: they are the same on each of them.

use std::collections::BTreeSet;

use serde_json::json;

use crate::access::write_request;
use crate::approvals::{ask, asked};
use crate::browser::Product;
use crate::cost;
use crate::objects::{ask_for_notes, publish_notes};

const SHOP: &str = "/w/root:acme:shop";
const COST: &str = "/cost?workspace=root:acme:shop";

/// The number directly after a text on a page.
fn after(page: &str, text: &str) -> Option<usize> {
    let (_, rest) = page.split_once(text)?;
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// The amounts that a page shows as a part of `most`.
fn parts_of<'t>(page: &'t str, most: &str) -> BTreeSet<&'t str> {
    let end = format!(" of {most}");
    let before = page.match_indices(&end).filter_map(|(at, _)| page.get(..at)?.rsplit('>').next());
    before.filter(|amount| amount.starts_with('€')).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn home_counts_the_requests_that_lists_show_as_needing_attention() {
    const NEEDS: &str = "Needs attention<span class=\"n\">";
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    asked(&product, &requester, "orders-db", 50).await;
    ask(&product, &requester, "misspelled", "redis", json!({"size": "enormous"})).await;
    for (person, expected) in [("dev-shop", 1), ("org-owner", 1), ("approver", 2), ("dev-data", 0)] {
        let mut browser = product.signed_in(person).await;
        let list = browser.until("/requests", |page| after(&page.text, NEEDS) == Some(expected)).await.text;
        let shown = browser.get("/requests?attention=true").await.text;
        assert_eq!(shown.matches("<th scope=\"row\">").count(), expected, "{person}: {shown}");
        let home = browser.get("/").await.text;
        let sentence = match expected {
            0 => "You're all caught up.".to_owned(),
            1 => "1 request needs attention.".to_owned(),
            many => format!("{many} requests need attention."),
        };
        assert!(home.contains(&sentence), "{person}: {home}");
        assert_eq!(home.contains("all caught up"), expected == 0, "{person}: {home}");
        // What waits for a decision has one count as well.
        let decides = if person == "approver" { Some(1) } else { None };
        for page in [&home, &list] {
            assert_eq!(after(page, "<span class=\"hot\">"), decides, "{person}: {page}");
        }
        assert_eq!(home.contains(">View 1 approval<"), decides.is_some(), "{person}: {home}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_the_same_usage_of_a_budget_and_the_same_unknown_prices() {
    const BUDGET: &str = "€9,999.00";
    let product = Product::open().await;
    publish_notes(&product).await;
    write_request(&product, "zebra").await;
    cost::ready(&product, "zebra").await;
    cost::pass(&product, 2).await;
    cost::budget(&product, "production", "9999.00").await;
    // Nothing says what it costs.
    ask_for_notes(&product, "jotter").await;
    let mut browser = product.signed_in("dev-shop").await;
    let unpriced = "1 instance with an unknown price not included";
    let home = browser.until("/", |page| page.text.contains(unpriced) && page.text.contains(BUDGET)).await.text;
    let workspace = browser.get(SHOP).await.text;
    let cost = browser.get(COST).await.text;
    assert!(workspace.contains(unpriced), "{workspace}");
    assert!(cost.contains("1 running instance has an unknown price."), "{cost}");
    for page in [&home, &workspace] {
        assert!(page.contains("1 request without a price in EUR isn't counted"), "{page}");
    }
    let used = parts_of(&home, BUDGET);
    assert!(used.len() == 1 && !used.contains("€0.00"), "{used:?}: {home}");
    assert_eq!(parts_of(&workspace, BUDGET), used, "{workspace}");
    assert_eq!(parts_of(&cost, BUDGET), used, "{cost}");
    // Last month, nothing was used of a budget as it is now.
    let before = browser.get(&format!("{COST}&month=2020-01")).await.text;
    assert_eq!(parts_of(&before, BUDGET), BTreeSet::new(), "{before}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_button_for_a_new_request_is_for_people_who_can_create_one() {
    const BUTTON: &str = "aria-label=\"New request\"";
    let product = Product::quiet().await;
    write_request(&product, "zebra").await;
    let mut developer = product.signed_in("dev-shop").await;
    developer.until(&format!("{SHOP}/requests"), |page| page.text.contains("1 of 1 request<") && page.text.contains(BUTTON)).await;
    for (person, creates) in [("dev-shop", true), ("viewer-shop", false), ("finance", false)] {
        let mut browser = product.signed_in(person).await;
        for address in [SHOP, "/w/root:acme:shop/catalog", "/w/root:acme:shop/requests", "/w/root:acme:shop/resources", COST] {
            let page = browser.get(address).await;
            assert_eq!(page.text.contains(BUTTON), creates, "{person} {address}: {}", page.text);
        }
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ready_request_waits_for_nothing_in_lists_and_files() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    cost::ready(&product, "zebra").await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.until("/requests", |page| page.text.contains("1 of 1 request<")).await.text;
    assert!(page.contains("Waiting for") && !page.contains("Ready to use"), "{page}");
    let file = browser.get("/requests.csv").await.text;
    assert!(file.contains(",zebra,redis,") && file.contains(",Ready,,,") && !file.contains("Ready to use"), "{file}");
    product.running.close().await;
}
