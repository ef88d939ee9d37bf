//! What can't be undone needs a recent authentication: overrides, and deletions in workspaces for production. Until the person has confirmed
//! who they are, nothing changes, and nothing that they entered is lost.

use axum::body::Body;
use cluster::kinds::{Approval, PromiseRequest};
use http::{Request, StatusCode, header};
use kube::Api;
use kube::api::ListParams;
use serde_json::{Value, json};

use super::{SESSION, World, problem};
use crate::approvals::{ask, asked, client, decide};
use crate::browser::{Answer, Browser, HOST, fill};

const SHOP: &str = "root:acme:shop";
const DELETE: &str = "/do/requests/delete";

/// The address to which a page sends people who have to confirm who they are.
fn confirms(page: &Answer) -> String {
    assert_eq!(page.status, StatusCode::FORBIDDEN, "{}", page.text);
    assert!(page.text.contains("needs a sign-in within the last 10 minutes"), "{}", page.text);
    let link = page.text.split("href=\"").find(|rest| rest.starts_with("/sign-in/sso?")).expect("a link to the provider");
    link.split('"').next().expect("an address").replace("&amp;", "&")
}

/// Goes to the provider, where `person` proves who they are; the portal's answer.
async fn proves(world: &World, browser: &mut Browser, page: &Answer, person: &str) -> Answer {
    let leaves = browser.get(&confirms(page)).await.location().to_owned();
    assert!(leaves.contains("max_age=600") && leaves.contains("prompt=login"), "{leaves}");
    browser.get(&world.sso.signs_in(&leaves, person)).await
}

async fn is_there(world: &World, workspace: &str, name: &str) -> bool {
    let api: Api<PromiseRequest> = Api::namespaced(client(&world.product, workspace), "default");
    let found = api.get_opt(name).await.expect("an answer");
    found.is_some_and(|request| request.metadata.deletion_timestamp.is_none())
}

/// Posts the deletion of a request in a workspace.
async fn deletes(browser: &mut Browser, workspace: &str, name: &str) -> Answer {
    let page = browser.until(&format!("/w/{workspace}/requests/default/{name}/delete"), |page| page.status == StatusCode::OK).await;
    let token = page.hidden("_token");
    let pairs = [("_token", token.as_str()), ("workspace", workspace), ("namespace", "default"), ("name", name), ("confirmation", name)];
    browser.act(DELETE, &pairs).await
}

