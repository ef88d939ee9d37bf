//! Forged and malformed tokens, keys and discovery documents. All of them are refused.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use serde_json::{Value, json};

use super::provider::Provider;
use super::signing::{SigningKey, by_secret, unsigned};
use super::{NOW, by_claims, claims, plane, reviewed, status};
use crate::plane::Hands;

/// Claims of Jane, one of them changed.
fn changed(provider: &Provider, claim: &str, value: Value) -> Value {
    changed_at(0, provider, claim, value)
}

/// The same, this many seconds later than the clock of these tests begins.
pub fn changed_at(later: i64, provider: &Provider, claim: &str, value: Value) -> Value {
    let mut claims = claims_at(later, provider);
    claims[claim] = value;
    claims
}

fn claims_at(later: i64, provider: &Provider) -> Value {
    let mut claims = claims(provider);
    for time in ["iat", "exp"] {
        claims[time] = json!(claims[time].as_i64().unwrap() + later);
    }
    claims
}

/// What is tried, and whether it counts; this many seconds later than the clock of these tests begins.
pub fn tokens_at(
    later: i64,
    provider: &Provider,
    key: &SigningKey,
    curve: &SigningKey,
    stranger: &SigningKey,
) -> Vec<(&'static str, String, bool)> {
    let (good, now) = (claims_at(later, provider), NOW + later);
    let rs256 = |claim: &str, value: Value| key.token("RS256", &changed_at(later, provider, claim, value));
    let without = |claim: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(claim);
        key.token("RS256", &claims)
    };
    let public = key.published();
    let modulus = BASE64.decode(public["n"].as_str().unwrap()).unwrap();
    let token = key.token("RS256", &good);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let (header, payload) = signed.split_once('.').unwrap();
    let forged = BASE64.encode(changed_at(later, provider, "sub", json!("admin")).to_string());
    vec![
        ("good", token.clone(), true),
        ("good by a curve", curve.token("ES256", &good), true),
        ("unsigned", unsigned("none", &good), false),
        ("unsigned, in capitals", unsigned("NONE", &good), false),
        ("unsigned, without algorithm", unsigned("", &good), false),
        ("said to be signed", unsigned("RS256", &good), false),
        ("a secret made of the public key", by_secret("rsa", &good, &modulus), false),
        ("a secret made of the published key", by_secret("rsa", &good, public.to_string().as_bytes()), false),
        ("an empty secret", by_secret("rsa", &good, b""), false),
        ("an algorithm that isn't known", key.token("RS1", &good), false),
        (
            "another algorithm than it was signed with",
            key.token_with(&json!({"alg": "PS256", "kid": "rsa"}), &good).replacen(
                &BASE64.encode(json!({"alg": "PS256", "kid": "rsa"}).to_string()),
                &BASE64.encode(json!({"alg": "RS256", "kid": "rsa"}).to_string()),
                1,
            ),
            false,
        ),
        ("an RSA key for a curve", key.token_with(&json!({"alg": "ES256", "kid": "rsa"}), &good), false),
        ("a curve's key for RSA", curve.token_with(&json!({"alg": "RS256", "kid": "curve"}), &good), false),
        ("a smaller curve for a larger one", curve.token_with(&json!({"alg": "ES384", "kid": "curve"}), &good), false),
        ("the key of a stranger", stranger.token("RS256", &good), false),
        ("the key of a stranger under a known name", stranger.token_with(&json!({"alg": "RS256", "kid": "rsa"}), &good), false),
        ("a known key under another's name", key.token_with(&json!({"alg": "RS256", "kid": "curve"}), &good), false),
        ("a key that comes along", stranger.token_with(&json!({"alg": "RS256", "jwk": stranger.published()}), &good), false),
        ("the address of a key", stranger.token_with(&json!({"alg": "RS256", "jku": "https://127.0.0.1/keys"}), &good), false),
        ("an extension that has to be understood", key.token_with(&json!({"alg": "RS256", "kid": "rsa", "crit": ["exp"]}), &good), false),
        ("no name of a key", key.token_with(&json!({"alg": "RS256"}), &good), true),
        ("an empty name of a key", key.token_with(&json!({"alg": "RS256", "kid": ""}), &good), true),
        ("other claims than were signed", format!("{header}.{forged}.{signature}"), false),
        ("no signature", format!("{signed}."), false),
        ("half a signature", format!("{signed}.{}", &signature[..signature.len() / 2]), false),
        ("a part too many", format!("{token}.x"), false),
        ("a part too few", signed.to_owned(), false),
        ("claims that aren't JSON", format!("{header}.{}.{signature}", BASE64.encode("{")), false),
        ("padding", format!("{header}=.{payload}.{signature}"), false),
        ("another audience", rs256("aud", json!("other")), false),
        ("one of several audiences", rs256("aud", json!(["other", "portal"])), true),
        ("no audience", without("aud"), false),
        ("an audience that is a number", rs256("aud", json!(7)), false),
        ("another issuer", rs256("iss", json!("https://other.example")), false),
        ("an issuer with a slash more", rs256("iss", json!(format!("{}/", provider.url))), false),
        ("no issuer", without("iss"), false),
        ("expired", rs256("exp", json!(now - 1)), false),
        ("without an end", without("exp"), false),
        ("an end that is a word", rs256("exp", json!("never")), false),
        ("not yet", rs256("nbf", json!(now + 600)), false),
        ("nearly", rs256("nbf", json!(now + 30)), true),
        ("no name", without("sub"), false),
        ("a name that is a list", rs256("sub", json!(["jane"])), false),
        ("no uid", without("oid"), false),
        ("one group", rs256("groups", json!("dev")), true),
        ("no groups", without("groups"), true),
        ("groups that are null", rs256("groups", Value::Null), true),
        ("groups that are numbers", rs256("groups", json!([1])), false),
        ("groups that are an object", rs256("groups", json!({"dev": true})), false),
        ("no id of the token", without("jti"), true),
        ("an extra value that is a number", rs256("team", json!(7)), false),
        ("an extra value that is a list", rs256("team", json!(["a", ""])), true),
    ]
}

