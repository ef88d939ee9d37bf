//! Who is let in: every operation without a token, with a wrong one, with a session instead, as a stranger and as somebody who may only look.

use std::collections::BTreeSet;

use http::{Method, StatusCode, header};
use opm_portal::routes::{self, Access, Route};
use promise::rest::operation::{
    ACTION, BASE, CANCEL_RUN, DECISIONS, OPENAPI, OPERATIONS, PUBLICATION, RETRY_RUN, SIGN_IN, SKIP, SKIP_IN_RUN, STOP_ROLLOUT,
};
use serde_json::{Value, json};

use super::{Program, json_of, manifest, problem};
use crate::access::{comparable, version, write_request, write_run};
use crate::browser::{HOST, Product};

/// Name of a request that is there.
const THERE: &str = "zebra";
/// A name of the same length that no request has.
const ABSENT: &str = "zorro";

pub(super) fn operations() -> Vec<Route> {
    routes::table().into_iter().filter(|route| route.pattern.starts_with(BASE)).collect()
}

/// The address of an operation in the shop.
pub(super) fn address(route: &Route, request: &str) -> String {
    let name = if route.pattern.contains("/promises/") { "redis" } else { request };
    route
        .pattern
        .replace("{workspace}", "root:acme:shop")
        .replace("{namespace}", "default")
        .replace("{name}", name)
        .replace("{action}", "restart")
        .replace("{run}", request)
        .replace("{step}", "ticket")
        .replace("{rollout}", request)
}

