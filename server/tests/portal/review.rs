//! The last step before a request or an edit is submitted, and what an edit writes.

use std::time::Duration;

use cluster::kinds::{Promise, PromiseRequest};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, Product, request_form};

const SHOP: &str = "root:acme:shop";
const REQUEST: &str = "/w/root:acme:shop/promises/service/request";

/// A promise with objects in objects, rows in rows, and a default.
pub(crate) fn service() -> Value {
    let port = json!({"type": "object", "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}});
    let size = json!({"type": "object", "properties": {"cpu": {"type": "string"}, "memory": {"type": "string"}}});
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let rule = json!({"type": "object", "properties": {"host": {"type": "string"}, "paths": {"type": "array", "items": path}}});
    json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "service"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Service", "summary": "A service.", "category": "data", "maintainer": {"team": "Platform"}},
            "parameters": {"type": "object", "properties": {
                "replicas": {"type": "integer", "default": 1},
                "resources": {"type": "object", "properties": {"requests": size.clone(), "limits": size}},
                "ports": {"type": "array", "items": port},
                "rules": {"type": "array", "items": rule},
            }},
            "implementation": {"resources": [{"id": "note", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"replicas": "${string(parameters.replicas)}"},
            }}]},
        },
    })
}

pub(crate) fn promises(product: &Product) -> Api<Promise> {
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    Api::all(product.running.portal.endpoint.client(product.admin(), &scope))
}

pub(crate) fn requests(product: &Product) -> Api<PromiseRequest> {
    let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
    Api::namespaced(product.running.portal.endpoint.client(product.admin(), &scope), "default")
}

pub(crate) async fn publish(product: &Product, promise: Value) {
    let promise = serde_json::from_value(promise).expect("a promise");
    promises(product).create(&PostParams::default(), &promise).await.expect("written");
}

/// A request as `kubectl create` writes it.
pub(crate) async fn by_kubectl(product: &Product, name: &str, parameters: Value) -> PromiseRequest {
    let request = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": name, "namespace": "default"},
        "spec": {"promise": {"name": "service"}, "parameters": parameters},
    });
    let params = PostParams { field_manager: Some("kubectl-create".to_owned()), ..PostParams::default() };
    requests(product).create(&params, &serde_json::from_value(request).expect("a request")).await.expect("written")
}

/// The text of a page without its tags.
pub(crate) fn words(page: &str) -> String {
    let text: String = page.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| format!("{text} ")).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Part of a page from one text to another.
pub(crate) fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("{from}: {text}")).1;
    rest.split_once(to).map_or(rest, |(part, _)| part)
}

/// The inputs of the form of a request as they are on its page.
pub(crate) fn inputs(page: &str) -> Vec<(String, String)> {
    let plain = |text: &str| text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let form = between(page, "id=\"request\"", "</form>");
    let of = |input: &str, name: &str| {
        input.split_once(&format!(" {name}=\"")).map(|(_, rest)| plain(rest.split('"').next().unwrap_or_default()))
    };
    let tags = form.split("<input").skip(1).map(|input| input.split('>').next().unwrap_or_default());
    let sent = |input: &&str| !(input.contains("type=\"checkbox\"") || input.contains("type=\"radio\"")) || input.contains(" checked");
    tags.filter(sent).filter_map(|input| Some((of(input, "name")?, of(input, "value").unwrap_or_default()))).collect()
}

