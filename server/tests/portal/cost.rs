//! Cost: what is counted is what the person may list, page and files say the same, and nobody else learns of it.

use std::time::Duration;

use cluster::WorkspacePath;
use cluster::kinds::PromiseRequest;
use http::{StatusCode, header};
use kube::api::{Patch, PatchParams};
use opm_portal::ledger;
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
async fn pass(product: &Product, hours: i64) {
    let portal = &product.running.portal;
    let later = portal.clock.now().as_second() + hours * 3_600;
    ledger::look(&portal.store, &ledger::shown(&portal.world, later), later).await.expect("a look");
    while ledger::count(&portal.store).await.expect("hours") {}
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
    for letter in line.chars() {
        match letter {
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

/// Columns that FOCUS 1.2 asks of every file, whatever is charged.
const MANDATORY: [&str; 22] = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "ServiceCategory",
    "ServiceName",
    "ServiceSubcategory",
];

/// Every column is one of the specification's form, and every cell of what its column takes.
fn conforms(focus: &str) {
    let mut lines = focus.lines();
    let heads = cells(lines.next().expect("heads"));
    assert!(MANDATORY.iter().all(|head| heads.iter().any(|known| known == head)), "{heads:?}");
    assert!(heads.is_sorted(), "the specification's order");
    for line in lines {
        let cells = cells(line);
        assert_eq!(cells.len(), heads.len(), "{line}");
        for (head, cell) in heads.iter().zip(&cells) {
            let fits = match head.as_str() {
                "BillingCurrency" => cell.len() == 3 && cell.bytes().all(|byte| byte.is_ascii_uppercase()),
                "ChargeCategory" => cell == "Usage",
                "ChargeFrequency" => cell == "Usage-Based",
                "PricingCategory" => cell == "Standard",
                "ChargeClass" | "InvoiceId" | "ContractedUnitPrice" | "ListUnitPrice" => cell.is_empty(),
                "Tags" => cell.starts_with('{'),
                name if name.ends_with("Cost") => Money::parse(cell, "EUR").is_ok(),
                name if name.ends_with("Quantity") => cell.parse::<u64>().is_ok(),
                name if name.ends_with("Start") || name.ends_with("End") => cell.ends_with('Z') && cell.parse::<jiff::Timestamp>().is_ok(),
                _ => !cell.is_empty(),
            };
            assert!(fits, "{head}: {cell:?}");
        }
    }
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
    conforms(&focus);
    let total = sum(&focus, "BilledCost");
    assert!(total > 0, "{focus}");
    assert_eq!(sum(&focus, "EffectiveCost"), total);
    // What has no amount stands in the plain file alone.
    let priced: String = plain.lines().filter(|line| !line.contains(",,,")).map(|line| format!("{line}\n")).collect();
    assert_eq!(sum(&priced, "amount"), total, "{plain}");
    for shown in [Money::new(total, "EUR").rounded().to_string(), estimate.to_string(), "zebra".to_owned(), "metered, up to".to_owned()] {
        assert!(page.text.contains(&shown), "{shown}: {}", page.text);
    }
    assert!(page.text.contains("class=\"chart\"") && page.text.contains("As a table"), "every day is drawn, and told");
    // The hours are those that were ready, to the second.
    let uid = request.metadata.uid.clone().expect("a uid");
    let hours = product.running.portal.store.ledger_hours(&uid).await.expect("hours");
    assert_eq!(hours.iter().map(|(_, _, sum)| sum.micros).sum::<i64>(), total);

    for by in ["promise", "project", "owner"] {
        let page = browser.get(&format!("{SHOP}&by={by}")).await;
        let label = match by {
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
    assert!(owner.get("/cost?month=2020-02").await.text.contains("February 2020"));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_moved_and_what_could_be_saved_leads_to_where_one_acts() {
    let product = Product::open().await;
    let portal = &product.running.portal;
    let api = write_request(&product, "zebra").await;
    let patch = json!({"spec": {"parameters": {"size": "medium"}, "expiresAt": "2026-01-31T00:00:00Z"}});
    api.patch("zebra", &PatchParams::default(), &Patch::Merge(patch)).await.expect("a change");
    let request = ready(&product, "zebra").await;
    pass(&product, 2).await;

    // What ran in the month before, counted as if the portal had looked.
    let clock = portal.store.ledger_clock().await.expect("a ledger").expect("it has begun");
    let month = Month::of(portal.clock.now().as_second());
    let before = month.previous().expect("a month");
    let subject = Subject {
        uid: request.metadata.uid.clone().expect("a uid"),
        cluster: portal.world.tree().cluster(&WorkspacePath::parse("root:acme:shop").expect("a path")).expect("a workspace").to_string(),
        workspace: "root:acme:shop".into(),
        namespace: "default".into(),
        name: "zebra".into(),
        home: "root:platform".into(),
        promise: "redis".into(),
        version: "1.0.3".into(),
        project: String::new(),
        owner: "plane-admin".into(),
    };
    let line = |uid: &str, name: &str, micros: i64| {
        let sum = LedgerSum { ready: 3_600, unobserved: 0, micros };
        let line = LedgerLine {
            hour: before.start(),
            day: before.start(),
            month: before.start(),
            currency: "EUR".into(),
            sum,
            basis: "list".into(),
        };
        (Subject { uid: uid.into(), name: name.into(), ..subject.clone() }, vec![line])
    };
    let lines = [line(&subject.uid, "zebra", 10_000), line("gone", "quagga", 123_450_000)];
    assert!(portal.store.post(clock.posted, clock.posted, &lines, i64::MAX).await.expect("written"));

    let mut browser = product.signed_in("dev-shop").await;
    let parts =
        ["was to end on 2026-01-31", "/w/root:acme:shop/requests/default/zebra/delete", "Memory: Small", "/requests/default/zebra/edit"];
    let page = browser.until(SHOP, |answer| parts.iter().all(|part| answer.text.contains(part))).await;
    let moved = format!("Moved most since {}", before.title());
    for part in [moved.as_str(), "quagga", "123.45 € before, nothing now", "\u{2212}123.45 €", "0.01 € before"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // Of several workspaces promises are compared, and a link leads to what they are made of.
    let above = product.signed_in("org-owner").await.get("/cost?workspace=root:acme").await.text;
    assert!(above.contains("123.46 € before") && above.contains("href=\"/cost?workspace=root:acme:shop&amp;month="), "{above}");
    let mut stranger = product.signed_in("dev-data").await;
    let everything = stranger.get("/cost").await.text;
    assert!(!everything.contains("quagga") && !everything.contains("123.4"), "{everything}");
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
