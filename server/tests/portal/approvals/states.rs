//! The state of a request is the same on its row, in facets and filters, in counts and on Home.

use promise::api::Phase;

use super::*;

const LIST: &str = "/w/root:acme:shop/requests";
const PAGE: &str = "/w/root:acme:shop/requests/default/orders-db";

/// A value of a facet, as the list shows it.
fn chip(label: &str, count: usize) -> String {
    format!("{label}<span class=\"n\">{count}</span>")
}

/// A line of Home's count of states.
fn line(label: &str, count: usize) -> String {
    format!("aria-label=\"{count} {label}\"")
}

fn has(page: &Answer, parts: &[String]) {
    for part in parts {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_an_approver_requests_show_everywhere_until_the_requester_makes_them() {
    let product = Product::open().await;
    let mut requester = product.signed_in("dev-shop").await;
    let (uid, hash) = asked(&product, &requester, "orders-db", 50).await;
    let waiting = requester.until("/", |answer| answer.text.contains(&line("Awaiting approval", 1))).await;
    assert!(!waiting.text.contains(&line("Changes requested", 1)), "{}", waiting.text);
    let mut approver = product.signed_in("approver").await;
    let wish = [("decision", "requestChanges"), ("comment", "Half would do"), ("field", ".storage"), ("back", "/approvals")];
    let sent = decide(&mut approver, &uid, &wish).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER, "{}", sent.text);

    let home = requester.until("/", |answer| answer.text.contains(&line("Changes requested", 1))).await;
    assert!(!home.text.contains("Awaiting approval"), "{}", home.text);
    assert!(!home.text.contains("all caught up") && home.text.contains(&format!("href=\"{PAGE}\"")), "{}", home.text);
    let list = requester.get(LIST).await;
    has(&list, &["Changes requested</span>".to_owned(), "1 of 1 request<".to_owned()]);
    assert!(!list.text.contains("Awaiting approval"), "{}", list.text);
    let found = requester.get(&format!("{LIST}?phase=ChangesRequested")).await;
    has(&found, &[format!("href=\"{PAGE}\"")]);
    let none = requester.get(&format!("{LIST}?phase=AwaitingApproval")).await;
    assert!(none.text.contains("No requests match"), "{}", none.text);
    let mut owner = product.signed_in("org-owner").await;
    let overview = owner.get("/platform").await;
    has(&overview, &[line("Changes requested", 1), "No requests are waiting for approval.".to_owned()]);

    edited(&product, &requester, "orders-db", 40).await;
    waits(&product, "orders-db", &hash).await;
    let home = requester.until("/", |answer| answer.text.contains(&line("Awaiting approval", 1))).await;
    assert!(!home.text.contains("Changes requested"), "{}", home.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_what_runs_that_is_not_accepted_stands_beside_its_state() {
    let product = Product::open().await;
    let mut requester = product.signed_in("dev-shop").await;
    let (uid, hash) = asked(&product, &requester, "orders-db", 50).await;
    let mut approver = product.signed_in("approver").await;
    let agreed = decide(&mut approver, &uid, &[("decision", "approve"), ("back", "/approvals")]).await;
    assert_eq!(agreed.status, StatusCode::SEE_OTHER, "{}", agreed.text);
    until(&product, "orders-db", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    let home = requester.until("/", |answer| answer.text.contains(&line("Ready", 1))).await;
    assert!(!home.text.contains("Change awaiting approval"), "{}", home.text);

    edited(&product, &requester, "orders-db", 60).await;
    waits(&product, "orders-db", &hash).await;
    let home = requester.until("/", |answer| answer.text.contains(&line("Change awaiting approval", 1))).await;
    has(&home, &[line("Ready", 1), "1 in total</a>".to_owned()]);
    let list = requester.get(LIST).await;
    has(
        &list,
        &[chip("Ready", 1), chip("Change awaiting approval", 1), "Ready</span>".to_owned(), "Change awaiting approval</span>".to_owned()],
    );
    for phase in ["Ready", "ChangeAwaitingApproval"] {
        has(&requester.get(&format!("{LIST}?phase={phase}")).await, &[format!("href=\"{PAGE}\"")]);
    }
    let page = requester.get(PAGE).await;
    let card = page.text.split("id=\"pending\"").nth(1).and_then(|rest| rest.split("</section>").next()).expect("a card");
    for part in ["Requested change", "Change awaiting approval", "Storage", "50", "60"] {
        assert!(card.contains(part), "{part}: {card}");
    }
    let mut owner = product.signed_in("org-owner").await;
    let overview = owner.get("/platform").await;
    has(&overview, &[line("Change awaiting approval", 1), "<h2>Pending approvals</h2><span class=\"basis\">1</span>".to_owned()]);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_decision_the_next_one_of_the_same_list_is_open() {
    const LIST: &str = "/approvals?promise=postgresql";
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    let (first, _) = asked(&product, &requester, "first-db", 50).await;
    let (second, _) = asked(&product, &requester, "second-db", 60).await;
    let mut approver = product.signed_in("approver").await;
    let open = format!("{LIST}&open={first}");
    let page = approver.until(&open, |answer| answer.text.contains("Next: second-db, the last one")).await;
    assert!(page.text.contains(">Approve and next</button>") && page.hidden("next") == second, "{}", page.text);
    let leads_back = format!("name=\"back\" value=\"{LIST}\"");
    assert!(page.text.contains(&leads_back), "the filters stay: {}", page.text);

    // Refused, the same list is there again, with the reason.
    let refused = decide(&mut approver, &first, &[("decision", "reject"), ("back", LIST), ("next", &second)]).await;
    assert!(refused.text.contains("Add a comment") && refused.text.contains(&leads_back), "{}", refused.text);
    assert!(refused.text.contains("autofocus"), "the reason has the focus");

    let decided = decide(&mut approver, &first, &[("decision", "approve"), ("back", LIST), ("next", &second)]).await;
    assert_eq!(decided.location(), format!("{LIST}&open={second}&done={first}"));
    let page = approver.until(decided.location(), |answer| !answer.text.contains(&format!("data-row=\"{first}\""))).await;
    assert!(page.text.contains("first-db: you approved") && page.text.contains(&format!("data-shown=\"{second}\"")), "{}", page.text);
    assert!(page.text.contains(">Approve</button>"), "nothing comes after it: {}", page.text);

    let wish = [("decision", "requestChanges"), ("comment", "Half would do"), ("back", LIST)];
    let decided = decide(&mut approver, &second, &wish).await;
    assert_eq!(decided.location(), format!("{LIST}&done={second}"));
    let page = approver.until(decided.location(), |answer| answer.text.contains("Nothing left to decide in this list")).await;
    assert!(page.text.contains("second-db: you requested changes"), "{}", page.text);
    product.running.close().await;
}
