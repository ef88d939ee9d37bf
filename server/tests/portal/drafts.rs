//! Nothing that is typed gets lost: drafts while typing, sharing, an expired session, and two people who edit the same request.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use http::{StatusCode, header};
use jiff::Timestamp;
use opm_portal::clock::Clock;
use serde_json::json;

use crate::access::requests;
use crate::browser::{Answer, Browser, HOST, Product, fill};

const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";
const LIST: &str = "/w/root:acme:shop/requests";

/// The hidden fields of a form's page, and these pairs.
fn fields<'a>(page: &Answer, pairs: &[(&'a str, &'a str)]) -> Vec<(&'a str, String)> {
    let hidden = ["_token", "_cluster", "_save", "_draft", "_version"].into_iter();
    let hidden = hidden.filter(|name| page.text.contains(&format!("name=\"{name}\""))).map(|name| (name, page.hidden(name)));
    hidden.chain(pairs.iter().map(|(name, value)| (*name, (*value).to_owned()))).collect()
}

fn borrowed<'a>(fields: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// What the script does after a pause in typing. Returns the answer, and the address of the draft.
async fn types(browser: &mut Browser, page: &Answer, form: &str, pairs: &[(&str, &str)]) -> (Answer, String) {
    let typed = fields(page, &[&[("_op", "preflight"), ("/reason", "")], pairs].concat());
    let answer = browser.post(&format!("{form}/preflight"), &borrowed(&typed)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let draft = answer.text.split("data-draft=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let draft = draft.replace("&amp;", "&");
    (answer, draft)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typing_is_saved_listed_continued_and_discarded() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let (_, draft) = types(&mut browser, &page, FORM, &[("/name", "ord"), ("/parameters/storage", "4x")]).await;
    assert!(draft.starts_with(&format!("{FORM}?draft=")), "{draft}");
    let (answer, same) = types(&mut browser, &page, FORM, &[("/name", "orders-db"), ("/parameters/storage", "4x")]).await;
    assert_eq!(same, draft, "one form is one draft");
    assert!(answer.text.contains("Draft saved"), "{}", answer.text);
    let again = browser.get(&draft).await;
    assert!(again.text.contains("value=\"orders-db\"") && again.text.contains("value=\"4x\""), "as it was typed: {}", again.text);
    for list in ["/", LIST] {
        let listed = browser.get(list).await;
        assert_eq!(listed.text.matches("Discard the draft orders-db").count(), 1, "{list}: {}", listed.text);
    }
    // A button of the form is another step of the same draft.
    let checked = fields(&page, &[("_op", "check"), ("/reason", ""), ("/name", "orders-db"), ("/parameters/storage", "40")]);
    let checked = browser.send_form(FORM, &borrowed(&checked)).await;
    let listed = browser.get(LIST).await;
    assert_eq!(listed.text.matches("Discard the draft orders-db").count(), 1, "{}", listed.text);
    assert!(browser.get(&draft).await.text.contains("value=\"4x\""), "Back shows the step before");
    assert!(browser.get(checked.location()).await.text.contains("value=\"40\""));

    let id = checked.location().split("draft=").nth(1).expect("an id").to_owned();
    let token = listed.hidden("_token");
    let other = product.signed_in("org-owner").await.get("/").await;
    assert!(!other.text.contains("orders-db"), "drafts of others are private");
    let discarded = browser.post("/do/drafts/discard", &[("_token", &token), ("id", &id), ("back", LIST)]).await;
    assert_eq!((discarded.status, discarded.location()), (StatusCode::SEE_OTHER, LIST));
    assert!(!browser.get(LIST).await.text.contains("Discard the draft"));
    assert!(browser.get(&draft).await.text.contains("no longer available"));

    // What is submitted is no draft any more.
    let (_, draft) = types(&mut browser, &page, FORM, &[("/name", "carts")]).await;
    let opened = browser.get(&draft).await;
    let submitted = fields(&opened, &[("_op", "submit"), ("/reason", ""), ("/name", "carts")]);
    assert_eq!(browser.send_form(FORM, &borrowed(&submitted)).await.location(), format!("{LIST}/default/carts"));
    assert!(!browser.get("/").await.text.contains("Discard the draft"));

    let mut viewer = product.signed_in("viewer-shop").await;
    let page = viewer.get(FORM).await;
    let (_, none) = types(&mut viewer, &page, FORM, &[("/name", "viewed")]).await;
    assert_eq!(none, "", "who can't submit it has no use for a draft");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shared_draft_opens_for_people_who_can_submit_it() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let (_, draft) = types(&mut browser, &page, FORM, &[("/name", "orders-db"), ("/parameters/storage", "40")]).await;
    let id = draft.split("draft=").nth(1).expect("an id").to_owned();
    let token = page.hidden("_token");
    let mut owner = product.signed_in("org-owner").await;
    assert!(!owner.get(&draft).await.text.contains("orders-db"), "not yet");
    let theirs = owner.get("/").await.hidden("_token");
    let stolen = owner.act("/do/drafts/share", &[("_token", &theirs), ("id", &id), ("shared", "true"), ("back", LIST)]).await;
    assert_eq!(stolen.status, StatusCode::NOT_FOUND, "only its author shares it");
    let shared = browser.post("/do/drafts/share", &[("_token", &token), ("id", &id), ("shared", "true"), ("back", LIST)]).await;
    assert_eq!(shared.location(), LIST, "{}", shared.text);
    assert!(browser.get(LIST).await.text.contains("Link to this draft"));

    let opened = owner.get(&draft).await;
    assert!(opened.text.contains("Draft by Dana Shaw") && opened.text.contains("value=\"orders-db\""), "{}", opened.text);
    let (_, own) = types(&mut owner, &opened, FORM, &[("/name", "orders-db-2"), ("/parameters/storage", "50")]).await;
    assert!(own.contains("draft=") && own != draft, "changes go to a draft of one's own");
    assert!(browser.get(&draft).await.text.contains("value=\"40\""));
    for person in ["viewer-shop", "dev-data"] {
        let seen = product.signed_in(person).await.get(&draft).await;
        assert!(!seen.text.contains("orders-db"), "{person}: {}", seen.text);
    }
    browser.post("/do/drafts/share", &[("_token", &token), ("id", &id), ("shared", "false"), ("back", LIST)]).await;
    assert!(!owner.get(&draft).await.text.contains("Draft by Dana Shaw"));
    product.running.close().await;
}

/// A clock that a test turns on.
struct Turned(AtomicI64);

impl Clock for Turned {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::Relaxed)).expect("a time")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_is_carried_over_an_expired_session() {
    let clock = Arc::new(Turned(AtomicI64::new(1_790_000_000)));
    let product = Product::limited(opm_portal::limits::LimitsConfig::default(), clock.clone()).await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    clock.0.fetch_add(13 * 3600, Ordering::Relaxed);
    let typed = fields(&page, &[("_op", "check"), ("/reason", "typed once"), ("/name", "orders-db"), ("/parameters/storage", "4x")]);
    let answer = browser.send_form(FORM, &borrowed(&typed)).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let location = answer.location().to_owned();
    assert!(location.starts_with("/sign-in?back=") && !location.contains("orders-db") && !location.contains("typed"), "{location}");
    let cookie = answer.headers.get_all(header::SET_COOKIE).iter().find_map(|cookie| cookie.to_str().ok()).expect("a key");
    assert!(cookie.starts_with("opm-form=") && cookie.contains("HttpOnly") && cookie.contains("Max-Age=3600"), "{cookie}");

    let sign_in = browser.get(&location).await;
    let back = sign_in.hidden("back").replace("&amp;", "&");
    // Another browser has no key, whoever signs in there.
    assert!(!product.signed_in("dev-shop").await.get(&back).await.text.contains("orders-db"));
    let signed_in =
        browser.post("/do/account/sign-in", &[("_token", &sign_in.hidden("_token")), ("person", "dev-shop"), ("back", &back)]).await;
    assert_eq!(signed_in.location(), back, "{}", signed_in.text);
    let form = browser.get(&back).await;
    for kept in ["Your session had ended", "value=\"orders-db\"", "value=\"4x\"", "typed once"] {
        assert!(form.text.contains(kept), "{kept}: {}", form.text);
    }
    assert!(!product.signed_in("org-owner").await.get(&back).await.text.contains("typed once"), "it is private");
    let fine = fields(&form, &[("_op", "review"), ("/reason", "typed once"), ("/name", "orders-db"), ("/parameters/storage", "40")]);
    let review = browser.send_form(FORM, &borrowed(&fine)).await;
    assert!(review.location().starts_with(&format!("{FORM}/review?draft=")), "{} {}", review.location(), review.text);

    // The last step names its draft, and secrets never wait anywhere.
    let shown = browser.get(review.location()).await;
    let id = shown.hidden("_draft");
    clock.0.fetch_add(13 * 3600, Ordering::Relaxed);
    let secret = ("/parameters/adminPassword", "correct-horse");
    let submitted = fields(&shown, &[("_op", "submit"), secret]);
    let answer = browser.send_form(FORM, &borrowed(&submitted)).await;
    let back = app::routes::with_query(&format!("{FORM}/review"), &[("draft", &id)]);
    assert_eq!(answer.location(), app::routes::sign_in(&back));
    assert!(!answer.headers.contains_key(header::SET_COOKIE));
    let mut browser = browser.signs_in("dev-shop").await;
    let again = browser.get(&back).await;
    assert!(again.text.contains("Review orders-db"), "{}", again.text);
    let submitted = browser.send_form(FORM, &borrowed(&fields(&again, &[("_op", "submit"), secret]))).await;
    assert_eq!(submitted.location(), format!("{LIST}/default/orders-db"), "{}", submitted.text);
    let gone = browser.get(&back).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert!(gone.text.contains("View orders-db"), "{}", gone.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_is_opened_again_after_a_new_sign_in_in_another_tab() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let mut browser = browser.signs_in("dev-shop").await;
    let typed = fields(&page, &[("_op", "review"), ("/reason", "typed once"), ("/name", "orders-db"), ("/parameters/storage", "4x")]);
    let mut script = browser.form(&format!("{FORM}/preflight"), &borrowed(&typed));
    script.headers_mut().insert(header::ORIGIN, format!("http://{HOST}").parse().expect("an origin"));
    script.headers_mut().insert(header::ACCEPT, "*/*".parse().expect("a type"));
    let script = browser.send(script).await;
    assert_eq!(script.status, StatusCode::FORBIDDEN);
    assert_eq!(script.headers["x-form-token"], "other-session");
    let refused = browser.send_form(FORM, &borrowed(&typed)).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let link = refused.text.split("Open the form again").next().and_then(|before| before.rsplit("href=\"").next()).unwrap_or_default();
    let link = link.split('"').next().unwrap_or_default().replace("&amp;", "&");
    assert!(link.starts_with(&format!("{FORM}?draft=")), "{}", refused.text);
    let form = browser.get(&link).await;
    for kept in ["value=\"orders-db\"", "value=\"4x\"", "typed once"] {
        assert!(form.text.contains(kept), "{kept}: {}", form.text);
    }
    assert!(!product.signed_in("org-owner").await.get(&link).await.text.contains("typed once"), "it is private");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_is_carried_over_although_the_browser_has_dropped_the_cookie() {
    let product = Product::quiet().await;
    let page = product.signed_in("dev-shop").await.get(FORM).await;
    let typed = fields(&page, &[("_op", "check"), ("/reason", "typed once"), ("/name", "orders-db")]);
    let mut browser = product.browser();
    let answer = browser.send_form(FORM, &borrowed(&typed)).await;
    assert!(answer.location().starts_with("/sign-in?back="), "{} {}", answer.status, answer.text);
    let sign_in = browser.get(answer.location()).await;
    let back = sign_in.hidden("back").replace("&amp;", "&");
    browser.post("/do/account/sign-in", &[("_token", &sign_in.hidden("_token")), ("person", "dev-shop"), ("back", &back)]).await;
    assert!(browser.get(&back).await.text.contains("typed once"));
    // A form of no page of ours isn't kept.
    let forged = product.browser().send_form(FORM, &[("_token", "x"), ("/reason", "typed once")]).await;
    assert_eq!(forged.status, StatusCode::UNAUTHORIZED);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_text_of_a_promise_is_carried_over_an_ended_session() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("platform-engineer").await;
    let address = "/platform/promises/new?workspace=root:platform";
    let page = browser.get(address).await;
    let typed =
        [("_token", page.hidden("_token")), ("_op", "check".into()), ("workspace", "root:platform".into()), ("text", "kind: Typed".into())];
    let mut browser = browser.signs_in("platform-engineer").await;
    let refused = browser.post("/do/promises/save", &borrowed(&typed)).await;
    let link = refused.text.split("Open the form again").next().and_then(|before| before.rsplit("href=\"").next()).unwrap_or_default();
    let link = link.split('"').next().unwrap_or_default().replace("&amp;", "&");
    assert!(browser.get(&link).await.text.contains("kind: Typed"), "{link}: {}", refused.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_who_edit_a_request_choose_value_by_value() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let pairs = [("/reason", ""), ("/name", "orders-db"), ("/parameters/storage", "20"), ("/parameters/size", "small")];
    assert_eq!(fill(&mut browser, FORM, &pairs, "submit").await.location(), format!("{LIST}/default/orders-db"));
    let edit = format!("{LIST}/default/orders-db/edit");
    let page = browser.get(&edit).await;
    let mine = [("/parameters/size", "medium"), ("/parameters/storage", "20"), ("/parameters/version", "16")];
    let (_, draft) = types(&mut browser, &page, &edit, &mine).await;

    let mut owner = product.signed_in("org-owner").await;
    let theirs = [("/reason", ""), ("/parameters/size", "large"), ("/parameters/storage", "30")];
    assert_eq!(fill(&mut owner, &edit, &theirs, "submit").await.location(), format!("{LIST}/default/orders-db"));

    let opened = browser.get(&draft).await;
    let posted = fields(&opened, &[&[("_op", "review"), ("/reason", "")][..], &mine].concat());
    let conflict = browser.send_form(&edit, &borrowed(&posted)).await;
    let conflict = browser.get(conflict.location()).await;
    for shown in ["Olga Brandt changed this request", "name=\"_merge.size\"", "name=\"_merge.storage\"", "Keep theirs", "Keep mine"] {
        assert!(conflict.text.contains(shown), "{shown}: {}", conflict.text);
    }
    assert!(!conflict.text.contains("_merge.version"), "what only one of them changed is no question");
    let choices = [("_op", "review"), ("/reason", ""), ("_merge.size", "mine"), ("_merge.storage", "theirs")];
    let chosen = fields(&conflict, &[&choices[..], &mine].concat());
    let review = browser.send_form(&edit, &borrowed(&chosen)).await;
    assert!(review.location().contains("/edit/review?draft="), "{} {}", review.location(), review.text);
    let shown = browser.get(review.location()).await;
    let submitted = fields(&shown, &[("_op", "submit")]);
    assert_eq!(browser.send_form(&edit, &borrowed(&submitted)).await.location(), format!("{LIST}/default/orders-db"));
    let spec = requests(&product).get("orders-db").await.expect("the request").spec;
    let parameters = spec.parameters.expect("parameters");
    assert_eq!((&parameters["size"], &parameters["storage"], &parameters["version"]), (&json!("medium"), &json!(30), &json!("16")));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn choosing_production_picks_the_smallest_allowed_values_and_says_so() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let pairs = [("/name", "orders-db"), ("/parameters/tier", "production"), ("/parameters/replicas", "1")];
    let (answer, _) = types(&mut browser, &page, FORM, &pairs).await;
    assert!(answer.text.contains("Replicas is set to 2"), "{}", answer.text);
    assert!(answer.text.contains("Production baseline"), "{}", answer.text);
    // The form shows the value now and posts it, which isn't a choice of the user.
    let given = answer.text.split("name=\"_given\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a given value");
    let given = given.replace("&quot;", "\"");
    let shown = [("/name", "orders-db"), ("/parameters/tier", "production"), ("/parameters/replicas", "2"), ("_given", given.as_str())];
    let (again, _) = types(&mut browser, &page, FORM, &shown).await;
    assert!(again.text.contains("Replicas is set to 2"), "it still says so: {}", again.text);
    let review = fields(&again, &[&shown[..], &[("_op", "review"), ("/reason", "For the shop"), ("/parameters/storage", "40")]].concat());
    let review = browser.send_form(FORM, &borrowed(&review)).await;
    let review = browser.get(review.location()).await;
    let line = review.text.split("Replicas").nth(1).and_then(|rest| rest.split("</tr>").next()).unwrap_or_default();
    assert!(line.contains("Production baseline") && !line.contains("You"), "{line}");
    let back = [("/name", "orders-db"), ("/parameters/tier", "development"), ("/parameters/replicas", "2"), ("_given", given.as_str())];
    let (answer, _) = types(&mut browser, &page, FORM, &back).await;
    assert!(!answer.text.contains("is set to") && !answer.text.contains("name=\"_given\""), "it follows the policies: {}", answer.text);
    let typing = [&pairs[..], &[("_typing", "/parameters/replicas")]].concat();
    let (answer, _) = types(&mut browser, &page, FORM, &typing).await;
    assert!(!answer.text.contains("is set to"), "not while it is typed: {}", answer.text);
    let development = [("/name", "orders-db"), ("/parameters/tier", "development"), ("/parameters/replicas", "1")];
    let (answer, _) = types(&mut browser, &page, FORM, &development).await;
    assert!(!answer.text.contains("is set to"));
    product.running.close().await;
}
