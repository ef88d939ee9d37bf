//! `/metrics` of a running portal: every metric of the catalog is there once it has been used, and nothing names a person or a place.

use std::collections::{BTreeMap, BTreeSet};

use app::routes::page;
use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use opm_portal::config::Config;
use opm_portal::router;
use opm_portal::telemetry::catalog::{Kind, METRICS};
use store::DeliveryState;
use tower::ServiceExt as _;

use crate::browser::{Product, config, edges, fill};

const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";
/// Words of the sample world that are in addresses, names and sessions of this test.
const PRIVATE: [&str; 5] = ["acme", "dev-shop", "org-owner", "orders-db", "shop"];

/// A series: its name and labels.
type Series = (String, BTreeMap<String, String>);

async fn scrape(product: &Product) -> BTreeMap<Series, f64> {
    let page = Request::get("/metrics").body(Body::empty()).expect("a request");
    let answer = router::metrics(&product.running.portal).oneshot(page).await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(answer.headers()["content-type"].to_str().is_ok_and(|text| text.starts_with("text/plain; version=0.0.4")));
    let text = answer.into_body().collect().await.expect("a body").to_bytes();
    let text = String::from_utf8(text.to_vec()).expect("text");
    let samples = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    samples.map(|line| sample(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

/// Reads `name{label="value",…} number`. No value of ours has a quotation mark or a brace in it, except route patterns.
fn sample(line: &str) -> Option<(Series, f64)> {
    let (series, number) = line.rsplit_once(' ')?;
    let (name, labels) = series.split_once('{').map_or((series, ""), |(name, rest)| (name, rest.strip_suffix('}').unwrap_or(rest)));
    let labels = labels.split("\",").filter(|label| !label.is_empty()).map(|label| {
        let (key, value) = label.split_once("=\"")?;
        Some((key.to_owned(), value.trim_end_matches('"').to_owned()))
    });
    Some(((name.to_owned(), labels.collect::<Option<_>>()?), number.parse().ok()?))
}

fn sum(series: &BTreeMap<Series, f64>, name: &str, labels: &[(&str, &str)]) -> f64 {
    let is_it =
        |(known, with): &Series| known == name && labels.iter().all(|(key, value)| with.get(*key).is_some_and(|known| known == value));
    series.iter().filter(|(series, _)| is_it(series)).map(|(_, value)| value).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_portal_serves_the_metrics_of_the_catalog_and_no_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = config(opm_portal::config::Storage::Directory(folder.path().to_owned()), None, true, notify::NotifyConfig::default());
    let own = Config { metrics: Some(([127, 0, 0, 1], 0).into()), ..own };
    let product = Product::configured(own, edges()).await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let before = scrape(&product).await;
    let written = fill(&mut browser, FORM, &[("/name", "orders-db"), ("/parameters/storage", "40")], "review").await;
    let review = browser.follow(written).await;
    assert_eq!(review.status, StatusCode::OK, "{}", review.text);
    for address in ["/", "/", "/w/root:acme:shop/requests", "/w/root:acme:shop/nowhere-orders-db"] {
        browser.get(address).await;
    }
    // The ledger observes all instances at the start, and the controller has reconciled the sample world.
    let observed = async {
        while sum(&scrape(&product).await, "opm_ledger_observations_total", &[("result", "recorded")]) < 1.0 {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), observed).await.expect("an observation");
    let after = scrape(&product).await;

    let named = |(name, labels): &Series| {
        let metric = METRICS.iter().find(|metric| match metric.kind {
            Kind::Histogram => ["_bucket", "_sum", "_count"].iter().any(|part| name.strip_suffix(part) == Some(metric.name)),
            Kind::Counter | Kind::Gauge => metric.name == name,
        });
        let metric = metric.unwrap_or_else(|| panic!("{name} isn't in the catalog"));
        let keys: BTreeSet<&str> = labels.keys().map(String::as_str).filter(|key| *key != "le").collect();
        assert_eq!(keys, metric.labels.iter().copied().collect(), "{name}");
        metric.name
    };
    let seen: BTreeSet<&str> = after.keys().map(named).collect();
    // Nothing is written about requests in this test, so no one is notified, and there is no other replica.
    let absent = BTreeSet::from(["opm_notifications_total", "opm_notices_connected"]);
    let expected: BTreeSet<&str> = METRICS.iter().map(|metric| metric.name).filter(|name| !absent.contains(name)).collect();
    assert_eq!(seen.difference(&absent).copied().collect::<BTreeSet<_>>(), expected);
    for (name, labels) in after.keys() {
        for value in labels.values() {
            assert!(!PRIVATE.iter().any(|word| value.contains(word)), "{name}: {value}");
        }
    }

    let grown = |name: &str, labels: &[(&str, &str)]| sum(&after, name, labels) - sum(&before, name, labels);
    let form = [("route", page::REQUEST_NEW), ("method", "GET"), ("code", "200")];
    assert!(
        grown("opm_http_requests_total", &form) >= 1.0,
        "{:?}",
        after.keys().filter(|(name, _)| name == "opm_http_requests_total").collect::<Vec<_>>()
    );
    assert!(grown("opm_http_requests_total", &[("code", "404")]) >= 1.0);
    assert!(grown("opm_http_request_duration_seconds_count", &[]) >= 6.0);
    assert!(grown("opm_response_cache_requests_total", &[]) >= 2.0, "two views of Home");
    assert!(grown("opm_plane_requests_total", &[("server", "plane"), ("verb", "post")]) >= 1.0, "access reviews");
    assert!(sum(&after, "opm_reconciles_total", &[("kind", "promise"), ("result", "done")]) >= 1.0);
    assert!(sum(&after, "opm_cache_objects", &[("cache", "promises")]) >= 4.0);
    assert_eq!(sum(&after, "opm_cache_synced", &[]), 13.0);
    assert_eq!((sum(&after, "opm_controller_leader", &[]), sum(&after, "opm_controller_ready", &[])), (1.0, 1.0));
    assert!(sum(&after, "process_resident_memory_bytes", &[]) > 1e6);
    let waiting = product.running.portal.store.count_deliveries(DeliveryState::Waiting).await.expect("the database");
    assert_eq!(sum(&after, "opm_messages", &[("state", "waiting")]), waiting as f64);
    // Pages don't lead to it.
    assert_eq!(browser.get("/metrics").await.status, StatusCode::NOT_FOUND);
    product.running.close().await;
}
