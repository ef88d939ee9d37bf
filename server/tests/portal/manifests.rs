//! The form of a request as YAML, without JavaScript: to the text and back, its problems, its secrets, and a link that fills in the form.

use cluster::kinds::PromiseRequest;
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;
use serde_json::json;

use crate::browser::{Answer, Browser, Product};

const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";
const REQUESTS: &str = "/w/root:acme:shop/requests";
const SECRET: &str = "horse-correct-51d0";

/// The text in the text area; `None` if the page shows the fields.
fn text(page: &Answer) -> Option<String> {
    let (_, area) = page.text.split_once("name=\"_manifest\"")?;
    let (_, content) = area.split_once('>')?;
    let (content, _) = content.split_once("</textarea>")?;
    Some(content.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
}

/// Presses a button of the form on a page, and returns the page that it leads to.
async fn press(browser: &mut Browser, page: &Answer, form: &str, operation: &str, pairs: &[(&str, &str)]) -> Answer {
    let fields = fields(page, operation, pairs);
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = browser.send_form(form, &fields).await;
    browser.follow(answer).await
}

fn fields<'a>(page: &Answer, operation: &'a str, pairs: &[(&'a str, &'a str)]) -> Vec<(&'a str, String)> {
    let hidden = ["_token", "_cluster", "_save", "_draft", "_version", "_start"].into_iter();
    let hidden = hidden.filter(|name| page.text.contains(&format!("name=\"{name}\""))).map(|name| (name, page.hidden(name)));
    let pairs = [("_op", operation)].into_iter().chain(pairs.iter().copied());
    hidden.chain(pairs.map(|(name, value)| (name, value.to_owned()))).collect()
}

