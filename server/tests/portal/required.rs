//! What a promise requires first: the way to its form, and on from there; and requests that were created for others.

use cluster::kinds::{Promise, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use promise::api::{PromiseRef, PromiseRequestSpec};
use serde_json::{Value, json};

use crate::access::{requests, write_request};
use crate::browser::{Product, fill};

const BUCKET: &str = "/w/root:acme:shop/promises/object-bucket";
const REDIS_FORM: &str = "/w/root:acme:shop/promises/redis/request";
const LIST: &str = "/w/root:acme:shop/requests/default";

fn promises(product: &Product) -> Api<Promise> {
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    Api::all(product.running.portal.endpoint.client(product.admin(), &scope))
}

/// Makes the sample promise for buckets require something.
async fn requires(product: &Product, requires: Value) {
    let next = json!({"spec": {"version": "99.0.0", "requires": requires}});
    promises(product).patch("object-bucket", &PatchParams::default(), &Patch::Merge(&next)).await.expect("changed");
}

async fn write(product: &Product, name: &str, promise: &str) {
    let promise = PromiseRef { name: promise.into(), workspace: Some("root:platform".into()), version: None };
    let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
    let request = object::<PromiseRequestKind>(name, Some("default"), spec);
    requests(product).create(&PostParams::default(), &request).await.expect("a request");
}

/// Publishes a promise whose only resource is a request of another one, named after it.
async fn publish_request_of(product: &Product, name: &str, other: &str) {
    let promise = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": name},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {
                "displayName": name, "summary": "Requests another promise.", "category": "data", "maintainer": {"team": "Platform"},
            },
            "parameters": {"type": "object", "properties": {}},
            "implementation": {"resources": [{"id": "inner", "template": {
                "apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest",
                "metadata": {"name": format!("${{request.name}}-{other}")},
                "spec": {"promise": {"name": other, "workspace": "root:platform"}},
            }}]},
        },
    });
    promises(product).create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise")).await.expect("published");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_form_of_what_is_required_leads_back_to_the_draft() {
    let product = Product::open().await;
    requires(&product, json!([{"promise": "redis"}])).await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.until(BUCKET, |answer| answer.text.contains("Required first")).await;
    assert!(page.text.contains(&format!("href=\"{REDIS_FORM}?for=form:object-bucket\"")), "{}", page.text);

    // The button of the form keeps what was typed.
    let form = format!("{BUCKET}/request");
    let opened = browser.get(&form).await;
    assert!(opened.text.contains("value=\"require:redis\"") && opened.text.contains("href=\"#required\""), "{}", opened.text);
    let pressed = fill(&mut browser, &form, &[("/name", "reports"), ("/reason", "")], "require:redis").await;
    let (redis, needed_for) = pressed.location().split_once("?for=").expect("what it is for");
    assert_eq!((pressed.status, redis), (StatusCode::SEE_OTHER, REDIS_FORM));
    let draft = needed_for.strip_prefix("form:object-bucket%2F").expect("the draft").to_owned();
    let opened = browser.get(pressed.location()).await;
    let back = format!("{form}?draft={draft}");
    assert!(opened.text.contains("Required for object-bucket") && opened.text.contains(&format!("href=\"{back}\"")), "{}", opened.text);

    // A step of its form remembers it, too.
    let needed_for = opened.hidden("_for");
    let values = [("/name", "carts"), ("/reason", ""), ("_for", needed_for.as_str())];
    let review = fill(&mut browser, REDIS_FORM, &values, "review").await;
    let draft = review.location().split("draft=").nth(1).expect("a draft").to_owned();
    let again = browser.get(&format!("{REDIS_FORM}?draft={draft}")).await;
    assert_eq!(again.hidden("_for"), needed_for);
    let page = browser.get(review.location()).await;
    let (token, cluster) = (page.hidden("_token"), page.hidden("_cluster"));
    let submit = [("_token", token.as_str()), ("_cluster", cluster.as_str()), ("_draft", draft.as_str()), ("_op", "submit")];
    let submitted = browser.send_form(REDIS_FORM, &submit).await;
    assert_eq!(submitted.location(), format!("{LIST}/carts?for={}", needed_for.replace('/', "%2F")));
    let ready = browser.until(submitted.location(), |answer| answer.text.contains("You can submit object-bucket now.")).await;
    assert!(ready.text.contains("Continue with object-bucket") && ready.text.contains(&format!("href=\"{back}\"")), "{}", ready.text);
    let continued = browser.until(&back, |answer| !answer.text.contains("Required first")).await;
    assert!(continued.text.contains("value=\"reports\""), "what was typed is there: {}", continued.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_required_says_who_can_help_if_there_is_no_form() {
    let product = Product::open().await;
    requires(&product, json!([{"promise": "redis"}, {"promise": "vault"}, {"api": "example.org/Thing", "destination": "sandbox"}])).await;
    let mut viewer = product.signed_in("viewer-shop").await;
    let page = viewer.until(BUCKET, |answer| answer.text.contains("Required first")).await;
    let list = page.text.split("id=\"required\"").nth(1).and_then(|rest| rest.split("</ul>").next()).expect("a list");
    assert!(list.contains("href=\"/w/root:acme:shop/promises/redis\"") && !list.contains("?for="), "{list}");
    assert!(list.contains("offered in this workspace. Ask the platform team."), "{list}");
    assert!(list.contains("The kind Thing of example.org at sandbox") && list.contains("The platform team can provide it."), "{list}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_waits_for_what_is_required_links_to_its_form() {
    let product = Product::open().await;
    requires(&product, json!([{"promise": "redis"}])).await;
    let mut browser = product.signed_in("dev-shop").await;
    browser.until(BUCKET, |answer| answer.text.contains("Required first")).await;
    write(&product, "reports", "object-bucket").await;
    let own = format!("{LIST}/reports");
    let link = format!("href=\"{REDIS_FORM}?for=request:default%2Freports\"");
    browser.until(&own, |answer| answer.text.contains(&link)).await;
    let form = browser.get(&format!("{REDIS_FORM}?for=request:default%2Freports")).await;
    assert!(form.text.contains(&format!("href=\"{own}\">Back to reports")), "{}", form.text);
    write_request(&product, "carts").await;
    browser.until(&own, |answer| answer.status == StatusCode::OK && !answer.text.contains("Required first")).await;
    let after = browser.get(&format!("{LIST}/carts?for=request:default%2Freports")).await;
    assert!(after.text.contains("reports continues automatically"), "{}", after.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_form_is_needed_for_never_leads_to_another_site() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let all =
        ["https://evil.example/", "//evil.example", "form:..", "form:a@//evil.example", "request:default/../../x", "javascript:alert(1)"];
    for hostile in all {
        let encoded = hostile.replace('/', "%2F");
        for page in [format!("{REDIS_FORM}?for={encoded}"), format!("{LIST}/absent?for={encoded}")] {
            let text = browser.get(&page).await.text;
            assert!(!text.contains("name=\"_for\"") && !text.contains("Back to") && !text.contains("Continue with"), "{page}: {text}");
        }
    }
    let values = [("/name", "carts"), ("/reason", ""), ("_for", "https://evil.example/")];
    let submitted = fill(&mut browser, REDIS_FORM, &values, "submit").await;
    assert_eq!(submitted.location(), format!("{LIST}/carts"));
    // Nor does a button lead to anything but the form of a promise.
    for operation in ["require:https://evil.example", "require:..", "require:"] {
        let pressed = fill(&mut browser, REDIS_FORM, &[("/name", "carts"), ("/reason", "")], operation).await;
        assert!(pressed.location().starts_with(&format!("{REDIS_FORM}?draft=")), "{operation}: {}", pressed.location());
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_are_listed_up_to_the_root_and_deleting_what_they_create_says_so() {
    let product = Product::open().await;
    publish_request_of(&product, "stack", "redis").await;
    publish_request_of(&product, "shop", "stack").await;
    let mut browser = product.signed_in("dev-shop").await;
    write(&product, "mall", "shop").await;
    let link = |name: &str| format!("href=\"{LIST}/{name}\"");
    let own = |answer: &crate::browser::Answer| {
        answer.text.split("id=\"related\"").nth(1).and_then(|rest| rest.split("</section>").next()).unwrap_or_default().to_owned()
    };
    let leaf = format!("{LIST}/mall-stack-redis");
    let page = browser.until(&leaf, |answer| own(answer).contains("Created for, nearest first")).await;
    let related = own(&page);
    let (nearest, root) = (related.find(&link("mall-stack")).expect("its owner"), related.find(&link("mall")).expect("the root"));
    assert!(nearest < root, "{related}");
    let root = browser.until(&format!("{LIST}/mall"), |answer| own(answer).contains(&link("mall-stack"))).await;
    assert!(own(&root).contains("Creates"), "{}", root.text);
    let deletion = browser.until(&format!("{leaf}/delete"), |answer| answer.text.contains("creates it again")).await;
    assert!(deletion.text.contains(&link("mall-stack")), "{}", deletion.text);
    let deletion = browser.get(&format!("{LIST}/mall/delete")).await;
    assert!(deletion.status == StatusCode::OK && !deletion.text.contains("creates it again"), "{}", deletion.text);
    product.running.close().await;
}
