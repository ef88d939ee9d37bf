//! What no request says is told too: a budget that fills up or will not last, once, to whom it names; a remark, to the others whom it
//! concerns.

use std::time::Duration;

use cluster::kinds::{Policy, Promise, PromiseRequest};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::ResourceExt as _;
use kube::api::{Api, Patch, PatchParams, PostParams};
use notify::Format;
use promise::ledger::Month;
use serde_json::{Value, json};

use crate::access::write_request;
use crate::browser::{Browser, Product};
use crate::notifications::{api, becomes, config, database, is_asked, webhook};
use crate::receivers::{hooks, mailbox};

const SHOP: &str = "root:acme:shop";
const DAY: i64 = 86_400;

/// A budget of Acme that a few hours of anything use up.
async fn budget(product: &Product, monthly: &str) {
    let policy = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Policy", "metadata": {"name": "pocket-money"},
        "spec": {"title": "Pocket money", "enforcement": "audit", "rules": [{"name": "all", "budget": {
            "monthly": monthly, "currency": "EUR", "per": "subtree", "thresholds": [50, 100], "notify": {"users": ["finance"]},
        }}]},
    });
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme").expect("a path"));
    let policies: Api<Policy> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    let mut changes = product.running.portal.world.policies.changes();
    policies.create(&PostParams::default(), &serde_json::from_value(policy).expect("a policy")).await.expect("written");
    changes.recv().await.expect("the portal sees it");
}

/// Lets time pass in which everything stays as it is, until `until`.
async fn pass(product: &Product, until: i64) {
    let portal = &product.running.portal;
    ledger::look(&portal.store, &ledger::shown(&portal.world, until), until).await.expect("a look");
    while ledger::count(&portal.store).await.expect("hours") {}
}

/// Waits until something runs at a price.
async fn runs(product: &Product) {
    let requests = &product.running.portal.world.requests;
    let priced = async {
        while !requests.snapshot().values().any(|request| ledger::is_ready(request) && ledger::price(request).is_some()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), priced).await.expect("it runs at a price");
}

/// Until when hours are counted.
async fn posted(product: &Product) -> i64 {
    product.running.portal.store.ledger_clock().await.expect("the clock").expect("a ledger").posted
}

