//! Somebody who is away names a stand-in: what waits follows to them, and the right to decide does not.

use cluster::kinds::PromiseRequest;
use http::StatusCode;
use kube::ResourceExt as _;
use kube::api::{Api, PostParams};

use crate::approvals::{let_decide, name_approvers};
use crate::browser::{Answer, Browser, Product};
use crate::notifications::{api, becomes, config, database, is_asked};
use crate::receivers::mailbox;
use promise::date::DateStyle;

const PAGE: &str = "/notifications/stand-in";
const SAVED: &str = "/notifications/stand-in?done=saved";

async fn names(browser: &mut Browser, deputy: &str, from: &str, to: &str) -> Answer {
    let token = browser.get("/").await.hidden("_token");
    browser.act("/do/delegations/set", &[("_token", &token), ("deputy", deputy), ("from", from), ("to", to)]).await
}

/// Days from today on, in UTC.
fn day(product: &Product, ahead: i64) -> String {
    let at = product.running.portal.clock.now().checked_add(jiff::SignedDuration::from_hours(24 * ahead)).expect("a moment");
    at.to_string()[..10].to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_follows_to_the_stand_in_and_the_right_does_not() {
    let mails = mailbox().await;
    let product = Product::telling(config(&mails, Vec::new())).await;
    name_approvers(&product, &["dev-data"]).await;
    let_decide(&product).await;
    let (today, later) = (day(&product, 0), day(&product, 3));
    let (mut approver, mut finance) = (product.signed_in("approver").await, product.signed_in("finance").await);
    let mut deputy = product.signed_in("dev-data").await;

    // Finance may look and not decide: both are told, as soon as finance has looked.
    assert_eq!(names(&mut approver, "finance", &today, &later).await.location(), SAVED);
    assert!(approver.get(PAGE).await.text.contains("aren't known until they open Approvals"));
    let page = finance.get("/approvals").await;
    for said in [
        format!(
            "You're a delegate for Amara Okafor until {}",
            DateStyle::default().day(&later, &product.running.portal.clock.now().to_string())
        )
        .as_str(),
        "You can't decide on the policies and promises below",
        "A second pair of eyes, set at root:acme",
    ] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    let page = approver.get(PAGE).await;
    assert!(
        page.text.contains("Can't decide on the following") && page.text.contains("A second pair of eyes, set at root:acme"),
        "{}",
        page.text
    );

    // Another one, who may.
    assert_eq!(names(&mut approver, "dev-data", &today, &later).await.location(), SAVED);
    let page = deputy.get(PAGE).await;
    assert!(page.text.contains("You're a delegate for Amara Okafor") && !page.text.contains("production-databases"), "{}", page.text);
    assert!(!finance.get("/approvals").await.text.contains("You're a delegate for"), "who was replaced does not any more");
    let token = product.running.sandbox.as_ref().expect("an embedded plane").identities.token("dev-shop").expect("a person");
    let requests: Api<PromiseRequest> = api(&product.running.portal.endpoint, token, "root:acme:shop");
    requests.create(&PostParams::default(), &database("orders-db")).await.expect("asked for");
    let uid = becomes(&requests, "orders-db", is_asked).await.uid().expect("a uid");
    let mail = mails.until("the mail to the stand-in", |mail| mail.to == "dev-data@acme.example").await;
    // Who stands in decides only where the rule names them, too, and so is asked in their own name.
    assert!(mail.text.contains("orders-db is waiting for approval"), "{}", mail.text);
    mails.until("the mail to whoever is away", |mail| mail.to == "approver@acme.example").await;
    let inbox = deputy.until("/approvals", |page| page.text.contains("1 request needs your approval")).await;
    assert!(inbox.text.contains("You're a delegate for Amara Okafor"), "{}", inbox.text);
    assert_eq!(deputy.get(&format!("/approvals/{uid}")).await.status, StatusCode::OK);
    assert_eq!(finance.get("/notifications?show=all").await.text.matches("orders-db is waiting").count(), 0);

    // It ends when they say so.
    let token = approver.get(PAGE).await.hidden("_token");
    assert!(approver.get(SAVED).await.text.contains("Delegate saved"));
    let ended = approver.post("/do/delegations/end", &[("_token", &token)]).await.location().to_owned();
    assert_eq!(ended, format!("{PAGE}?done=ended"));
    assert!(approver.get(&ended).await.text.contains("Delegation ended"));
    assert!(!approver.get(SAVED).await.text.contains("Delegate saved"), "there is none");
    assert!(!deputy.get(PAGE).await.text.contains("You're a delegate for"));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_fit_is_kept_nowhere_and_stays_as_it_was_typed() {
    let product = Product::quiet().await;
    let mut approver = product.signed_in("approver").await;
    for (deputy, from, to, said) in [
        ("", "2199-01-01", "2199-01-02", "Enter the user name"),
        ("approver", "2199-01-01", "2199-01-02", "Choose someone else"),
        ("olga", "soon", "2199-01-02", "Enter a date such as"),
        ("olga", "2199-01-03", "2199-01-02", "isn't before the first"),
        ("olga", "2001-01-01", "2001-01-02", "isn't in the past"),
    ] {
        let answer = names(&mut approver, deputy, from, to).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{said}");
        assert!(answer.text.contains(said) && answer.text.contains(&format!("value=\"{to}\"")), "{said}: {}", answer.text);
    }
    assert!(!approver.get(PAGE).await.text.contains("is your delegate"));
    product.running.close().await;
}
