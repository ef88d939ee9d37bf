//! Who is let in: every route of the table without a session, with a stranger's, with a viewer's, and from another site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use app::actions::{self, DecideTogether};
use app::app::App;
use app::backend::SignInProblem;
use app::routes::{page, post};
use axum::body::Body;
use cluster::kinds::{PromiseAction, PromiseActionKind, PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use http::{Method, Request, StatusCode, header};
use kube::Api;
use kube::api::{ListParams, PostParams};
use leptos_axum::generate_route_list;
use opm_portal::routes::{self, Access, Route};
use promise::api::{PromiseActionSpec, PromiseRef, PromiseRequestSpec};

use crate::browser::{Answer, Browser, HOST, Product};

const SHOP: &str = "root:acme:shop";
/// Name of a request that is there.
const THERE: &str = "zebra";
/// A name of the same length that no request has.
const ABSENT: &str = "zorro";

/// The address of a route: of the promise `redis`, or of the request `request`.
fn address(route: &Route, request: &str) -> String {
    let name = if route.pattern.contains("/promises/") { "redis" } else { request };
    let address = route.pattern.replace("{workspace}", SHOP).replace("{namespace}", "default").replace("{name}", name);
    let address = address
        .replace("{place}", "root:platform")
        .replace("{policy}", "backup-required")
        .replace("{uid}", request)
        .replace("{provider}", "sso");
    let address =
        address.replace("{kind}", "StatefulSet").replace("{object}", request).replace("{action}", "restart").replace("{run}", request);
    let address = address.replace("{chain}", "opm-portal-1").replace("{record}", "1").replace("{step}", "ticket");
    match route.pattern {
        app::routes::LIVE => app::routes::live_request(SHOP, "default", request, ""),
        routes::FILE => "/no-such-file.css".to_owned(),
        _ => address,
    }
}

fn of(method: &Method) -> Vec<Route> {
    routes::table().into_iter().filter(|route| route.method == *method).collect()
}

pub fn requests(product: &Product) -> Api<PromiseRequest> {
    let admin = product.admin();
    let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
    Api::namespaced(product.running.portal.endpoint.client(admin, &scope), "default")
}

pub async fn write_request(product: &Product, name: &str) -> Api<PromiseRequest> {
    let api = requests(product);
    let promise = PromiseRef { name: "redis".into(), workspace: Some("root:platform".into()), version: None };
    let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
    api.create(&PostParams::default(), &object::<PromiseRequestKind>(name, Some("default"), spec)).await.expect("a request");
    api
}

/// Creates a run of an action of the request with this name, under the same name.
pub async fn write_run(product: &Product, name: &str) {
    let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
    let runs: Api<PromiseAction> = Api::namespaced(product.running.portal.endpoint.client(product.admin(), &scope), "default");
    let spec = PromiseActionSpec { request: name.to_owned(), action: "restart".to_owned(), ..PromiseActionSpec::default() };
    runs.create(&PostParams::default(), &object::<PromiseActionKind>(name, Some("default"), spec)).await.expect("a run");
}

/// The plane's version: it grows with everything that anybody writes anywhere.
pub async fn version(product: &Product) -> String {
    requests(product).list(&ListParams::default()).await.expect("a list").metadata.resource_version.expect("a version")
}

/// How much the portal's own database holds of drafts, views, remarks, and what people are told.
pub async fn kept(product: &Product) -> Vec<(&'static str, i64)> {
    product.running.portal.store.row_counts().await.expect("an answer")
}

/// Everything but the reasons for refusals, which are saved so that a page can show them.
pub fn but_refusals(kept: Vec<(&'static str, i64)>) -> Vec<(&'static str, i64)> {
    kept.into_iter().filter(|(what, _)| *what != "refusal").collect()
}

/// A post that would do something on every route, were it let through.
fn forged(product: &Product) -> Vec<(&'static str, String)> {
    let path = WorkspacePath::parse(SHOP).expect("a path");
    let cluster = product.running.portal.world.tree().cluster(&path).expect("the workspace");
    [("person", "org-owner"), ("theme", "dark"), ("_op", "submit"), ("/name", "forged"), ("/reason", "forged"), ("confirmation", THERE)]
        .map(|(name, value)| (name, value.to_owned()))
        .into_iter()
        .chain([("_cluster", cluster.to_string()), ("output", "password".to_owned()), ("workspace", SHOP.to_owned())])
        .chain([("namespace", "default".to_owned()), ("name", THERE.to_owned()), ("promise", "redis".to_owned())])
        .chain([("action", "restart".to_owned()), ("run", THERE.to_owned())])
        .collect()
}

fn with<'a>(pairs: &'a [(&'a str, String)], token: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    pairs.iter().map(|(name, value)| (*name, value.as_str())).chain(token.map(|token| ("_token", token))).collect()
}

#[test]
fn every_route_is_made_from_the_table() {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                walk(&entry, found);
            } else if std::fs::read_to_string(&entry).expect("a file").lines().any(|line| line.contains(".route(")) {
                found.push(entry.file_name().expect("a name").to_string_lossy().into_owned());
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert_eq!(found, ["router.rs"], "only the router adds routes, from the table");
    for route in routes::table() {
        if route.pattern.starts_with("/do/") {
            // Actions name it in a field.
            continue;
        }
        if route.access == Access::Bearer && !route.pattern.contains("{workspace}") {
            // What programs list in all workspaces.
            continue;
        }
        let names_a_workspace = route.pattern.contains("{workspace}") || route.pattern == app::routes::LIVE;
        assert_eq!(names_a_workspace, matches!(route.access, Access::Workspace | Access::Bearer), "{} {}", route.method, route.pattern);
    }
}

#[test]
fn every_server_function_has_its_access() {
    let in_the_table = of(&Method::POST).into_iter().map(|route| route.pattern).filter(|pattern| pattern.starts_with("/do/"));
    let known = leptos::server_fn::axum::server_fn_paths().filter(|(path, _)| path.starts_with("/do/"));
    let known: Vec<(&str, Method)> = known.collect();
    assert!(known.iter().all(|(_, method)| *method == Method::POST), "{known:?}");
    let known: BTreeSet<&str> = known.into_iter().map(|(path, _)| path).collect();
    assert_eq!(in_the_table.collect::<BTreeSet<&str>>(), known);
    assert!(!known.is_empty());
}

#[test]
fn every_page_of_the_application_has_its_access() {
    let listed: BTreeSet<String> = generate_route_list(App).iter().map(|listing| listing.path().to_owned()).collect();
    let known = routes::table().into_iter().filter(Route::is_page).map(|route| route.pattern.to_owned());
    assert_eq!(known.collect::<BTreeSet<_>>(), listed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_session_everything_leads_to_the_sign_in_and_nothing_is_shown() {
    let product = Product::quiet().await;
    write_request(&product, THERE).await;
    let before = version(&product).await;
    for route in of(&Method::GET) {
        let address = address(&route, THERE);
        let answer = product.browser().get(&address).await;
        let script = Request::get(&address).header(header::HOST, HOST).body(Body::empty()).expect("a request");
        let told = product.browser().send(script).await;
        match route.access {
            Access::Bearer => {
                for answer in [&answer, &told] {
                    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{address}");
                    assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer", "{address}");
                }
            }
            // No page is for identity providers.
            Access::Provider => panic!("{address} is for programs, and this test does not know what it says"),
            Access::SignedIn | Access::Policies | Access::Decisions | Access::Platform | Access::Workspace => {
                assert_eq!(answer.status, StatusCode::SEE_OTHER, "{address}");
                assert_eq!(answer.location(), app::routes::sign_in(&address), "{address}: with the way back");
                assert_eq!(told.status, StatusCode::UNAUTHORIZED, "{address}: what is no browser is told");
            }
            Access::Probe | Access::Anyone | Access::EmbeddedPlane => {
                // Here people choose a sample person, so there is no identity provider.
                let absent = route.pattern == routes::FILE || route.pattern.starts_with(page::SIGN_IN_WITH);
                let expected = if absent { StatusCode::NOT_FOUND } else { StatusCode::OK };
                assert_eq!((answer.status, told.status), (expected, expected), "{address}");
            }
        }
        for secret in ["Redis", "redis", THERE] {
            assert!(!answer.text.contains(secret) && !told.text.contains(secret), "{address} shows {secret}");
        }
    }
    let pairs = forged(&product);
    for route in of(&Method::POST) {
        let address = address(&route, THERE);
        let answer = product.browser().post(&address, &with(&pairs, None)).await;
        // Here people choose a sample person, so there is no identity provider.
        let expected = if route.access == Access::Provider { StatusCode::NOT_FOUND } else { StatusCode::UNAUTHORIZED };
        assert_eq!(answer.status, expected, "{address}");
        assert!(!answer.headers.contains_key(header::SET_COOKIE), "{address}");
    }
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_of_other_sites_and_with_other_tokens_are_refused_and_write_nothing() {
    let product = Product::quiet().await;
    write_request(&product, THERE).await;
    let mut browser = product.signed_in("dev-shop").await;
    let token = browser.get("/").await.hidden("_token");
    // What is for programs takes no cookie: there is nothing that a site could make a browser do.
    let other = product.signed_in("org-owner").await.get("/").await.hidden("_token");
    let before = version(&product).await;
    let pairs = forged(&product);
    for route in of(&Method::POST) {
        let address = address(&route, THERE);
        let mut answers: BTreeMap<&str, Answer> = BTreeMap::new();
        for origin in ["https://evil.example", "null", "http://localhost:9999"] {
            answers.insert(origin, browser.post_from(origin, &address, &with(&pairs, Some(&token))).await);
        }
        for site in ["cross-site", "same-site", "none"] {
            let mut request = browser.form(&address, &with(&pairs, Some(&token)));
            request.headers_mut().insert("sec-fetch-site", site.parse().expect("a value"));
            answers.insert(site, browser.send(request).await);
        }
        answers.insert("no token", browser.post(&address, &with(&pairs, None)).await);
        answers.insert("another session's token", browser.post(&address, &with(&pairs, Some(&other))).await);
        let mut typed = browser.form(&address, &with(&pairs, Some(&token)));
        typed.headers_mut().insert(header::CONTENT_TYPE, "text/plain".parse().expect("a type"));
        typed.headers_mut().insert(header::ORIGIN, format!("http://{HOST}").parse().expect("an origin"));
        answers.insert("a body that is no form", browser.send(typed).await);
        for (what, answer) in answers {
            let expected = match route.access {
                Access::Bearer => StatusCode::UNAUTHORIZED,
                Access::Provider => StatusCode::NOT_FOUND,
                _ => StatusCode::FORBIDDEN,
            };
            assert_eq!(answer.status, expected, "{address}: {what}");
            assert!(!answer.headers.contains_key(header::SET_COOKIE), "{address}: {what}");
        }
    }
    assert_eq!(version(&product).await, before, "nothing was written");
    assert!(browser.get("/").await.text.contains("Dana Shaw"), "still signed in as before");
    // The same posts do something when they come as they should: only then the refusals above mean anything.
    let create = page::REQUEST_NEW.replace("{workspace}", SHOP).replace("{name}", "redis");
    assert_eq!(browser.send_form(&create, &with(&pairs, Some(&token))).await.status, StatusCode::SEE_OTHER);
    assert_ne!(version(&product).await, before);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_and_viewers_write_nothing() {
    let product = Product::quiet().await;
    let there = write_request(&product, THERE).await.get(THERE).await.expect("the request");
    let uid = there.metadata.uid.expect("a uid");
    let (before, kept) = (version(&product).await, kept(&product).await);
    let pairs = forged(&product);
    // A decision about this very request, alone and together with others.
    let decision = [("rule", "a/b/c"), ("hash", "x"), ("decision", "approve"), ("back", "/approvals"), ("like", uid.as_str())];
    let mut decision: Vec<(&str, String)> = decision.map(|(name, value)| (name, value.to_owned())).into();
    decision.push(("item", format!("{uid}:x")));
    decision.push(("uid", uid.clone()));
    // Who may look is told what would happen; about what nobody asks there is nothing to decide. Neither writes.
    let looked = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND, StatusCode::CONFLICT];
    let mut decisions = 0;
    for (person, expected) in [("dev-data", &[StatusCode::NOT_FOUND][..]), ("viewer-shop", &looked)] {
        let mut browser = product.signed_in(person).await;
        let token = browser.get("/").await.hidden("_token");
        let mut decision = decision.clone();
        decision.push(("comment", "forged".to_owned()));
        for route in routes::table().into_iter().filter(|route| matches!(route.access, Access::Workspace | Access::Decisions)) {
            let is_decision = route.access == Access::Decisions;
            let (pairs, request) = if is_decision { (&decision, uid.as_str()) } else { (&pairs, THERE) };
            let address = address(&route, request);
            if route.method == Method::POST {
                let answer = browser.act(&address, &with(pairs, Some(&token))).await;
                let fits = match route.pattern {
                    post::PREFLIGHT_NEW | post::PREFLIGHT_EDIT if person == "viewer-shop" => answer.status == StatusCode::OK,
                    _ => expected.contains(&answer.status),
                };
                assert!(fits, "{person} {address}: {}", answer.status);
                decisions += usize::from(is_decision);
            } else if person == "dev-data" && route.pattern != page::APPROVALS {
                assert_eq!(browser.get(&address).await.status, StatusCode::NOT_FOUND, "{address}");
            }
        }
        assert!(browser.get("/").await.status.is_success(), "{person} is still signed in");
    }
    assert!(decisions >= 10, "{decisions} posts were about decisions");
    assert_eq!(version(&product).await, before, "nothing was written");
    assert_eq!(but_refusals(self::kept(&product).await), but_refusals(kept.clone()), "nothing was kept but why");

    let mut viewer = product.signed_in("viewer-shop").await;
    let create = page::REQUEST_NEW.replace("{workspace}", SHOP).replace("{name}", "redis");
    let form = viewer.get(&create).await;
    assert_eq!(form.status, StatusCode::OK, "{}", form.text);
    assert!(form.text.contains("can't create them"), "the reason is on the page: {}", form.text);
    let forged = viewer.send_form(&create, &with(&pairs, Some(&form.hidden("_token")))).await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    let token = form.hidden("_token");
    assert_eq!(viewer.act("/do/requests/delete", &with(&pairs, Some(&token))).await.status, StatusCode::FORBIDDEN);
    assert_eq!(version(&product).await, before, "nothing was written");
    let kept = but_refusals(kept);
    assert_eq!(but_refusals(self::kept(&product).await), kept, "nothing was kept but why");
    // What is kept is counted: only then the comparisons above mean anything.
    let token = viewer.get("/").await.hidden("_token");
    let view = [("_token", token.as_str()), ("list", "requests"), ("place", SHOP), ("title", "Mine"), ("back", "/"), ("q", "a")];
    assert_eq!(viewer.post("/do/views/save", &view).await.status, StatusCode::SEE_OTHER);
    assert_ne!(but_refusals(self::kept(&product).await), kept);
    product.running.close().await;
}

/// Everything of an answer but what is new each time, with the name taken out that was asked for.
pub fn comparable(answer: &Answer, name: &str) -> (StatusCode, BTreeMap<String, String>, String) {
    let text = |value: &header::HeaderValue| value.to_str().expect("text").to_owned();
    let nonce = answer.headers.get(header::CONTENT_SECURITY_POLICY).map(text).unwrap_or_default();
    let nonce = nonce.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap_or("no nonce").to_owned();
    let headers = answer.headers.iter().filter(|(name, _)| *name != "x-request-id");
    let headers = headers.map(|(name, value)| (name.to_string(), text(value).replace(&nonce, "NONCE"))).collect();
    (answer.status, headers, answer.text.replace(&nonce, "NONCE").replace(name, "NAME"))
}

/// The page that an action leads to, with the id of the refusal replaced.
pub async fn without_id(browser: &mut Browser, address: &str, pairs: &[(&str, &str)]) -> Answer {
    let answer = browser.post(address, pairs).await;
    let id = answer.location().rsplit_once('=').map(|(_, id)| id.to_owned());
    let mut answer = browser.follow(answer).await;
    if let Some(id) = id {
        answer.text = answer.text.replace(&id, "ID");
    }
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_cannot_tell_what_exists() {
    let product = Product::quiet().await;
    write_request(&product, THERE).await;
    let mut stranger = product.signed_in("dev-data").await;
    let token = stranger.get("/").await.hidden("_token");
    let pairs = forged(&product);
    let mut compared = 0;
    for route in routes::table() {
        let (there, absent) = (address(&route, THERE), address(&route, ABSENT));
        let is_action = route.pattern.starts_with("/do/") && matches!(route.access, Access::Workspace | Access::Decisions);
        // What is for programs takes no session: `crate::rest` compares what they are told.
        if route.access == Access::Bearer {
            continue;
        }
        // Those that are decided together are named by items.
        if there == absent && !is_action || route.pattern == actions::path::<DecideTogether>() {
            continue;
        }
        let (there, absent) = if route.method == Method::POST {
            let about = |name: &'static str| [&with(&pairs, Some(&token))[..], &[("uid", name), ("back", "/")]].concat();
            let absent_pairs: Vec<(&str, &str)> =
                about(ABSENT).into_iter().map(|(name, value)| (name, if value == THERE { ABSENT } else { value })).collect();
            (without_id(&mut stranger, &there, &about(THERE)).await, without_id(&mut stranger, &absent, &absent_pairs).await)
        } else {
            (stranger.get(&there).await, stranger.get(&absent).await)
        };
        assert_eq!(there.status, StatusCode::NOT_FOUND, "{}", route.pattern);
        assert_eq!(comparable(&there, THERE), comparable(&absent, ABSENT), "{} {}", route.method, route.pattern);
        compared += 1;
    }
    assert!(compared >= 8, "{compared} routes have a request in their address");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_names_are_not_served_and_headers_protect_every_answer() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    for route in of(&Method::GET) {
        let foreign =
            Request::get(address(&route, ABSENT)).header(header::HOST, "evil.example:8080").body(Body::empty()).expect("a request");
        let expected = if route.access == Access::Probe { StatusCode::OK } else { StatusCode::MISDIRECTED_REQUEST };
        assert_eq!(browser.send(foreign).await.status, expected, "{}", route.pattern);
        let request = Request::get(address(&route, ABSENT)).header(header::HOST, HOST).body(Body::empty()).expect("a request");
        let answer = browser.send(request).await;
        for name in ["x-content-type-options", "referrer-policy", "x-frame-options", "content-security-policy", "x-request-id"] {
            assert!(answer.headers.contains_key(name), "{} lacks {name}", route.pattern);
        }
    }
    let policy = browser.get("/").await.headers[header::CONTENT_SECURITY_POLICY].to_str().expect("text").to_owned();
    for part in ["'wasm-unsafe-eval'", "style-src 'self'", "frame-ancestors 'none'", "'nonce-"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe-inline"));
    product.running.close().await;
}

/// Who only chooses a name is let in where they could read the tokens of the embedded plane as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sample_people_sign_in_on_this_machine_alone() {
    let product = Product::quiet().await;
    for (address, leads_to) in [("10.0.0.7", app::routes::sign_in_again("/", SignInProblem::Elsewhere)), ("127.0.0.1", "/".to_owned())] {
        let mut browser = product.browser().from(address);
        let page = browser.get("/sign-in").await;
        let answer = browser.post("/do/account/sign-in", &[("_token", &page.hidden("_token")), ("person", "dev-shop")]).await;
        assert_eq!(answer.location(), leads_to, "{address}: {}", answer.text);
        let session = answer.headers.get_all(header::SET_COOKIE).iter().any(|cookie| cookie.to_str().unwrap().starts_with("opm-session="));
        assert_eq!(session, leads_to == "/", "{:?}", answer.headers);
    }
    let mut browser = product.browser();
    let shown = browser.get(&app::routes::sign_in_again("/", SignInProblem::Elsewhere)).await;
    assert_eq!(shown.status, StatusCode::FORBIDDEN);
    assert!(shown.text.contains("only on the machine that runs the portal"), "{}", shown.text);
    let waits = browser.get(&app::routes::sign_in_again("/", SignInProblem::TooManyAttempts(7))).await;
    assert_eq!((waits.status, &waits.headers[header::RETRY_AFTER]), (StatusCode::TOO_MANY_REQUESTS, &header::HeaderValue::from(7)));
    product.running.close().await;
}