/// Titles of what a person was told that hold a word.
async fn titles(browser: &mut Browser, word: &str) -> Vec<String> {
    let page = browser.get("/notifications?show=all").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let titles = page.text.split("class=\"quiet\"").skip(1).filter_map(|rest| rest.split('>').nth(1)?.split('<').next());
    titles.filter(|title| title.contains(word)).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_that_fills_up_or_will_not_last_is_told_once_to_whom_it_names() {
    let (mails, ops) = (mailbox().await, hooks().await);
    let product = Product::telling(config(&mails, vec![webhook("ops", Format::Portal, &ops)])).await;
    let (mut finance, mut stranger) = (product.signed_in("finance").await, product.signed_in("dev-data").await);
    write_request(&product, "zebra").await;
    let portal = &product.running.portal;
    runs(&product).await;
    let start = portal.clock.now().as_second();
    let month = Month::of(start);
    // Of the first days of a month nothing is foretold.
    let until = (start + 7_200).max(month.start() + 4 * DAY);
    pass(&product, until).await;
    let counted = posted(&product).await;
    let month = if counted > month.end() { month.next() } else { month };
    let spent: i64 =
        portal.store.month_sums(month.start(), store::Dimension::Promise).await.expect("sums").iter().map(|sum| sum.micros).sum();
    assert!(spent > 0, "something has accrued");
    // Three quarters of it are spent.
    let most = spent * 4 / 3;
    budget(&product, &format!("{}.{:06}", most / 1_000_000, most % 1_000_000)).await;
    for _ in 0..3 {
        portal.ledger().warn(counted - 1, &ledger::shown(&portal.world, until)).await.expect("told");
    }
    let told = titles(&mut finance, "Pocket money").await;
    let times = |title: String| told.iter().filter(|known| **known == title).count();
    assert_eq!(times(format!("The budget Pocket money is filling up: 50 % in {}", month.title())), 1, "{told:?}");
    let foretold = times(format!("The budget Pocket money won't last until the end of {}", month.title()));
    assert_eq!(told.len(), 1 + foretold, "{told:?}");
    // On the last day it depends on the hour whether there is time left to use it up.
    let passed = counted - 1 - month.start();
    assert!(foretold == usize::from(passed >= 3 * DAY) || passed >= month.seconds() - DAY, "{told:?}");
    let page = finance.get("/notifications?show=all").await;
    for said in ["root:acme and everything below it used", "The policy pocket-money, set at root:acme", "/cost?workspace=root:acme\""] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    let call = ops.until("the webhook", |call| call.body.contains("budgetThreshold")).await;
    assert_eq!(serde_json::from_str::<Value>(&call.body).expect("JSON")["workspace"], "root:acme");

    // Once it is used up the next threshold is told, and the one before not again.
    let hours = i64::try_from(portal.store.ledger_hours(&uid(&product)).await.expect("hours").len()).expect("a number");
    let until = until + hours.max(2) * 3_600;
    pass(&product, until).await;
    let counted = posted(&product).await;
    if Month::of(counted - 1) == month {
        for _ in 0..2 {
            portal.ledger().warn(counted - 1, &ledger::shown(&portal.world, until)).await.expect("told");
        }
        let titles = titles(&mut finance, "Pocket money").await;
        assert_eq!(titles.iter().filter(|title| title.contains("is used up: 100 %")).count(), 1, "{titles:?}");
        assert_eq!(titles.iter().filter(|title| title.contains("50 %")).count(), 1, "{titles:?}");
        assert_eq!(titles.iter().filter(|title| title.contains("won't last")).count(), foretold, "{titles:?}");
    }
    assert!(titles(&mut stranger, "Pocket money").await.is_empty(), "nobody else is told");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_that_stands_in_a_promise_is_told_to_whom_it_names() {
    let mails = mailbox().await;
    let product = Product::telling(config(&mails, Vec::new())).await;
    let (mut finance, mut stranger) = (product.signed_in("finance").await, product.signed_in("dev-data").await);
    write_request(&product, "zebra").await;
    runs(&product).await;
    let portal = &product.running.portal;
    pass(&product, portal.clock.now().as_second() + 7_200).await;
    let counted = posted(&product).await;
    let month = Month::of(counted - 1);

    // So little that anything uses it up. What runs under an older version goes on, and counts.
    let notify = json!({"users": ["finance"]});
    let rule = json!({"name": "each", "budget": {"monthly": "0.000001", "currency": "EUR", "per": "workspace", "notify": notify}});
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let promises: Api<Promise> = Api::all(portal.endpoint.client(product.admin(), &scope));
    let patch = json!({"spec": {"version": "99.0.0", "policies": [rule]}});
    promises.patch("redis", &PatchParams::default(), &Patch::Merge(patch)).await.expect("changed");
    let told = async {
        // It counts from when it is published.
        while titles(&mut finance, "of Redis").await.is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
            portal.ledger().warn(counted - 1, &[]).await.expect("told");
        }
    };
    tokio::time::timeout(Duration::from_secs(60), told).await.expect("somebody is told");
    portal.ledger().warn(counted - 1, &ledger::shown(&portal.world, counted)).await.expect("told");
    assert_eq!(titles(&mut finance, "of Redis").await, [format!("The budget of Redis is used up: 100 % in {}", month.title())]);
    let page = finance.get("/notifications?show=all").await;
    for said in ["Redis in root:acme:shop used", "The promise redis, set at root:platform", "/cost?workspace=root:acme:shop\""] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    assert!(titles(&mut stranger, "of Redis").await.is_empty(), "nobody else is told");
    product.running.close().await;
}

fn uid(product: &Product) -> String {
    let all = product.running.portal.world.requests.snapshot();
    all.values().find_map(|request| request.metadata.uid.clone()).expect("a request")
}

async fn remarks(browser: &mut Browser, uid: &str, text: &str) {
    let token = browser.get("/").await.hidden("_token");
    let page = format!("/approvals/{uid}");
    let answer = browser.act("/do/approvals/comment", &[("_token", &token), ("uid", uid), ("comment", text), ("back", &page)]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_remark_reaches_the_others_whom_it_concerns() {
    let mails = mailbox().await;
    let product = Product::telling(config(&mails, Vec::new())).await;
    let (mut approver, mut requester) = (product.signed_in("approver").await, product.signed_in("dev-shop").await);
    let mut stranger = product.signed_in("dev-data").await;
    let token = product.running.sandbox.as_ref().expect("an embedded plane").identities.token("dev-shop").expect("a person");
    let requests: Api<PromiseRequest> = api(&product.running.portal.endpoint, token, SHOP);
    requests.create(&PostParams::default(), &database("orders-db")).await.expect("asked for");
    let uid = becomes(&requests, "orders-db", is_asked).await.uid().expect("a uid");
    approver.until(&format!("/approvals/{uid}"), |page| page.status == StatusCode::OK).await;

    remarks(&mut approver, &uid, "Why so large?").await;
    assert_eq!(titles(&mut requester, "commented on").await, ["Amara Okafor commented on orders-db"]);
    assert!(titles(&mut approver, "commented on").await.is_empty(), "nobody is told of their own words");
    let mail = mails.until("the mail", |mail| mail.text.contains("commented on orders-db")).await;
    assert_eq!(mail.to, "dev-shop@acme.example");
    assert!(mail.text.contains("Why so large?") && mail.text.contains(&format!("/approvals/{uid}")), "{}", mail.text);

    remarks(&mut requester, &uid, "For the season.").await;
    let page = approver.get("/notifications?show=all").await;
    assert!(page.text.contains("Dana Shaw commented on orders-db") && page.text.contains("“For the season.”"), "{}", page.text);
    assert!(titles(&mut stranger, "commented on").await.is_empty(), "nobody else is told");
    product.running.close().await;
}
