//! The way of a request through the whole product, without JavaScript: sign in, catalog, form, review, submit, detail, edit, delete.

use std::time::Duration;

use cluster::kinds::PromiseRequest;
use cluster::{ClusterId, Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;
use promise::api::Phase;

use crate::browser::{Product, fill};

const SHOP: &str = "root:acme:shop";

/// How long the controller may take for something that the sample operators hurry up.
const PATIENCE: Duration = Duration::from_secs(60);

fn requests(product: &Product) -> Api<PromiseRequest> {
    let admin = product.admin();
    let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
    Api::namespaced(product.running.portal.endpoint.client(admin, &scope), "default")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_made_followed_changed_and_deleted() {
    let product = Product::open().await;
    let mut browser = product.signed_in("dev-shop").await;

    let home = browser.get("/").await;
    assert!(home.status == StatusCode::OK && home.text.contains("Dana Shaw"), "{}", home.text);
    let catalog = browser.get(&format!("/w/{SHOP}/catalog")).await;
    for promise in ["postgresql", "redis", "web-application", "background-worker", "object-bucket"] {
        assert!(catalog.text.contains(&format!("/w/{SHOP}/promises/{promise}")), "{promise} is offered: {}", catalog.text);
    }
    let page = browser.get(&format!("/w/{SHOP}/promises/redis")).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);

    // A name that does not fit comes back with the field, and nothing is written.
    let form = format!("/w/{SHOP}/promises/redis/request");
    let refused = fill(&mut browser, &form, &[("/name", "Not A Name"), ("/reason", "cache")], "review").await;
    assert!(refused.status == StatusCode::SEE_OTHER && refused.location().starts_with(&format!("{form}?draft=")), "{refused:?}");
    let again = browser.get(refused.location()).await;
    assert!(again.text.contains("Not A Name") && again.text.contains("lower-case letters"), "{}", again.text);
    assert!(requests(&product).list(&Default::default()).await.expect("a list").items.is_empty());

    // Review, then submit what the review shows.
    let review = fill(&mut browser, &form, &[("/name", "cache"), ("/reason", "sessions")], "review").await;
    assert!(review.location().starts_with(&format!("{form}/review?draft=")), "{review:?}");
    let shown = browser.get(review.location()).await;
    let submit = [
        ("_token", &*shown.hidden("_token")),
        ("_cluster", &shown.hidden("_cluster")),
        ("_draft", &shown.hidden("_draft")),
        ("_op", "submit"),
    ];
    let written = browser.send_form(&form, &submit).await;
    assert_eq!(
        (written.status, written.location()),
        (StatusCode::SEE_OTHER, &*format!("/w/{SHOP}/requests/default/cache")),
        "{}",
        written.text
    );

    let api = requests(&product);
    let request = api.get("cache").await.expect("the request");
    let requester = request.spec.requester.expect("the stamp");
    assert_eq!(requester.username, "dev-shop", "written as the person who asked");
    assert_eq!(request.spec.reason.as_deref(), Some("sessions"));
    let ready = |request: Option<&PromiseRequest>| {
        request.and_then(|request| request.status.as_ref()).is_some_and(|status| status.phase == Phase::Ready)
    };
    let waited = tokio::time::timeout(PATIENCE, kube::runtime::wait::await_condition(api.clone(), "cache", ready)).await;
    assert!(matches!(waited, Ok(Ok(_))), "never ready: {:#?}", api.get("cache").await.expect("the request").status);
    let detail = browser.get(written.location()).await;
    assert!(detail.status == StatusCode::OK && detail.text.contains("Ready"), "{}", detail.text);

    // A second one of the same name is refused in the form.
    let taken = fill(&mut browser, &form, &[("/name", "cache")], "review").await;
    let again = browser.get(taken.location()).await;
    assert!(again.text.contains("cache is taken"), "{}", again.text);

    // Change, review, submit.
    let edit = format!("/w/{SHOP}/requests/default/cache/edit");
    let changed = fill(&mut browser, &edit, &[("/reason", "more sessions")], "submit").await;
    assert_eq!(changed.location(), format!("/w/{SHOP}/requests/default/cache"), "{}", changed.text);
    assert_eq!(api.get("cache").await.expect("the request").spec.reason.as_deref(), Some("more sessions"));

    // Delete, with the name typed again.
    let delete = format!("/w/{SHOP}/requests/default/cache/delete");
    let token = browser.get(&delete).await.hidden("_token");
    let named = [("_token", token.as_str()), ("workspace", SHOP), ("namespace", "default"), ("name", "cache")];
    let unsure = browser.act("/do/requests/delete", &[&named[..], &[("confirmation", "cash")]].concat()).await;
    assert_eq!(unsure.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", unsure.text);
    assert!(unsure.text.contains("Type cache"), "{}", unsure.text);
    let sure = browser.act("/do/requests/delete", &[&named[..], &[("confirmation", "cache")]].concat()).await;
    assert_eq!(sure.location(), format!("/w/{SHOP}/requests?namespace=default&deleted=cache"), "{}", sure.text);
    let gone = kube::runtime::wait::await_condition(api.clone(), "cache", |request: Option<&PromiseRequest>| request.is_none());
    assert!(matches!(tokio::time::timeout(PATIENCE, gone).await, Ok(Ok(_))), "never gone");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_known_of_a_workspace_that_is_not_there() {
    let product = Product::open().await;
    let mut browser = product.signed_in("dev-shop").await;
    assert!(ClusterId::parse("nowhere").is_ok());
    for address in ["/w/root:nowhere/catalog", "/w/root:globex:web/catalog", "/w/not*a*path/catalog"] {
        let answer = browser.get(address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
    }
    product.running.close().await;
}
