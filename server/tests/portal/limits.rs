//! Limits through the product: what one person, token or address sends too much of keeps no one else from the portal.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http::{Request, StatusCode, header};
use jiff::Timestamp;
use opm_portal::clock::{Clock, System};
use opm_portal::limits::LimitsConfig;

use crate::browser::{Answer, Browser, HOST, Product};
use crate::logged::logged;

const PREFLIGHT: &str = "/api/v1/workspaces/root:acme:shop/preflight";
/// What one address can bring of unknown tokens at once.
const UNKNOWN_TOKENS: usize = 60;

/// A clock that stands still, so that nothing of a limit comes back.
struct Still(Timestamp);

impl Clock for Still {
    fn now(&self) -> Timestamp {
        self.0
    }
}

async fn limited(limits: LimitsConfig) -> Product {
    Product::limited(limits, Arc::new(Still(System.now()))).await
}

/// So many requests per second, and four times as many at once.
fn slow(per_second: u32) -> LimitsConfig {
    LimitsConfig { requests_per_second: NonZeroU32::new(per_second), ..LimitsConfig::default() }
}

async fn ask(browser: &mut Browser, token: &str, body: Body) -> Answer {
    let request = Request::post(PREFLIGHT).header(header::HOST, HOST).header(header::AUTHORIZATION, format!("Bearer {token}"));
    browser.send(request.body(body).expect("a request")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_unknown_tokens_is_asked_about_rarely_and_keeps_no_one_out() {
    let product = limited(LimitsConfig::default()).await;
    let mut before = product.signed_in("org-owner").await.from("203.0.113.9");
    assert_eq!(before.get("/workspaces").await.status, StatusCode::OK);
    let mut flood = product.browser().from("203.0.113.9");
    // What the plane refused a moment ago is refused without asking it again: otherwise these alone would use up what an address can bring.
    for _ in 0..UNKNOWN_TOKENS + 10 {
        assert_eq!(ask(&mut flood, "made-up", Body::empty()).await.status, StatusCode::UNAUTHORIZED);
    }
    let (mut reviewed, mut refused) = (1, 0);
    for number in 0..2000 {
        match ask(&mut flood, &format!("made-up-{number}"), Body::empty()).await.status {
            StatusCode::UNAUTHORIZED => reviewed += 1,
            StatusCode::TOO_MANY_REQUESTS => refused += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!((reviewed, refused), (UNKNOWN_TOKENS, 2001 - UNKNOWN_TOKENS));
    // Someone elsewhere signs in and works, and so does who was signed in behind the same address.
    let mut other = product.signed_in("dev-shop").await.from("198.51.100.5");
    for browser in [&mut other, &mut before] {
        let page = browser.get("/workspaces").await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sends_too_much_is_told_when_to_go_on_and_others_are_served() {
    let product = limited(slow(5)).await;
    let mut greedy = product.signed_in("dev-shop").await.from("203.0.113.9");
    let mut other = product.signed_in("dev-data").await.from("203.0.113.9");
    let mut served = 0;
    let refused = loop {
        let answer = greedy.get("/workspaces").await;
        if answer.status != StatusCode::OK {
            break answer;
        }
        served += 1;
        assert!(served <= 20, "a burst of four seconds");
    };
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{}", refused.text);
    assert_eq!(refused.headers[header::RETRY_AFTER], "1");
    assert!(refused.text.contains("You sent too many requests. Wait a second, then try again."), "{}", refused.text);
    assert_eq!(other.get("/workspaces").await.status, StatusCode::OK);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_token_that_asks_too_much_is_refused_and_its_owner_goes_on_in_the_browser() {
    let product = limited(slow(10)).await;
    let sandbox = product.running.sandbox.as_ref().expect("an embedded plane");
    let token = |person: &str| sandbox.identities.token(person).expect("a person").expose().to_string();
    let mut owner = product.signed_in("dev-shop").await.from("203.0.113.9");
    let mut program = product.browser().from("203.0.113.9");
    let mut statuses = Vec::new();
    for _ in 0..=20 {
        statuses.push(ask(&mut program, &token("dev-shop"), Body::empty()).await.status);
    }
    let refused = statuses.iter().position(|status| *status == StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused, Some(20), "half of what a person has: {statuses:?}");
    assert_eq!(owner.get("/workspaces").await.status, StatusCode::OK);
    let other = ask(&mut program, &token("dev-data"), Body::empty()).await.status;
    assert_ne!(other, StatusCode::TOO_MANY_REQUESTS);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_stalls_is_given_up() {
    let limits = LimitsConfig { body_timeout: Duration::from_millis(50), ..LimitsConfig::default() };
    let product = limited(limits).await;
    let sandbox = product.running.sandbox.as_ref().expect("an embedded plane");
    let token = sandbox.identities.token("dev-shop").expect("a person").expose().to_string();
    let stalls = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
    let answer = ask(&mut product.browser(), &token, stalls).await;
    assert_eq!(answer.status, StatusCode::REQUEST_TIMEOUT, "{}", answer.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn made_up_session_cookies_cost_few_looks_into_the_database() {
    let product = limited(slow(5)).await;
    let mut known = product.signed_in("dev-shop").await.from("198.51.100.5");
    assert_eq!(known.get("/workspaces").await.status, StatusCode::OK);
    // Each look into a closed database leaves a line in the log.
    product.running.portal.store.close().await;
    let mut flood = product.browser().from("203.0.113.9");
    let flooding = async {
        let mut refused = 0;
        for number in 0..200 {
            let request =
                Request::get("/workspaces").header(header::HOST, HOST).header(header::COOKIE, format!("opm-session={number:064x}"));
            let answer = flood.send(request.body(Body::empty()).expect("a request")).await;
            refused += usize::from(answer.status == StatusCode::TOO_MANY_REQUESTS);
        }
        refused
    };
    let (refused, lines) = logged(flooding).await;
    let looks = lines.iter().filter(|line| line["message"] == "the portal's database failed").count();
    assert_eq!((looks, refused), (20, 180));
    product.running.close().await;
}