/// Changes some inputs of a form and follows it to the review.
async fn review(browser: &mut Browser, form: &str, pairs: &[(&str, &str)]) -> Answer {
    let page = browser.get(form).await;
    let mut all = inputs(&page.text);
    for (name, value) in pairs {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, text)) => *text = (*value).to_owned(),
            None => panic!("{name} is no input of {form}: {}", page.text),
        }
    }
    let all: Vec<(&str, &str)> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain([("_op", "review")]).collect();
    let answer = browser.act(request_form(form).0, &all).await;
    let address = answer.location().to_owned();
    assert!(address.contains("/review?"), "{address}: {}", answer.text);
    browser.get(&address).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_review_has_the_headings_of_the_form_and_says_of_an_edit_what_changes() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, service()).await;
    let size = |cpu: &str| json!({"cpu": cpu, "memory": "500Mi"});
    let rules = json!([{"host": "a.example.org"}, {"host": "b.example.org", "paths": [{"path": "/api"}]}]);
    let ports = json!([{"name": "web", "port": 80}, {"name": "admin", "port": 81}]);
    let parameters = json!({"resources": {"requests": size("500m"), "limits": size("1")}, "rules": rules, "ports": ports});
    by_kubectl(&product, "nested", parameters).await;
    let api = requests(&product);
    let accepted = |request: Option<&PromiseRequest>| {
        request.and_then(|request| request.status.as_ref()).is_some_and(|status| status.current.is_some())
    };
    let waiting = kube::runtime::wait::await_condition(api, "nested", accepted);
    tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("in time").expect("accepted");

    let mut browser = product.signed_in("dev-shop").await;
    browser.until("/w/root:acme:shop/promises/service", |answer| answer.text.contains("Available</span>")).await;
    let copy = format!("{REQUEST}?start=request%3Adefault%2Fnested");
    let page = review(&mut browser, &copy, &[("/name", "copied")]).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let text = words(&page.text);
    let summary = between(&text, "Summary ", "Submit request");
    for said in [
        "Resources › Requests CPU 500m",
        "Resources › Limits CPU 1",
        "Rule 1 (a.example.org) Host a.example.org",
        "Rule 2 (b.example.org) › Path 1 (/api) Path /api",
        "Port 2 (admin) Name admin",
    ] {
        assert!(summary.contains(said), "{said}: {summary}");
    }

    let edit = "/w/root:acme:shop/requests/default/nested/edit";
    let pairs = [("/parameters/ports/0/port", "8080"), ("/parameters/resources/requests/cpu", "2"), ("/parameters/replicas", "3")];
    let page = review(&mut browser, edit, &pairs).await;
    let text = words(&page.text);
    let changes = between(&text, "Changes ", "Show all");
    for said in
        ["Port 1 (web) Port Before: 80 After: 8080", "Resources › Requests CPU Before: 500m After: 2", "Replicas Before: 1 After: 3"]
    {
        assert!(changes.contains(said), "{said}: {changes}");
    }
    assert!(changes.contains("3 changed") && !changes.contains("Memory") && !changes.contains("admin"), "{changes}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_of_a_request_by_kubectl_changes_only_what_was_edited() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, service()).await;
    let made = by_kubectl(&product, "by-kubectl", json!({"resources": {"requests": {"cpu": "1"}}})).await;
    let mut browser = product.signed_in("dev-shop").await;
    browser.until("/w/root:acme:shop/promises/service", |answer| answer.text.contains("Available</span>")).await;
    let edit = "/w/root:acme:shop/requests/default/by-kubectl/edit";
    let page = browser.get(edit).await;
    assert!(!page.text.contains("Changed by someone else") && !page.text.contains("is applied by"), "{}", page.text);

    let page = review(&mut browser, edit, &[]).await;
    assert!(page.text.contains("No values change"), "{}", page.text);
    let submitted = submit(&mut browser, &page).await;
    assert!(submitted.location().contains("/requests/default/by-kubectl"), "{}: {}", submitted.location(), submitted.text);
    let current = requests(&product).get("by-kubectl").await.expect("the request");
    assert_eq!(json!(current.spec), json!(made.spec), "an unchanged edit");
    assert_eq!(current.metadata.generation, made.metadata.generation, "nothing was written");

    let page = review(&mut browser, edit, &[("/parameters/resources/requests/cpu", "2")]).await;
    let submitted = submit(&mut browser, &page).await;
    assert!(submitted.location().contains("/requests/default/by-kubectl"), "{}: {}", submitted.location(), submitted.text);
    let current = requests(&product).get("by-kubectl").await.expect("the request");
    let mut wanted = json!(made.spec);
    wanted["parameters"]["resources"]["requests"]["cpu"] = json!("2");
    assert_eq!(json!(current.spec), wanted, "no default and no home is added");

    // What applies a file can undo an edit, and the form says so. It doesn't keep the edit from being written.
    let applied = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": "by-kubectl", "namespace": "default"},
        "spec": {"promise": {"name": "service"}, "parameters": {"resources": {"requests": {"cpu": "3"}}}},
    });
    requests(&product).patch("by-kubectl", &PatchParams::apply("argocd").force(), &Patch::Apply(&applied)).await.expect("applied");
    let page = browser.get(edit).await;
    assert!(page.text.contains("This request is applied by argocd"), "{}", page.text);
    let page = review(&mut browser, edit, &[("/parameters/resources/requests/cpu", "4")]).await;
    submit(&mut browser, &page).await;
    let current = requests(&product).get("by-kubectl").await.expect("the request");
    assert_eq!(current.spec.parameters, Some(json!({"resources": {"requests": {"cpu": "4"}}})));
    product.running.close().await;
}

