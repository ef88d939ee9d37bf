//! A promise whose parameters are a JSON Schema: as its author wrote it on the plane, as fields in the form, with every keyword checked.

use cluster::kinds::{Promise, PromiseRequest, PromiseRevision};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::api::{Api, ListParams, PostParams};
use serde_json::{Value, json};

use crate::browser::{Product, fill};

const FORM: &str = "/w/root:acme:shop/promises/site/request";
const REQUESTS: &str = "/w/root:acme:shop/requests/default";

fn schema() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["host"],
        "properties": {
            "host": {"$ref": "#/definitions/host"},
            "public": {"type": "boolean"},
            "range": {"type": "array", "items": [{"type": "integer"}, {"type": "integer"}], "additionalItems": false},
        },
        "if": {"required": ["public"], "properties": {"public": {"const": true}}},
        "then": {"required": ["contact"], "properties": {"contact": {"type": "string", "minLength": 3}}},
        "definitions": {"host": {"type": "string", "minLength": 1, "description": "Name of the host."}},
    })
}

fn site(parameters: Value) -> Value {
    json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "site"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Site", "summary": "A site.", "category": "data", "maintainer": {"team": "Platform"}},
            "parameters": parameters,
            "implementation": {"resources": [{"id": "note", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"host": "${parameters.host}"},
            }}]},
        },
    })
}

async fn publish(product: &Product, promise: Value) -> Api<Promise> {
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let api: Api<Promise> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    api.create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise")).await.expect("written");
    api
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_keyword_of_a_json_schema_counts_in_the_form_and_on_the_plane() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, site(schema())).await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.until(FORM, |answer| answer.status == StatusCode::OK && answer.text.contains("name=\"/name\"")).await;
    for field in ["name=\"/parameters/host\"", "name=\"/parameters/public\"", "name=\"/parameters/contact\"", "Name of the host"] {
        assert!(page.text.contains(field), "{field}: {}", page.text);
    }

    // The revision has what the author wrote.
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let revisions: Api<PromiseRevision> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    let revisions = revisions.list(&ListParams::default()).await.expect("the revisions").items;
    let revision = revisions.iter().find(|revision| revision.spec.promise == "site").expect("a revision");
    assert_eq!(serde_json::to_value(&revision.spec).expect("JSON")["spec"]["parameters"], schema());

    let kept = fill(&mut browser, FORM, &[("/name", "docs"), ("/parameters/host", "docs"), ("/parameters/public", "true")], "review").await;
    let page = browser.follow(kept).await;
    assert!(page.text.contains("There is a problem") && page.text.contains("Enter a value for “Contact”."), "{}", page.text);
    let pairs = [("/name", "docs"), ("/parameters/host", "docs"), ("/parameters/public", "true"), ("/parameters/contact", "team")];
    let kept = fill(&mut browser, FORM, &pairs, "review").await;
    let page = browser.follow(kept).await;
    assert!(page.text.contains("Review docs"), "{}", page.text);

    // What kubectl writes is checked by the same schema.
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let requests: Api<PromiseRequest> = Api::namespaced(product.running.portal.endpoint.client(product.admin(), &scope), "default");
    let request = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": "wiki", "namespace": "default"},
        "spec": {"promise": {"name": "site"}, "parameters": {"host": "wiki", "range": [1, 2, 3], "more": {"kept": true}}},
    });
    requests.create(&PostParams::default(), &serde_json::from_value(request).expect("a request")).await.expect("written");
    let page = browser.until(&format!("{REQUESTS}/wiki"), |answer| answer.text.contains("/edit#")).await;
    assert!(page.text.contains("Remove entries from range: at most 2 are allowed."), "{}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_json_schema_that_refers_to_another_document_is_refused_and_nothing_is_fetched() {
    let product = Product::open().await;
    let mut parameters = schema();
    parameters["properties"]["host"] = json!({"$ref": "https://example.org/host.json"});
    let api = publish(&product, site(parameters)).await;
    let mut changes = product.running.portal.world.promises.changes();
    let message = loop {
        let status = api.get("site").await.expect("the promise").status.unwrap_or_default();
        match status.conditions.iter().find(|condition| condition.r#type == "Published") {
            Some(condition) => break condition.message.clone(),
            None => changes.recv().await.expect("a change"),
        };
    };
    assert!(
        message.contains(".parameters.properties.host") && message.contains("Copy the schema that https://example.org/host.json"),
        "{message}"
    );
    product.running.close().await;
}
