//! Tokens of issuers: the users that they map to, and which are refused.

mod beside_kubernetes;
mod hostile;
mod provider;
mod signing;

use std::time::Duration;

use devplane::{AuthenticationConfiguration, Options};
use serde_json::{Value, json};

use crate::device::storage;
use crate::plane::{Hands, Server, tokens};
use provider::Provider;
use signing::SigningKey;

const REVIEWS: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
/// The clock of these tests begins there.
const NOW: i64 = 1_767_225_600;
/// Longer than the pause between two questions to an issuer.
const PAUSE: Duration = Duration::from_secs(3);

fn by_claims() -> Value {
    json!({
        "username": {"claim": "sub", "prefix": "idp:"},
        "groups": {"claim": "groups", "prefix": ""},
        "uid": {"claim": "oid"},
        "extra": [{"key": "shop.example/team", "valueExpression": "claims.?team.orValue('')"}],
    })
}

fn configuration(jwt: &[Value]) -> AuthenticationConfiguration {
    let document = json!({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": jwt});
    AuthenticationConfiguration::parse(&document.to_string()).unwrap()
}

/// A plane that accepts the tokens of these issuers.
fn plane(jwt: &[Value], clock: &Hands) -> Server {
    let clock = std::sync::Arc::new(clock.clone());
    Server::with(Options { authentication: configuration(jwt), clock, ..Options::new(storage(), tokens(), "https://plane.test") })
}

/// Claims of Jane.
fn claims(provider: &Provider) -> Value {
    json!({
        "iss": provider.url, "aud": "portal", "sub": "jane", "oid": "7", "groups": ["acme-shop-developers"], "team": "shop",
        "iat": NOW, "exp": NOW + 3600, "jti": "t1",
    })
}

async fn status(server: &Server, token: &str) -> u16 {
    server.post(token, REVIEWS, json!({})).await.0
}

/// What a review by an administrator says about a token.
async fn reviewed(server: &Server, token: &str) -> Value {
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}});
    server.create("admin", "/apis/authentication.k8s.io/v1/tokenreviews", review).await["status"].clone()
}

#[tokio::test]
async fn a_token_is_a_person_with_groups_uid_and_extra_fields_everywhere() {
    let key = SigningKey::rsa("one", 0);
    let provider = Provider::start(&[&key]).await;
    let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
    let token = key.token("RS256", &claims(&provider));
    let expected = json!({
        "username": "idp:jane", "uid": "7", "groups": ["acme-shop-developers", "system:authenticated"],
        "extra": {"authentication.kubernetes.io/credential-id": ["JTI=t1"], "shop.example/team": ["shop"]},
    });
    server.workspace("root", "team", "universal").await;
    let enter = json!([{"nonResourceURLs": ["/"], "verbs": ["access"]}]);
    server.grant("root:team", "idp:jane", enter).await;
    for prefix in ["", "/clusters/root", "/clusters/root:team"] {
        let (status, review) = server.post(&token, &format!("{prefix}{REVIEWS}"), json!({})).await;
        assert_eq!((status, &review["status"]["userInfo"]), (201, &expected), "{prefix}");
    }
    assert_eq!(reviewed(&server, &token).await["user"], expected);
}

#[tokio::test]
async fn rights_come_by_group_and_by_name() {
    let key = SigningKey::curve("one", 256);
    let provider = Provider::start(&[&key]).await;
    let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
    let token = key.token("ES256", &claims(&provider));
    server.workspace("root", "shop", "universal").await;
    let maps = "/clusters/root:shop/api/v1/namespaces/default/configmaps";
    assert_eq!(server.get(&token, maps).await.0, 403);
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "developers"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "acme-shop-developers"}],
    });
    server.create("admin", "/clusters/root:shop/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding).await;
    assert_eq!(server.get(&token, maps).await.0, 200);
}

#[tokio::test]
async fn every_algorithm_with_a_public_key_counts() {
    let (rsa, p256, p384) = (SigningKey::rsa("rsa", 0), SigningKey::curve("p256", 256), SigningKey::curve("p384", 384));
    let provider = Provider::start(&[&rsa, &p256, &p384]).await;
    let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
    for algorithm in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] {
        assert_eq!(status(&server, &rsa.token(algorithm, &claims(&provider))).await, 201, "{algorithm}");
    }
    assert_eq!(status(&server, &p256.token("ES256", &claims(&provider))).await, 201);
    assert_eq!(status(&server, &p384.token("ES384", &claims(&provider))).await, 201);
    // A token can leave the key open.
    assert_eq!(status(&server, &rsa.token_with(&json!({"alg": "RS256"}), &claims(&provider))).await, 201);
    assert_eq!(provider.asked(), 1);
}