async fn request(product: &Product, name: &str) -> PromiseRequest {
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let client = product.running.portal.endpoint.client(product.admin(), &scope);
    Api::<PromiseRequest>::namespaced(client, "default").get(name).await.expect("the request")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_entered_goes_to_the_text_and_back_and_is_submitted() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    assert!(text(&page).is_none());
    let entered = [("/name", "orders-db"), ("/reason", "for the season"), ("/parameters/storage", "40"), ("/parameters/database", "4x")];
    let page = press(&mut browser, &page, FORM, "yaml", &entered).await;
    let first = text(&page).expect("the text");
    for line in ["kind: PromiseRequest", "  name: orders-db", "    storage: 40", "    database: 4x", "  reason: for the season"] {
        assert!(first.lines().any(|known| known == line), "{line}: {first}");
    }
    let written =
        first.replace("    storage: 40", "    # as much as last year\n    storage: 0x28 # GiB").replace("database: 4x", "database: x4");
    let written = format!("# by hand\n{written}status: {{phase: Ready}}\n");
    let (windows, size) = (written.replace('\n', "\r\n"), written.len());

    // Another text stays as it is, checked or not, and says what isn't submitted.
    let page = press(&mut browser, &page, FORM, "check", &[("_manifest", &windows)]).await;
    assert_eq!(text(&page).as_deref(), Some(&*written), "{size}");
    assert!(page.text.contains("Some fields aren't submitted") && page.text.contains("<code>status</code>"), "{}", page.text);
    assert!(!page.text.contains("There is a problem"), "{}", page.text);
    let page = press(&mut browser, &page, FORM, "form", &[("_manifest", &windows)]).await;
    assert!(text(&page).is_none() && page.text.contains("value=\"orders-db\"") && page.text.contains("for the season"), "{}", page.text);
    assert!(page.text.contains("value=\"40\"") && page.text.contains("value=\"x4\""), "{}", page.text);
    let same = [("/name", "orders-db"), ("/reason", "for the season"), ("/parameters/storage", "40"), ("/parameters/database", "x4")];
    let page = press(&mut browser, &page, FORM, "yaml", &same).await;
    assert_eq!(text(&page).as_deref(), Some(&*written), "comments are there again");

    let review = press(&mut browser, &page, FORM, "review", &[("_manifest", &windows)]).await;
    assert!(review.text.contains("Review orders-db"), "{}", review.text);
    let submitted = press(&mut browser, &review, FORM, "submit", &[]).await;
    assert_eq!(submitted.status, StatusCode::OK, "{}", submitted.text);
    let spec = request(&product, "orders-db").await.spec;
    assert_eq!(spec.parameters, Some(json!({"storage": 40, "database": "x4"})));
    assert_eq!(spec.reason.as_deref(), Some("for the season"));

    // A change, which keeps its name.
    let edit = format!("{REQUESTS}/default/orders-db/edit");
    let page = browser.get(&edit).await;
    let page = press(&mut browser, &page, &edit, "yaml", &[("/reason", "for the season"), ("/parameters/storage", "40")]).await;
    let now = text(&page).expect("the text");
    let other = now.replace("name: orders-db", "name: another");
    let page = press(&mut browser, &page, &edit, "check", &[("_manifest", &other)]).await;
    assert!(page.text.contains("Keep the name orders-db.") && page.text.contains("Line 4, column 3"), "{}", page.text);
    let changed = now.replace("storage: 40", "storage: 50").replace("upgrade: manual", "upgrade: patch");
    let review = press(&mut browser, &page, &edit, "review", &[("_manifest", &changed)]).await;
    assert!(review.text.contains("Review changes to orders-db"), "{}", review.text);
    press(&mut browser, &review, &edit, "submit", &[]).await;
    let spec = request(&product, "orders-db").await.spec;
    assert_eq!(spec.parameters, Some(json!({"storage": 50, "database": "x4"})));
    assert_eq!(spec.upgrade, promise::api::UpgradePolicy::Patch);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn problems_have_a_line_and_the_sentence_of_the_field() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let wrong = [("/name", "orders-db"), ("/parameters/storage", "4"), ("/parameters/replicas", "many")];
    let fields = press(&mut browser, &page, FORM, "check", &wrong).await;
    let (_, sentences) = fields.text.split_once("id=\"summary\"").expect("problems");
    let (sentences, _) = sentences.split_once("</ul>").expect("a list");
    let sentences: Vec<&str> =
        sentences.split("</a>").filter_map(|item| Some(item.rsplit_once('>')?.1)).filter(|text| !text.is_empty()).collect();
    assert_eq!(sentences.len(), 2, "{sentences:?}");

    let page = press(&mut browser, &fields, FORM, "yaml", &wrong).await;
    let written = text(&page).expect("the text");
    let page = press(&mut browser, &page, FORM, "check", &[("_manifest", &written)]).await;
    for sentence in sentences {
        assert!(page.text.contains(sentence), "{sentence}: {}", page.text);
    }
    for key in ["storage", "replicas"] {
        let line = written.lines().position(|line| line.trim_start().starts_with(key)).expect("a line") + 1;
        assert!(page.text.contains(&format!("Line {line}, column 5</a>: <code>spec.parameters.{key}</code>")), "{key}: {}", page.text);
    }

    // Whatever isn't valid stays as text.
    let broken = written.replace("storage: 4", "storage: [4");
    for operation in ["form", "check", "review", "add:/parameters/extensions"] {
        let page = press(&mut browser, &page, FORM, operation, &[("_manifest", &broken)]).await;
        assert_eq!(text(&page).as_deref(), Some(&*broken), "{operation}");
        assert!(operation.starts_with("add") || page.text.contains("There is a problem"), "{operation}: {}", page.text);
        assert!(page.text.contains("it isn't valid YAML"), "{operation}: {}", page.text);
    }
    for other in ["", "- a", "a: &a [*a, *a]", "\"", &"[".repeat(5000), &"a: ".repeat(9000), "kind: PromiseRequest\nkind: PromiseRequest\n"]
    {
        let page = press(&mut browser, &page, FORM, "form", &[("_manifest", other)]).await;
        assert_eq!(text(&page).as_deref(), Some(other));
        assert!(page.text.contains("There is a problem"), "{other}: {}", page.text);
    }
    let elsewhere = written.replace("namespace: default", "namespace: No_Where");
    let page = press(&mut browser, &page, FORM, "form", &[("_manifest", &elsewhere)]).await;
    assert_eq!(text(&page).as_deref(), Some(&*elsewhere));
    assert!(page.text.contains("doesn't exist here"), "{}", page.text);

    // What the fields can't give to the text stays in the fields.
    let twice = "/parameters/labels/~rows";
    let twice = ["0/~key", "0/~value", "1/~key", "1/~value"].map(|name| format!("{twice}/{name}"));
    let page = browser.get(FORM).await;
    let labels: Vec<(&str, &str)> = twice.iter().zip(["a", "1", "a", "2"]).map(|(name, value)| (name.as_str(), value)).collect();
    let page = press(&mut browser, &page, FORM, "yaml", &[&labels[..], &[("/parameters/labels/~shown", "1")]].concat()).await;
    assert!(text(&page).is_none() && page.text.contains("names must be unique"), "{}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_in_the_text_is_neither_saved_nor_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let product = Product::in_folder(folder.path()).await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let page = press(&mut browser, &page, FORM, "yaml", &[("/name", "orders-db"), ("/parameters/storage", "40")]).await;
    assert!(page.text.contains("Don't enter secrets here"), "{}", page.text);
    let clean = text(&page).expect("the text");
    let with = clean.replace("    storage: 40", &format!("    adminPassword: {SECRET}\n    storage: 40"));
    for (operation, text_of) in [("check", with.clone()), ("form", with.clone()), ("yaml", format!("{with}  broken: [\n"))] {
        let shown = press(&mut browser, &page, FORM, operation, &[("_manifest", &text_of)]).await;
        assert!(!shown.text.contains(SECRET) && (operation == "form" || shown.text.contains("A secret was removed")), "{}", shown.text);
    }
    let typed = fields(&page, "preflight", &[("_manifest", &with)]);
    let typed: Vec<(&str, &str)> = typed.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let typed = browser.post(&format!("{FORM}/preflight"), &typed).await;
    assert!(typed.status.is_success() && !typed.text.contains(SECRET), "{}", typed.text);
    // The last step asks for it, and a reference in the text is another way.
    let review = press(&mut browser, &page, FORM, "review", &[("_manifest", &with)]).await;
    assert!(review.text.contains("name=\"/parameters/adminPassword\""), "{}", review.text);
    let reference = with.replace(SECRET, "{name: my-secret, key: password}");
    let shown = press(&mut browser, &page, FORM, "check", &[("_manifest", &reference)]).await;
    assert_eq!(text(&shown).as_deref(), Some(&*reference));
    // Posted after the session has ended.
    let (mut late, again) = (browser.clone(), fields(&page, "check", &[("_manifest", &with)]));
    browser.post("/do/account/sign-out", &[("_token", &page.hidden("_token"))]).await;
    let again: Vec<(&str, &str)> = again.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = late.send_form(FORM, &again).await;
    assert!(answer.location().starts_with("/sign-in?back="), "{answer:?}");
    for part in ["portal.sqlite", "portal.sqlite-wal"] {
        let stored = std::fs::read(folder.path().join(part)).expect("the database");
        assert!(!String::from_utf8_lossy(&stored).contains(SECRET), "{part}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_fills_in_a_new_form_without_secrets() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let entered = [("/name", "orders-db"), ("/parameters/storage", "40"), ("/parameters/tier", "development")];
    let page = press(&mut browser, &page, FORM, "yaml", &entered).await;
    let (_, link) = page.text.split_once("id=\"with-values\" href=\"").expect("a link");
    let link = link.split('"').next().expect("an address").replace("&amp;", "&");
    let filled = product.signed_in("org-owner").await.get(&link).await;
    assert!(filled.text.contains("value=\"40\"") && !filled.text.contains("orders-db"), "{}", filled.text);
    let by_hand = format!("{FORM}?start=values:%7Bstorage:%2041,%20adminPassword:%20{SECRET}%7D");
    let filled = browser.get(&by_hand).await;
    assert!(filled.text.contains("value=\"41\""), "{}", filled.text);
    let page = press(&mut browser, &filled, FORM, "yaml", &[("/name", "a"), ("/parameters/storage", "41")]).await;
    assert!(!page.text.contains(SECRET) && text(&page).is_some_and(|text| text.contains("storage: 41")), "{}", page.text);
    for start in ["values:", "values:[1]", "values:%5B", "values:3"] {
        assert_eq!(browser.get(&format!("{FORM}?start={start}")).await.status, StatusCode::OK, "{start}");
    }
    product.running.close().await;
}
