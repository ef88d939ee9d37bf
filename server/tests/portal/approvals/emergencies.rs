//! Decisions in an emergency: who may see them, and who may not make them.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_breaks_the_glass_stands_in_a_list_for_those_who_may_see_approvals_there() {
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    let (uid, _) = asked(&product, &requester, "orders-db", 50).await;
    let mut owner = product.signed_in("org-owner").await;
    let empty = owner.get("/platform/emergencies").await;
    assert!(empty.status == StatusCode::OK && empty.text.contains("No emergency approvals"), "{}", empty.text);
    let pairs = [("decision", "approve"), ("emergency", "true"), ("comment", "The shop is down"), ("back", "/approvals")];
    let answer = decide(&mut owner, &uid, &pairs).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let page = owner.until("/platform/emergencies", |page| page.text.contains("The shop is down")).await;
    for said in ["1 emergency approval in the last 30 days", "org-owner", "orders-db", SHOP, "A second pair of eyes", ">Valid<"] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    let overview = owner.get("/platform").await;
    assert!(overview.text.contains("1 emergency approval in the last 30 days"), "{}", overview.text);
    // An ordinary approver sees it as well; whoever may not list approvals there learns nothing.
    let mut approver = product.signed_in("approver").await;
    assert!(approver.get("/platform/emergencies").await.text.contains("The shop is down"));
    for person in ["dev-shop", "dev-data", "finance"] {
        let page = product.signed_in(person).await.get("/platform/emergencies").await;
        assert_eq!(page.status, StatusCode::OK, "{person}");
        assert!(!page.text.contains("The shop is down") && !page.text.contains("orders-db"), "{person}: {}", page.text);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_changed_it_last_does_not_break_the_glass_for_it() {
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    let (uid, hash) = asked(&product, &requester, "orders-db", 50).await;
    let (mut approver, mut owner) = (product.signed_in("approver").await, product.signed_in("org-owner").await);
    edited(&product, &owner, "orders-db", 60).await;
    let (_, hers) = waits(&product, "orders-db", &hash).await;
    let back = format!("/approvals/{uid}");
    let page = owner.until(&back, |answer| answer.text.contains("You made the last change, so someone else decides.")).await;
    assert!(!page.text.contains("name=\"emergency\""), "{}", page.text);
    let rule = approver.until(&back, |answer| answer.text.contains("name=\"rule\"")).await.hidden("rule");
    let token = owner.get("/").await.hidden("_token");
    let pairs = [
        ("_token", token.as_str()),
        ("uid", uid.as_str()),
        ("rule", rule.as_str()),
        ("hash", hers.as_str()),
        ("decision", "approve"),
        ("emergency", "true"),
        ("comment", "The shop is down"),
        ("back", back.as_str()),
    ];
    let answer = owner.act("/do/approvals/decide", &pairs).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
    assert!(answer.text.contains("You made the last change, and this rule needs approval from someone else."), "{}", answer.text);
    assert!(product.running.portal.world.approvals.snapshot().is_empty(), "nothing was written");

    // What was changed again by who asked is not hers any more.
    edited(&product, &requester, "orders-db", 70).await;
    waits(&product, "orders-db", &hers).await;
    let pairs = [("decision", "approve"), ("emergency", "true"), ("comment", "The shop is down"), ("back", "/approvals")];
    let answer = decide(&mut owner, &uid, &pairs).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    product.running.close().await;
}
