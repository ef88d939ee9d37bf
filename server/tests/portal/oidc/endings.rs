//! How sessions end: by the person, here or in another browser, and by the provider.

use http::{Request, StatusCode, header};
use serde_json::{Value, json};

use super::{SESSION, World, problem};
use crate::browser::{Answer, Browser, HOST};

const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// What the provider posts, without any cookie.
async fn posts(world: &World, provider: &str, token: &str) -> Answer {
    let body = form_urlencoded::Serializer::new(String::new()).append_pair("logout_token", token).finish();
    let request = Request::post(app::routes::BACK_CHANNEL_LOGOUT.replace("{provider}", provider))
        .header(header::HOST, HOST)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    world.browser().send(request.body(body.into()).expect("a request")).await
}

/// The claims of a logout token about a session of dev-shop.
fn claims(world: &World) -> Value {
    let now = opm_portal::clock::Clock::now(&*world.clock).as_second();
    json!({
        "iss": world.sso.url(), "aud": "portal", "iat": now, "exp": now + 120, "jti": "one", "sub": "dev-shop", "sid": "sid-dev-shop",
        "events": {EVENT: {}},
    })
}

async fn is_signed_in(browser: &mut Browser) -> bool {
    browser.get("/").await.status == StatusCode::OK
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_ends_the_sessions_that_it_names() {
    let world = World::open().await;
    let (mut mine, mut other) = (world.signed_in("dev-shop").await, world.signed_in("org-owner").await);
    assert!(is_signed_in(&mut mine).await && is_signed_in(&mut other).await);
    let answer = posts(&world, "sso", &world.sso.signed(&claims(&world))).await;
    assert_eq!((answer.status, &answer.headers[header::CACHE_CONTROL]), (StatusCode::OK, &header::HeaderValue::from_static("no-store")));
    assert!(!is_signed_in(&mut mine).await && is_signed_in(&mut other).await);
    // Without a session it names, all of the person.
    let (mut mine, mut again) = (world.signed_in("dev-shop").await, world.signed_in("dev-shop").await);
    let mut all = claims(&world);
    all.as_object_mut().expect("claims").remove("sid");
    assert_eq!(posts(&world, "sso", &world.sso.signed(&all)).await.status, StatusCode::OK);
    assert!(!is_signed_in(&mut mine).await && !is_signed_in(&mut again).await && is_signed_in(&mut other).await);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_else_ends_a_session() {
    let world = World::open().await;
    let mut mine = world.signed_in("dev-shop").await;
    let changed = |name: &str, value: Value| {
        let mut claims = claims(&world);
        claims[name] = value;
        claims
    };
    let now = claims(&world)["iat"].as_i64().expect("a time");
    let without = |name: &str| {
        let mut claims = claims(&world);
        claims.as_object_mut().expect("claims").remove(name);
        claims
    };
    let neither = {
        let mut claims = without("sub");
        claims.as_object_mut().expect("claims").remove("sid");
        claims
    };
    for (what, claims) in [
        ("another issuer", changed("iss", json!(world.other.url()))),
        ("another application", changed("aud", json!("other"))),
        ("long ago", changed("iat", json!(now - 3600))),
        ("no time", without("iat")),
        ("in the future", changed("iat", json!(now + 3600))),
        ("expired", changed("exp", json!(now - 120))),
        ("no event", without("events")),
        ("another event", changed("events", json!({"https://example.org/event": {}}))),
        ("an id token", changed("nonce", json!("n"))),
        ("no one", neither),
    ] {
        assert_eq!(posts(&world, "sso", &world.sso.signed(&claims)).await.status, StatusCode::BAD_REQUEST, "{what}");
    }
    // Another provider's word about a session of this one, and no provider's.
    let theirs = changed("iss", json!(world.other.url()));
    assert_eq!(posts(&world, "other", &world.other.signed(&theirs)).await.status, StatusCode::OK, "it has no such session");
    assert_eq!(posts(&world, "sso", &world.other.signed(&claims(&world))).await.status, StatusCode::BAD_REQUEST, "another key");
    for token in ["", "a.b.c", "x", &format!("{}x", world.sso.signed(&claims(&world)))] {
        assert_eq!(posts(&world, "sso", token).await.status, StatusCode::BAD_REQUEST, "{token}");
    }
    assert_eq!(posts(&world, "nowhere", "x").await.status, StatusCode::NOT_FOUND);
    assert!(is_signed_in(&mut mine).await);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_signs_out_is_led_to_the_provider_with_no_token() {
    let world = World::open().await;
    let mut browser = world.signed_in("dev-shop").await;
    let mut old = browser.clone();
    let token = browser.get("/").await.hidden("_token");
    let answer = browser.post("/do/account/sign-out", &[("_token", &token)]).await;
    assert_eq!(answer.location(), "/sign-in?left=sso");
    assert!(browser.cookie(SESSION).is_none() && !is_signed_in(&mut old).await);
    let page = browser.follow(answer).await;
    assert!(page.text.contains("Sign out of Acme sso") && page.text.contains("href=\"/sign-in/sso/sign-out\""), "{}", page.text);
    let leads = browser.get("/sign-in/sso/sign-out").await.location().to_owned();
    let (place, query) = leads.split_once('?').expect("a query");
    assert_eq!(place, format!("{}/logout", world.sso.url()));
    let mut asked: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    asked.sort();
    let after = format!("http://{HOST}/sign-in");
    assert_eq!(asked, [("client_id".to_owned(), "portal".to_owned()), ("post_logout_redirect_uri".to_owned(), after)]);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_see_their_sessions_and_end_the_others() {
    let world = World::open().await;
    let (mut mine, mut other, mut theirs) =
        (world.signed_in("dev-shop").await, world.signed_in("dev-shop").await, world.signed_in("org-owner").await);
    let page = mine.get("/account/sessions").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert_eq!(page.text.matches("Unknown browser").count(), 3, "two sessions, one of them with a named button: {}", page.text);
    assert!(page.text.contains("This browser") && page.text.contains("with Acme sso"), "{}", page.text);
    let (token, id) = (page.hidden("_token"), page.hidden("id"));
    // Someone else's session can't be ended, and looks like none.
    let their_token = theirs.get("/").await.hidden("_token");
    let refused = theirs.act("/do/account/end-session", &[("_token", &their_token), ("id", &id)]).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert!(is_signed_in(&mut other).await);
    assert_eq!(mine.post("/do/account/end-session", &[("_token", &token), ("id", &id)]).await.location(), "/account/sessions");
    assert!(!is_signed_in(&mut other).await && is_signed_in(&mut mine).await && is_signed_in(&mut theirs).await);
    assert_eq!(mine.act("/do/account/end-session", &[("_token", &token), ("id", "")]).await.status, StatusCode::NOT_FOUND);
    let (mut second, mut third) = (world.signed_in("dev-shop").await, world.signed_in("dev-shop").await);
    assert_eq!(mine.post("/do/account/end-session", &[("_token", &token), ("id", "others")]).await.location(), "/account/sessions");
    assert!(!is_signed_in(&mut second).await && !is_signed_in(&mut third).await && is_signed_in(&mut mine).await);
    assert_eq!(
        problem(&mine.post("/do/account/end-session", &[("_token", &token), ("id", "others")]).await),
        "",
        "there is nothing left to end"
    );
    world.close().await;
}
