//! Sign-in on a real kube-apiserver: one that trusts the issuer, and one that doesn't, where the portal impersonates people.

use std::time::Duration;

use cluster::kinds::PromiseRequest;
use http::StatusCode;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::runtime::wait::await_condition;
use oidc::{Impersonation, ProviderConfig};
use opm_portal::config::SignInConfig;
use opm_portal::serve::{Edges, Running, ServeError};
use promise::api::Phase;
use serde_json::{Value, json};

use super::issuer::{Issuer, TOKENS};
use super::{SESSION, begins, problem};
use crate::browser::{Answer, Browser, Product, fill};
use crate::hands::Hands;
use crate::kubernetes::Site;
use crate::second;

/// How long anything can take that a server or the controller does by itself.
const PATIENCE: Duration = Duration::from_secs(60);
const CATALOG: &str = "/w/cluster:shop/catalog";
const FORM: &str = "/w/cluster:shop/promises/settings/request";
const MINE: &str = "/w/cluster:shop/requests/shop/mine";

/// Goes to the provider and comes back as `person`; the portal's answer to that.
async fn goes(issuer: &Issuer, browser: &mut Browser, person: &str) -> Answer {
    let address = begins(browser, "sso", "/").await;
    browser.get(&issuer.signs_in(&address, person)).await
}

