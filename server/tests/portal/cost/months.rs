//! A month beside others: the same days of it, all of it, and the one that is chosen.

use http::StatusCode;
use promise::ledger::Month;
use promise::price::Money;
use store::{LedgerLine, Subject};

use super::{SHOP, line, pass, post, ready};
use crate::access::write_request;
use crate::browser::Product;
use crate::hands::Hands;

/// Neither an hour nor a month ends while a test runs.
const MOMENT: &str = "2026-11-21T11:06:40Z";

/// An amount on a day of a month, in `root:acme:shop`.
fn spent(product: &Product, name: &str, month: &str, day: i64, micros: i64) -> (Subject, Vec<LedgerLine>) {
    let (subject, lines) = line(product, name, name, "plane-admin", micros);
    let month = Month::parse(month).expect("a month").start();
    let at = month + (day - 1) * 86_400;
    (subject, lines.into_iter().map(|line| LedgerLine { hour: at, day: at, month, ..line }).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn this_month_so_far_stands_beside_the_same_days_and_all_of_another() {
    let product = Product::at(Hands::at(MOMENT)).await;
    write_request(&product, "zebra").await;
    ready(&product, "zebra").await;
    pass(&product, 2).await;
    let spent = |name: &str, month: &str, day: i64, micros: i64| spent(&product, name, month, day, micros);
    post(
        &product,
        &[
            spent("early", "2026-11", 3, 60_000_000),
            // A day that is not complete this month is compared with nothing.
            spent("today", "2026-11", 21, 7_000_000),
            spent("before", "2026-10", 20, 40_000_000),
            spent("later", "2026-10", 21, 500_000_000),
            spent("long-ago", "2026-09", 2, 30_000_000),
        ],
    )
    .await;
    let euros = |whole: i64| Money::new(whole * 1_000_000, "EUR");
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(SHOP).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let parts = [
        format!("Days 1 to 20: {} more than in October 2026 (+50%)", euros(20)),
        "less than in all of October 2026 (\u{2212}".to_owned(),
        "<th scope=\"col\" class=\"num\">Days 1 to 20 vs. October 2026".to_owned(),
        format!("data-label=\"October 2026\" class=\"num\">{}", euros(540)),
        format!("<span>{}<span class=\"under\">+50%", euros(20).signed()),
        "Biggest changes since October 2026".to_owned(),
        "To date: ".to_owned(),
    ];
    for part in parts {
        assert!(page.text.contains(&part), "{part}: {}", page.text);
    }
    let chosen = browser.get(&format!("{SHOP}&against=2026-09&by=promise")).await.text;
    for part in [
        format!("Days 1 to 20: {} more than in September 2026 (+100%)", euros(30)),
        "more than in all of September 2026 (+".to_owned(),
        format!("data-label=\"September 2026\" class=\"num\">{}", euros(30)),
        "Biggest changes since September 2026".to_owned(),
        "<option value=\"2026-09\" selected".to_owned(),
    ] {
        assert!(chosen.contains(&part), "{part}: {chosen}");
    }
    // A month that is over is compared as a whole, and one that was not recorded with nothing.
    let over = browser.get(&format!("{SHOP}&month=2026-10")).await.text;
    let whole = format!("{} more than in all of September 2026 (+1700%)", euros(510));
    assert!(over.contains(&whole) && !over.contains("Days 1 to"), "{over}");
    for address in ["&month=2026-09", "&month=2026-09&against=2026-10"] {
        let first = browser.get(&format!("{SHOP}{address}")).await.text;
        assert!(first.contains("To date") && !first.contains("than in") && !first.contains("Biggest changes"), "{address}: {first}");
    }
    product.running.close().await;
}