/// Presses the button of a review.
pub(crate) async fn submit(browser: &mut Browser, page: &Answer) -> Answer {
    let action = between(&page.text, "<form method=\"post\" action=\"/do/requests/", "\"");
    let hidden = between(&page.text, &format!("/do/requests/{action}\""), "</form>");
    let mut pairs: Vec<(String, String)> = Vec::new();
    for input in hidden.split("<input type=\"hidden\" ").skip(1) {
        let of = |name: &str| between(input, &format!("{name}=\""), "\"").to_owned();
        pairs.push((of("name"), of("value")));
    }
    pairs.push(("_op".to_owned(), "submit".to_owned()));
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.post(&format!("/do/requests/{action}"), &pairs).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_promise_is_not_offered_and_a_refused_update_is_named_beside_what_is_offered() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut broken = service();
    broken["metadata"]["name"] = json!("broken");
    broken["spec"]["presentation"]["displayName"] = json!("Broken service");
    broken["spec"]["implementation"]["resources"][0]["template"]["data"]["replicas"] = json!("${parameters.nosuch}");
    publish(&product, broken).await;
    publish(&product, service()).await;
    let mut browser = product.signed_in("dev-shop").await;
    let address = "/w/root:acme:shop/promises/broken";
    let page = browser.until(address, |answer| answer.text.contains("1.0.0 was refused")).await;
    assert!(!page.text.contains("Available</span>") && !page.text.contains("broken/request\""), "{}", page.text);
    assert!(page.text.contains("No version of this promise is published yet") && !page.text.contains("Version 1.0.0"), "{}", page.text);
    let form = browser.get(&format!("{address}/request")).await;
    assert!(!form.text.contains("value=\"review\""), "{}", form.text);
    let list = browser.get("/w/root:acme:shop/catalog?q=broken").await;
    let text = words(&list.text);
    assert!(text.contains("Broken service") && text.contains("No version of this promise is published yet"), "{text}");
    assert!(!between(&text, "Broken service", "No version of").contains("Available"), "{text}");

    let address = "/w/root:acme:shop/promises/service";
    browser.until(address, |answer| answer.text.contains("Version 1.0.0")).await;
    let change = json!({"spec": {"version": "2.0.0", "outputs": [{"name": "a", "value": "${nosuch}"}]}});
    promises(&product).patch("service", &PatchParams::default(), &Patch::Merge(&change)).await.expect("changed");
    let page = browser.until(address, |answer| answer.text.contains("2.0.0 was refused")).await;
    assert!(page.text.contains("Version 1.0.0") && page.text.contains("Available</span>"), "{}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_a_promise_lists_optional_objects_and_rows() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, service()).await;
    let mut browser = product.signed_in("dev-shop").await;
    let address = "/w/root:acme:shop/promises/service?tab=fields";
    let page = browser.until(address, |answer| answer.text.contains(".replicas")).await;
    for path in [".resources.requests.cpu", ".ports[*].port", ".rules[*].paths[*].path"] {
        assert!(page.text.contains(path), "{path}: {}", page.text);
    }
    product.running.close().await;
}
