use serde_json::{Value, json};

use super::*;

fn document() -> Value {
    json!({
        "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration",
        "jwt": [{
            "issuer": {"url": "https://idp.example", "audiences": ["portal"]},
            "claimMappings": {"username": {"claim": "sub", "prefix": "idp:"}},
        }],
    })
}

fn read(document: &Value) -> Result<AuthenticationConfiguration, Vec<Cause>> {
    match AuthenticationConfiguration::parse(&document.to_string()) {
        Ok(read) => Ok(read),
        Err(ConfigurationError::Invalid(faults)) => Err(faults),
        Err(error) => panic!("{error}"),
    }
}

/// The faults of the document after a change, each as `field: message`.
fn faults(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut document = document();
    change(&mut document);
    read(&document).map_or_else(|faults| faults.iter().map(Cause::to_string).collect(), |_| Vec::new())
}

/// The fields of the faults of the first authenticator after a change.
fn fields(change: impl Fn(&mut Value)) -> Vec<String> {
    let faults = faults(|document| change(&mut document["jwt"][0]));
    faults.iter().map(|fault| fault.split(": ").next().unwrap().trim_start_matches("jwt[0].").to_owned()).collect()
}

#[test]
fn a_whole_file_is_read() {
    let text = "
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthenticationConfiguration
anonymous: {enabled: true, conditions: [{path: /livez}, {path: /readyz}]}
jwt:
- issuer:
    url: https://idp.example/realm
    discoveryURL: https://idp.internal/.well-known/openid-configuration
    audiences: [portal, opm]
    audienceMatchPolicy: MatchAny
  claimValidationRules:
  - {claim: hd, requiredValue: shop.example}
  - {expression: 'claims.exp - claims.iat <= 86400.0', message: a day at most}
  claimMappings:
    username: {expression: 'claims.?email_verified.orValue(true) == true ? claims.email : \"\"'}
    groups: {claim: groups, prefix: \"idp:\"}
    uid: {claim: sub}
    extra: [{key: shop.example/team, valueExpression: claims.team}]
  userValidationRules:
  - {expression: \"!user.username.startsWith('admin-')\"}
- issuer: {url: https://other.example/, audiences: [portal]}
  claimMappings: {username: {claim: sub, prefix: ''}}
";
    let read = AuthenticationConfiguration::parse(text).unwrap();
    let [first, second] = read.jwt.as_slice() else { panic!("two") };
    assert_eq!(first.issuer.discovery_url, "https://idp.internal/.well-known/openid-configuration");
    assert_eq!(first.issuer.audiences, ["portal", "opm"]);
    let mappings = &first.mappings;
    assert_eq!((mappings.required.len(), mappings.claim_rules.len(), mappings.user_rules.len(), mappings.extra.len()), (1, 1, 1, 1));
    assert_eq!(second.issuer.discovery_url, "https://other.example/.well-known/openid-configuration");
    assert_eq!(read.anonymous, Anonymous::Only(vec!["/livez".into(), "/readyz".into()]));
    assert!(read.anonymous.allows("/livez") && !read.anonymous.allows("/livez/ping") && !read.anonymous.allows("/api"));
}

#[test]
fn a_file_without_issuers_is_one() {
    let read = AuthenticationConfiguration::parse("{apiVersion: apiserver.config.k8s.io/v1, kind: AuthenticationConfiguration}").unwrap();
    assert!(read.jwt.is_empty() && read.anonymous.allows("/api"));
}

#[test]
fn what_is_no_configuration_is_told() {
    assert!(matches!(AuthenticationConfiguration::parse("a: [").unwrap_err(), ConfigurationError::Syntax(_)));
    assert!(matches!(AuthenticationConfiguration::parse("jwt: []\njwt: []").unwrap_err(), ConfigurationError::Syntax(_)));
    let said = |change: fn(&mut Value)| faults(change).join("\n");
    assert!(said(|document| document["kind"] = json!("Config")).starts_with("kind: Unsupported value: \"Config\""));
    assert!(
        said(|document| document["apiVersion"] = Value::Null)
            .starts_with("apiVersion: Required value: set it to apiserver.config.k8s.io/v1")
    );
    assert!(
        said(|document| document["oidc"] = json!([])).starts_with("oidc: Forbidden: unknown field; the fields here are apiVersion, kind")
    );
    assert!(said(|document| document["jwt"] = json!("x")).starts_with("jwt: Invalid value: \"x\": must be a list"));
    let many = |document: &mut Value| document["jwt"] = json!(vec![document["jwt"][0].clone(); 65]);
    assert_eq!(faults(many), ["jwt: Too many: 65: must have at most 64 items"]);
}

#[test]
fn an_issuer_has_an_address_of_https() {
    let url = |url: &str| fields(|jwt| jwt["issuer"]["url"] = json!(url));
    assert_eq!(url("https://idp.example:8443/realms/shop"), Vec::<String>::new());
    for bad in [
        "",
        "http://idp.example",
        "idp.example",
        "https://jane:secret@idp.example",
        "https://idp.example/?a=b",
        "https://idp.example/#a",
        "https://",
        "https://a b",
        "https://kubernetes.default.svc",
    ] {
        assert_eq!(url(bad), ["issuer.url"], "{bad}");
    }
    let secret = faults(|document| document["jwt"][0]["issuer"]["url"] = json!("https://jane:secret@idp.example"));
    assert!(!secret.concat().contains("secret"), "{secret:?}");
    let discovery = |url: &str| fields(|jwt| jwt["issuer"]["discoveryURL"] = json!(url));
    assert_eq!(discovery("https://idp.internal/d"), Vec::<String>::new());
    assert_eq!(discovery("https://idp.example/"), ["issuer.discoveryURL"]);
    assert_eq!(discovery("http://idp.internal/d"), ["issuer.discoveryURL"]);
}

#[test]
fn issuers_and_their_descriptions_differ() {
    let twice = |document: &mut Value| {
        document["jwt"][0]["issuer"]["discoveryURL"] = json!("https://idp.internal/d");
        document["jwt"] = json!(vec![document["jwt"][0].clone(); 2]);
    };
    let said = faults(twice);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].starts_with("jwt[1].issuer.url: Duplicate value") && said[1].starts_with("jwt[1].issuer.discoveryURL: Duplicate value")
    );
}

#[test]
fn audiences_are_named_once_each() {
    let audiences = |audiences: Value, policy: Value| {
        fields(|jwt| (jwt["issuer"]["audiences"], jwt["issuer"]["audienceMatchPolicy"]) = (audiences.clone(), policy.clone()))
    };
    assert_eq!(audiences(json!(["a"]), json!("MatchAny")), Vec::<String>::new());
    assert_eq!(audiences(json!(["a", "b"]), json!("MatchAny")), Vec::<String>::new());
    assert_eq!(audiences(json!([]), json!(null)), ["issuer.audiences"]);
    assert_eq!(audiences(json!(["a", "a"]), json!("MatchAny")), ["issuer.audiences[1]"]);
    assert_eq!(audiences(json!([""]), json!(null)), ["issuer.audiences[0]"]);
    assert_eq!(audiences(json!([1]), json!(null)), ["issuer.audiences[0]", "issuer.audiences[0]"]);
    assert_eq!(audiences(json!(["a", "b"]), json!(null)), ["issuer.audienceMatchPolicy"]);
    assert_eq!(audiences(json!(["a"]), json!("MatchAll")), ["issuer.audienceMatchPolicy"]);
}

#[test]
fn certificates_are_certificates_and_egress_is_direct() {
    let issuer = |field: &str, value: &str| fields(|jwt| jwt["issuer"][field] = json!(value));
    let pem = rcgen::generate_simple_self_signed(vec!["idp.example".to_owned()]).unwrap().cert.pem();
    assert_eq!(issuer("certificateAuthority", &pem), Vec::<String>::new());
    for bad in ["x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert_eq!(issuer("certificateAuthority", bad), ["issuer.certificateAuthority"], "{bad}");
    }
    assert_eq!(issuer("egressSelectorType", "cluster"), ["issuer.egressSelectorType"]);
}

#[test]
fn a_mapping_is_a_claim_with_a_prefix_or_an_expression() {
    let username = |mapping: Value| fields(|jwt| jwt["claimMappings"]["username"] = mapping.clone());
    assert_eq!(username(json!({"claim": "sub", "prefix": ""})), Vec::<String>::new());
    assert_eq!(username(json!({"expression": "claims.sub"})), Vec::<String>::new());
    assert_eq!(username(json!(null)), ["claimMappings.username"]);
    assert_eq!(username(json!({"prefix": "a"})), ["claimMappings.username"]);
    assert_eq!(username(json!({"claim": "sub"})), ["claimMappings.username.prefix"]);
    assert_eq!(username(json!({"claim": "sub", "expression": "claims.sub"})), ["claimMappings.username"]);
    assert_eq!(username(json!({"expression": "claims.sub", "prefix": ""})), ["claimMappings.username.prefix"]);
    assert_eq!(username(json!({"expression": "claims."})), ["claimMappings.username.expression"]);
    assert_eq!(username(json!({"expression": "user.username"})), ["claimMappings.username.expression"]);
    let groups = |mapping: Value| fields(|jwt| jwt["claimMappings"]["groups"] = mapping.clone());
    assert_eq!(groups(json!({})), Vec::<String>::new());
    assert_eq!(groups(json!({"claim": "groups"})), ["claimMappings.groups.prefix"]);
    let uid = |mapping: Value| fields(|jwt| jwt["claimMappings"]["uid"] = mapping.clone());
    assert_eq!(uid(json!({"claim": "sub"})), Vec::<String>::new());
    assert_eq!(uid(json!({"claim": "sub", "expression": "claims.sub"})), ["claimMappings.uid"]);
    assert_eq!(uid(json!({"claim": "sub", "prefix": ""})), ["claimMappings.uid.prefix"]);
}

#[test]
fn an_address_is_used_only_where_it_is_verified() {
    let by_email = |jwt: &mut Value| jwt["claimMappings"]["username"] = json!({"expression": "claims.email"});
    assert_eq!(fields(by_email), ["claimMappings.username.expression"]);
    let optional = |jwt: &mut Value| jwt["claimMappings"]["username"] = json!({"expression": "claims.?email.orValue('')"});
    assert_eq!(fields(optional), ["claimMappings.username.expression"]);
    let checked = |jwt: &mut Value| {
        by_email(jwt);
        jwt["claimValidationRules"] = json!([{"expression": "claims.?email_verified.orValue(true) == true"}]);
    };
    assert_eq!(fields(checked), Vec::<String>::new());
    let noted = |jwt: &mut Value| {
        by_email(jwt);
        jwt["claimMappings"]["extra"] = json!([{"key": "shop.example/verified", "valueExpression": "string(claims.email_verified)"}]);
    };
    assert_eq!(fields(noted), Vec::<String>::new());
}

#[test]
fn keys_of_extra_fields_have_a_domain_of_ones_own() {
    let key = |key: &str| fields(|jwt| jwt["claimMappings"]["extra"] = json!([{"key": key, "valueExpression": "'a'"}]));
    for good in ["shop.example/team", "shop.example/a/b-c_d", "notk8s.io/a"] {
        assert_eq!(key(good), Vec::<String>::new(), "{good}");
    }
    for bad in ["", "team", "/team", "shop.example/", "Shop.example/team", "shop.example/a b", "k8s.io/a", "authentication.kubernetes.io/a"]
    {
        assert_eq!(key(bad), ["claimMappings.extra[0].key"], "{bad}");
    }
    assert_eq!(key("authentication.kcp.io/scopes"), ["claimMappings.extra[0].key"]);
    let twice =
        json!([{"key": "a.example/b", "valueExpression": "'a'"}, {"key": "a.example/b", "valueExpression": "'a'"}, {"key": "c.example/d"}]);
    let of = fields(|jwt| jwt["claimMappings"]["extra"] = twice.clone());
    assert_eq!(of, ["claimMappings.extra[1].key", "claimMappings.extra[2].valueExpression"]);
}

#[test]
fn rules_have_a_claim_or_an_expression() {
    let rules = |rules: Value| fields(|jwt| jwt["claimValidationRules"] = rules.clone());
    assert_eq!(rules(json!([{"claim": "hd"}, {"expression": "claims.a == 1.0", "message": "m"}])), Vec::<String>::new());
    let at = |end: &str| format!("claimValidationRules[0]{end}");
    assert_eq!(rules(json!([{}])), [at("")]);
    assert_eq!(rules(json!([{"claim": "hd", "expression": "true"}])), [at("")]);
    assert_eq!(rules(json!([{"claim": "hd", "message": "m"}])), [at(".message")]);
    assert_eq!(rules(json!([{"expression": "true", "requiredValue": "v"}])), [at(".requiredValue")]);
    assert_eq!(rules(json!([{"expression": "claims.admin"}])), [at(".expression")], "its type isn't known");
    assert_eq!(rules(json!([{"expression": "'a'"}])), [at(".expression")]);
    assert_eq!(rules(json!([{"claim": "hd"}, {"claim": "hd"}])), ["claimValidationRules[1].claim"]);
    assert_eq!(rules(json!([{"expression": "true"}, {"expression": "true"}])), ["claimValidationRules[1].expression"]);
    let of_user = |rules: Value| fields(|jwt| jwt["userValidationRules"] = rules.clone());
    assert_eq!(of_user(json!([{"expression": "user.extra.size() == 0 && user.groups.all(group, group != 'x')"}])), Vec::<String>::new());
    assert_eq!(of_user(json!([{}])), ["userValidationRules[0].expression"]);
    assert_eq!(of_user(json!([{"expression": "user.name == ''"}])), ["userValidationRules[0].expression"]);
    assert_eq!(of_user(json!([{"expression": "claims.sub == ''"}])), ["userValidationRules[0].expression"]);
}

#[test]
fn requests_without_a_token_can_be_closed_out() {
    let anonymous = |anonymous: Value| {
        let mut document = document();
        document["anonymous"] = anonymous;
        read(&document).map(|read| read.anonymous).map_err(|faults| faults[0].field.clone())
    };
    assert_eq!(anonymous(json!({"enabled": false})), Ok(Anonymous::Nowhere));
    assert_eq!(anonymous(json!({"enabled": true})), Ok(Anonymous::Everywhere));
    assert_eq!(anonymous(json!({"enabled": false, "conditions": [{"path": "/livez"}]})), Err("anonymous.conditions".to_owned()));
    assert_eq!(anonymous(json!({"enabled": "no"})), Err("anonymous.enabled".to_owned()));
}