#[tokio::test]
async fn each_issuer_speaks_for_itself() {
    let (first_key, second_key) = (SigningKey::rsa("one", 0), SigningKey::rsa("one", 1));
    let (first, second) = (Provider::start(&[&first_key]).await, Provider::start(&[&second_key]).await);
    let mappings = json!({"username": {"claim": "sub", "prefix": "second:"}});
    let server = plane(&[first.authenticator(by_claims()), second.authenticator(mappings)], &Hands::default());
    assert_eq!(status(&server, &first_key.token("RS256", &claims(&first))).await, 201);
    let (_, review) = server.post(&second_key.token("RS256", &claims(&second)), REVIEWS, json!({})).await;
    assert_eq!(review["status"]["userInfo"]["username"], "second:jane");
    assert_eq!(status(&server, &second_key.token("RS256", &claims(&first))).await, 401, "the key of another issuer");
    assert_eq!(status(&server, "alice").await, 201, "tokens of the plane itself go on counting");
}

#[tokio::test]
async fn a_new_key_counts_at_once_and_an_old_one_no_more() {
    let (old, new) = (SigningKey::rsa("old", 0), SigningKey::rsa("new", 1));
    let provider = Provider::start(&[&old]).await;
    let clock = Hands::default();
    let server = plane(&[provider.authenticator(by_claims())], &clock);
    let (by_old, by_new) = (old.token("RS256", &claims(&provider)), new.token("RS256", &claims(&provider)));
    assert_eq!(status(&server, &by_old).await, 201);
    provider.publishes(&[&new]);
    assert_eq!(status(&server, &by_old).await, 201, "nothing had the plane ask");
    clock.forward(PAUSE);
    assert_eq!(status(&server, &by_new).await, 201);
    assert_eq!(status(&server, &by_old).await, 401);
    // Out of order, it has its known keys counted.
    provider.set_down(true);
    clock.forward(PAUSE);
    assert_eq!(status(&server, &by_old).await, 401);
    assert_eq!(status(&server, &by_new).await, 201);
}

#[tokio::test]
async fn keys_are_asked_for_no_more_often_than_makes_sense() {
    let (key, other) = (SigningKey::rsa("one", 0), SigningKey::rsa("other", 1));
    let provider = Provider::start(&[&key]).await;
    provider.caches("public, max-age=600");
    let clock = Hands::default();
    let server = plane(&[provider.authenticator(by_claims())], &clock);
    let made_up = other.token("RS256", &claims(&provider));
    for _ in 0..20 {
        assert_eq!(status(&server, &made_up).await, 401);
    }
    clock.forward(Duration::from_secs(500));
    assert_eq!(status(&server, &made_up).await, 401);
    assert_eq!(provider.asked(), 1, "the set can't have changed");
    provider.caches("no-cache");
    clock.forward(Duration::from_secs(100));
    for _ in 0..20 {
        assert_eq!(status(&server, &made_up).await, 401);
    }
    assert_eq!(provider.asked(), 2);
    clock.forward(PAUSE);
    assert_eq!(status(&server, &made_up).await, 401);
    assert_eq!(provider.asked(), 3);
}

#[tokio::test]
async fn a_plane_starts_without_its_issuer_and_says_why_tokens_are_refused() {
    let key = SigningKey::rsa("one", 0);
    let provider = Provider::start(&[&key]).await;
    provider.set_down(true);
    let clock = Hands::default();
    let server = plane(&[provider.authenticator(by_claims())], &clock);
    let token = key.token("RS256", &claims(&provider));
    assert_eq!(status(&server, &token).await, 401);
    let why = reviewed(&server, &token).await["error"].as_str().unwrap().to_owned();
    assert!(why.contains("the keys of its issuer aren't known yet") && why.contains("503"), "{why}");
    assert_eq!(status(&server, "alice").await, 201);
    provider.set_down(false);
    clock.forward(PAUSE);
    assert_eq!(status(&server, &token).await, 201);
}

#[tokio::test]
async fn requests_without_a_token_are_open_where_the_configuration_opens_them() {
    let document = "{apiVersion: apiserver.config.k8s.io/v1, kind: AuthenticationConfiguration, \
                    anonymous: {enabled: true, conditions: [{path: /livez}]}}";
    let authentication = AuthenticationConfiguration::parse(document).unwrap();
    let server = Server::with(Options { authentication, ..Options::new(storage(), tokens(), "https://plane.test") });
    for (path, expected) in [("/livez", 200), ("/readyz", 401), ("/api", 401)] {
        let request = http::Request::get(path).body(axum::body::Body::empty()).unwrap();
        assert_eq!(server.answer(request).await.status(), expected, "{path}");
    }
    assert_eq!(server.get("alice", "/api").await.0, 200);
}