/// A body that would do something, were it let through.
pub(super) fn body(route: &Route) -> String {
    if route.pattern == PUBLICATION && route.method == Method::PUT {
        return json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "redis"}, "spec": {"version": "9.0.0"},
        })
        .to_string();
    }
    if route.pattern == ACTION {
        return json!({"parameters": {}}).to_string();
    }
    if [SKIP, SKIP_IN_RUN].contains(&route.pattern) {
        return json!({"comment": "forged"}).to_string();
    }
    match (route.method.as_str(), route.pattern.ends_with("/decisions")) {
        ("POST", true) => json!({"contentHash": "x", "decision": "approve"}).to_string(),
        ("POST" | "PUT", _) => manifest(if route.method == Method::PUT { THERE } else { "forged" }, "redis", &json!({"size": "small"})),
        _ => String::new(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_operations_and_the_description_are_the_same() {
    let product = Product::quiet().await;
    let routed: BTreeSet<(String, String)> =
        operations().iter().map(|route| (route.method.as_str().to_lowercase(), route.pattern.to_owned())).collect();
    let known: BTreeSet<(String, String)> = OPERATIONS.iter().map(|one| (one.method.to_lowercase(), one.path.to_owned())).collect();
    assert_eq!(routed, known);
    let anonymous = Program { product: &product, token: None };
    let document = anonymous.read(OPENAPI).await;
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().expect("paths");
    let described: BTreeSet<(String, String)> = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().expect("methods").keys().map(move |method| (method.clone(), path.clone())))
        .collect();
    assert_eq!(routed, described);
    for route in operations() {
        let access = if [OPENAPI, SIGN_IN].contains(&route.pattern) { Access::Anyone } else { Access::Bearer };
        assert_eq!(route.access, access, "{} {}", route.method, route.pattern);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_token_that_the_plane_accepts_nothing_is_told_or_written() {
    let product = Product::quiet().await;
    write_request(&product, THERE).await;
    let browser = product.signed_in("dev-shop").await;
    let before = version(&product).await;
    let tokens = [None, Some("nobody".to_owned()), Some(" ".to_owned())];
    for route in operations().iter().filter(|route| route.access == Access::Bearer) {
        let (address, body) = (address(route, THERE), body(route));
        let mut answers = Vec::new();
        for token in &tokens {
            answers.push(Program { product: &product, token: token.clone() }.send(route.method.clone(), &address, &[], &body).await);
        }
        // A session is for browsers alone, so no site can make one send such a call.
        let mut with_session = browser.form(&address, &[]);
        *with_session.method_mut() = route.method.clone();
        *with_session.body_mut() = axum::body::Body::from(body);
        with_session.headers_mut().insert(header::ORIGIN, format!("http://{HOST}").parse().expect("an origin"));
        answers.push(browser.clone().send(with_session).await);
        for answer in answers {
            assert_eq!(problem(&answer), (401, "unauthenticated".to_owned(), Vec::new()), "{} {address}", route.method);
            assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer", "{address}");
            assert!(!answer.text.contains(THERE), "{address}");
        }
    }
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_cannot_tell_what_exists() {
    let product = Product::quiet().await;
    write_request(&product, THERE).await;
    let before = version(&product).await;
    let stranger = Program::of(&product, "dev-data");
    let mut compared = 0;
    for route in operations().iter().filter(|route| route.access == Access::Bearer) {
        let tell = async |name: &str| {
            let body = body(route).replace(THERE, name);
            stranger.send(route.method.clone(), &address(route, name), &[("if-match", "*")], &body).await
        };
        let (there, absent) = (tell(THERE).await, tell(ABSENT).await);
        if route.pattern.contains("{workspace}") {
            assert_eq!(there.status, StatusCode::NOT_FOUND, "{} {}: {}", route.method, route.pattern, there.text);
            compared += 1;
        } else {
            assert!(!there.text.contains("root:acme:shop"), "{}: {}", route.pattern, there.text);
        }
        assert_eq!(comparable(&there, THERE), comparable(&absent, ABSENT), "{} {}", route.method, route.pattern);
        assert!(!there.text.contains("Redis"), "{}: {}", route.pattern, there.text);
    }
    assert!(compared >= 12, "{compared} operations name a workspace");
    let mine = stranger.read("/api/v1/workspaces").await;
    let paths: Vec<&Value> = mine["items"].as_array().expect("items").iter().map(|item| &item["path"]).collect();
    assert!(paths.contains(&&json!("root:acme:data")) && !paths.contains(&&json!("root:acme:shop")), "{paths:?}");
    let found = stranger.read(&format!("/api/v1/search?q={THERE}")).await;
    assert_eq!((&found["items"], &found["total"]), (&json!([]), &json!(0)));
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_only_look_writes_nothing() {
    let product = Product::quiet().await;
    write_request(&product, THERE).await;
    write_run(&product, THERE).await;
    let before = version(&product).await;
    let viewer = Program::of(&product, "viewer-shop");
    for route in operations().iter().filter(|route| route.access == Access::Bearer && route.method != Method::GET) {
        if route.pattern.ends_with("/preflight") {
            continue;
        }
        let answer = viewer.send(route.method.clone(), &address(route, THERE), &[("if-match", "*")], &body(route)).await;
        let (status, kind, _) = problem(&answer);
        let expected = match route.pattern {
            // About what nobody asks there is nothing to decide.
            DECISIONS => (409, "conflict"),
            // Nothing has steps yet.
            SKIP | SKIP_IN_RUN => (404, "notFound"),
            // Nothing is rolled out.
            STOP_ROLLOUT => (404, "notFound"),
            _ => (403, "denied"),
        };
        assert_eq!((status, kind.as_str()), expected, "{} {}: {}", route.method, route.pattern, answer.text);
        if status == 403 {
            let missing = match route.pattern {
                PUBLICATION => "publishPromises",
                ACTION | CANCEL_RUN | RETRY_RUN => "runActions",
                _ => "writeRequests",
            };
            assert!(json_of(&answer)["reason"]["reason"][missing]["workspace"] == "root:acme:shop", "{}", answer.text);
        }
    }
    assert_eq!(viewer.read(&format!("{}/requests", super::SHOP)).await["items"][0]["name"], THERE);
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}
