//! The REST API, as programs use it: with a bearer token of the plane and nothing else.

mod access;
mod approvals;
mod lists;
mod requests;
mod roles;
mod runs;
mod schedules;
mod steps;
mod watch;
mod windows;

use axum::body::Body;
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::browser::{Answer, HOST, Product};
use crate::programs::token;

/// A workspace in which requests are made.
const SHOP: &str = "/api/v1/workspaces/root:acme:shop";

/// A program that acts as somebody.
pub struct Program<'p> {
    product: &'p Product,
    token: Option<String>,
}

impl<'p> Program<'p> {
    /// A program with the token of a person.
    pub fn of(product: &'p Product, person: &str) -> Self {
        Self { product, token: Some(token(product, person)) }
    }

    /// Sends a call and returns how the answer begins: streams have no end.
    async fn begins(&self, method: Method, address: &str, headers: &[(&str, &str)], body: &str) -> (StatusCode, String) {
        let answer = self.product.router.clone().oneshot(self.call(method, address, headers, body)).await.expect("an answer");
        let (status, mut body) = (answer.status(), answer.into_body());
        let first = match body.frame().await {
            Some(frame) => frame.expect("a frame").into_data().unwrap_or_default(),
            None => bytes::Bytes::new(),
        };
        (status, String::from_utf8_lossy(&first).into_owned())
    }

    /// A call, not sent yet.
    fn call(&self, method: Method, address: &str, headers: &[(&str, &str)], body: &str) -> Request<Body> {
        let mut request = Request::builder().method(method).uri(address).header(header::HOST, HOST);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::from(body.to_owned())).expect("a request")
    }

    /// Makes a call.
    pub async fn send(&self, method: Method, address: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.product.browser().send(self.call(method, address, headers, body)).await
    }

    /// Reads what has to be there.
    pub async fn read(&self, address: &str) -> Value {
        let answer = self.send(Method::GET, address, &[], "").await;
        assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.text);
        json_of(&answer)
    }

    /// Reads until an answer fits: what the portal knows follows the plane a moment later.
    pub async fn until(&self, address: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let asking = async {
            loop {
                let answer = self.send(Method::GET, address, &[], "").await;
                if answer.status == StatusCode::OK && fits(&json_of(&answer)) {
                    return json_of(&answer);
                }
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(60), asking).await.unwrap_or_else(|_| panic!("{address} never fits"))
    }
}

fn json_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{} isn't JSON", answer.text))
}

/// A problem: its status, the kind of its reason, and the pointers of its fields.
fn problem(answer: &Answer) -> (u16, String, Vec<String>) {
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json", "{}", answer.text);
    let problem = json_of(answer);
    assert_eq!(problem["status"], answer.status.as_u16(), "{problem}");
    assert!(
        !problem["title"].as_str().unwrap_or_default().is_empty() && !problem["detail"].as_str().unwrap_or_default().is_empty(),
        "{problem}"
    );
    let kind = problem["reason"]["kind"].as_str().unwrap_or_default().to_owned();
    assert_eq!(problem["type"], format!("/docs/api#{kind}"), "{problem}");
    let pointer = |one: &Value| one["pointer"].as_str().unwrap_or_default().to_owned();
    let pointers = problem["errors"].as_array().map(|errors| errors.iter().map(pointer).collect()).unwrap_or_default();
    (answer.status.as_u16(), kind, pointers)
}

/// A PromiseRequest.
fn manifest(name: &str, promise: &str, parameters: &Value) -> String {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": name},
        "spec": {"promise": {"name": promise}, "parameters": parameters},
    })
    .to_string()
}
