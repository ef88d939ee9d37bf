//! Bad input, as clumsy people and attackers send it: a sentence with the field and the fix, never a 500, and nothing half-written.

use axum::body::Body;
use http::{Method, Request, StatusCode, header};
use opm_portal::routes;

use crate::access::{version, write_request};
use crate::browser::{Answer, Browser, HOST, Product};

const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";
const APPLICATION: &str = "/w/root:acme:shop/promises/web-application/request";

/// What a page of the product needs to be sent back.
struct Form {
    token: String,
    cluster: String,
}

impl Form {
    async fn open(browser: &mut Browser) -> Self {
        let page = browser.get(FORM).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
        Self { token: page.hidden("_token"), cluster: page.hidden("_cluster") }
    }

    /// Submits the form of a promise with these pairs.
    async fn submit(&self, browser: &mut Browser, form: &str, pairs: &[(&str, &str)]) -> Answer {
        let mut all = vec![("_token", self.token.as_str()), ("_cluster", self.cluster.as_str()), ("_op", "submit"), ("/reason", "")];
        all.extend(pairs);
        browser.send_form(form, &all).await
    }
}

fn get(address: &str) -> Request<Body> {
    let request = Request::get(address).header(header::HOST, HOST).header(header::ACCEPT, "text/html");
    request.body(Body::empty()).expect("a request")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_fit_is_said_with_the_field_and_kept_as_it_was_typed() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = Form::open(&mut browser).await;
    let before = version(&product).await;
    let deep = format!("{}1{}", "{a: ".repeat(60), "}".repeat(60));
    let deepest = "{a: ".repeat(20_000);
    for (promise, pairs, sentence) in [
        (FORM, &[("/parameters/storage", "lots")][..], "storage"),
        (FORM, &[("/parameters/storage", "1")], "storage"),
        (FORM, &[("/parameters/storage", "99999999999999999999999")], "storage"),
        (FORM, &[("/parameters/storage", "1e400")], "storage"),
        (FORM, &[("/parameters/storage", "NaN")], "storage"),
        (FORM, &[("/parameters/size", "giant")], "size"),
        (FORM, &[("/parameters/database", "1bad")], "database"),
        (FORM, &[("/parameters/database", "a\0b")], "database"),
        (FORM, &[("/parameters/forged", "1")], "The field forged isn't part of this promise"),
        (FORM, &[("/parameters/extensions/~shown", "1"), ("/parameters/extensions/0", "postgis")], "Choose medium or large"),
        (FORM, &[("/name", "Not A Name")], "lower-case letters"),
        (FORM, &[("/name", "a\0b")], "lower-case letters"),
        (FORM, &[("/name", "../../secrets")], "lower-case letters"),
        (APPLICATION, &[("/parameters/image", "a b")], "image"),
        (APPLICATION, &[("/parameters/config", "a: [")], "Fix line 1"),
        (APPLICATION, &[("/parameters/config", &deep)], "levels"),
        (APPLICATION, &[("/parameters/config", &deepest)], "config"),
    ] {
        let named: Vec<(&str, &str)> = if pairs.iter().any(|(name, _)| *name == "/name") { Vec::new() } else { vec![("/name", "fits")] };
        let all: Vec<(&str, &str)> = named.into_iter().chain(pairs.iter().copied()).collect();
        let refused = form.submit(&mut browser, promise, &all).await;
        let typed = pairs[0].1.chars().take(40).collect::<String>();
        assert!(refused.location().starts_with(&format!("{promise}?draft=")), "{typed}: {} {}", refused.status, refused.text);
        let again = browser.get(refused.location()).await;
        assert_eq!(again.status, StatusCode::OK, "{typed}: {}", again.text);
        assert!(again.text.contains(sentence), "{typed}: no {sentence} in {}", again.text);
        assert!(again.text.contains("<title>Error: "), "{typed}");
    }
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}

