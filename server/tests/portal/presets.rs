//! Presets: values saved from a request or a form, shared by those who can create requests in the workspace, without secrets.

use http::StatusCode;
use serde_json::Value;

use crate::browser::{Answer, Browser, Product, fill};
use crate::logged::logged;

const SHOP: &str = "/w/root:acme:shop";
const PRESETS: &str = "/w/root:acme:shop/presets";
const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";

/// Saves what the page at an address shows under a title.
async fn save(browser: &mut Browser, address: &str, title: &str) -> Answer {
    let page = browser.get(address).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let names = ["workspace", "promise", "home", "draft", "start"];
    let form = page.text.split("action=\"/do/presets/save\"").nth(1).and_then(|rest| rest.split("</form>").next()).expect("a form");
    let value = |name: &str| {
        let input = form.split("<input").find(|input| input.contains(&format!("name=\"{name}\"")))?;
        Some(input.split("value=\"").nth(1)?.split('"').next()?.to_owned())
    };
    let mut pairs = vec![("_token", page.hidden("_token")), ("title", title.to_owned())];
    pairs.extend(names.iter().filter_map(|name| Some((*name, value(name)?))));
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.post("/do/presets/save", &pairs).await
}

/// The start in the link that a page has for a preset.
fn start(page: &Answer, title: &str) -> String {
    let link = page.text.split("<a ").find(|link| link.contains("start=saved:") && link.contains(title));
    let link = link.unwrap_or_else(|| panic!("no link to {title} in {}", page.text));
    link.split("start=").nth(1).and_then(|rest| rest.split(['"', '&']).next()).expect("a start").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_becomes_a_preset_without_its_secrets() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let request = format!("{SHOP}/requests/default/orders-db");
    let pairs = [("/reason", ""), ("/name", "orders-db"), ("/parameters/storage", "40"), ("/parameters/adminPassword", "correct-horse")];
    assert_eq!(fill(&mut browser, FORM, &pairs, "submit").await.location(), request);
    let page = browser.until(&request, |answer| answer.text.contains("Save as preset")).await;
    let address = page.text.split("href=\"").find(|href| href.starts_with(&format!("{PRESETS}?"))).and_then(|href| href.split('"').next());
    let address = address.expect("a link").replace("&amp;", "&");
    let shown = browser.get(&address).await;
    assert!(shown.text.contains("40\u{a0}GiB") && shown.text.contains("Secrets are never part of a preset"), "{}", shown.text);
    assert!(!shown.text.contains("orders-db-inputs") && !shown.text.contains("kept in a Secret"), "{}", shown.text);

    let (saved, lines) = logged(save(&mut browser, &address, " Forty ")).await;
    assert_eq!(
        (saved.status, saved.location()),
        (StatusCode::SEE_OTHER, format!("{PRESETS}?saved=%20Forty%20").as_str()),
        "{}",
        saved.text
    );
    let records: Vec<&Value> = lines.iter().filter(|line| line["target"] == "opm_portal::write").collect();
    assert_eq!(records.iter().map(|record| &record["operation"]).collect::<Vec<_>>(), ["save-preset"]);
    let listed = browser.get(saved.location()).await;
    assert!(listed.text.contains("Preset Forty saved") && listed.text.contains("PostgreSQL"), "{}", listed.text);

    // Everyone who can create requests there starts from it, and the new request has secrets of its own.
    let mut owner = product.signed_in("org-owner").await;
    let form = owner.get(FORM).await;
    let started = owner.get(&format!("{FORM}?start={}", start(&form, "Forty"))).await;
    assert!(
        started.text.contains("name=\"/parameters/storage\" value=\"40\"") && started.text.contains("aria-current=\"true\">Forty"),
        "{}",
        started.text
    );
    assert!(!started.text.contains("orders-db-inputs"));
    let start_of = started.hidden("_start");
    let second = [("/reason", ""), ("/name", "orders-db-2"), ("_start", start_of.as_str())];
    assert!(fill(&mut owner, FORM, &second, "submit").await.location().ends_with("/orders-db-2"));
    let values = owner.get(&format!("{SHOP}/requests/default/orders-db-2?view=configuration")).await;
    assert!(values.text.contains("40\u{a0}GiB") && !values.text.contains("orders-db-inputs"), "{}", values.text);

    // A title is taken once for each promise.
    let taken = save(&mut owner, &address, "Forty").await;
    let taken = owner.follow(taken).await;
    assert_eq!(taken.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(taken.text.contains("already has a preset called Forty") && taken.text.contains("value=\"Forty\""), "{}", taken.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_becomes_a_preset_that_others_cannot_use_elsewhere() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let typed = [("/reason", ""), ("/name", "Not A Name"), ("/parameters/storage", "30"), ("/parameters/adminPassword", "correct-horse")];
    let answer = fill(&mut browser, FORM, &typed, "save-preset").await;
    assert!(answer.location().starts_with(&format!("{PRESETS}?promise=postgresql&draft=")), "{} {}", answer.location(), answer.text);
    let address = answer.location().to_owned();
    for (title, said) in [("", "Enter a name for the preset"), ("a\nb", "one line")] {
        let refused = save(&mut browser, &address, title).await;
        let refused = browser.follow(refused).await;
        assert!(refused.status == StatusCode::UNPROCESSABLE_ENTITY && refused.text.contains(said), "{said}: {}", refused.text);
    }
    assert_eq!(save(&mut browser, &address, "Thirty").await.status, StatusCode::SEE_OTHER);
    let listed = browser.get(PRESETS).await;
    let start = start(&listed, "Thirty");
    assert!(!browser.get(&format!("{SHOP}/promises/redis/request")).await.text.contains("Thirty"), "it is of another promise");
    assert!(!browser.get(&format!("{SHOP}/promises/redis/request?start={start}")).await.text.contains("name=\"_start\""));

    let mut elsewhere = product.signed_in("dev-data").await;
    let other = elsewhere.get(&format!("/w/root:acme:data/promises/postgresql/request?start={start}")).await;
    assert!(other.status == StatusCode::OK && !other.text.contains("value=\"30\"") && !other.text.contains("Thirty"), "{}", other.text);
    assert_eq!(elsewhere.get(PRESETS).await.status, StatusCode::NOT_FOUND);
    let mut viewer = product.signed_in("viewer-shop").await;
    let closed = viewer.get(PRESETS).await;
    assert!(closed.status == StatusCode::FORBIDDEN && !closed.text.contains("Thirty"), "{}", closed.text);
    let form = viewer.get(&format!("{FORM}?start={start}")).await;
    assert!(!form.text.contains("value=\"30\"") && !form.text.contains("Thirty"), "{}", form.text);

    let id = start.strip_prefix("saved:").expect("an id");
    let theirs = elsewhere.get("/").await.hidden("_token");
    elsewhere.post("/do/presets/delete", &[("_token", theirs.as_str()), ("workspace", "root:acme:data"), ("id", id)]).await;
    assert!(browser.get(PRESETS).await.text.contains("Thirty"), "only from its own workspace");
    let own = listed.hidden("_token");
    assert!(!listed.text.contains("/do/presets/delete"), "one click deletes nothing");
    let confirmation = browser.get(&format!("{PRESETS}?delete={id}")).await;
    assert!(
        confirmation.text.contains("Delete the preset Thirty") && confirmation.text.contains("This can't be undone"),
        "{}",
        confirmation.text
    );
    let pairs = [("_token", own.as_str()), ("workspace", "root:acme:shop"), ("id", id), ("title", "Thirty")];
    let deleted = browser.post("/do/presets/delete", &pairs).await;
    assert_eq!(deleted.location(), format!("{PRESETS}?deleted=Thirty"), "{}", deleted.text);
    let left = browser.get(deleted.location()).await.text;
    assert!(left.contains("Preset Thirty deleted") && left.contains("No presets yet"), "{left}");
    assert!(!browser.get(&format!("{FORM}?start={start}")).await.text.contains("value=\"30\""), "its link leads to the defaults");
    product.running.close().await;
}