/// Signs in. A kube-apiserver that has just started reads the issuer's keys a moment later, and a role that has just been written.
async fn signed_in(issuer: &Issuer, product: &Product, person: &str) -> Browser {
    let signing_in = async {
        loop {
            let mut browser = product.browser();
            match problem(&goes(issuer, &mut browser, person).await).as_str() {
                "" => return browser,
                "account-refused" | "unavailable" => tokio::time::sleep(Duration::from_millis(500)).await,
                other => panic!("{person}: {other}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, signing_in).await.expect("the server trusts the issuer")
}

fn only(provider: ProviderConfig) -> SignInConfig {
    SignInConfig { samples: false, tokens: false, providers: vec![provider], ..SignInConfig::default() }
}

/// The settings for people who are impersonated, as `oidc:<subject>` in the groups of their claim.
fn impersonated(issuer: &Issuer, groups_prefix: &str) -> ProviderConfig {
    let impersonation = Impersonation { username_prefix: "oidc:".into(), groups_prefix: groups_prefix.into() };
    ProviderConfig { groups_claim: Some("groups".into()), impersonation: Some(impersonation), ..issuer.config("sso") }
}

/// From the catalog to a request that is ready, and that `username` made.
async fn orders(site: &Site, browser: &mut Browser, username: &str) {
    let catalog = browser.until(CATALOG, |page| page.text.contains("/w/cluster:shop/promises/settings")).await;
    assert_eq!(catalog.status, StatusCode::OK);
    let written = fill(browser, FORM, &[("/name", "mine"), ("/parameters/colour", "blue")], "submit").await;
    assert_eq!(written.location(), MINE, "{}", written.text);
    let requests: Api<PromiseRequest> = Api::namespaced(site.client(), "shop");
    let ready = |request: Option<&PromiseRequest>| {
        request.and_then(|request| request.status.as_ref()).is_some_and(|status| status.phase == Phase::Ready)
    };
    let waited = tokio::time::timeout(PATIENCE, await_condition(requests.clone(), "mine", ready)).await;
    assert!(matches!(waited, Ok(Ok(_))), "never ready: {:#?}", requests.get("mine").await.expect("the request").status);
    assert_eq!(requests.get("mine").await.expect("the request").spec.requester.expect("the stamp").username, username);
    let maps: Api<ConfigMap> = Api::namespaced(site.client(), "shop");
    let made = maps.get("mine").await.expect("the config map");
    assert_eq!(made.data.expect("data").get("colour").map(String::as_str), Some("blue"));
    let page = browser.until(MINE, |page| page.text.contains("Ready")).await;
    assert_eq!(page.status, StatusCode::OK);
}

/// A person without rights finds nothing.
async fn finds_nothing(browser: &mut Browser) {
    for address in ["/w/cluster:shop", CATALOG, "/w/cluster/catalog", MINE] {
        let answer = browser.get(address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_of_an_issuer_that_the_server_trusts_orders_as_themselves() {
    let issuer = Issuer::start(Hands::of_the_machine()).await;
    let kind = json!({
        "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": [issuer.authenticator()],
    });
    let Some(site) = Site::trusting(&kind).await else { return };
    site.prepared().await;
    let product = site.serving(only(issuer.config("sso")), Edges::default()).await;
    let mut dana = signed_in(&issuer, &product, "dana").await;
    orders(&site, &mut dana, "dana").await;
    finds_nothing(&mut signed_in(&issuer, &product, "eve").await).await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_whom_the_portal_impersonates_has_exactly_their_own_rights() {
    type Twist = fn(&mut Value, &mut Value);
    let clock = Hands::of_the_machine();
    let issuer = Issuer::start(clock.clone()).await;
    let Some(site) = Site::open().await else { return };
    site.prepared().await;
    let product = site.serving(only(impersonated(&issuer, "")), Edges { clock: clock.clone(), ..Edges::default() }).await;

    let mut early = product.browser();
    assert_eq!(problem(&goes(&issuer, &mut early, "dana").await), "unavailable", "the portal isn't allowed to impersonate anyone yet");
    site.lets_the_portal_impersonate().await;
    let mut dana = signed_in(&issuer, &product, "dana").await;
    let caller = dana.caller(&product).await;
    assert_eq!((&*caller.identity().person, caller.is_signed_in().await), ("oidc:dana", true));
    assert!(caller.identity().groups.iter().any(|group| group == "shop-developers"), "{:?}", caller.identity().groups);
    orders(&site, &mut dana, "oidc:dana").await;
    finds_nothing(&mut signed_in(&issuer, &product, "eve").await).await;
    // The portal's own rights are none of theirs.
    let secrets: Api<k8s_openapi::api::core::v1::Secret> = Api::namespaced(caller.client(&cluster::ClusterId::cluster()), "opm-system");
    assert!(secrets.get("none").await.is_err_and(|error| matches!(error, kube::Error::Api(status) if status.code == 403)));

    let twists: [(&str, Twist); 8] = [
        ("a group of the server", |_, claims| claims["groups"] = json!(["shop-developers", "system:masters"])),
        ("the only group", |_, claims| claims["groups"] = json!("system:masters")),
        ("behind a space", |_, claims| claims["groups"] = json!([" system:masters"])),
        ("in capitals", |_, claims| claims["groups"] = json!(["SYSTEM:masters"])),
        ("a user of the server, whatever the prefix", |_, claims| claims["sub"] = json!("system:admin")),
        ("a header in a name", |_, claims| claims["sub"] = json!("dana\r\nImpersonate-Group: system:masters")),
        ("a header in a group", |_, claims| claims["groups"] = json!(["a\nImpersonate-User: admin"])),
        ("not a name", |_, claims| claims["groups"] = json!([{"name": "system:masters"}])),
    ];
    for (what, twist) in twists {
        issuer.twists(twist);
        let mut browser = product.browser();
        let answer = goes(&issuer, &mut browser, "dana").await;
        assert_eq!(problem(&answer), "name-refused", "{what}");
        assert!(browser.cookie(SESSION).is_none(), "{what}");
        let shown = browser.follow(answer).await;
        assert!(shown.text.contains("such as one that begins with system:"), "{what}: {}", shown.text);
    }
    // With the next token, the groups are those that it says; a session that would get such a name ends.
    issuer.twists(|_, claims| claims["groups"] = json!(["other-developers"]));
    clock.put_forward(TOKENS - 30);
    assert_eq!(dana.get(MINE).await.status, StatusCode::NOT_FOUND);
    assert!(!caller.is_signed_in().await, "a caller that a stream still holds is signed out, too");
    issuer.twists(|_, claims| claims["groups"] = json!(["system:masters"]));
    clock.put_forward(TOKENS - 30);
    assert_eq!(dana.get(MINE).await.location(), app::routes::sign_in(MINE), "the session is over");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_one_is_impersonated_on_kcp() {
    let first = Product::quiet().await;
    let issuer = Issuer::start(Hands::of_the_machine()).await;
    let (config, _folder) = second::config(&first, only(impersonated(&issuer, "")));
    let refused = Running::open(&config, Edges::default()).await.err().expect("kcp");
    assert!(matches!(refused, ServeError::Impersonation(_)) && refused.to_string().contains("--oidc-impersonate"), "{refused}");
    first.running.close().await;
}
