//! Tokens are replaced before they expire, once, and sessions end when the provider, the person or the clock says so.

use http::StatusCode;
use jiff::SignedDuration;
use opm_portal::config::SessionLifetime;
use serde_json::json;

use super::issuer::TOKENS;
use super::{SESSION, World};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_replaced_once_however_many_requests_need_it() {
    let world = World::open().await;
    let browser = world.signed_in("dev-shop").await;
    assert_eq!(world.sso.refreshes(), 0);
    for round in 1..=3 {
        world.clock.put_forward(TOKENS - 30);
        let asking = (0..12).map(|_| {
            let mut browser = browser.clone();
            async move { browser.get("/").await.status }
        });
        let answers = futures::future::join_all(asking).await;
        assert!(answers.iter().all(|status| *status == StatusCode::OK), "{answers:?}");
        assert_eq!(world.sso.refreshes(), round);
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_holds_a_caller_for_long_goes_on_with_the_new_token() {
    let world = World::open().await;
    let browser = world.signed_in("dev-shop").await;
    let caller = browser.caller(&world.product).await;
    world.clock.put_forward(TOKENS + 1);
    assert!(caller.is_signed_in().await, "the token is replaced for the stream");
    assert_eq!(world.sso.refreshes(), 1);
    let tree = world.product.running.portal.world.tree();
    let cluster = tree.cluster(&"root:acme:shop".parse().expect("a path")).expect("a workspace");
    let enters = caller.may(&cluster, opm_portal::portal::rights::Right::Enter).await;
    assert_eq!(enters, Ok(true), "and the plane accepts it");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_ends_when_the_provider_says_so() {
    let world = World::open().await;
    let mut revoked = world.signed_in("dev-shop").await;
    world.sso.revokes();
    world.clock.put_forward(TOKENS - 30);
    assert_eq!(revoked.get("/").await.location(), app::routes::sign_in("/"));

    // A token about someone else doesn't make the session someone else's.
    let mut swapped = world.signed_in("dev-shop").await;
    world.sso.twists(|_, claims| claims["sub"] = json!("org-owner"));
    world.clock.put_forward(TOKENS - 30);
    assert_eq!(swapped.get("/").await.location(), app::routes::sign_in("/"));
    assert_eq!(swapped.get("/").await.location(), app::routes::sign_in("/"), "it stays over");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_does_not_respond_ends_nothing() {
    let world = World::open().await;
    let mut browser = world.signed_in("dev-shop").await;
    world.sso.is_down(true);
    world.clock.put_forward(TOKENS - 30);
    assert_eq!(browser.get("/").await.status, StatusCode::OK, "the token still counts");
    world.clock.put_forward(60);
    let waits = browser.get("/").await;
    assert_eq!(waits.status, StatusCode::SERVICE_UNAVAILABLE, "{}", waits.text);
    assert!(browser.cookie(SESSION).is_some());
    world.sso.is_down(false);
    world.clock.put_forward(30);
    assert_eq!(browser.get("/").await.status, StatusCode::OK, "and goes on afterwards");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_end_after_their_time_and_when_no_one_uses_them() {
    let lifetime = SessionLifetime { longest: SignedDuration::from_mins(60), idle: SignedDuration::from_mins(10) };
    let world = World::lasting(lifetime).await;
    let (mut used, mut left) = (world.signed_in("dev-shop").await, world.signed_in("org-owner").await);
    for round in 0..7 {
        world.clock.put_forward(8 * 60);
        assert_eq!(used.get("/").await.status, StatusCode::OK, "round {round}");
    }
    assert_eq!(left.get("/").await.status, StatusCode::SEE_OTHER, "nothing was done in it");
    world.clock.put_forward(5 * 60);
    assert_eq!(used.get("/").await.status, StatusCode::SEE_OTHER, "after an hour, whatever was done in it");
    world.close().await;
}
