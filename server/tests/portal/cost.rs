//! Cost: what is counted is what the person may list, page and files say the same, and nobody else learns of it.

mod focus;
mod formulas;
mod months;
mod orphaned;
mod sight;

use std::time::Duration;

use cluster::kinds::{Policy, PromiseRequest};
use cluster::{Scope, WorkspacePath};
use http::{StatusCode, header};
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use promise::date::DateStyle;
use promise::ledger::Month;
use promise::price::Money;
use serde_json::json;
use store::{LedgerLine, LedgerSum, Subject};

use crate::access::write_request;
use crate::browser::{Browser, Product};

const SHOP: &str = "/cost?workspace=root:acme:shop";

/// Waits until a request works and has a price.
pub async fn ready(product: &Product, name: &str) -> PromiseRequest {
    let found = async {
        loop {
            let all = product.running.portal.world.requests.snapshot();
            let found = all.iter().find(|(key, request)| key.name == name && ledger::is_ready(request) && ledger::price(request).is_some());
            if let Some((_, request)) = found {
                return (**request).clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), found).await.expect("it becomes ready")
}

/// Lets so many hours pass in which everything stays as it is.
pub async fn pass(product: &Product, hours: i64) {
    let portal = &product.running.portal;
    let later = portal.clock.now().as_second() + hours * 3_600;
    // The portal looks too: of two looks at the same time one is written, and the other has to look again.
    while portal.store.ledger_clock().await.expect("a ledger").is_none_or(|clock| clock.seen < later) {
        ledger::look(&portal.store, &ledger::shown(&portal.world, later), later).await.expect("a look");
    }
    while ledger::count(&portal.store).await.expect("hours") {}
}

fn last_month(product: &Product) -> Month {
    Month::of(product.running.portal.clock.now().as_second()).previous().expect("a month")
}

/// The first hour of last month of something in `root:acme:shop`.
fn line(product: &Product, uid: &str, name: &str, owner: &str, micros: i64) -> (Subject, Vec<LedgerLine>) {
    let shop = WorkspacePath::parse("root:acme:shop").expect("a path");
    let subject = Subject {
        uid: uid.into(),
        cluster: product.running.portal.world.tree().cluster(&shop).expect("a workspace").to_string(),
        workspace: shop.to_string(),
        namespace: "default".into(),
        name: name.into(),
        home: "root:platform".into(),
        promise: "redis".into(),
        version: "1.0.3".into(),
        project: String::new(),
        owner: owner.into(),
    };
    let start = last_month(product).start();
    let sum = LedgerSum { ready: 3_600, unobserved: 0, micros };
    (subject, vec![LedgerLine { hour: start, day: start, month: start, currency: "EUR".into(), sum, basis: "list".into() }])
}

/// Writes lines into the ledger, as if the portal had looked then.
async fn post(product: &Product, lines: &[(Subject, Vec<LedgerLine>)]) {
    let store = &product.running.portal.store;
    let clock = store.ledger_clock().await.expect("a ledger").expect("it has begun");
    assert!(store.post(clock.posted, clock.posted, lines, i64::MAX).await.expect("written"));
}

/// The sum of a column of a file of cells without separators.
fn sum(file: &str, column: &str) -> i64 {
    let mut lines = file.lines();
    let at = lines.next().expect("heads").split(',').position(|head| head == column).expect("a column");
    lines.map(|line| Money::parse(&cells(line)[at], "EUR").expect("an amount").micros).sum()
}

/// The cells of a line.
pub fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            // Two of them in a quoted cell are one.
            '"' if quoted && letters.peek() == Some(&'"') => cells.last_mut().expect("a cell").extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().expect("a cell").push(other),
        }
    }
    cells
}

