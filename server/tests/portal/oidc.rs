//! Sign-in with identity providers: a person comes back as themselves, and nothing else that comes back counts.

mod command_line;
mod devices;
mod endings;
mod hostile;
pub mod issuer;
mod kubernetes;
mod reauthentication;
mod renewal;

use std::sync::Arc;

use http::{HeaderMap, Request, StatusCode, header};
use opm_portal::config::{SessionLifetime, SignInConfig};
use serde_json::json;

use crate::browser::{Answer, Browser, HOST, Product};
use crate::hands::Hands;
use issuer::Issuer;

/// The session's cookie.
const SESSION: &str = "opm-session";
/// The cookie of a sign-in that is under way.
const ATTEMPT: &str = "opm-attempt";

/// A portal whose people sign in with two identity providers that the plane trusts.
struct World {
    product: Product,
    clock: Arc<Hands>,
    sso: Issuer,
    other: Issuer,
    _folder: tempfile::TempDir,
}

impl World {
    async fn open() -> Self {
        Self::lasting(SessionLifetime::default()).await
    }

    /// The same with a controller, which fulfils requests.
    async fn fulfilling() -> Self {
        Self::opened(SessionLifetime::default(), true).await
    }

    async fn lasting(lifetime: SessionLifetime) -> Self {
        Self::opened(lifetime, false).await
    }

    async fn opened(lifetime: SessionLifetime, controller: bool) -> Self {
        let clock = Hands::of_the_machine();
        let (sso, other) = (Issuer::start(clock.clone()).await, Issuer::start(clock.clone()).await);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("authentication.json");
        let authenticators = [sso.authenticator(), other.authenticator()];
        let kind = json!({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": authenticators});
        std::fs::write(&file, kind.to_string()).expect("written");
        let providers = vec![sso.config("sso"), other.config("other")];
        let sign_in = SignInConfig { samples: false, tokens: false, providers, lifetime, ..SignInConfig::default() };
        let product = Product::federated(sign_in, &file, controller, clock.clone()).await;
        Self { product, clock, sso, other, _folder: folder }
    }

    fn browser(&self) -> Browser {
        self.product.browser()
    }

    /// A browser in which `person` is signed in with the first provider.
    async fn signed_in(&self, person: &str) -> Browser {
        let mut browser = self.browser();
        let answer = self.goes(&mut browser, person, "/").await;
        assert_eq!(answer.location(), "/", "{}", answer.text);
        browser
    }

    /// Goes to the first provider and comes back as `person`; returns the portal's answer to that.
    async fn goes(&self, browser: &mut Browser, person: &str, back: &str) -> Answer {
        let address = begins(browser, "sso", back).await;
        browser.get(&self.sso.signs_in(&address, person)).await
    }

    async fn close(self) {
        self.product.running.close().await;
    }
}

/// Begins a sign-in; returns where the portal sends the browser.
async fn begins(browser: &mut Browser, provider: &str, back: &str) -> String {
    let answer = browser.get(&app::routes::sign_in_with(provider, back)).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    answer.location().to_owned()
}

/// Why a sign-in failed, as the sign-in page's address says it; empty if it didn't.
fn problem(answer: &Answer) -> String {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let query = answer.location().split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "problem").map(|(_, word)| word.into_owned()).unwrap_or_default()
}

fn cookies(headers: &HeaderMap) -> Vec<&str> {
    headers.get_all(header::SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_comes_back_as_who_the_plane_says_they_are() {
    let world = World::open().await;
    let mut browser = world.browser();
    let page = browser.get("/sign-in?back=/requests").await;
    for title in ["Sign in with Acme sso", "Sign in with Acme other"] {
        assert!(page.text.contains(title), "{}", page.text);
    }
    assert!(page.text.contains("href=\"/sign-in/sso?back=/requests\"") || page.text.contains("back=%2Frequests"), "{}", page.text);
    assert!(!page.text.contains("name=\"token\"") && !page.text.contains("name=\"person\""), "no other way is offered: {}", page.text);

    let answer = world.goes(&mut browser, "dev-shop", "/requests?phase=Ready").await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/requests?phase=Ready"));
    assert!(cookies(&answer.headers).iter().any(|cookie| cookie.starts_with("opm-session=") && cookie.contains("HttpOnly")));
    assert!(browser.cookie(ATTEMPT).is_none(), "what was under way is over");
    let caller = browser.caller(&world.product).await;
    assert_eq!(&*caller.identity().person, "dev-shop");
    let home = browser.get("/").await;
    assert_eq!(home.status, StatusCode::OK);
    assert!(home.text.contains("Dana Shaw"), "{}", home.text);
    // What the plane lets the person do, the portal does.
    assert_eq!(browser.get("/w/root:acme:shop/catalog").await.status, StatusCode::OK);
    assert_eq!(browser.get("/w/root:acme:data/catalog").await.status, StatusCode::NOT_FOUND);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_is_configured_is_a_way_to_sign_in() {
    let world = World::open().await;
    let mut browser = world.browser();
    let token = browser.get("/sign-in").await.hidden_or_none("_token").unwrap_or_default();
    let admin = world.product.admin().expose().to_string();
    for pairs in [[("person", "plane-admin"), ("_token", token.as_str())], [("token", admin.as_str()), ("_token", token.as_str())]] {
        let answer = browser.post("/do/account/sign-in", &pairs).await;
        assert!(answer.status == StatusCode::FORBIDDEN || problem(&answer) == "not-offered", "{}", answer.text);
        assert!(browser.cookie(SESSION).is_none());
    }
    for address in ["/sign-in/nowhere", "/sign-in/nowhere/callback?code=a&state=b", "/sign-in/SSO"] {
        assert_eq!(browser.get(address).await.status, StatusCode::NOT_FOUND, "{address}");
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_sign_in_because_they_want_to() {
    let world = World::open().await;
    let mut browser = world.browser();
    for (site, leaves) in [("cross-site", false), ("same-site", false), ("same-origin", true), ("none", true)] {
        let request = Request::get("/sign-in/sso?back=/cost").header(header::HOST, HOST).header("sec-fetch-site", site);
        let answer = browser.send(request.body(axum::body::Body::empty()).expect("a request")).await;
        let expected = if leaves { world.sso.url().to_owned() } else { app::routes::sign_in("/cost") };
        assert!(answer.location().starts_with(&expected), "{site}: {}", answer.location());
        assert_eq!(browser.cookie(ATTEMPT).is_some(), leaves, "{site}");
    }
    world.close().await;
}
