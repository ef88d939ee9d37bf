//! The simulated ticket system: what programs and people can do with it, and the Endpoint that leads to it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use cluster::kinds::Endpoint;
use cluster::outbound::{Outbound, Server, Trust};
use cluster::{Scope, WorkspacePath};
use http::{Request, StatusCode, header};
use http_body_util::Full;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::runtime::wait::await_condition;
use opm_portal::clock::{Clock, System};
use opm_portal::router;
use opm_portal::tickets::Tickets;
use parking_lot::Mutex;
use promise::endpoint::{EndpointUrl, allows_address, check};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, Product};
use crate::storage::copied;

const TOKEN: &str = "s3cret";

struct Hands(Mutex<Timestamp>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        *self.0.lock()
    }
}

struct Opened {
    clock: Arc<Hands>,
    browser: Browser,
}

/// A ticket system whose tickets take 20 seconds of a clock that stands still.
fn opened() -> Opened {
    let clock = Arc::new(Hands(Mutex::new(Timestamp::UNIX_EPOCH)));
    let tickets = Tickets::new(TOKEN.into(), Duration::from_secs(20), clock.clone(), Arc::new(System));
    Opened { clock, browser: Browser::at(router::tickets(&tickets)) }
}

impl Opened {
    fn passes(&self, seconds: i64) {
        *self.clock.0.lock() += SignedDuration::from_secs(seconds);
    }

    async fn send(&mut self, request: http::request::Builder, body: &Value) -> Answer {
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        self.browser.send(request.header(header::HOST, "127.0.0.1:1").body(body).expect("a request")).await
    }

    async fn creates(&mut self, key: &str, title: &str) -> Answer {
        let request = Request::post("/tickets").header(header::AUTHORIZATION, format!("Bearer {TOKEN}")).header("idempotency-key", key);
        self.send(request, &json!({"title": title, "text": "10 GiB", "labels": ["disk"]})).await
    }

    async fn reads(&mut self, id: &str) -> Answer {
        self.send(Request::get(format!("/tickets/{id}")).header(header::AUTHORIZATION, format!("Bearer {TOKEN}")), &Value::Null).await
    }

    async fn outage(&mut self, on: &str) -> StatusCode {
        self.browser.post("/outage", &[("on", on)]).await.status
    }
}

fn value(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{answer:?}"))
}