async fn file(browser: &mut Browser, address: &str) -> String {
    let answer = browser.get(address).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert!(answer.headers[header::CONTENT_TYPE].to_str().expect("text").starts_with("text/csv"));
    assert!(answer.headers[header::CONTENT_DISPOSITION].to_str().expect("text").starts_with("attachment"));
    answer.text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_and_files_say_the_same_to_whoever_may_list_requests() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    let request = ready(&product, "zebra").await;
    let estimate = ledger::price(&request).expect("a price");
    pass(&product, 5).await;

    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(SHOP).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let plain = file(&mut browser, "/cost/export.csv?workspace=root:acme:shop").await;
    let focus = file(&mut browser, "/cost/focus.csv?workspace=root:acme:shop").await;
    focus::conforms(&focus);
    let total = sum(&focus, "BilledCost");
    assert!(total > 0, "{focus}");
    assert_eq!(sum(&focus, "EffectiveCost"), total);
    // What has no amount stands in the plain file alone.
    let priced: String = plain.lines().filter(|line| !line.contains(",,,")).map(|line| format!("{line}\n")).collect();
    assert_eq!(sum(&priced, "amount"), total, "{plain}");
    for shown in [Money::new(total, "EUR").rounded().to_string(), estimate.to_string(), "zebra".to_owned(), "metered until".to_owned()] {
        assert!(page.text.contains(&shown), "{shown}: {}", page.text);
    }
    assert!(page.text.contains("class=\"chart\"") && page.text.contains("View as table"), "every day is drawn, and told");
    let table = browser.get(&format!("{SHOP}&table=true")).await.text;
    assert!(!page.text.contains("chart-table") && table.contains("chart-table") && table.contains("<th scope=\"col\">Day</th>"), "{table}");
    // The hours are those that were ready, to the second.
    let uid = request.metadata.uid.clone().expect("a uid");
    let hours = product.running.portal.store.ledger_hours(&uid).await.expect("hours");
    assert_eq!(hours.iter().map(|(_, _, sum)| sum.micros).sum::<i64>(), total);

    for by in ["team", "promise", "project", "owner"] {
        let page = browser.get(&format!("{SHOP}&by={by}")).await;
        let label = match by {
            "team" => "acme-operations",
            "promise" => "Redis",
            "project" => "No project",
            _ => "plane-admin",
        };
        assert!(page.text.contains(label), "{by}: {}", page.text);
    }
    // Above it counts what is below; other months and other words do no harm.
    let mut owner = product.signed_in("org-owner").await;
    let above = owner.get("/cost?workspace=root:acme").await;
    assert!(above.text.contains(&Money::new(total, "EUR").rounded().to_string()), "{}", above.text);
    for address in ["/cost", "/cost?month=2020-02", "/cost?month=9998-12&by=x&page=99", "/cost?month=x"] {
        assert_eq!(owner.get(address).await.status, StatusCode::OK, "{address}");
    }
    let over = owner.get("/cost?month=2020-02").await.text;
    assert!(over.contains("February 2020") && !over.contains("This is the current month"), "{over}");
    assert!(owner.get("/cost?month=x").await.text.contains("This is the current month"));
    let later = owner.get("/cost?month=2020-02&against=2020-03").await.text;
    assert!(later.contains("be compared with that month"), "{later}");
    let later = owner.get("/cost/export.csv?month=9998-12").await;
    let present = Month::of(product.running.portal.clock.now().as_second());
    let name = later.headers[header::CONTENT_DISPOSITION].to_str().expect("text");
    assert!(name.contains(&format!("cost-{present}.csv")), "a file is called by what is in it: {name}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_moved_and_what_could_be_saved_leads_to_where_one_acts() {
    let product = Product::open().await;
    let api = write_request(&product, "zebra").await;
    let patch = json!({"spec": {"parameters": {"size": "medium"}}});
    api.patch("zebra", &PatchParams::default(), &Patch::Merge(patch)).await.expect("a change");
    let request = ready(&product, "zebra").await;
    // The date is not accepted, and what runs goes on: whoever wrote it meant it to end.
    let patch = json!({"spec": {"expiresAt": "2026-01-31T00:00:00Z"}});
    api.patch("zebra", &PatchParams::default(), &Patch::Merge(patch)).await.expect("a change");
    pass(&product, 2).await;

    // What ran in the month before.
    let before = last_month(&product);
    let uid = request.metadata.uid.clone().expect("a uid");
    post(&product, &[line(&product, &uid, "zebra", "plane-admin", 10_000), line(&product, "gone", "quagga", "plane-admin", 123_450_000)])
        .await;

    let mut browser = product.signed_in("dev-shop").await;
    let now = product.running.portal.clock.now().to_string();
    let due = format!("was due to expire on {}", DateStyle::default().day("2026-01-31", &now));
    let parts = [due.as_str(), "/w/root:acme:shop/requests/default/zebra/delete", "Memory: Small", "/requests/default/zebra/edit"];
    let page = browser.until(SHOP, |answer| parts.iter().all(|part| answer.text.contains(part))).await;
    let moved = format!("Biggest changes since {}", before.title());
    let trend = format!("{}, Metered: €123.46", &before.title()[..3]);
    for part in [moved.as_str(), "quagga", "€123.45 before, nothing now", "\u{2212}€123.45", "€0.01 before", &trend] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // A viewer reads what moved, and isn't asked to save what others decide about.
    let viewer = product.signed_in("viewer-shop").await.get(SHOP).await.text;
    assert!(viewer.contains(&moved) && viewer.contains("quagga"), "{viewer}");
    for part in [parts[0], parts[1], parts[2], parts[3]] {
        assert!(!viewer.contains(part), "{part}: {viewer}");
    }
    // Of several workspaces promises are compared, and a link leads to what they are made of.
    let above = product.signed_in("org-owner").await.get("/cost?workspace=root:acme").await.text;
    assert!(above.contains("€123.46 before") && above.contains("href=\"/cost?workspace=root:acme:shop&amp;month="), "{above}");
    let mut stranger = product.signed_in("dev-data").await;
    let everything = stranger.get("/cost").await.text;
    assert!(!everything.contains("quagga") && !everything.contains("123.4"), "{everything}");
    product.running.close().await;
}

/// Writes a budget of Acme for each of its workspaces of a stage.
pub async fn budget(product: &Product, stage: &str, monthly: &str) {
    let policy = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Policy", "metadata": {"name": format!("budget-of-{stage}")},
        "spec": {
            "title": format!("Budget of {stage}"), "enforcement": "audit", "appliesTo": {"workspaceLabels": {"stage": stage}},
            "rules": [{"name": "all", "budget": {"monthly": monthly, "currency": "EUR", "per": "workspace"}}],
        },
    });
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme").expect("a path"));
    let policies: Api<Policy> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    let mut changes = product.running.portal.world.policies.changes();
    policies.create(&PostParams::default(), &serde_json::from_value(policy).expect("a policy")).await.expect("written");
    changes.recv().await.expect("the portal sees it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_is_beside_the_sum_that_it_is_about() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    ready(&product, "zebra").await;
    pass(&product, 2).await;
    budget(&product, "development", "1.00").await;
    budget(&product, "production", "9999.00").await;
    let mut browser = product.signed_in("dev-shop").await;
    let own = browser.until(SHOP, |answer| answer.text.contains("Budget of production")).await.text;
    assert!(own.contains("€9,999.00") && own.contains("left after the forecast"), "{own}");
    assert!(!own.contains("Budget of development"), "it is for workspaces with another label: {own}");
    let above = product.signed_in("org-owner").await.get("/cost?workspace=root:acme").await.text;
    assert!(above.contains("€2,500.00") && !above.contains("Budget of production"), "{above}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_rows_have_pages_and_every_page_tells_the_whole_sum() {
    let product = Product::open().await;
    pass(&product, 2).await;
    let month = last_month(&product);
    let people = (0..129).map(|number| format!("person-{number:03}")).chain(["org-owner".to_owned()]);
    let owed = |at: usize| if at == 129 { 9_000_000_000 } else { 1_000_000 };
    let lines: Vec<_> = people.enumerate().map(|(at, owner)| line(&product, &format!("uid-{at}"), "zebra", &owner, owed(at))).collect();
    post(&product, &lines).await;

    let sum = format!("<dt>To date</dt><dd><b>{}</b>", Money::new(9_129_000_000, "EUR").rounded());
    // Whoever owes most is in the charts of all pages, and on the first one in a row as well.
    let name = product.running.portal.person("org-owner").expect("a person").display_name.clone();
    let mut browser = product.signed_in("dev-shop").await;
    let pages = [
        ("", 15, "person-010", ">and 115 more</a>"),
        ("&rows=2", 15, "person-020", ">and 100 more</a>"),
        ("&rows=9", 10, "person-128", "Page 9 of 9"),
        ("&rows=99", 10, "person-128", "Page 9 of 9"),
    ];
    for (rows, count, named, beyond) in pages {
        let page = browser.get(&format!("{SHOP}&by=owner&month={month}{rows}")).await.text;
        for part in [sum.as_str(), &format!("{count} of 130 rows"), &name, named, beyond] {
            assert!(page.contains(part), "{rows} lacks {part}: {page}");
        }
        let table = page.split_once("id=\"instances\"").expect("instances").0;
        assert_eq!(table.matches("data-label=\"To date\"").count(), count, "{rows}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_list_requests_learns_nothing() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    ready(&product, "zebra").await;
    pass(&product, 2).await;
    let mut stranger = product.signed_in("dev-data").await;
    for address in [SHOP, "/cost/export.csv?workspace=root:acme:shop", "/cost/focus.csv?workspace=root:acme:shop"] {
        let answer = stranger.get(address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}: {}", answer.text);
        let absent = stranger.get(&address.replace("shop", "none")).await;
        assert_eq!(absent.status, answer.status, "{address}");
    }
    for address in ["/cost", "/cost?by=promise", "/cost?by=owner", "/cost/export.csv", "/cost/focus.csv"] {
        let answer = stranger.get(address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        for secret in ["zebra", "root:acme:shop", "Redis"] {
            assert!(!answer.text.contains(secret), "{address} shows {secret}: {}", answer.text);
        }
    }
    product.running.close().await;
}
