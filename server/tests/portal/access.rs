//! Who is let in: every page and post without a session, with a stranger's, and from another site.

use app::routes::{page, post};
use axum::body::Body;
use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use http::{Request, StatusCode, header};
use kube::Api;
use kube::api::{ListParams, PostParams};
use promise::api::{PromiseRef, PromiseRequestSpec};

use crate::browser::{HOST, Product};

const SHOP: &str = "root:acme:shop";

/// Pages that take a session. The sign-in page alone does not.
const PAGES: [&str; 12] = [
    page::HOME,
    page::WORKSPACES,
    page::CATALOG,
    page::PROMISE,
    page::REQUEST_NEW,
    page::REQUEST_REVIEW,
    page::REQUESTS,
    page::REQUEST,
    page::REQUEST_EDIT,
    page::EDIT_REVIEW,
    page::REQUEST_DELETE,
    "/live?topic=requests&workspace=root:acme:shop",
];

const POSTS: [&str; 7] =
    [post::SIGN_IN, post::SIGN_OUT, post::THEME, post::REQUEST_NEW, post::REQUEST_EDIT, post::REQUEST_DELETE, post::REVEAL];

fn address(pattern: &str, name: &str) -> String {
    pattern.replace("{workspace}", SHOP).replace("{namespace}", "default").replace("{name}", name)
}

pub async fn write_request(product: &Product, name: &str) -> Api<PromiseRequest> {
    let admin = product.running.identities.token("plane-admin").expect("an admin");
    let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
    let api: Api<PromiseRequest> = Api::namespaced(product.running.endpoint.client(admin, &scope), "default");
    let promise = PromiseRef { name: "redis".into(), workspace: Some("root:platform".into()), version: None };
    let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
    api.create(&PostParams::default(), &object::<PromiseRequestKind>(name, Some("default"), spec)).await.expect("a request");
    api
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_session_everything_leads_to_the_sign_in_and_nothing_is_shown() {
    let product = Product::open().await;
    for pattern in PAGES {
        let answer = product.browser().get(&address(pattern, "redis")).await;
        assert!(matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::SEE_OTHER), "{pattern}: {}", answer.status);
        assert!(!answer.text.contains("Redis"), "{pattern}");
    }
    for pattern in POSTS {
        let answer = product.browser().post(&address(pattern, "redis"), &[("person", "dev-shop")]).await;
        assert!(matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN), "{pattern}: {}", answer.status);
        assert!(!answer.headers.contains_key(header::SET_COOKIE), "{pattern}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_of_other_sites_and_without_the_form_token_are_refused() {
    let product = Product::open().await;
    let mut browser = product.signed_in("dev-shop").await;
    let token = browser.get("/").await.hidden("_token");
    for pattern in POSTS {
        let address = address(pattern, "redis");
        for origin in ["https://evil.example", "null", "http://localhost:9999"] {
            let answer = browser.post_from(origin, &address, &[("_token", &token), ("person", "org-owner")]).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{pattern} from {origin}");
        }
        let other = product.signed_in("org-owner").await.get("/").await.hidden("_token");
        for wrong in [&[("person", "org-owner")][..], &[("_token", &other), ("person", "org-owner")]] {
            let answer = browser.post(&address, wrong).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{pattern} with {wrong:?}");
        }
    }
    assert!(browser.get("/").await.text.contains("Dana Shaw"), "still signed in as before");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_cannot_tell_what_exists() {
    let product = Product::open().await;
    write_request(&product, "there").await;
    let mut stranger = product.signed_in("dev-data").await;
    for pattern in PAGES.iter().filter(|pattern| pattern.contains("{name}")) {
        let there = stranger.get(&address(pattern, "there")).await;
        let absent = stranger.get(&address(pattern, "notme")).await;
        assert_eq!((there.status, absent.status), (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND), "{pattern}");
        // Only what the stranger typed, and the nonce, may differ.
        let shown = |text: &str, name: &str| text.replace(name, "NAME").replace("<script", "").len();
        assert_eq!(shown(&there.text, "there"), shown(&absent.text, "notme"), "{pattern}: {} {}", there.text, absent.text);
    }
    let live = stranger.get(&format!("/live?topic=request&workspace={SHOP}&namespace=default&name=there")).await;
    assert_eq!(live.status, StatusCode::NOT_FOUND);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_viewer_sees_why_not_and_a_forged_post_writes_nothing() {
    let product = Product::open().await;
    let api = write_request(&product, "there").await;
    let mut viewer = product.signed_in("viewer-shop").await;
    let form = format!("/w/{SHOP}/promises/redis/request");
    let page = viewer.get(&form).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert!(page.text.contains("not create them"), "the reason is on the page: {}", page.text);
    let (token, cluster) = (page.hidden("_token"), page.hidden("_cluster"));
    let forged = [("_token", token.as_str()), ("_cluster", &cluster), ("_op", "submit"), ("/name", "forged")];
    assert_eq!(viewer.post(&form, &forged).await.status, StatusCode::FORBIDDEN);
    let delete = format!("/w/{SHOP}/requests/default/there/delete");
    let deleted = viewer.post(&delete, &[("_token", &token), ("confirmation", "there")]).await;
    assert_eq!(deleted.status, StatusCode::FORBIDDEN, "{}", deleted.text);
    let names: Vec<_> = api.list(&ListParams::default()).await.expect("a list").items.into_iter().map(|r| r.metadata.name).collect();
    assert_eq!(names, [Some("there".to_owned())]);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_names_are_not_served_and_headers_protect_every_answer() {
    let product = Product::open().await;
    let mut browser = product.signed_in("dev-shop").await;
    let foreign = Request::get("/").header(header::HOST, "evil.example:8080").body(Body::empty()).expect("a request");
    assert_eq!(browser.send(foreign).await.status, StatusCode::MISDIRECTED_REQUEST);
    let probe = Request::get("/healthz").header(header::HOST, "10.0.0.7").body(Body::empty()).expect("a request");
    assert_eq!(browser.send(probe).await.status, StatusCode::OK, "probes come by address");
    for path in ["/", "/nothing-here", "/healthz", "/live?topic=requests&workspace=root:none"] {
        let request = Request::get(path).header(header::HOST, HOST).body(Body::empty()).expect("a request");
        let answer = browser.send(request).await;
        for name in ["x-content-type-options", "referrer-policy", "x-frame-options", "content-security-policy", "x-request-id"] {
            assert!(answer.headers.contains_key(name), "{path} lacks {name}");
        }
    }
    let policy = browser.get("/").await.headers[header::CONTENT_SECURITY_POLICY].to_str().expect("text").to_owned();
    for part in ["'wasm-unsafe-eval'", "style-src 'self'", "frame-ancestors 'none'", "'nonce-"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe-inline"));
    product.running.close().await;
}
