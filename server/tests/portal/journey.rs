//! The journey of a request after it was submitted: review of a change, duplicate, history, revealed secrets, deletion.

use http::{StatusCode, header};
use serde_json::Value;

use crate::browser::{Product, fill};
use crate::logged::logged;

const SHOP: &str = "/w/root:acme:shop";
const LIST: &str = "/w/root:acme:shop/requests";
const ORDERS: &str = "/w/root:acme:shop/requests/default/orders-db";
/// The operation that reveals a secret output.
const REVEAL: &str = "/do/requests/reveal";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_reviewed_recorded_and_duplicated() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = format!("{SHOP}/promises/postgresql/request");
    let pairs = [("/reason", ""), ("/name", "orders-db"), ("/parameters/storage", "20"), ("/parameters/adminPassword", "correct-horse")];
    assert_eq!(fill(&mut browser, &form, &pairs, "submit").await.location(), ORDERS);
    browser.until(ORDERS, |answer| answer.text.contains(">Ready<")).await;

    let edit = format!("{ORDERS}/edit");
    let changed = [("/reason", ""), ("/parameters/storage", "40")];
    let review = fill(&mut browser, &edit, &changed, "review").await;
    assert!(review.location().contains("/edit/review?draft="), "{} {}", review.location(), review.text);
    let shown = browser.get(review.location()).await;
    for part in
        ["<del>20\u{a0}GiB</del>", "<ins>40\u{a0}GiB</ins>", "What happens", "Changed objects can restart", "Now</span>", "After</span>"]
    {
        assert!(shown.text.contains(part), "{part}: {}", shown.text);
    }
    let ids = [("_token", shown.hidden("_token")), ("_cluster", shown.hidden("_cluster")), ("_draft", shown.hidden("_draft"))];
    let ids: Vec<(&str, &str)> = ids.iter().map(|(name, value)| (*name, value.as_str())).chain([("_op", "submit")]).collect();
    assert_eq!(browser.send_form(&edit, &ids).await.location(), ORDERS);

    let history = format!("{ORDERS}?view=history");
    let history = browser.until(&history, |answer| answer.text.contains("<del>20\u{a0}GiB</del>")).await;
    assert!(history.text.contains("Changed<span class=\"subtle\"> · <span title=\"dev-shop\" class=\"who\">"), "{}", history.text);

    let yaml = browser.get(&format!("{ORDERS}?view=yaml")).await;
    let manifest =
        yaml.text.split("aria-label=\"Manifest as YAML\"").nth(1).and_then(|rest| rest.split("</pre>").next()).expect("a manifest");
    assert!(manifest.contains("storage: 40") && !manifest.contains("status"), "{manifest}");

    let duplicate = format!("{SHOP}/promises/postgresql/request?home=root:platform&amp;start=request:default%2Forders-db");
    assert!(browser.get(ORDERS).await.text.contains(&duplicate), "{}", browser.get(ORDERS).await.text);
    let copy = browser.get(&duplicate.replace("&amp;", "&")).await;
    assert!(copy.text.contains("name=\"/parameters/storage\" value=\"40\""), "{}", copy.text);
    assert!(!copy.text.contains("value=\"orders-db\"") && !copy.text.contains("orders-db-inputs"), "a name and secrets of its own");
    let start = copy.hidden("_start");
    let second = [("/reason", ""), ("/name", "orders-db-2"), ("_start", start.as_str())];
    assert!(fill(&mut browser, &form, &second, "submit").await.location().ends_with("/orders-db-2"));
    let values = browser.get(&format!("{ORDERS}-2?view=configuration")).await;
    assert!(
        values.text.contains("<span class=\"break\">40\u{a0}GiB</span>"),
        "values without an input are those of the other one: {}",
        values.text
    );
    let elsewhere = browser.get(&format!("{SHOP}/promises/redis/request?start=request:default/orders-db")).await;
    assert!(elsewhere.status == StatusCode::OK && !elsewhere.text.contains("name=\"_start\""), "of another promise");
    let stranger =
        product.signed_in("dev-data").await.get("/w/root:acme:data/promises/postgresql/request?start=request:default/orders-db").await;
    assert!(!stranger.text.contains("value=\"40\""));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revealed_secret_and_a_deletion_leave_a_trace() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = format!("{SHOP}/promises/redis/request");
    let carts = format!("{LIST}/default/carts");
    assert_eq!(fill(&mut browser, &form, &[("/reason", ""), ("/name", "carts")], "submit").await.location(), carts);
    let ready = browser.until(&carts, |answer| answer.text.contains("data-reveal")).await;
    assert!(ready.text.contains("secretKeyRef") && ready.text.contains("- name: URL"), "{}", ready.text);
    let token = ready.hidden("_token");
    let named = [("_token", token.as_str()), ("workspace", "root:acme:shop"), ("namespace", "default"), ("name", "carts")];
    let (granted, lines) = logged(browser.post(REVEAL, &[&named[..], &[("output", "url")]].concat())).await;
    let shown = granted.location().to_owned();
    assert!(shown.starts_with(&format!("{carts}/revealed?output=url&grant=")) && !shown.contains("redis"), "{shown}");
    let revealed = browser.follow(granted).await;
    assert!(revealed.text.contains("redis://"), "{}", revealed.text);
    assert_eq!(revealed.headers[header::CACHE_CONTROL], "no-store", "nobody keeps it");
    // The address alone is worth nothing: neither to another session nor for another output.
    let elsewhere = product.signed_in("dev-shop").await.get(&shown).await;
    let other = browser.get(&shown.replace("output=url", "output=host")).await;
    for answer in [elsewhere, other] {
        assert!(answer.status == StatusCode::OK && !answer.text.contains("redis://"), "{}", answer.text);
    }
    let records: Vec<&Value> = lines.iter().filter(|line| line["target"] == "opm_portal::write").collect();
    let [record] = records[..] else { panic!("not one record: {lines:#?}") };
    assert_eq!((&record["operation"], &record["name"]), (&"reveal-output".into(), &"carts".into()));
    assert!(!format!("{lines:?}").contains("redis://"), "no value is logged");
    let history = browser.get(&format!("{carts}?view=history")).await;
    assert!(
        history.text.contains(" revealed<span class=\"subtle\"> · <span title=\"dev-shop\" class=\"who\">"),
        "{:?}",
        history.text.split("timeline").nth(2)
    );
    assert!(!history.text.contains("redis://"));

    let page = browser.get(&format!("{carts}/delete")).await;
    assert!(page.text.contains("All data in these resources is lost") && page.text.contains("It ends a cost of"), "{}", page.text);
    let deleted = browser.act("/do/requests/delete", &[&named[..], &[("confirmation", "carts")]].concat()).await;
    let told = browser.get(deleted.location()).await;
    assert!(
        told.text.contains("carts is being deleted") && told.text.contains("Requested by <span title=\"dev-shop\" class=\"who\">"),
        "{}",
        told.text
    );
    let gone = browser.until(&carts, |answer| answer.status == StatusCode::NOT_FOUND).await;
    assert!(gone.text.contains("Dana Shaw deleted this request") && gone.text.contains("carts was deleted"), "{}", gone.text);
    let never = browser.get(&format!("{LIST}/default/never")).await;
    assert!(never.status == StatusCode::NOT_FOUND && !never.text.contains("was deleted"));
    let stranger = product.signed_in("dev-data").await.get(&carts).await;
    assert!(stranger.status == StatusCode::NOT_FOUND && !stranger.text.contains("was deleted"), "{}", stranger.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_string_is_put_together_for_the_person_who_reveals_it() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = format!("{SHOP}/promises/postgresql/request");
    assert_eq!(fill(&mut browser, &form, &[("/reason", ""), ("/name", "orders-db")], "submit").await.location(), ORDERS);
    let ready = browser.until(ORDERS, |answer| answer.text.contains("value=\"connectionString\"")).await;
    let variable = "value: &quot;postgresql://$(USERNAME):$(PASSWORD)@$(HOST):$(PORT)/$(DATABASE)&quot;";
    assert!(ready.text.replace('"', "&quot;").contains(variable), "{}", ready.text);
    let of = [("workspace", "root:acme:shop"), ("namespace", "default"), ("name", "orders-db"), ("output", "connectionString")];
    let token = ready.hidden("_token");
    let granted = browser.post(REVEAL, &[&of[..], &[("_token", &token)]].concat()).await;
    let revealed = browser.follow(granted).await;
    let url = revealed.text.split("postgresql://").nth(1).and_then(|rest| rest.split('<').next()).expect("a connection string").to_owned();
    let (user, host) = url.split_once('@').expect("a user and a host");
    assert!(user.starts_with("app:") && user.len() > "app:".len() && !user.contains(['{', '$']), "{url}");
    assert!(host.contains(":5432/app") && !host.starts_with(':'), "{url}");
    let again = browser.get(ORDERS).await;
    assert!(!again.text.contains(&url), "only the answer to the reveal shows it");
    let stranger = product.signed_in("dev-data").await.act(REVEAL, &of).await;
    assert!(!stranger.text.contains(&url) && !stranger.location().contains("grant="), "{}", stranger.location());
    product.running.close().await;
}
