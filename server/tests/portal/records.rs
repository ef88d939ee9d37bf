//! Records of what people change: one each, with who, in which request, what and what came of it, and never a value.

use http::StatusCode;
use serde_json::Value;

use crate::browser::{Answer, Product, fill};
use crate::logged::logged;
use crate::views::save;

/// What is typed; no record contains it.
const MARKER: &str = "quiet-harbour-51ce";

/// The records among lines of the log.
fn records(lines: &[Value]) -> Vec<&Value> {
    let records: Vec<&Value> = lines.iter().filter(|line| line["target"] == "opm_portal::write").collect();
    assert!(records.iter().all(|record| !record.to_string().contains(MARKER)), "{records:#?}");
    records
}

/// The one record, checked to be of a person and of the request that was answered.
fn only<'l>(lines: &'l [Value], answer: &Answer) -> &'l Value {
    let [record] = records(lines)[..] else { panic!("not one record: {lines:#?}") };
    let id = answer.headers["x-request-id"].to_str().expect("an id");
    assert_eq!((record["request_id"].as_str(), record["actor"].as_str()), (Some(id), Some("dev-shop")), "{record:#}");
    record
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_change_leaves_one_record_without_a_value() {
    let product = Product::quiet().await;
    let mut browser = product.browser();
    let page = browser.get("/sign-in").await;
    let token = page.hidden("_token");
    let (answer, lines) = logged(browser.post("/do/account/sign-in", &[("_token", &token), ("person", "dev-shop")])).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let record = only(&lines, &answer);
    assert_eq!((&record["operation"], &record["kind"], &record["outcome"]), (&"sign-in".into(), &"session".into(), &"done".into()));

    let form = "/w/root:acme:shop/promises/redis/request";
    let pairs = [("/name", "carts"), ("/reason", MARKER)];
    let (answer, lines) = logged(fill(&mut browser, form, &pairs, "submit")).await;
    assert_eq!(answer.location(), "/w/root:acme:shop/requests/default/carts", "{}", answer.text);
    let record = only(&lines, &answer);
    let cluster = product.running.portal.world.tree().cluster(&"root:acme:shop".parse().expect("a path")).expect("a workspace");
    for (field, value) in [
        ("operation", "create-request"),
        ("kind", "PromiseRequest"),
        ("cluster", &cluster.to_string()),
        ("namespace", "default"),
        ("name", "carts"),
        ("outcome", "done"),
    ] {
        assert_eq!(record[field], value, "{field}: {record:#}");
    }

    // What the plane refused is recorded as well; that the form comes back as a draft is another change.
    let (answer, lines) = logged(fill(&mut browser, form, &pairs, "submit")).await;
    assert!(answer.location().contains("?draft="), "{}", answer.text);
    let [refused, kept] = records(&lines)[..] else { panic!("not two records: {lines:#?}") };
    assert_eq!((&refused["operation"], &refused["outcome"], &refused["code"]), (&"create-request".into(), &"failed".into(), &409.into()));
    assert_eq!((&kept["operation"], &kept["outcome"]), (&"save-draft".into(), &"done".into()));

    let (answer, lines) = logged(save(&mut browser, "requests", MARKER, &[("q", MARKER)])).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    assert_eq!(only(&lines, &answer)["operation"], "save-view");

    let (_, lines) = logged(browser.get("/w/root:acme:shop/requests/default/carts")).await;
    assert!(records(&lines).is_empty(), "who looks changes nothing: {lines:#?}");
    let token = browser.get("/").await.hidden("_token");
    let (answer, lines) = logged(browser.post("/do/account/sign-out", &[("_token", &token)])).await;
    let record = only(&lines, &answer);
    assert_eq!((&record["operation"], &record["outcome"]), (&"sign-out".into(), &"done".into()));
    product.running.close().await;
}
