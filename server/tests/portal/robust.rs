//! Ways to arrive that nobody plans: reloaded answers, a second sign-in, too many streams, a defect of ours.

use app::backend::SignInProblem;
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use opm_portal::pages::panics;
use opm_portal::web::headers;
use tower::ServiceExt as _;

use crate::access::write_request;
use crate::browser::Product;
use crate::second::Second;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_loaded_again_leads_back_to_its_page() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    for (address, page) in [
        ("/w/root:acme:shop/requests/default/there/edit/preflight", "/w/root:acme:shop/requests/default/there/edit"),
        ("/do/requests/reveal", "/"),
        ("/do/account/theme", "/"),
        ("/do/account/sign-out", "/"),
    ] {
        let answer = browser.get(address).await;
        assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, page), "{address}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_signed_in_can_sign_in_as_somebody_else() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get("/sign-in").await;
    let answer = browser.post("/do/account/sign-in", &[("_token", &page.hidden("_token")), ("person", "dev-data")]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    assert!(browser.get("/").await.text.contains("Signed in as Deniz Arslan"));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_in_while_the_plane_is_down_says_so_and_can_be_tried_again() {
    let first = Product::quiet().await;
    let token =
        first.running.sandbox.as_ref().expect("an embedded plane").identities.token("dev-shop").expect("a person").expose().to_string();
    let second = Second::of(&first).await;
    second.product.browser().brings(&token).await;
    first.running.close().await;
    let mut browser = second.product.browser();
    let form = browser.get("/sign-in").await.hidden("_token");
    let answer = browser.post("/do/account/sign-in", &[("_token", &form), ("token", &token), ("back", "/cost")]).await;
    assert!(!answer.headers.contains_key(header::SET_COOKIE), "no one is signed in: {:?}", answer.headers);
    assert_eq!(answer.location(), app::routes::sign_in_again("/cost", SignInProblem::Unavailable));
    let page = browser.follow(answer).await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE, "{}", page.text);
    assert_eq!(page.hidden("back"), "/cost", "the way back stays");
    second.product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_session_has_its_share_of_streams_and_hears_at_once_what_it_missed() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get("/w/root:acme:shop/requests").await;
    let stream =
        page.text.split("data-live-page=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a stream").replace("&amp;", "&");
    assert!(stream.contains("&seen="), "{stream}");
    let mut changes = product.running.portal.world.requests.changes();
    write_request(&product, "missed").await;
    changes.recv().await.expect("the portal sees it");
    let mut late = browser.stream(&stream).await;
    let reading = async {
        while let Some(Ok(frame)) = late.body_mut().frame().await {
            if frame.data_ref().is_some_and(|data| String::from_utf8_lossy(data).contains("event: change")) {
                return true;
            }
        }
        false
    };
    assert!(tokio::time::timeout(std::time::Duration::from_secs(10), reading).await.expect("before the next heartbeat"));

    let mut open = Vec::new();
    while open.len() < 100 {
        let answer = browser.stream(&stream).await;
        if answer.status() != StatusCode::OK {
            assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS, "it is one's own limit");
            assert!(answer.headers().contains_key(header::RETRY_AFTER));
            break;
        }
        open.push(answer);
    }
    assert!((10..100).contains(&open.len()), "{} streams of one session", open.len());
    let other = product.signed_in("org-owner").await;
    assert_eq!(other.stream(&stream).await.status(), StatusCode::OK, "others have theirs");
    open.clear();
    assert_eq!(browser.stream(&stream).await.status(), StatusCode::OK, "closed streams are given back");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_defect_of_ours_is_an_answer_that_says_so() {
    async fn defect() -> &'static str {
        panic!("a defect")
    }
    let product = Product::quiet().await;
    let router = Router::new()
        .route("/", get(defect))
        .layer(from_fn_with_state(product.running.portal.clone(), panics::caught))
        .layer(from_fn_with_state(false, headers::set));
    let request = Request::get("/").header(header::ACCEPT, "text/html").body(axum::body::Body::empty()).expect("a request");
    let answer = router.oneshot(request).await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let text = answer.into_body().collect().await.expect("a body").to_bytes();
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("Something went wrong") && !text.contains("a defect"), "{text}");
    product.running.close().await;
}
