//! Tokens, keys and claims that somebody else made, and the configuration that says what they mean.

use devplane::fuzzing;
use serde_json::{Value, json};

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "alg",
    "RS256",
    "PS384",
    "ES256",
    "none",
    "HS256",
    "kid",
    "one",
    "crit",
    "jwk",
    "keys",
    "kty",
    "RSA",
    "EC",
    "crv",
    "P-256",
    "n",
    "e",
    "x",
    "y",
    "AQAB",
    "AAAA",
    "iss",
    "https://idp.example",
    "aud",
    "portal",
    "sub",
    "exp",
    "nbf",
    "groups",
    "email",
    "email_verified",
    "jti",
    "system:masters",
    "system:admin",
    "jane",
    "username",
    "uid",
    "extra",
    "claim",
    "prefix",
    "expression",
    "claims.sub",
    "claims.groups",
    "claims.a.b.c",
    "valueExpression",
    "shop.example/team",
    "",
];

/// Reads a token with a set of keys, and makes a user of its claims.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let (header, claims, keys, mappings) = (bytes.object(), bytes.object(), bytes.value(), bytes.object());
    let signature = bytes.text();
    let keys = json!({"keys": keys}).to_string();
    let token = fuzzing::token(&header, &claims, &signature);
    assert!(!fuzzing::is_made_by(&token, br#"{"keys": []}"#), "no key made {token}");
    let _ = fuzzing::is_made_by(&token, keys.as_bytes());
    for mappings in [mappings, json!({"username": {"claim": "sub", "prefix": ""}, "groups": {"claim": "groups", "prefix": ""}})] {
        let issuer = json!({"url": "https://idp.example", "audiences": ["portal"]});
        let jwt = json!([{"issuer": issuer, "claimMappings": mappings}]);
        let document = json!({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": jwt});
        if let Some(user) = fuzzing::person(&document.to_string(), &claims) {
            assert!(!user.name.is_empty() && !user.name.starts_with("system:"), "{claims} is {:?}", user.name);
            assert!(!user.groups.iter().any(|group| group.starts_with("system:")), "{claims} is in {:?}", user.groups);
        }
    }
    let text = bytes.rest();
    let _ = (fuzzing::is_made_by(&text, text.as_bytes()), fuzzing::person(&text, &Value::Null));
}
