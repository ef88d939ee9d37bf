//! The event stream of a request: each state until it is gone, and nothing for others.

use std::time::Duration;

use axum::body::Body;
use http::{Method, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{Program, SHOP, manifest};
use crate::browser::Product;

const CARTS: &str = "/api/v1/workspaces/root:acme:shop/requests/default/carts";

/// An open stream, with what arrived and wasn't read yet.
struct Events {
    response: Response<Body>,
    rest: String,
}

impl Events {
    async fn open(program: &Program<'_>, address: &str) -> Self {
        let request = program.call(Method::GET, address, &[], "");
        let response = program.product.router.clone().oneshot(request).await.expect("an answer");
        Self { response, rest: String::new() }
    }

    /// The next event: its name and its data.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.rest.clone().split_once("\n\n") {
                rest.clone_into(&mut self.rest);
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
                match (field("event:"), field("data:")) {
                    (Some(name), Some(data)) => return Some((name, serde_json::from_str(&data).expect("JSON"))),
                    _ => continue,
                }
            }
            let frame = tokio::time::timeout(Duration::from_secs(60), self.response.body_mut().frame()).await.expect("an event")?;
            let data = frame.expect("a frame").into_data().expect("data");
            self.rest.push_str(std::str::from_utf8(&data).expect("text"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_followed_until_it_is_gone() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let program = Program::of(&product, "dev-shop");
    let created =
        program.send(Method::POST, &format!("{SHOP}/requests"), &[], &manifest("carts", "redis", &json!({"size": "small"}))).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    let mut events = Events::open(&program, &format!("{CARTS}/watch")).await;
    assert_eq!(events.response.status(), StatusCode::OK);
    assert_eq!(events.response.headers()[header::CONTENT_TYPE], "text/event-stream");
    let mut last = Value::Null;
    loop {
        let (name, request) = events.next().await.expect("more");
        assert_eq!((name.as_str(), &request["name"]), ("request", &json!("carts")), "{request:#}");
        assert_ne!(request, last, "each event tells something new");
        if request["state"] == "ready" {
            break;
        }
        last = request;
    }
    let deleted = program.send(Method::DELETE, CARTS, &[], "").await;
    assert!(deleted.status.is_success(), "{}", deleted.text);
    loop {
        let (name, data) = events.next().await.expect("more");
        if name == "gone" {
            assert_eq!(data, json!({"namespace": "default", "name": "carts"}));
            break;
        }
        assert_eq!(name, "request", "{data:#}");
    }
    assert_eq!(events.next().await, None, "nothing follows");
    for (person, name) in [("dev-data", "carts"), ("dev-shop", "absent")] {
        let refused = Events::open(&Program::of(&product, person), &format!("{SHOP}/requests/default/{name}/watch")).await;
        assert_eq!(refused.response.status(), StatusCode::NOT_FOUND, "{person} {name}");
    }
    product.running.close().await;
}
