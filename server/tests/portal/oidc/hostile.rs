//! What must not become a session: answers that are forged, replayed, mixed up or for someone else.

use http::StatusCode;
use serde_json::{Value, json};

use super::{ATTEMPT, SESSION, World, begins, problem};

/// Header and claims of an id token, changed before it is signed.
type Twist = fn(&mut Value, &mut Value);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_token_counts_only_as_it_should_be() {
    let world = World::open().await;
    let twists: [(&str, Twist, &str); 16] = [
        ("expired", |_, claims| claims["exp"] = json!(claims["iat"].as_i64().expect("a time") - 120), "provider-answer"),
        ("issued in the future", |_, claims| claims["iat"] = json!(claims["iat"].as_i64().expect("a time") + 3600), "provider-answer"),
        ("for another application", |_, claims| claims["aud"] = json!("other"), "provider-answer"),
        ("for several without saying who asked", |_, claims| claims["aud"] = json!(["portal", "other"]), "provider-answer"),
        ("issued to another application", |_, claims| claims["azp"] = json!("other"), "provider-answer"),
        (
            "for several, issued to another application",
            |_, claims| {
                claims["aud"] = json!(["portal", "other"]);
                claims["azp"] = json!("other");
            },
            "provider-answer",
        ),
        ("of another issuer", |_, claims| claims["iss"] = json!("https://evil.example"), "provider-answer"),
        ("of another sign-in", |_, claims| claims["nonce"] = json!("0".repeat(64)), "provider-answer"),
        ("without a nonce", |_, claims| drop(claims.as_object_mut().expect("claims").remove("nonce")), "provider-answer"),
        ("unsigned", |header, _| header["alg"] = json!("none"), "provider-answer"),
        ("signed with the client's secret", |header, _| header["alg"] = json!("HS256"), "provider-answer"),
        ("with critical extensions", |header, _| header["crit"] = json!(["b64"]), "provider-answer"),
        ("with an unknown key", |header, _| header["kid"] = json!("none of theirs"), "provider-answer"),
        ("no id token", |header, _| header["typ"] = json!("at+jwt"), "provider-answer"),
        ("for a few seconds in the future", |_, claims| claims["iat"] = json!(claims["iat"].as_i64().expect("a time") + 30), ""),
        (
            "for several, issued to the portal",
            |_, claims| {
                claims["aud"] = json!(["portal", "other"]);
                claims["azp"] = json!("portal");
            },
            "",
        ),
    ];
    for (what, twist, expected) in twists {
        world.sso.twists(twist);
        let mut browser = world.browser();
        let answer = world.goes(&mut browser, "dev-shop", "/cost").await;
        assert_eq!(problem(&answer), expected, "{what}: {}", answer.location());
        assert_eq!(browser.cookie(SESSION).is_some(), expected.is_empty(), "{what}");
        if !expected.is_empty() {
            let shown = browser.get(answer.location()).await;
            assert_eq!(shown.status, StatusCode::FORBIDDEN, "{what}");
            assert!(answer.location().contains("cost"), "the next sign-in leads to where the person wanted to go: {}", answer.location());
        }
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_rotate_and_a_key_that_is_not_published_signs_nothing() {
    let world = World::open().await;
    world.signed_in("dev-shop").await;
    world.sso.rotates("second", false);
    // The plane reads keys every other second at most.
    world.clock.put_forward(3);
    world.signed_in("dev-shop").await;
    world.clock.put_forward(60);
    world.sso.rotates("stolen", true);
    let mut browser = world.browser();
    assert_eq!(problem(&world.goes(&mut browser, "dev-shop", "/").await), "provider-answer");
    // The same id as a published key proves nothing.
    world.clock.put_forward(60);
    world.sso.rotates("stolen", true);
    assert_eq!(problem(&world.goes(&mut browser, "dev-shop", "/").await), "provider-answer");
    assert!(browser.cookie(SESSION).is_none());
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_counts_once_and_in_the_browser_that_asked() {
    let world = World::open().await;
    let mut mine = world.browser();
    let address = begins(&mut mine, "sso", "/").await;
    let callback = world.sso.signs_in(&address, "dev-shop");
    // Someone else's answer in a browser that asked for nothing, or for something else: nobody is signed in as another person unawares.
    let mut victim = world.browser();
    assert_eq!(problem(&victim.get(&callback).await), "no-attempt");
    begins(&mut victim, "sso", "/").await;
    assert_eq!(problem(&victim.get(&callback).await), "no-attempt");
    assert!(victim.cookie(SESSION).is_none());
    let mut copy = mine.clone();
    assert_eq!(mine.get(&callback).await.location(), "/");
    assert!(mine.cookie(SESSION).is_some());
    // The same answer again, even in the same browser and with a new code.
    assert_eq!(problem(&copy.get(&callback).await), "no-attempt");
    assert_eq!(problem(&copy.get(&world.sso.signs_in(&address, "dev-shop")).await), "no-attempt");
    assert!(copy.cookie(SESSION).is_none());
    assert_eq!(mine.get(&callback).await.location(), "/", "who goes back is signed in already");

    let mut late = world.browser();
    let address = begins(&mut late, "sso", "/").await;
    world.clock.put_forward(601);
    assert_eq!(problem(&late.get(&world.sso.signs_in(&address, "dev-shop")).await), "no-attempt");

    let mut forged = world.browser();
    let address = begins(&mut forged, "sso", "/").await;
    let callback = world.sso.signs_in(&address, "dev-shop");
    let state = callback.split("state=").nth(1).and_then(|rest| rest.split('&').next()).expect("a state").to_owned();
    assert_eq!(problem(&forged.get(&callback.replace(&state, &"0".repeat(64))).await), "no-attempt");
    assert_eq!(problem(&forged.get(&callback.replace(&format!("&state={state}"), "")).await), "no-attempt");
    assert_eq!(forged.get(&callback).await.location(), "/", "a wrong answer does not spoil the right one");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_counts_only_with_the_verifier_of_its_sign_in() {
    let world = World::open().await;
    let (mut thief, mut victim) = (world.browser(), world.browser());
    let stolen = world.sso.signs_in(&begins(&mut victim, "sso", "/").await, "org-owner");
    let own = world.sso.signs_in(&begins(&mut thief, "sso", "/").await, "dev-shop");
    let code = |callback: &str| callback.split("code=").nth(1).and_then(|rest| rest.split('&').next()).expect("a code").to_owned();
    let injected = own.replace(&code(&own), &code(&stolen));
    assert_eq!(problem(&thief.get(&injected).await), "provider-answer");
    assert!(thief.cookie(SESSION).is_none());
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_provider_does_not_answer_for_another() {
    let world = World::open().await;
    let mut browser = world.browser();
    let callback = world.sso.signs_in(&begins(&mut browser, "sso", "/").await, "dev-shop");
    assert_eq!(problem(&browser.get(&callback.replace("/sign-in/sso/", "/sign-in/other/")).await), "provider-answer");
    for iss in ["", "https://evil.example", &format!("{}/", world.sso.url()), world.other.url()] {
        let callback = world.sso.signs_in(&begins(&mut browser, "sso", "/").await, "dev-shop");
        let (before, _) = callback.split_once("&iss=").expect("an issuer");
        let named = form_urlencoded::Serializer::new(String::new()).append_pair("iss", iss).finish();
        let answer = browser.get(&if iss.is_empty() { before.to_owned() } else { format!("{before}&{named}") }).await;
        assert_eq!(problem(&answer), "provider-answer", "{iss}");
    }
    assert!(browser.cookie(SESSION).is_none());
    // The other one is a provider as well.
    let callback = world.other.signs_in(&begins(&mut browser, "other", "/").await, "dev-shop");
    assert_eq!(browser.get(&callback).await.location(), "/");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_leads_to_the_portal_and_nowhere_else() {
    let world = World::open().await;
    for back in ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "evil", "/\tevil"] {
        let mut browser = world.browser();
        assert_eq!(world.goes(&mut browser, "dev-shop", back).await.location(), "/", "{back}");
        let mut browser = world.browser();
        let address = begins(&mut browser, "sso", back).await;
        assert!(!address.contains("evil"), "{address}");
        let state = address.split("state=").nth(1).and_then(|rest| rest.split('&').next()).expect("a state").to_owned();
        let refused = browser.get(&format!("/sign-in/sso/callback?error=access_denied&state={state}")).await;
        assert_eq!(refused.location(), "/sign-in?back=%2F&problem=provider-declined", "{back}");
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_makes_a_new_session_and_ends_the_old_one() {
    let world = World::open().await;
    let mut browser = world.browser();
    let planted = "ab".repeat(32);
    browser.holds(SESSION, &planted);
    assert_eq!(world.goes(&mut browser, "dev-shop", "/").await.location(), "/");
    assert_ne!(browser.cookie(SESSION), Some(planted.as_str()));
    let mut planter = world.browser();
    planter.holds(SESSION, &planted);
    assert_eq!(planter.get("/").await.status, StatusCode::SEE_OTHER, "it opens nothing");

    let mut old = browser.clone();
    assert_eq!(world.goes(&mut browser, "org-owner", "/").await.location(), "/");
    assert_ne!(browser.cookie(SESSION), old.cookie(SESSION));
    assert_eq!(old.get("/").await.status, StatusCode::SEE_OTHER, "the session before has ended");
    assert_eq!(&*browser.caller(&world.product).await.identity().person, "org-owner");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_are_told_what_happened_and_can_try_again() {
    let world = World::open().await;
    world.sso.is_down(true);
    let mut browser = world.browser();
    let address = begins(&mut browser, "sso", "/").await;
    // Nothing is known about the provider yet, so nobody can be sent there.
    let shown = browser.get(&address).await;
    assert_eq!(shown.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(shown.text.contains("identity provider didn't respond"), "{}", shown.text);
    world.sso.is_down(false);
    world.clock.put_forward(3);
    let callback = world.sso.signs_in(&begins(&mut browser, "sso", "/").await, "dev-shop");
    world.sso.is_down(true);
    assert_eq!(problem(&browser.get(&callback).await), "provider-unavailable");
    world.sso.is_down(false);
    assert_eq!(world.goes(&mut browser, "dev-shop", "/").await.location(), "/");
    assert!(browser.cookie(ATTEMPT).is_none());
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_the_plane_does_not_accept_opens_nothing() {
    let world = World::open().await;
    // The portal tolerates clocks that differ a little; whether a token still counts, the plane decides.
    world.sso.twists(|_, claims| claims["exp"] = json!(claims["iat"].as_i64().expect("a time") - 30));
    let mut browser = world.browser();
    assert_eq!(problem(&world.goes(&mut browser, "dev-shop", "/").await), "account-refused");
    assert!(browser.cookie(SESSION).is_none());
    world.close().await;
}
