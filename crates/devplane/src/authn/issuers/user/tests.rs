use serde_json::{Value, json};

use super::*;
use crate::authn::configuration::AuthenticationConfiguration;

/// The user of claims by these mappings and rules.
fn made(authenticator: Value, claims: Value) -> Result<User, Refusal> {
    let mut jwt = authenticator;
    jwt["issuer"] = json!({"url": "https://idp.example", "audiences": ["portal"]});
    let document = json!({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": [jwt]});
    let read = AuthenticationConfiguration::parse(&document.to_string()).unwrap();
    let Value::Object(claims) = claims else { panic!("an object") };
    user(&read.jwt[0].mappings, &claims)
}

fn by_claims() -> Value {
    json!({"claimMappings": {
        "username": {"claim": "sub", "prefix": "idp:"}, "groups": {"claim": "groups", "prefix": "idp:"}, "uid": {"claim": "uid"},
    }})
}

fn with(part: &str, mapping: Value) -> Value {
    let mut authenticator = json!({"claimMappings": {"username": {"claim": "sub", "prefix": ""}}});
    authenticator["claimMappings"][part] = mapping;
    authenticator
}

fn ruled(list: &str, rule: Value) -> Value {
    let mut authenticator = json!({"claimMappings": {"username": {"claim": "sub", "prefix": ""}}});
    authenticator[list] = json!([rule]);
    authenticator
}

fn form(claim: &str, wanted: &'static str) -> Refusal {
    claims::form(claim, wanted)
}

#[test]
fn claims_are_taken_with_their_prefixes() {
    let user = made(by_claims(), json!({"sub": "jane", "groups": ["dev", "ops"], "uid": "7", "jti": "t1"})).unwrap();
    assert_eq!((user.name.as_str(), user.uid.as_str()), ("idp:jane", "7"));
    assert_eq!(user.groups, ["idp:dev", "idp:ops"]);
    assert_eq!(user.extra, BTreeMap::from([(CREDENTIAL_ID.to_owned(), vec!["JTI=t1".to_owned()])]));
}

#[test]
fn groups_are_a_list_a_text_or_none() {
    let groups = |value: Value| made(by_claims(), json!({"sub": "jane", "uid": "", "groups": value})).map(|user| user.groups);
    assert_eq!(groups(json!("dev")).unwrap(), ["idp:dev"]);
    assert_eq!(groups(json!([])).unwrap(), Vec::<String>::new());
    assert_eq!(groups(json!(null)).unwrap(), Vec::<String>::new());
    assert_eq!(groups(json!([1])), Err(form("groups", "a string or a list of strings")));
    assert_eq!(groups(json!({"a": "b"})), Err(form("groups", "a string or a list of strings")));
    let none = made(by_claims(), json!({"sub": "jane", "uid": ""})).unwrap();
    assert_eq!((none.groups, none.extra), (Vec::new(), BTreeMap::new()));
    let elsewhere = json!({"sub": "jane", "uid": "", "_claim_names": {"groups": "a"}, "_claim_sources": {}});
    assert_eq!(made(by_claims(), elsewhere), Err(Refusal::Distributed("groups".into())));
}

#[test]
fn what_a_mapping_needs_has_to_be_there() {
    assert_eq!(made(by_claims(), json!({"uid": "1"})), Err(Refusal::ClaimMissing("sub".into())));
    assert_eq!(made(by_claims(), json!({"sub": "jane"})), Err(Refusal::ClaimMissing("uid".into())));
    assert_eq!(made(by_claims(), json!({"sub": ["jane"], "uid": "1"})), Err(form("sub", "a string")));
    assert_eq!(made(by_claims(), json!({"sub": "jane", "uid": 1})), Err(form("uid", "a string")));
    for empty in [json!(""), json!(null)] {
        assert_eq!(made(by_claims(), json!({"sub": empty, "uid": "1"})), Err(Refusal::NoName));
    }
}

#[test]
fn an_address_counts_unless_it_is_not_verified() {
    let by = |verified: Option<Value>| {
        let mut claims = json!({"email": "jane@shop.example"});
        if let Some(verified) = verified {
            claims["email_verified"] = verified;
        }
        made(with("username", json!({"claim": "email", "prefix": ""})), claims).map(|user| user.name)
    };
    assert_eq!(by(None).unwrap(), "jane@shop.example");
    assert_eq!(by(Some(json!(true))).unwrap(), "jane@shop.example");
    assert_eq!(by(Some(json!(false))), Err(Refusal::EmailNotVerified));
    assert_eq!(by(Some(json!("true"))), Err(form("email_verified", "true or false")));
}

#[test]
fn what_the_plane_gives_no_issuer_can() {
    let plain = json!({"claimMappings": {"username": {"claim": "sub", "prefix": ""}, "groups": {"claim": "groups", "prefix": ""}}});
    for name in ["system:admin", "system:serviceaccount:default:robot", "system:"] {
        assert_eq!(made(plain.clone(), json!({"sub": name})), Err(Refusal::SystemName), "{name}");
    }
    let user = made(plain.clone(), json!({"sub": "system", "groups": ["system:masters", "dev", "system:kcp:admin"]})).unwrap();
    assert_eq!(user.groups, ["dev"]);
    let prefixed = made(by_claims(), json!({"sub": "system:admin", "groups": ["system:masters"], "uid": ""})).unwrap();
    assert_eq!((prefixed.name.as_str(), prefixed.groups), ("idp:system:admin", vec!["idp:system:masters".to_owned()]));
    let made_up = made(with("groups", json!({"expression": "['system:' + 'masters']"})), json!({"sub": "jane"})).unwrap();
    assert_eq!(made_up.groups, Vec::<String>::new());
}

#[test]
fn expressions_make_names_groups_and_uids() {
    let claims = || json!({"sub": "jane", "org": {"unit": "Shop", "id": 7}, "roles": ["dev", "", "ops"], "my.team": "blue"});
    let of = |part: &str, expression: &str| made(with(part, json!({"expression": expression})), claims());
    assert_eq!(of("username", "claims.org.unit + '/' + claims.sub").unwrap().name, "Shop/jane");
    assert_eq!(of("username", "claims.my__dot__team").unwrap().name, "blue");
    assert_eq!(of("username", "string(claims.org.id)").unwrap().name, "7");
    assert_eq!(of("username", "''"), Err(Refusal::NoName));
    assert!(matches!(of("username", "claims.org.id"), Err(Refusal::Result { wanted: TEXT, .. })));
    assert!(matches!(of("username", "claims.absent"), Err(Refusal::Expression { .. })));
    assert_eq!(of("groups", "claims.roles.map(role, 'r:' + role)").unwrap().groups, ["r:dev", "r:", "r:ops"]);
    assert_eq!(of("groups", "claims.roles").unwrap().groups, ["dev", "ops"], "empty ones are left out");
    assert_eq!(of("groups", "'all'").unwrap().groups, ["all"]);
    assert_eq!(of("groups", "has(claims.none) ? claims.none : null").unwrap().groups, Vec::<String>::new());
    assert!(matches!(of("groups", "[1]"), Err(Refusal::Result { wanted: TEXTS, .. })));
    assert!(matches!(of("groups", "true"), Err(Refusal::Result { wanted: TEXTS, .. })));
    assert_eq!(of("uid", "claims.sub + '-1'").unwrap().uid, "jane-1");
    assert!(matches!(of("uid", "timestamp('2026-01-01T00:00:00Z')"), Err(Refusal::Result { .. })));
}

#[test]
fn extra_fields_have_a_key_and_texts() {
    let extra = |expression: &str| {
        let list = json!([{"key": "shop.example/team", "valueExpression": expression}]);
        made(with("extra", list), json!({"sub": "jane", "teams": ["a", ""]})).map(|user| user.extra)
    };
    let team = |values: &[&str]| BTreeMap::from([("shop.example/team".to_owned(), values.iter().map(|&text| text.to_owned()).collect())]);
    assert_eq!(extra("claims.teams").unwrap(), team(&["a"]));
    assert_eq!(extra("'b'").unwrap(), team(&["b"]));
    for nothing in ["''", "[]", "null", "['']"] {
        assert_eq!(extra(nothing).unwrap(), BTreeMap::new(), "{nothing}");
    }
    assert!(extra("1").is_err());
}

#[test]
fn rules_about_claims_and_users_hold() {
    let required = || ruled("claimValidationRules", json!({"claim": "hd", "requiredValue": "shop.example"}));
    assert!(made(required(), json!({"sub": "jane", "hd": "shop.example"})).is_ok());
    assert_eq!(made(required(), json!({"sub": "jane", "hd": "other.example"})), Err(Refusal::Required("hd".into())));
    assert_eq!(made(required(), json!({"sub": "jane"})), Err(Refusal::ClaimMissing("hd".into())));
    assert_eq!(made(required(), json!({"sub": "jane", "hd": true})), Err(form("hd", "a string")));
    let short = || ruled("claimValidationRules", json!({"expression": "claims.exp - claims.iat <= 3600.0", "message": "an hour at most"}));
    assert!(made(short(), json!({"sub": "jane", "iat": 100, "exp": 3700})).is_ok());
    let refused = made(short(), json!({"sub": "jane", "iat": 100, "exp": 3701})).unwrap_err();
    assert_eq!(refused.to_string(), "the rule \"claims.exp - claims.iat <= 3600.0\" doesn't hold: an hour at most");
    assert!(matches!(made(short(), json!({"sub": "jane"})), Err(Refusal::Expression { .. })));
    let of_user = |expression: &str| made(ruled("userValidationRules", json!({"expression": expression})), json!({"sub": "admin-jane"}));
    assert!(of_user("user.username.startsWith('admin-') && user.groups.size() == 0 && user.uid == ''").is_ok());
    assert!(matches!(of_user("!user.username.startsWith('admin-')"), Err(Refusal::Rule { message, .. }) if message.is_empty()));
}

#[test]
fn an_expression_has_an_end() {
    let loops = "claims.list.all(a, claims.list.all(b, claims.list.all(c, a + b + c >= 0.0)))";
    let many: Vec<u32> = (0..300).collect();
    let refused = made(ruled("claimValidationRules", json!({"expression": loops})), json!({"sub": "jane", "list": many}));
    assert!(matches!(refused, Err(Refusal::Expression { error: schema::expr::ExprError::Budget(_), .. })), "{refused:?}");
}
