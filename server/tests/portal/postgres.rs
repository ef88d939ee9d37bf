//! The portal with its memory on a PostgreSQL server: what people keep, are told and have spent is there for the next process.

use std::path::Path;

use http::StatusCode;
use opm_portal::config::DatabaseUrl;

use crate::access::write_request;
use crate::browser::{Browser, Product};
use crate::cost;
use crate::storage::copied;
use crate::views::save;

const LIST: &str = "/w/root:acme:shop/requests";
const COST: &str = "/cost/export.csv?workspace=root:acme:shop";

async fn file(browser: &mut Browser) -> String {
    let answer = browser.get(COST).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    answer.text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_people_keep_and_have_spent_outlives_the_process() {
    let Some(server) = testplane::postgres() else { return };
    let database: DatabaseUrl = server.database().parse().expect("an address");
    let folder = tempfile::tempdir().expect("a folder");
    let open = async |folder: &Path| Product::on(folder, database.clone()).await;

    let product = open(folder.path()).await;
    write_request(&product, "zebra").await;
    cost::ready(&product, "zebra").await;
    cost::pass(&product, 3).await;
    let mut browser = product.signed_in("dev-shop").await;
    browser.until(LIST, |answer| answer.text.contains("zebra")).await;
    assert_eq!(save(&mut browser, "requests", "Stripes", &[("q", "zebra")]).await.status, StatusCode::SEE_OTHER);
    let spent = file(&mut browser).await;
    assert!(spent.contains("zebra") && spent.contains("EUR"), "{spent}");
    for address in ["/", "/cost", "/approvals", "/notifications", "/notifications/settings", "/w/root:acme:shop/resources"] {
        assert_eq!(browser.get(address).await.status, StatusCode::OK, "{address}");
    }
    product.running.close().await;
    assert!(!folder.path().join("portal.sqlite").exists(), "nothing of it is kept beside the plane");

    // The browser still holds what is left of the first one, so that the plane's folder itself is in use.
    let folder = copied(folder.path(), &[]);
    let product = open(folder.path()).await;
    browser.moves_to(&product);
    let list = browser.until(LIST, |answer| answer.text.contains("zebra")).await;
    assert!(list.text.contains(">Stripes</a>"), "{}", list.text);
    assert_eq!(file(&mut browser).await, spent);
    product.running.close().await;
}