#[tokio::test]
async fn no_token_counts_that_should_not() {
    let (key, curve, stranger) = (SigningKey::rsa("rsa", 0), SigningKey::curve("curve", 256), SigningKey::rsa("stranger", 1));
    let provider = Provider::start(&[&key, &curve]).await;
    let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
    for (what, token, counts) in tokens_at(0, &provider, &key, &curve, &stranger) {
        assert_eq!(status(&server, &token).await, if counts { 201 } else { 401 }, "{what}");
        assert_eq!(reviewed(&server, &token).await["authenticated"] == true, counts, "{what}");
    }
}

#[tokio::test]
async fn a_name_of_the_system_is_nobodys_and_its_groups_are_left_out() {
    let key = SigningKey::rsa("one", 0);
    let provider = Provider::start(&[&key]).await;
    let plain = json!({"username": {"claim": "sub", "prefix": ""}, "groups": {"claim": "groups", "prefix": ""}});
    let server = plane(&[provider.authenticator(plain)], &Hands::default());
    for name in ["system:admin", "system:serviceaccount:default:robot", "system:anonymous"] {
        assert_eq!(status(&server, &key.token("RS256", &changed(&provider, "sub", json!(name)))).await, 401, "{name}");
    }
    let privileged = key.token("RS256", &changed(&provider, "groups", json!(["system:masters", "system:kcp:admin", "dev"])));
    assert_eq!(reviewed(&server, &privileged).await["user"]["groups"], json!(["dev", "system:authenticated"]));
    assert_eq!(server.get(&privileged, "/api/v1/secrets").await.0, 403);
    assert_eq!(server.get(&privileged, "/clusters/root/api/v1/secrets").await.0, 403);
}

#[tokio::test]
async fn a_huge_token_is_refused_unread() {
    let key = SigningKey::rsa("one", 0);
    let provider = Provider::start(&[&key]).await;
    let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
    let token = key.token("RS256", &changed(&provider, "padding", json!("x".repeat(100_000))));
    assert_eq!(status(&server, &token).await, 431);
    let said = reviewed(&server, &token).await;
    assert_eq!((&said["authenticated"], &said["error"]), (&Value::Null, &json!("invalid bearer token")));
}

#[tokio::test]
async fn what_an_issuer_says_is_read_up_to_a_limit_and_as_what_it_is() {
    let key = SigningKey::rsa("one", 0);
    let many = json!({"keys": vec![key.published(); 101]}).to_string();
    let huge = json!({"keys": [key.published()], "padding": "x".repeat(2 << 20)}).to_string();
    for (keys, why) in
        [(many.as_str(), "more than 100 keys"), (&huge, "larger than 1024 KiB"), ("[]", "isn't a JSON Web Key Set"), ("<html>", "isn't a")]
    {
        let provider = Provider::start(&[]).await;
        provider.publishes_as(keys);
        let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
        let said = reviewed(&server, &key.token("RS256", &claims(&provider))).await["error"].as_str().unwrap().to_owned();
        assert!(said.contains(why), "{said}");
    }
    for (issuer, keys, why) in [
        ("https://other.example", None, "describes the issuer \"https://other.example\""),
        ("", Some("http://127.0.0.1/keys"), "must begin with https://"),
        ("", Some("not an address"), "isn't the description of an issuer"),
    ] {
        let provider = Provider::start(&[&key]).await;
        let issuer = if issuer.is_empty() { &provider.url } else { issuer };
        provider.describes(&json!({"issuer": issuer, "jwks_uri": keys.unwrap_or(&provider.url)}).to_string());
        let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
        let said = reviewed(&server, &key.token("RS256", &claims(&provider))).await["error"].as_str().unwrap().to_owned();
        assert!(said.contains(why), "{said}");
    }
}

#[tokio::test]
async fn keys_of_other_kinds_stand_beside_those_that_count() {
    let key = SigningKey::rsa("one", 0);
    let provider = Provider::start(&[]).await;
    let others = [
        json!({"kty": "oct", "k": BASE64.encode("secret"), "kid": "secret"}),
        json!({"kty": "OKP", "crv": "X25519", "x": BASE64.encode("x"), "kid": "x"}),
        json!({"kty": "AKP", "kid": "new"}),
        json!(7),
        key.published(),
    ];
    provider.publishes_as(&json!({"keys": others}).to_string());
    let server = plane(&[provider.authenticator(by_claims())], &Hands::default());
    assert_eq!(status(&server, &key.token("RS256", &claims(&provider))).await, 201);
    assert_eq!(status(&server, &by_secret("secret", &claims(&provider), b"secret")).await, 401);
}

#[tokio::test]
async fn an_issuer_that_nobody_vouches_for_is_not_asked() {
    let key = SigningKey::rsa("one", 0);
    let (provider, other) = (Provider::start(&[&key]).await, Provider::start(&[&key]).await);
    let mut authenticator = provider.authenticator(by_claims());
    authenticator["issuer"]["certificateAuthority"] = json!(other.authority);
    let server = plane(&[authenticator], &Hands::default());
    let said = reviewed(&server, &key.token("RS256", &claims(&provider))).await["error"].as_str().unwrap().to_owned();
    assert!(said.contains("can't open a TLS connection"), "{said}");
    assert_eq!(provider.asked(), 0);
}