/// A rule about all values together is not evaluated while one of them does not fit: nobody reads then that it refuses nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_that_are_not_checked_yet_are_not_said_to_pass() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = Form::open(&mut browser).await;
    for (port, said, not) in
        [("many", "checked once all values are valid", "failed"), ("8080", "failed", "checked once all values are valid")]
    {
        let typed = [("/name", "web"), ("/parameters/image", "nginx:latest"), ("/parameters/port", port)];
        let refused = form.submit(&mut browser, APPLICATION, &typed).await;
        let rail = browser.get(refused.location()).await.text;
        let rules = |words: &str| rail.contains(&format!(" rules {words}")) || rail.contains(&format!(" rules are {words}"));
        assert!(rules(said) && !rules(not) && !rail.contains(" rules passed"), "{port}: {rail}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_of_any_kind_end_in_a_sentence() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let form = Form::open(&mut browser).await;
    let before = version(&product).await;
    let large = "x".repeat(2 << 20);
    let answer = form.submit(&mut browser, FORM, &[("/name", "large"), ("/parameters/database", &large)]).await;
    assert!(answer.status.is_client_error() && answer.text.contains("1 MiB"), "{}", answer.status);
    let names: Vec<String> = (0..10_000).map(|index| format!("/parameters/x{index}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    let answer = form.submit(&mut browser, FORM, &many).await;
    assert!(answer.status.is_client_error() && answer.text.contains("A form can send at most"), "{}", answer.status);
    let nested = format!("/parameters{}", "/a".repeat(20_000));
    let answer = form.submit(&mut browser, FORM, &[("/name", "nested"), (&nested, "1")]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let answer = form
        .submit(
            &mut browser,
            FORM,
            &[("/name", "First"), ("/name", "second"), ("/parameters/size", "small"), ("/parameters/size", "large")],
        )
        .await;
    assert!(answer.location().contains("?draft="), "the first name counts, and does not fit: {answer:?}");
    let answer = form.submit(&mut browser, FORM, &[("/name", "fits"), ("/namespace", "../../../clusters/root")]).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
    let answer = form.submit(&mut browser, FORM, &[("_cluster", "another"), ("/name", "fits")]).await;
    assert!(answer.status.is_redirection() || answer.status.is_client_error(), "{}", answer.status);

    let mut bytes = format!("_token={}&_op=submit&_cluster={}&/name=", form.token, form.cluster).into_bytes();
    bytes.extend([0xff, 0xfe, 0x00]);
    let mut request = browser.form("/do/requests/submit", &[]);
    request.headers_mut().insert(header::ORIGIN, format!("http://{HOST}").parse().expect("an origin"));
    *request.body_mut() = Body::from(bytes);
    let answer = browser.send(request).await;
    assert!(answer.status.is_client_error() && answer.text.contains("UTF-8"), "{} {}", answer.status, answer.text);
    let current = version(&product).await;
    assert!(current == before || answer.status.is_client_error(), "nothing is half-written");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_of_any_kind_lead_to_a_page() {
    let product = Product::quiet().await;
    write_request(&product, "there").await;
    let mut browser = product.signed_in("dev-shop").await;
    let before = version(&product).await;
    for (address, expected) in [
        ("/w/root%3Aacme%3Ashop/catalog", StatusCode::OK),
        ("/w/root:acme:shop/requests/default/there", StatusCode::OK),
        ("/w/root:acme:shop/requests/default/there%2F..%2F..%2Fpromisereleases", StatusCode::NOT_FOUND),
        ("/w/root:acme:shop/requests/..%2F..%2Fapi%2Fv1%2Fnamespaces/default", StatusCode::NOT_FOUND),
        ("/w/root:acme:shop/requests/default/..", StatusCode::NOT_FOUND),
        ("/w/root:acme:shop/requests/default/there%3Fwatch=true", StatusCode::NOT_FOUND),
        ("/w/root:acme:shop/requests/default/%00", StatusCode::NOT_FOUND),
        ("/w/*/requests", StatusCode::NOT_FOUND),
        ("/w/root:acme:shop%2F..%2Froot/requests", StatusCode::NOT_FOUND),
        ("/w/../../etc/passwd", StatusCode::NOT_FOUND),
        ("/assets/../../Cargo.toml", StatusCode::NOT_FOUND),
        ("/assets/..%2f..%2fCargo.toml", StatusCode::NOT_FOUND),
        ("/w/%FF/catalog", StatusCode::NOT_FOUND),
        ("/w/root:acme:shop/requests?page=many", StatusCode::UNPROCESSABLE_ENTITY),
        ("/w/root:acme:shop/requests?page=-1", StatusCode::UNPROCESSABLE_ENTITY),
        ("/w/root:acme:shop/requests?page=99999999", StatusCode::OK),
        ("/w/root:acme:shop/catalog?q=a&q=b", StatusCode::UNPROCESSABLE_ENTITY),
        ("/w/root:acme:shop/catalog?q=%FF%00%3Cscript%3Ealert", StatusCode::OK),
        ("/w/root:acme:shop/promises/redis/request?draft=../../x", StatusCode::OK),
        ("/w/root:acme:shop/promises/redis?home=root:nowhere", StatusCode::NOT_FOUND),
        ("/live?topic=everything&workspace=root:acme:shop", StatusCode::UNPROCESSABLE_ENTITY),
        ("/live", StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let answer = browser.get(address).await;
        assert_eq!(answer.status, expected, "{address}: {}", answer.text);
        assert!(!answer.text.contains("<script>alert"), "{address}");
    }
    for route in routes::table() {
        let address = route.pattern.replace("{workspace}", "root:acme:shop").replace("{namespace}", "default").replace("{name}", "there");
        let address = address.replace("{*path}", "robots.txt");
        for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS, Method::TRACE] {
            let mut request = get(&address);
            *request.method_mut() = method.clone();
            let answer = browser.send(request).await;
            assert!(answer.status.is_client_error(), "{method} {address}: {}", answer.status);
        }
        if route.method == Method::GET && route.pattern != app::routes::LIVE {
            let whole = browser.get(&address).await;
            let head = browser.head(&address).await;
            assert_eq!((head.status, head.text.as_str()), (whole.status, ""), "HEAD {address}");
        }
    }
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cookies_drafts_and_tokens_of_others_are_worth_nothing() {
    let product = Product::quiet().await;
    for cookie in
        ["opm-session=abc", "opm-session=", "opm-session=%00", &format!("opm-session={}", "f".repeat(64)), &"x".repeat(20_000), "=;;=;"]
    {
        let mut request = get("/workspaces");
        request.headers_mut().insert(header::COOKIE, cookie.parse().expect("a cookie"));
        let answer = product.browser().send(request).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{cookie}");
    }
    let mut mine = product.signed_in("dev-shop").await;
    let form = Form::open(&mut mine).await;
    let kept = form.submit(&mut mine, FORM, &[("/name", "Typed By Me")]).await;
    assert!(mine.get(kept.location()).await.text.contains("Typed By Me"));
    let mut other = product.signed_in("org-owner").await;
    let seen = other.get(kept.location()).await;
    assert!(seen.status == StatusCode::OK && !seen.text.contains("Typed By Me"), "{}", seen.text);
    let elsewhere = kept.location().replace("postgresql", "redis");
    assert!(!mine.get(&elsewhere).await.text.contains("Typed By Me"), "a draft belongs to its form");

    // A review that is submitted twice, from two tabs.
    let page = mine.get(FORM).await;
    let review = [
        ("_token", &*page.hidden("_token")),
        ("_cluster", &page.hidden("_cluster")),
        ("_op", "review"),
        ("/reason", ""),
        ("/name", "twice"),
    ];
    let review = mine.send_form(FORM, &review).await;
    let shown = mine.get(review.location()).await;
    let submit = [
        ("_token", shown.hidden("_token")),
        ("_cluster", shown.hidden("_cluster")),
        ("_draft", shown.hidden("_draft")),
        ("_op", "submit".to_owned()),
    ];
    let submit: Vec<(&str, &str)> = submit.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert!(mine.send_form(FORM, &submit).await.location().ends_with("/requests/default/twice"));
    let before = version(&product).await;
    let again = mine.send_form(FORM, &submit).await;
    assert!(again.status == StatusCode::CONFLICT && again.text.contains("already submitted"), "{} {}", again.status, again.text);
    // The review of somebody else, and a token of a session that ended.
    let theirs = other.get(FORM).await.hidden("_token");
    let borrowed: Vec<(&str, &str)> =
        submit.iter().map(|(name, value)| (*name, if *name == "_token" { theirs.as_str() } else { *value })).collect();
    assert_eq!(other.send_form(FORM, &borrowed).await.status, StatusCode::CONFLICT);
    assert_eq!(mine.post("/do/account/sign-out", &[("_token", &form.token)]).await.status, StatusCode::SEE_OTHER);
    let mut anew = product.signed_in("dev-shop").await;
    assert_eq!(form.submit(&mut anew, FORM, &[("/name", "stale")]).await.status, StatusCode::FORBIDDEN);
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}