async fn username(world: &World, browser: &Browser) -> String {
    browser.caller(&world.product).await.identity().person.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_override_waits_until_the_person_confirms_who_they_are() {
    let world = World::fulfilling().await;
    world.product.publishes_samples().await;
    let requester = world.signed_in("dev-shop").await;
    let (uid, _) = asked(&world.product, &requester, "orders-db", 50).await;
    let mut owner = world.signed_in("org-owner").await;
    let approvals: Api<Approval> = Api::all(client(&world.product, "root:acme"));
    let given = async || approvals.list(&ListParams::default()).await.expect("a list").items.len();
    let before = given().await;

    // What isn't complete is said first.
    let back = format!("/approvals/{uid}");
    let emergency = [("decision", "approve"), ("emergency", "true"), ("back", back.as_str())];
    let incomplete = decide(&mut owner, &uid, &emergency).await;
    assert!(incomplete.text.contains("Add a comment that describes the emergency"), "{}", incomplete.text);
    let complete = [&emergency[..], &[("comment", "The shop is down")]].concat();
    let waits = decide(&mut owner, &uid, &complete).await;
    assert_eq!(given().await, before, "nothing is decided");

    let returned = proves(&world, &mut owner, &waits, "org-owner").await;
    assert!(returned.location().starts_with(&format!("{back}?")), "{}", returned.location());
    let form = owner.follow(returned).await;
    assert!(form.text.contains("The shop is down") && form.text.contains("Nothing has changed yet"), "{}", form.text);
    assert_eq!(given().await, before, "the person still has to confirm");

    let done = decide(&mut owner, &uid, &complete).await;
    assert_eq!((done.status, given().await), (StatusCode::SEE_OTHER, before + 1), "{}", done.text);
    let mine = approvals.list(&ListParams::default()).await.expect("a list").items;
    assert!(mine.iter().any(|approval| approval.spec.emergency && approval.spec.comment.as_deref() == Some("The shop is down")));
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_in_production_waits_and_one_elsewhere_does_not() {
    let world = World::fulfilling().await;
    world.product.publishes_samples().await;
    let mut dana = world.signed_in("dev-shop").await;
    for name in ["carts", "sessions"] {
        ask(&world.product, &dana, name, "redis", json!({})).await;
    }
    let waits = deletes(&mut dana, SHOP, "carts").await;
    assert!(is_there(&world, SHOP, "carts").await, "nothing is deleted");
    let returned = proves(&world, &mut dana, &waits, "dev-shop").await;
    let form = dana.follow(returned).await;
    assert!(
        form.text.contains("value=\"carts\"") && form.text.contains("Nothing has changed yet"),
        "what was typed is kept: {}",
        form.text
    );
    assert!(is_there(&world, SHOP, "carts").await, "the person still has to confirm");
    assert_eq!(deletes(&mut dana, SHOP, "carts").await.status, StatusCode::SEE_OTHER);
    assert!(!is_there(&world, SHOP, "carts").await);

    // The authentication is old after a while, whatever the session did in the meantime.
    for _ in 0..4 {
        world.clock.put_forward(170);
        assert_eq!(dana.get("/").await.status, StatusCode::OK);
    }
    let waits = deletes(&mut dana, SHOP, "sessions").await;
    assert!(!confirms(&waits).is_empty() && is_there(&world, SHOP, "sessions").await);

    let mut deniz = world.signed_in("dev-data").await;
    let form = "/w/root:acme:data/promises/redis/request";
    let asked = fill(&mut deniz, form, &[("/reason", ""), ("/name", "scores")], "submit").await;
    assert_eq!(asked.location(), "/w/root:acme:data/requests/default/scores", "{}", asked.text);
    assert_eq!(deletes(&mut deniz, "root:acme:data", "scores").await.status, StatusCode::SEE_OTHER, "the workspace is for development");
    assert!(!is_there(&world, "root:acme:data", "scores").await);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_else_that_comes_back_is_a_confirmation() {
    type Twist = fn(&mut Value, &mut Value);
    let world = World::fulfilling().await;
    world.product.publishes_samples().await;
    let mut dana = world.signed_in("dev-shop").await;
    ask(&world.product, &dana, "carts", "redis", json!({})).await;
    let twists: [(&str, Twist); 3] = [
        ("long ago", |_, claims| claims["auth_time"] = json!(claims["iat"].as_i64().expect("a time") - 661)),
        ("in the future", |_, claims| claims["auth_time"] = json!(claims["iat"].as_i64().expect("a time") + 3600)),
        ("it isn't said", |_, claims| drop(claims.as_object_mut().expect("claims").remove("auth_time"))),
    ];
    for (what, twist) in twists {
        let waits = deletes(&mut dana, SHOP, "carts").await;
        world.sso.twists(twist);
        let before = dana.cookie(SESSION).expect("a session").to_owned();
        let refused = proves(&world, &mut dana, &waits, "dev-shop").await;
        assert_eq!(problem(&refused), "provider-did-not-ask", "{what}");
        assert_eq!(dana.cookie(SESSION), Some(before.as_str()), "{what}: the session stays as it is");
        let shown = dana.follow(refused).await;
        assert!(shown.text.contains("ask you to sign in again"), "{what}: {}", shown.text);
        assert!(is_there(&world, SHOP, "carts").await, "{what}");
    }
    world.sso.twists(|_, _| {});

    // Someone else, with rights of their own in the workspace.
    let waits = deletes(&mut dana, SHOP, "carts").await;
    let refused = proves(&world, &mut dana, &waits, "org-owner").await;
    assert_eq!(problem(&refused), "other-person");
    assert_eq!(username(&world, &dana).await, "dev-shop", "the session still belongs to the same person");
    assert!(is_there(&world, SHOP, "carts").await);

    // The person themselves, but the answer of a sign-in that asked for no proof.
    let plain = world.goes(&mut dana, "dev-shop", "/").await;
    assert_eq!(plain.location(), "/");
    let waits = deletes(&mut dana, SHOP, "carts").await;
    assert!(!confirms(&waits).is_empty());
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_are_not_asked() {
    let world = World::fulfilling().await;
    world.product.publishes_samples().await;
    let dana = world.signed_in("dev-shop").await;
    ask(&world.product, &dana, "carts", "redis", json!({})).await;
    // Programs have no one to confirm a sign-in: a bearer token can do what its owner can.
    let address = format!("/api/v1/workspaces/{SHOP}/requests/default/carts");
    let request = Request::delete(address).header(header::HOST, HOST);
    let request = request.header(header::AUTHORIZATION, format!("Bearer {}", world.sso.issues("dev-shop")));
    let answer = world.browser().send(request.body(Body::empty()).expect("a request")).await;
    assert!(answer.status.is_success(), "{}: {}", answer.status, answer.text);
    assert!(!is_there(&world, SHOP, "carts").await);
    world.close().await;
}
