//! Programs: with a bearer token of the plane and nothing else they are told what would become of a request.

use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::{Value, json};

use crate::access::version;
use crate::browser::{Answer, HOST, Product};

const PREFLIGHT: &str = "/api/v1/workspaces/root:acme:shop/preflight";

fn request(name: &str, promise: &str, parameters: &Value) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": name},
        "spec": {"promise": {"name": promise}, "parameters": parameters},
    })
}

async fn ask(product: &Product, authorization: Option<&str>, body: String) -> Answer {
    let mut request = Request::post(PREFLIGHT).header(header::HOST, HOST);
    if let Some(authorization) = authorization {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    product.browser().send(request.body(Body::from(body)).expect("a request")).await
}

pub fn token(product: &Product, person: &str) -> String {
    product.running.sandbox.as_ref().expect("an embedded plane").identities.token(person).expect("a person").expose().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bearer_token_opens_what_is_for_programs_and_nothing_is_written() {
    let product = Product::quiet().await;
    let before = version(&product).await;
    let redis = request("carts", "redis", &json!({"size": "medium"}));
    for wrong in [None, Some("Bearer"), Some("Bearer nobody"), Some("Basic ZGV2OnNob3A=")] {
        let answer = ask(&product, wrong, redis.to_string()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{wrong:?}");
        assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer", "{wrong:?}");
    }
    let [developer, stranger, viewer] = ["dev-shop", "dev-data", "viewer-shop"].map(|person| format!("Bearer {}", token(&product, person)));
    assert_eq!(ask(&product, Some(&stranger), redis.to_string()).await.status, StatusCode::NOT_FOUND);

    let answer = ask(&product, Some(&developer), redis.to_string()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let said: Value = serde_json::from_str(&answer.text).expect("JSON");
    assert_eq!(said["verdict"], "unknown", "without a controller no version is published: {said:#}");
    assert_eq!(said["price"]["monthly"], "21.00", "{said:#}");
    assert_eq!(said["dryRun"]["result"], "passed", "{said:#}");
    assert_eq!(said["parameters"]["replicas"], 1, "{said:#}");

    let said: Value = serde_json::from_str(&ask(&product, Some(&viewer), redis.to_string()).await.text).expect("JSON");
    assert_eq!(said["dryRun"]["result"], "refused", "who may not order is told by the plane: {said:#}");

    for (body, pointer) in [
        ("kind: Promise".to_owned(), "/apiVersion"),
        ("a: [".to_owned(), ""),
        (request("Not A Name", "redis", &json!({})).to_string(), "/metadata/name"),
        (request("carts", "no-such-promise", &json!({})).to_string(), "/spec/promise/name"),
    ] {
        let answer = ask(&product, Some(&developer), body).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
        let said: Value = serde_json::from_str(&answer.text).expect("JSON");
        assert_eq!(said["errors"][0]["pointer"], pointer, "{said:#}");
    }
    for namespace in ["default?x=", "default#", "a/../b", "..", "default/promiserequests/there", ""] {
        let mut elsewhere = redis.clone();
        elsewhere["metadata"]["namespace"] = namespace.into();
        let answer = ask(&product, Some(&developer), elsewhere.to_string()).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{namespace}: {}", answer.text);
        let said: Value = serde_json::from_str(&answer.text).expect("JSON");
        assert_eq!(said["errors"][0]["pointer"], "/metadata/namespace", "{namespace}: {said:#}");
    }
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}