#[tokio::test]
async fn a_program_creates_a_ticket_once_and_reads_it_until_it_is_resolved() {
    let mut system = opened();
    let created = system.creates("k1", "More disk").await;
    let ticket = value(&created);
    assert_eq!((created.status, &ticket["status"], &ticket["number"]), (StatusCode::CREATED, &json!("open"), &json!(1001)));
    let again = system.creates("k1", "More disk").await;
    assert_eq!((again.status, value(&again)), (StatusCode::CREATED, ticket.clone()));
    assert_eq!(system.creates("k1", "Less disk").await.status, StatusCode::CONFLICT);
    let id = ticket["id"].as_str().unwrap();
    system.passes(10);
    assert_eq!(value(&system.reads(id).await)["status"], "inProgress");
    system.passes(10);
    let resolved = value(&system.reads(id).await);
    assert_eq!(resolved["status"], "resolved");
    assert!(resolved["answer"].as_str().unwrap().contains("simulated"), "{resolved}");
    assert_eq!(system.reads("other").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn programs_need_the_token_and_a_ticket_that_can_be_read() {
    let mut system = opened();
    let body = json!({"title": "More disk"});
    for request in [Request::post("/tickets"), Request::post("/tickets").header(header::AUTHORIZATION, "Bearer other")] {
        let refused = system.send(request, &body).await;
        assert_eq!((refused.status, &refused.headers[header::WWW_AUTHENTICATE]), (StatusCode::UNAUTHORIZED, &"Bearer".parse().unwrap()));
    }
    assert_eq!(system.send(Request::get("/tickets/a"), &Value::Null).await.status, StatusCode::UNAUTHORIZED);
    let with_token = || Request::post("/tickets").header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    for (body, status) in [
        (json!({"title": ""}), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({"text": "a"}), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({"title": "a", "priority": 1}), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({"title": "a", "text": "a".repeat(70_000)}), StatusCode::PAYLOAD_TOO_LARGE),
        (body, StatusCode::CREATED),
    ] {
        assert_eq!(system.send(with_token(), &body).await.status, status);
    }
}

#[tokio::test]
async fn people_decide_a_ticket_on_the_page() {
    let mut system = opened();
    for (key, verb, status) in [("k1", "resolve", "resolved"), ("k2", "reject", "rejected")] {
        let id = value(&system.creates(key, "<b>Disk</b>").await)["id"].as_str().unwrap().to_owned();
        let address = format!("/tickets/{id}/{verb}");
        let page = system.browser.get("/").await;
        assert!(page.text.contains(&address) && page.text.contains("&lt;b&gt;Disk"), "{}", page.text);
        assert!(page.headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().starts_with("default-src 'none'; style-src 'sha256-"));
        let answer = system.browser.post(&address, &[]).await;
        assert_eq!((answer.status, &answer.headers[header::LOCATION]), (StatusCode::SEE_OTHER, &"/".parse().unwrap()));
        assert_eq!(value(&system.reads(&id).await)["status"], status);
        assert!(!system.browser.get("/").await.text.contains(&address));
    }
}

#[tokio::test]
async fn during_an_outage_programs_get_no_service_and_nothing_is_lost() {
    let mut system = opened();
    let id = value(&system.creates("k1", "More disk").await)["id"].as_str().unwrap().to_owned();
    assert_eq!(system.outage("true").await, StatusCode::SEE_OTHER);
    assert!(system.browser.get("/").await.text.contains("An outage is simulated"));
    assert_eq!(system.reads(&id).await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(system.creates("k2", "More disk").await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(system.outage("false").await, StatusCode::SEE_OTHER);
    assert_eq!(system.reads(&id).await.status, StatusCode::OK);
    assert_eq!(value(&system.creates("k2", "More disk").await)["number"], 1002);
}

#[tokio::test]
async fn other_names_and_other_sites_are_refused() {
    let mut system = opened();
    let foreign = Request::get("/").header(header::HOST, "tickets.evil.example").body(Body::empty()).unwrap();
    assert_eq!(system.browser.send(foreign).await.status, StatusCode::MISDIRECTED_REQUEST);
    let posted = system.browser.post_from("https://evil.example", "/outage", &[("on", "true")]).await;
    assert_eq!(posted.status, StatusCode::FORBIDDEN);
    let mut hidden = system.browser.form("/outage", &[("on", "true")]);
    hidden.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    assert_eq!(system.browser.send(hidden).await.status, StatusCode::FORBIDDEN);
    assert_eq!(system.creates("k1", "More disk").await.status, StatusCode::CREATED, "there is no outage");
}

/// The Endpoint and its token.
async fn endpoint(product: &Product) -> (Endpoint, String) {
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let client = product.running.portal.endpoint.client(product.admin(), &scope);
    let valid = |endpoint: Option<&Endpoint>| {
        let status = endpoint.and_then(|endpoint| endpoint.status.as_ref());
        status.is_some_and(|status| status.conditions.iter().any(|condition| condition.reason == "Valid"))
    };
    let waiting = await_condition(Api::<Endpoint>::all(client.clone()), "tickets", valid);
    let endpoint = tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("valid").expect("an answer").expect("an Endpoint");
    let reference = endpoint.spec.secret_ref.clone().expect("a reference");
    let secret = Api::<Secret>::namespaced(client, &reference.namespace).get(&reference.name).await.expect("its Secret");
    (endpoint, String::from_utf8(secret.data.expect("data")["token"].0.clone()).expect("text"))
}

/// Calls the ticket system as a workflow does.
async fn creates_a_ticket(endpoint: &Endpoint, token: &str) {
    assert_eq!(check(&endpoint.spec), Vec::new());
    let url = EndpointUrl::parse(&endpoint.spec.url).expect("an answer");
    let request = Request::post("/tickets")
        .header(header::HOST, url.authority())
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header("idempotency-key", "k1")
        .body(Full::new(Bytes::from(json!({"title": "More disk"}).to_string())))
        .expect("an answer");
    let server = Server { host: &url.host, port: url.port, trust: Trust::Plain };
    let answer =
        Outbound::default().send(&server, |address| allows_address(&endpoint.spec, &url, address), request, 4096).await.expect("an answer");
    let ticket: Value = serde_json::from_slice(&answer.body.expect("a body")).expect("an answer");
    assert_eq!((answer.status, &ticket["simulated"]), (StatusCode::CREATED, &json!(true)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sample_world_has_an_endpoint_whose_ticket_system_answers_and_is_the_same_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let product = Product::in_folder(folder.path()).await;
    let (before, token) = endpoint(&product).await;
    creates_a_ticket(&before, &token).await;
    product.running.close().await;

    let copied = copied(folder.path(), &[]);
    let product = Product::in_folder(copied.path()).await;
    let (after, same) = endpoint(&product).await;
    assert_eq!((after.metadata.uid, &after.spec, same), (before.metadata.uid, &before.spec, token));
    assert_eq!(after.metadata.generation, before.metadata.generation);
    product.running.close().await;
}
