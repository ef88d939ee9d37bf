//! Suggestions in forms: names of objects as the person can list them, never their contents; without them, an input as any other.

use cluster::kinds::Promise;
use cluster::{Scope, WorkspacePath};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, PostParams};
use serde_json::{Value, json};

use crate::browser::Product;

const FORM: &str = "/w/root:acme:shop/promises/links/request";
/// What is in the object; no other text of the product contains it.
const MARKER: &str = "correct-horse-41de";

fn client(product: &Product, path: &str) -> kube::Client {
    product.running.portal.endpoint.client(product.admin(), &Scope::Workspace(WorkspacePath::parse(path).expect("a path")))
}

/// Publishes a promise with a field for each reference.
async fn publish(product: &Product, references: &[(&str, Value)]) {
    let properties: Value = references.iter().map(|(name, _)| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let hints: Value = references.iter().map(|(name, reference)| (format!(".{name}"), json!({"reference": reference}))).collect();
    let promise = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "links"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Links", "summary": "Names.", "category": "data", "maintainer": {"team": "Platform"}},
            "parameters": {"type": "object", "properties": properties},
            "form": {"fields": hints},
            "implementation": {"resources": [{"id": "note", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-links"}, "data": {"a": "b"},
            }}]},
        },
    });
    let api: Api<Promise> = Api::all(client(product, "root:platform"));
    api.create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise")).await.expect("published");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_are_suggested_as_far_as_the_person_can_list_them() {
    let product = Product::open().await;
    publish(
        &product,
        &[
            ("settings", json!({"apiVersion": "v1", "kind": "ConfigMap"})),
            ("login", json!({"apiVersion": "v1", "kind": "Secret"})),
            ("role", json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"})),
            ("wheel", json!({"apiVersion": "example.org/v1", "kind": "Wheel"})),
            ("peer", json!({"promise": "links"})),
        ],
    )
    .await;
    let maps: Api<ConfigMap> = Api::namespaced(client(&product, "root:acme:shop"), "default");
    let map = json!({"metadata": {"name": "shop-colours"}, "data": {"first": MARKER}});
    maps.create(&PostParams::default(), &serde_json::from_value(map).expect("a ConfigMap")).await.expect("created");

    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.until(FORM, |answer| answer.text.contains("name=\"/parameters/login\"")).await;
    for shown in [
        "value=\"shop-colours\"",
        "Objects of kind Wheel don&#x27;t exist in root:acme:shop.",
        "Objects of kind Secret aren&#x27;t suggested, because you can&#x27;t list them here. Enter one.",
        "Objects of kind ClusterRole aren&#x27;t suggested, because you can&#x27;t list them here. Enter one.",
    ] {
        let plain = shown.replace("&#x27;", "'");
        assert!(page.text.contains(shown) || page.text.contains(&plain), "{shown}: {}", page.text);
    }
    let list = page.text.split("name=\"/parameters/peer\"").nth(1).and_then(|rest| rest.split('>').next()).expect("an input");
    assert!(!list.contains(" list="), "there is no request of the promise yet: {list}");
    assert!(!page.text.contains(MARKER), "{}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outputs_of_ready_requests_are_suggested_and_secret_ones_never() {
    let product = Product::open().await;
    let output = |promise: &str, output: &str| json!({"promise": promise, "output": output});
    publish(&product, &[("cache", output("redis", "host")), ("login", output("redis", "url")), ("database", output("postgresql", "host"))])
        .await;
    crate::access::write_request(&product, "carts").await;
    let mut browser = product.signed_in("dev-shop").await;
    let carts = browser.until("/w/root:acme:shop/requests/default/carts", |answer| answer.text.contains("Ready to use")).await;
    assert!(carts.text.contains("Name of the service inside the cluster."), "{}", carts.text);

    let page = browser.until(FORM, |answer| answer.text.contains("name=\"/parameters/login\"")).await;
    let field = |name: &str| {
        let rest = page.text.split(&format!("name=\"/parameters/{name}\"")).nth(1).expect("an input");
        rest.split("class=\"field\"").next().expect("a field").to_owned()
    };
    let cache = field("cache");
    assert!(cache.contains("<option value=\"carts") && cache.contains(">carts</option>"), "the value, labelled by its request: {cache}");
    assert!(cache.contains("The value is copied when you submit"), "{cache}");
    for (name, promise) in [("login", "redis"), ("database", "postgresql")] {
        let field = field(name);
        assert!(!field.contains("<option"), "{field}");
        assert!(field.contains(&format!("No request of {promise} in root:acme:shop is ready and has this output.")), "{field}");
    }
    product.running.close().await;
}
