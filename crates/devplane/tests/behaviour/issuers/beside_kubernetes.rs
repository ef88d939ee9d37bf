//! The same tokens, presented to the plane and to a real kube-apiserver with the same configuration: both must say the same of each.

use devplane::{Options, SystemClock};
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use testplane::Person;

use super::provider::Provider;
use super::signing::SigningKey;
use super::{NOW, REVIEWS, configuration, hostile};
use crate::device::storage;
use crate::plane::{Server, tokens};

const PEOPLE: &[Person] = &[Person { name: "admin", groups: &["system:masters"] }];
/// What the plane says otherwise, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    ("a system name", "issuers can't give names of the system, as in workspaces of kcp"),
    ("groups of the system", "issuers can't give groups of the system, as in workspaces of kcp"),
    ("a name that is null", "a prefix alone isn't a username"),
];

/// Names and groups by claim, everything else by expression.
fn authenticator(provider: &Provider) -> Value {
    let mut authenticator = provider.authenticator(json!({
        "username": {"claim": "sub", "prefix": ""},
        "groups": {"claim": "groups", "prefix": ""},
        "uid": {"claim": "oid"},
        "extra": [
            {"key": "shop.example/team", "valueExpression": "claims.?team.orValue('')"},
            {"key": "shop.example/level", "valueExpression": "has(claims.level) ? string(claims.level) : ''"},
            {"key": "shop.example/dotted", "valueExpression": "has(claims.a__dot__b) ? claims.a__dot__b : null"},
        ],
    }));
    authenticator["claimValidationRules"] = json!([
        {"expression": "!has(claims.hd) || claims.hd == 'shop.example'", "message": "another domain"},
        {"expression": "!has(claims.level) || claims.level < 10.0"},
    ]);
    authenticator["userValidationRules"] = json!([{"expression": "!user.groups.exists(group, group == 'banned')"}]);
    authenticator
}

/// Status of a review, and who it says one is.
async fn asked(server: &testplane::Server, token: &str) -> (u16, Value) {
    let request = Request::post(REVIEWS).header("authorization", format!("Bearer {token}")).header("content-type", "application/json");
    let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}).to_string().into_bytes();
    let answer = server.send(request.body(body).unwrap()).await.unwrap();
    let status = answer.status().as_u16();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice::<Value>(&bytes).unwrap_or_default()["status"]["userInfo"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_token_means_what_it_means_to_a_real_server() {
    if !testplane::full() {
        return;
    }
    let (key, curve, stranger) = (SigningKey::rsa("rsa", 0), SigningKey::curve("curve", 256), SigningKey::rsa("stranger", 1));
    let provider = Provider::start(&[&key, &curve]).await;
    let document = json!({
        "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": [authenticator(&provider)],
    });
    let Some(real) = testplane::kubernetes_trusting(PEOPLE, &document.to_string()).await else { return };
    let authentication = configuration(&[authenticator(&provider)]);
    let plane = Server::with(Options { authentication, ..Options::new(storage(), tokens(), "https://plane.test") });

    // Both have the machine's time.
    let now = devplane::Clock::now(&SystemClock).as_second();
    let tokens = tokens_at(now - NOW, &provider, &key, &curve, &stranger);
    assert_eq!(asked(&real, &tokens[0].1).await.0, 201, "the real server has the keys");
    let (mut same, mut faults) = (0, Vec::new());
    for (what, token) in &tokens {
        let expected = asked(&real, token).await;
        let (status, body) = plane.post(token, REVIEWS, json!({})).await;
        let given = (status, body["status"]["userInfo"].clone());
        match (expected == given, DIFFERENCES.iter().any(|(known, _)| known == what)) {
            (true, false) => same += 1,
            (false, true) => {}
            (true, true) => faults.push(format!("{what}: the same by now, take its reason away")),
            (false, false) => faults.push(format!("{what}: expected {expected:?}, given {given:?}")),
        }
    }
    println!("tokens: {same} of {} mean the same", tokens.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The tokens of the hostile list and some more, this many seconds later than there.
fn tokens_at(later: i64, provider: &Provider, key: &SigningKey, curve: &SigningKey, stranger: &SigningKey) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> =
        hostile::tokens_at(later, provider, key, curve, stranger).into_iter().map(|(what, token, _)| (what, token)).collect();
    let of = |claim: &str, value: Value| key.token("RS256", &hostile::changed_at(later, provider, claim, value));
    all.extend([
        ("a system name", of("sub", json!("system:admin"))),
        ("groups of the system", of("groups", json!(["system:masters", "dev"]))),
        ("a name that is null", of("sub", Value::Null)),
        ("a group that is null", of("groups", json!(["dev", null]))),
        ("a number in an extra field", of("level", json!(7))),
        ("a fraction in an extra field", of("level", json!(7.5))),
        ("a number beyond a rule", of("level", json!(10))),
        ("a word where a rule needs a number", of("level", json!("7"))),
        ("a claim with a dot", of("a.b", json!("c"))),
        ("another domain", of("hd", json!("other.example"))),
        ("the domain", of("hd", json!("shop.example"))),
        ("a banned group", of("groups", json!(["dev", "banned"]))),
        ("an id that is a number", of("jti", json!(7))),
        ("an empty id", of("jti", json!(""))),
        ("an end with a fraction", of("exp", json!((NOW + later) as f64 + 600.5))),
    ]);
    all
}
